# frozen_string_literal: true

require 'tmpdir'

module RspecPuppetBunraku
  # What rspec-puppet does for each example again and what nobody looks at where Bunraku compiles.
  module SparedWork
    # The loaders of Puppet's environment, which look into every module: made when Puppet asks for them. A context of Puppet takes
    # a proc for what is made late.
    module LateLoaders
      def setup_puppet(*)
        before = Thread.current[:rspec_puppet_bunraku_late_loaders]
        Thread.current[:rspec_puppet_bunraku_late_loaders] = true
        super
      ensure
        Thread.current[:rspec_puppet_bunraku_late_loaders] = before
      end
    end

    # In front of `Puppet::Pops::Loaders.new`.
    module Loaders
      def new(*arguments, **named)
        return super unless Thread.current[:rspec_puppet_bunraku_late_loaders]

        -> { super(*arguments, **named) }
      end
    end

    # The folder for Puppet's files is one for all examples as long as nothing is written there; folders of modules are put on
    # Ruby's load path once.
    module Folders
      def setup_puppet
        Puppet[:vardir] = SparedWork.vardir
        folders = adapter.modulepath.flat_map { |folder| Dir["#{folder}/*/lib"] }
        $LOAD_PATH.concat(folders - $LOAD_PATH)
        SparedWork.vardir
      end

      def with_vardir
        vardir = setup_puppet
        yield(vardir) if block_given?
      ensure
        SparedWork.leave_vardir
      end
    end

    class << self
      # A folder that is empty, by the same name each time: code may read it, and catalogs are kept by what it reads.
      def vardir
        @vardir = nil unless @owner == Process.pid
        @owner = Process.pid
        @vardir ||= Dir.mktmpdir.tap { |folder| at_exit { FileUtils.rm_rf(folder) if Process.pid == @owner } }
        FileUtils.mkdir_p(@vardir, mode: 0o700)
        @vardir
      end

      # What has been written there is gone with the example, as in rspec-puppet.
      def leave_vardir
        FileUtils.rm_rf(@vardir) unless @vardir.nil? || (Dir.exist?(@vardir) && Dir.empty?(@vardir))
      end
    end

    # Which resources a catalog has is told from its entries, without objects; what has been told of a catalog is not told again.
    module Coverage
      # As much of a resource as coverage asks for.
      Entry = Struct.new(:type, :title, :file) do
        def to_s
          "#{type}[#{title}]"
        end
      end

      def add_from_catalog(catalog, test_module)
        return super unless catalog.is_a?(Catalog) && !catalog.changed?

        told = [catalog.object_id, test_module, filters.size, filters_regex.size]
        return if (@told ||= {}.compare_by_identity)[catalog] == told

        @told[catalog] = told
        @told.shift if @told.size > Catalogs::KEPT
        entries = catalog.entries.map { |entry| Entry.new(entry['type'], entry['title'], entry['file']) }
        entries.reject! { |entry| !test_module.nil? && filter_resource?(entry, test_module) }
        entries.each { |entry| add(entry) }
      end
    end

    RSpec::Puppet::Adapters.constants.map { |name| RSpec::Puppet::Adapters.const_get(name) }.each do |adapter|
      adapter.prepend(LateLoaders) if adapter.is_a?(Class) && adapter.method_defined?(:setup_puppet, false)
    end
    Puppet::Pops::Loaders.singleton_class.prepend(Loaders)
    RSpec::Puppet::Support.prepend(Folders)
    RSpec::Puppet::Coverage.prepend(Coverage)
  end
end
