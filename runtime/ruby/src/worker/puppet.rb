# What functions and templates use of the module Puppet: errors, logs, settings, Puppet::Util, Facter.

# What is not provided fails by name, with the place that asked for it.
module Bunraku
  module Gaps
    def const_missing(name)
      # Nothing of the worker may hide a constant of Ruby's own.
      at = caller.find { |line| !line.start_with?('<bunraku', '<internal') }.to_s.sub(/:in .*\z/m, '')
      raise Missing.new("#{self}::#{name} of Puppet's Ruby is not supported (#{at})", name)
    end

    def method_missing(name, *_args)
      at = caller.find { |line| !line.start_with?('<bunraku', '<internal') }.to_s.sub(/:in .*\z/m, '')
      raise Missing.new("#{self}.#{name} of Puppet's Ruby is not supported (#{at})", name)
    end

    def respond_to_missing?(_name, _all = false)
      false
    end
  end

  # What an object that stands for one of Puppet's has not fails by name, too; its class says in `OF` whose methods these are.
  module Partial
    def method_missing(name, *_args)
      raise Missing.new("The method '#{name}' of #{self.class::OF} is not supported", name)
    end

    def respond_to_missing?(_name, _all = false)
      false
    end
  end
end

module Puppet
  extend Bunraku::Gaps

  # Errors that may know a place in a manifest.
  class Error < RuntimeError
    attr_accessor :original

    def initialize(message, original = nil)
      # What is no text has no such method, as in Puppet.
      super(message.scrub)
      @original = original
    end
  end

  module ExternalFileError; end

  class PlacedError < Error
    attr_accessor :file, :line, :pos

    def initialize(message, file = nil, line = nil, pos = nil, original = nil)
      if pos.is_a?(Exception)
        original = pos
        pos = nil
      end
      super(message, original)
      @file = file
      @line = line
      @pos = pos
      @of_ruby = true
    end

    # What code of a module has made tells its place behind the message; the compiler's own messages have it already.
    def to_s
      return super unless @of_ruby
      "#{super}#{Util::Errors.error_location_with_space(@file, @line, @pos)}"
    end

    # The message without its place.
    def message_alone
      own = method(:message).owner != Exception || method(:to_s).owner != PlacedError
      own ? message : method(:to_s).super_method.call
    end
  end

  class ParseError < PlacedError; end
  class ResourceError < PlacedError; end
  class ParseErrorWithIssue < ParseError; end

  # An error that the compiler raised.
  class PreformattedError < ParseErrorWithIssue
    include Bunraku::Carried
  end

  # Errors of look-ups.
  class DataBinding
    extend Bunraku::Gaps

    class LookupError < PreformattedError; end
    class RecursiveLookupError < LookupError; end
  end

  # What `Puppet.lookup` finds.
  class Context
    class UndefinedBindingError < Error; end
  end

  class DevError < Error; end
  class ErrorWithData < Error; end
  class SettingsError < Error; end
  class MissingCommand < Error; end
  class ExecutionFailure < Error; end

  LEVELS = %i[debug info notice warning err alert emerg crit].freeze

  class << self
    LEVELS.each do |level|
      define_method(level) do |*args, &block|
        text = block ? block.call : args.first
        # The log keeps nothing below notice.
        Bunraku.ask('log', [level.to_s, text.to_s]) unless %i[debug info].include?(level)
        nil
      end
    end

    def log_exception(error, message = nil, _options = {})
      err(message.is_a?(String) ? message : error.message)
    end

    def warn_once(_kind, key, message, file = nil, line = nil, level = :warning)
      unless file == :default && line == :default
        place = Util::Errors.error_location(file, line)
        place = '(file & line not available)' if place.empty?
      end
      Bunraku.ask('warn_once', [level.to_s, key.to_s, message.to_s, place])
      nil
    end

    def deprecation_warning(message, key = nil, file = nil, line = nil)
      place = file ? "(file: #{file}, line: #{line})" : "(location: #{caller(1..1).first})"
      Bunraku.ask('deprecation', [(key || place).to_s, message.to_s, place])
      nil
    end

    def puppet_deprecation_warning(message, options = {})
      deprecation_warning(message, options[:key] || message, options[:file], options[:line])
    end

    def [](name)
      settings[name]
    end

    def settings
      Settings
    end

    def version
      Bunraku.compile.settings['version']
    end

    # The version is another in each compile, so it is no constant that stays.
    def const_missing(name)
      name == :PUPPETVERSION ? version : super
    end

    def send_log(level, message)
      public_send(level, message)
    end

    def lookup(what, &default)
      return @bindings[what] if @bindings&.key?(what)
      case what
      when :current_environment then Puppet::Node::Environment.current
      when :root_environment then Puppet::Node::Environment.current
      when :global_scope then Puppet::Parser::Scope.at(0)
      when :plugins then Bunraku.plugins
      when :injector then Bunraku.injector
      when :loaders then Puppet::Pops::Loaders.loaders
      when :environments then Puppet::Environments.current
      when :pal_catalog_compiler, :pal_compiler, :pal_script_compiler
        raise Bunraku::Missing.new("Puppet.lookup(:#{what}) of Puppet's Ruby is not supported", what)
      else
        return default.call if default
        raise Context::UndefinedBindingError, "Unable to lookup '#{what}'"
      end
    end

    # Has `lookup` give other values while the block runs.
    def override(bindings, _description = nil)
      before = @bindings
      @bindings = (before || {}).merge(bindings)
      yield
    ensure
      @bindings = before
    end

    def features
      Features
    end

    def run_mode
      RunMode
    end
  end

  # All settings of the compile.
  module Settings
    extend Bunraku::Gaps

    class << self
      def [](name)
        value(name)
      end

      def value(name, _environment = nil, _bypass_interpolation = false)
        symbol, value = found(name)
        symbol && value.is_a?(String) ? value.to_sym : value
      end

      def value_sym(name, environment = nil, _bypass_interpolation = false)
        value(name, environment)
      end

      def include?(name)
        !found(name).nil?
      end
      alias valid? include?

      private

      def found(name)
        (Bunraku.compile.caches[:settings] ||= {})[name.to_s] ||= Bunraku.ask('setting', [name.to_s])
      end
    end
  end

  module Features
    class << self
      def method_missing(name, *_args)
        case name
        when :root? then Process.euid.zero?
        when :posix?, :syslog? then true
        when /_?windows\?\z/ then false
        when /\A(\w+)\?\z/
          begin
            require Regexp.last_match(1)
            true
          rescue LoadError
            false
          end
        else super
        end
      end

      def respond_to_missing?(_name, _all = false)
        true
      end
    end
  end

  module RunMode
    class << self
      def name
        :user
      end

      def server?
        false
      end
      alias master? server?

      def agent?
        false
      end
    end
  end

  module Node
    extend Bunraku::Gaps
  end

  module Util
    extend Bunraku::Gaps

    module_function

    def absolute_path?(path, platform = nil)
      unless path.is_a?(String)
        Puppet.warning("Cannot check if #{path} is an absolute path because it is a '#{path.class}' and not a String'")
        return false
      end
      case platform
      when :windows then %r{^(?:(?:[A-Z]:[/\\])|(?:[/\\]{2}[^/\\]+[/\\][^/\\]+)|(?:[/\\]{2}\?[/\\][^/\\]+))}i.match?(path)
      else path.match?(%r{^/})
      end
    end

    def deterministic_rand(seed, max)
      deterministic_rand_int(seed, max).to_s
    end

    def deterministic_rand_int(seed, max)
      ::Random.new(seed).rand(max)
    end

    def which(command)
      return(File.executable?(command) && File.file?(command) ? command : nil) if command.include?('/')
      ENV['PATH'].to_s.split(File::PATH_SEPARATOR).map { |folder| File.join(folder, command) }
                 .find { |path| File.file?(path) && File.executable?(path) }
    end

    def execute(command, options = {})
      Puppet::Util::Execution.execute(command, options)
    end

    def symbolizehash(hash)
      hash.transform_keys { |key| key.respond_to?(:intern) ? key.intern : key }
    end

    def create_erb(text)
      require 'erb'
      ::ERB.new(text, trim_mode: '-')
    end

    def resolve_stackframe(frame)
      frame
    end

    # Ruby calls of a template or function run under the name and level asked for; the time is not logged.
    def benchmark(*_args)
      yield
      0
    end
  end

  # Outside of what is above, so that these are no methods of the module itself.
  module Util
    # Helpers that messages tell of where a name is close to theirs, as those above.
    %i[clear_environment default_env exit_on_fail get_env get_environment merge_environment replace_file rfc2396_escape
       safe_posix_fork script_line set_env skip_external_facts thinmark uri_encode uri_query_encode uri_to_path uri_unescape
       withenv].each do |name|
      define_method(name) { |*args, &block| Puppet::Util.public_send(name, *args, &block) }
      private name
    end

    module Logging
      LEVELS.each do |level|
        define_method(level) { |text| Puppet.public_send(level, text) }
      end
    end

    module Errors
      def fail(*args)
        type = args.first.is_a?(Class) ? args.shift : Puppet::Error
        raise type, args.join(' ')
      end

      def devfail(message)
        raise Puppet::DevError, message
      end

      # A column is told behind a line alone.
      def self.error_location(file, line = nil, column = nil)
        file = nil if file.to_s.empty?
        parts = []
        parts << "file: #{file}" if file
        parts << "line: #{line}" if line
        parts << "column: #{column}" if line && column
        parts.empty? ? '' : "(#{parts.join(', ')})"
      end

      def self.error_location_with_space(file, line = nil, column = nil)
        text = error_location(file, line, column)
        text.empty? ? '' : " #{text}"
      end
    end

    module MethodHelper; end
    module Docs; end

    module Package
      # Orders versions as Puppet's function of that name. What is no string has no method to be taken apart by.
      def versioncmp(first, second, ignore_trailing_zeroes = false)
        [first, second].each { |version| version.scan(/\A/) }
        Bunraku.ask('compute', ['versioncmp', [first, second, ignore_trailing_zeroes ? true : false]])
      end
      module_function :versioncmp
    end

    module Json
      def self.load(text)
        require 'json'
        JSON.parse(text)
      rescue JSON::ParserError => error
        raise ParseError, error.message
      end

      def self.load_file(path)
        load(File.read(path))
      end

      def self.dump(value, options = {})
        require 'json'
        options[:pretty] ? JSON.pretty_generate(value) : JSON.generate(value)
      end

      class ParseError < StandardError; end
    end

    module Yaml
      class YamlLoadError < Puppet::Error; end

      def self.safe_load(text, allowed = [], _filename = nil)
        require 'yaml'
        YAML.safe_load(text, permitted_classes: allowed, aliases: true) || false
      rescue ::Psych::Exception => error
        raise YamlLoadError, error.message
      end

      def self.safe_load_file(path, allowed = [])
        safe_load(File.read(path, encoding: 'bom|utf-8'), allowed, path)
      end
      singleton_class.send(:alias_method, :load_file, :safe_load_file)
    end

    class Autoload; end
  end

  module Pops
    extend Bunraku::Gaps

    module PuppetStack
      # Where the calls of the Puppet language stand, innermost first.
      def self.stacktrace
        Bunraku.ask('stack')
      end

      def self.top_of_stack
        stacktrace.first || []
      end
    end

    module Evaluator
      extend Bunraku::Gaps
      Next = Bunraku::Jump
      Return = Bunraku::Jump
      PuppetStopIteration = Bunraku::Break
    end

    module Serialization
      extend Bunraku::Gaps

      # Rich data as Puppet's JSON has it.
      class ToDataConverter
        def self.convert(value, _options = {})
          Bunraku.ask('to_data', [value])
        end
      end
    end
  end
end

# Facts by name.
module Facter
  # A fact that has a value.
  Fact = Struct.new(:name, :value)

  class << self
    def value(name)
      Bunraku.ask('fact', [name.to_s])
    end

    def fact(name)
      found = value(name)
      Fact.new(name.to_s.downcase.to_sym, found) unless found.nil?
    end
    alias [] fact

    def version
      value('facterversion') or raise Bunraku::Missing.new('Facter.version is not among the facts of the node', :version)
    end

    def to_hash
      Bunraku.ask('facts')
    end

    def warn(text)
      Puppet.warning(text)
    end

    def debug(_text); end
  end
end

# Translation marks of Puppet's own code, which modules have copied.
class Object
  private

  def _(text)
    text
  end

  def n_(one, many, count)
    count == 1 ? one : many
  end
end
