# frozen_string_literal: true

module RspecPuppetBunraku
  # Whether the Puppet of the suite has the types of a catalog. Bunraku knows those, too, that packages of Puppet bring along in
  # modules of their own (`cron`, `host`, `mount`); where the gem is all of Puppet that there is, code that uses them fails.
  module KnownTypes
    # A type that Puppet has not.
    class Missing < StandardError; end

    class << self
      # The first type of a catalog that Puppet has not; nil where it has all.
      def missing(catalog)
        folders = catalog.environment_instance.modulepath
        catalog.native_types.find { |name| !known?(name.downcase, folders) }
      end

      private

      def known?(name, folders)
        known = (@known ||= {})[folders] ||= {}
        known.fetch(name) { known[name] = there?(name, folders) }
      end

      # Puppet itself is asked last: it loads the type.
      def there?(name, folders)
        files = [File.join(OwnRuby::PUPPET, 'type', "#{name}.rb")]
        files.concat(folders.flat_map { |folder| Dir["#{folder}/*/lib/puppet/type/#{name}.rb"] })
        files.any? { |file| File.file?(file) } || !Puppet::Type.type(name).nil?
      end
    end
  end
end
