# Ruby's own library, as code finds it in Puppet's process, which has loaded much of it before any function runs: here it
# is loaded when it is first named, and once a compile has needed it, before the next one begins.

module Bunraku
  module Library
    # Constants of what Puppet 7.23 has loaded, by the file to load: its `$LOADED_FEATURES` when a function runs.
    CONSTANTS = {
      'base64' => %i[Base64], 'benchmark' => %i[Benchmark], 'cgi' => %i[CGI], 'date' => %i[Date DateTime],
      'delegate' => %i[Delegator SimpleDelegator], 'did_you_mean' => %i[DidYouMean], 'digest' => %i[Digest],
      'erb' => %i[ERB], 'error_highlight' => %i[ErrorHighlight], 'etc' => %i[Etc],
      'fileutils' => %i[FileUtils], 'find' => %i[Find], 'forwardable' => %i[Forwardable SingleForwardable],
      'getoptlong' => %i[GetoptLong], 'ipaddr' => %i[IPAddr], 'json' => %i[JSON], 'logger' => %i[Logger],
      'monitor' => %i[Monitor MonitorMixin], 'net/https' => %i[Net], 'open3' => %i[Open3], 'openssl' => %i[OpenSSL],
      'optparse' => %i[OptionParser OptParse], 'ostruct' => %i[OpenStruct], 'pathname' => %i[Pathname],
      'prettyprint' => %i[PrettyPrint], 'rbconfig' => %i[RbConfig], 'resolv' => %i[Resolv], 'ripper' => %i[Ripper],
      'rubygems' => %i[Gem], 'securerandom' => %i[SecureRandom], 'set' => %i[Set], 'singleton' => %i[Singleton],
      'socket' => %i[BasicSocket IPSocket Addrinfo Socket SocketError TCPServer TCPSocket UDPSocket UNIXServer UNIXSocket],
      'stringio' => %i[StringIO], 'strscan' => %i[StringScanner], 'syslog' => %i[Syslog], 'tempfile' => %i[Tempfile],
      'timeout' => %i[Timeout], 'tsort' => %i[TSort], 'uri' => %i[URI], 'yaml' => %i[YAML Psych], 'zlib' => %i[Zlib]
    }.freeze

    # Files that add methods to what is there already.
    FEATURES = (CONSTANTS.keys + %w[time tmpdir digest/md5 digest/sha1 digest/sha2 io/wait English]).freeze

    # By the begin of a name, what is loaded before any file of such a name.
    WHOLE = { 'net' => 'net/https', 'psych' => 'yaml', 'uri' => 'uri', 'rubygems' => 'rubygems', 'bundler' => 'rubygems' }.freeze

    @loaded = []

    class << self
      # What has been loaded of the above, by name.
      attr_reader :loaded

      # Where a file of Ruby's own lies.
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

      # Loads a file by its name, gems aside. What Puppet has loaded itself comes from where Ruby has it, whatever the
      # modules have of that name. Of Puppet's own files, what the worker has is loaded already: only whether Puppet has one
      # of that name is asked, and no Puppet installed beside it is ever read.
      def take(name)
        text = name.respond_to?(:to_path) ? name.to_path : name
        return bunraku_require(name) unless text.is_a?(String)
        return Parts.load(text) if text.start_with?('<bunraku>/') && Parts.part?(text)
        if FEATURES.include?(text)
          @loaded << text unless @loaded.include?(text)
          return bunraku_require(path(text))
        end
        # A part of these opens the module, which would load the whole around the part that is being loaded.
        whole = WHOLE[text[%r{\A[^/.]+}]]
        take(whole) if whole && !@loaded.include?(whole)
        return bunraku_require(name) if !puppets?(text) || of_modules?(text)
        plain = text.match?(%r{/\.{0,2}/}) ? File.expand_path(text, '/').delete_prefix('/') : text
        raise missing(text) unless puppet_file?(plain.delete_suffix('.rb'))
        false
      end

      # Whether a name is one of Puppet's own library.
      def puppets?(text)
        text.is_a?(String) && text.match?(%r{\A(?:puppet|puppet_pal|facter|semantic_puppet)(?:/|\.rb\z|\z)})
      end

      # Whether a module has a file.
      def of_modules?(text)
        file = text.end_with?('.rb') ? text : "#{text}.rb"
        (Bunraku.folders || []).any? { |folder| File.file?(File.join(folder, file)) }
      end

      # Whether Puppet's library has a file, in the version that is in force.
      def puppet_file?(name)
        @puppet_files ||= PUPPET_FILES.each_line.with_object({}) do |line, files|
          folder, names = line.chomp.split(': ', 2)
          names.split.each do |entry|
            base, versions = entry.split(':')
            files[folder == '.' ? base : "#{folder}/#{base}"] = versions || '789'
          end
        end
        version = Bunraku.compile ? Bunraku.compile.settings['version'].to_s[0] : '7'
        @puppet_files.fetch(name, '').include?(version)
      end

      # What Ruby says of a file that is nowhere.
      def missing(text)
        error = LoadError.new("cannot load such file -- #{text}")
        error.instance_variable_set(:@path, text)
        error
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
              is_there = owner.method_defined?(own, false) || owner.private_method_defined?(own, false)
              owner.send(:remove_method, own) if is_there
            end
            require file
            __send__(name, *args, **options, &block)
          end
          # As the files have them: no methods of every value, which messages would suggest.
          owner.send(:private, name) if owner == Kernel
        end
      end
    end
  end

  # What Puppet's process adds to the messages of some errors: the place in the line, and names that were perhaps meant.
  # It is loaded when the first such message is read, for most are not. Stands before the methods of these errors.
  module Suggestions
    NAMES = %i[to_s original_message corrections spell_checker].freeze

    class << self
      # Loads what these methods stand for, and takes them away. Gives whether it is there.
      def load
        NAMES.each { |name| Suggestions.send(:remove_method, name) if Suggestions.method_defined?(name, false) }
        require 'error_highlight'
        require 'did_you_mean'
        defined?(::DidYouMean::Correctable) ? true : false
      rescue LoadError
        false
      end
    end

    NAMES.each do |name|
      define_method(name) do
        next ::DidYouMean::Correctable.instance_method(name).bind_call(self) if Suggestions.load
        name == :corrections ? [] : super()
      end
    end
  end
end

[NameError, KeyError, LoadError, NoMatchingPatternKeyError].each { |error| error.prepend(Bunraku::Suggestions) }

# In the process of Puppet 7 and 8 a text that asks for a name that is not there stays as it is (their translations want that); `format` is
# Ruby's.
class String
  alias bunraku_percent %
  private :bunraku_percent

  def %(values)
    bunraku_percent(values)
  rescue KeyError
    raise unless Bunraku.compile.holds?('missing-names-stay')
    self
  end
end

module Kernel
  alias bunraku_require require
  private :bunraku_require

  def require(name)
    Bunraku::Library.take(name)
  rescue LoadError => error
    text = name.respond_to?(:to_path) ? name.to_path : name
    raise if Bunraku::Library.gems? || error.path != text || Bunraku::Library.puppets?(text)
    Object.const_get(:Gem)
    begin
      # With RubyGems there, its own `require` looks among the gems.
      Kernel.instance_method(:require).bind_call(self, name)
    rescue LoadError
      raise error
    end
  end

  # RubyGems takes this name for the `require` it stands before.
  alias gem_original_require require
  private :gem_original_require
  private :require

  # As a method of the module itself it knows no gems, with RubyGems there or not.
  def self.require(name)
    Bunraku::Library.take(name)
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
Bunraku::Library.late(Kernel, %i[gem], 'rubygems')
Kernel.send(:private, :gem)
Bunraku::Library.late(Enumerable, %i[to_set], 'set')
Bunraku::Library.late(Dir.singleton_class, %i[mktmpdir tmpdir], 'tmpdir')
Bunraku::Library.late(Time.singleton_class, %i[parse iso8601 xmlschema httpdate rfc2822 strptime], 'time')
Bunraku::Library.late(Time, %i[iso8601 xmlschema httpdate rfc2822], 'time')
Bunraku::Library.late(Time, %i[to_date to_datetime], 'date')
Bunraku::Library.late(Random, %i[hex uuid base64 urlsafe_base64 alphanumeric], 'securerandom')
Bunraku::Library.late(Random.singleton_class, %i[hex uuid base64 urlsafe_base64 alphanumeric], 'securerandom')

# The names of the library's English, whose file is longer than they are.
alias $ERROR_INFO $!
alias $ERROR_POSITION $@
alias $FS $;
alias $FIELD_SEPARATOR $;
alias $OFS $,
alias $OUTPUT_FIELD_SEPARATOR $,
alias $RS $/
alias $INPUT_RECORD_SEPARATOR $/
alias $ORS $\
alias $OUTPUT_RECORD_SEPARATOR $\
alias $INPUT_LINE_NUMBER $.
alias $NR $.
alias $LAST_READ_LINE $_
alias $DEFAULT_OUTPUT $>
alias $DEFAULT_INPUT $<
alias $PID $$
alias $PROCESS_ID $$
alias $CHILD_STATUS $?
alias $LAST_MATCH_INFO $~
alias $IGNORECASE $=
alias $ARGV $*
alias $MATCH $&
alias $PREMATCH $`
alias $POSTMATCH $'
alias $LAST_PAREN_MATCH $+
