# Ruby's own library, as code finds it in Puppet's process, which has loaded much of it before any function runs: here it
# is loaded when it is first named, and once a compile has needed it, before the next one begins.

module Bunraku
  module Library
    # Constants of what Puppet 7.23 has loaded, by the file to load: its `$LOADED_FEATURES` when a function runs.
    CONSTANTS = {
      'base64' => %i[Base64], 'benchmark' => %i[Benchmark], 'cgi' => %i[CGI], 'date' => %i[Date DateTime],
      'delegate' => %i[Delegator SimpleDelegator], 'digest' => %i[Digest], 'erb' => %i[ERB], 'etc' => %i[Etc],
      'fileutils' => %i[FileUtils], 'find' => %i[Find], 'forwardable' => %i[Forwardable SingleForwardable],
      'getoptlong' => %i[GetoptLong], 'ipaddr' => %i[IPAddr], 'json' => %i[JSON], 'logger' => %i[Logger],
      'monitor' => %i[Monitor MonitorMixin], 'net/https' => %i[Net], 'open3' => %i[Open3], 'openssl' => %i[OpenSSL],
      'optparse' => %i[OptionParser OptParse], 'ostruct' => %i[OpenStruct], 'pathname' => %i[Pathname],
      'prettyprint' => %i[PrettyPrint], 'resolv' => %i[Resolv], 'ripper' => %i[Ripper], 'rubygems' => %i[Gem],
      'securerandom' => %i[SecureRandom], 'set' => %i[Set], 'singleton' => %i[Singleton],
      'socket' => %i[BasicSocket IPSocket Addrinfo Socket SocketError TCPServer TCPSocket UDPSocket UNIXServer UNIXSocket],
      'stringio' => %i[StringIO], 'strscan' => %i[StringScanner], 'syslog' => %i[Syslog], 'tempfile' => %i[Tempfile],
      'timeout' => %i[Timeout], 'tsort' => %i[TSort], 'uri' => %i[URI], 'yaml' => %i[YAML Psych], 'zlib' => %i[Zlib]
    }.freeze

    # Files that add methods to what is there already.
    FEATURES = (CONSTANTS.keys + %w[time tmpdir digest/md5 digest/sha1 digest/sha2 io/wait English]).freeze

    @loaded = []

    class << self
      # What has been loaded of the above, by name.
      attr_reader :loaded

      # Where a file of Ruby's own lies, whatever the modules have of that name.
      def path(name)
        own = $LOAD_PATH.drop(Bunraku.folders ? Bunraku.folders.size : 0)
        own.each do |folder|
          ['.rb', '.so'].each do |ending|
            file = File.join(folder, "#{name}#{ending}")
            return file if File.file?(file)
          end
        end
        name
      end

      # Loads what is in the table from where Ruby has it; nothing else.
      def require?(name)
        return false unless FEATURES.include?(name)
        @loaded << name unless @loaded.include?(name)
        true
      end

      def gems?
        Object.const_defined?(:Gem, false) && !Object.autoload?(:Gem)
      end

      # Methods that a file of the library defines: the first call loads it.
      def late(owner, names, file)
        names = names.reject { |name| owner.method_defined?(name) || owner.private_method_defined?(name) }
        names.each do |name|
          owner.define_method(name) do |*args, **options, &block|
            names.each do |own|
              there = owner.method_defined?(own, false) || owner.private_method_defined?(own, false)
              owner.send(:remove_method, own) if there
            end
            require file
            __send__(name, *args, **options, &block)
          end
        end
      end
    end
  end
end

# Files of Puppet's own that modules ask for: what the worker has of them is loaded already, and no Puppet installed
# beside it is ever read.
module Kernel
  alias bunraku_require require
  private :bunraku_require

  def require(name)
    text = name.respond_to?(:to_path) ? name.to_path : name
    return bunraku_require(Bunraku::Library.path(text)) if Bunraku::Library.require?(text)
    # A part of it opens the module, which would load the whole around the part that is being loaded.
    Object.const_get(:Net) if text.is_a?(String) && text.start_with?('net/') && Object.autoload?(:Net)
    if text.is_a?(String) && text.match?(%r{\A(?:puppet|facter|semantic_puppet)(?:/|\.rb\z|\z)})
      found = (Bunraku.folders || []).any? do |folder|
        File.file?(File.join(folder, text.end_with?('.rb') ? text : "#{text}.rb"))
      end
      return false unless found
    end
    begin
      bunraku_require(name)
    rescue LoadError => error
      raise if Bunraku::Library.gems? || error.path != text
      require('rubygems')
      begin
        # With RubyGems there, its own `require` looks among the gems.
        Kernel.instance_method(:require).bind_call(self, name)
      rescue LoadError
        raise error
      end
    end
  end
end

Bunraku::Library::CONSTANTS.each do |file, names|
  names.each { |name| Object.autoload(name, file) unless Object.const_defined?(name, false) }
end
Bunraku::Library.late(Object, %i[to_yaml], 'yaml')
Bunraku::Library.late(Object, %i[to_json], 'json')
Bunraku::Library.late(Kernel, %i[JSON j jj], 'json')
Bunraku::Library.late(Kernel, %i[URI], 'uri')
Bunraku::Library.late(Kernel, %i[Pathname], 'pathname')
Bunraku::Library.late(Enumerable, %i[to_set], 'set')
Bunraku::Library.late(Dir.singleton_class, %i[mktmpdir tmpdir], 'tmpdir')
Bunraku::Library.late(Time.singleton_class, %i[parse iso8601 xmlschema httpdate rfc2822 strptime], 'time')
Bunraku::Library.late(Time, %i[iso8601 xmlschema httpdate rfc2822], 'time')
Bunraku::Library.late(Time, %i[to_date to_datetime], 'date')
Bunraku::Library.late(Random, %i[hex uuid base64 urlsafe_base64 alphanumeric], 'securerandom')
Bunraku::Library.late(Random.singleton_class, %i[hex uuid base64 urlsafe_base64 alphanumeric], 'securerandom')
require 'English'
# As the files themselves have them: no methods of every value, which messages would suggest.
%i[JSON j jj URI Pathname gem].each { |name| Kernel.send(:private, name) if Kernel.method_defined?(name, false) }
