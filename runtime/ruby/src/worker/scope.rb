# The compile as functions of the old interface and templates see it: scopes.

module Puppet
  module Parser
    extend Bunraku::Gaps

    # Functions of the old interface are methods of scopes: they live here.
    module OldFunctions; end

    # The defaults of a scope itself, by type, as code finds them in a variable of the scope.
    class OwnDefaults
      # Those of a type, by their names: what is set here is set in the compile.
      class OfType < Hash
        def initialize(scope, type)
          super()
          @set = ->(name, param) { Bunraku.ask('set_default', [scope.live_number, type, name.to_s, param.value]) }
          Bunraku.ask('own_defaults', [scope.live_number, type]).each do |name, value|
            store_read(name.to_sym, Resource::Param.new(name: name, value: value))
          end
        end

        alias store_read store

        def []=(name, param)
          @set.call(name, param)
          super
        end
        alias store []=
      end

      def initialize(scope)
        @scope = scope
      end

      def [](type)
        OfType.new(@scope, type.to_s)
      end

      def include?(type)
        !self[type].empty?
      end
      alias key? include?
    end

    # A scope: variables, and the functions of the old interface as methods.
    class Scope < Bunraku::Handle
      include OldFunctions
      include Bunraku::ScopeMethods
      include Puppet::Util::Errors

      UNCAUGHT_THROW_EXCEPTION = UncaughtThrowError

      class << self
        def at(number)
          Bunraku.compile.scopes[number] ||= new(number)
        end

        def true?(value)
          !['', :undef, nil, false].include?(value)
        end

        def number?(value)
          return value if value.is_a?(Numeric)
          return nil unless value.is_a?(String)
          case value
          when /\A-?\d+(?:\.\d+|(?:\.\d+)?[eE]-?\d+)\z/ then value.to_f
          when /\A0x\h+\z/i then value.to_i(16)
          when /\A0[0-7]+\z/ then value.to_i(8)
          when /\A-?\d+\z/ then value.to_i
          end
        end
      end

      Puppet::LEVELS.each do |level|
        define_method(level) { |text| Puppet.public_send(level, text) }
      end

      # Puppet asks a scope for the defaults of its resources by `lookupdefaults`. The compiler knows what that gives, and
      # asks here only where a function has written it anew for a scope.
      def singleton_method_added(name)
        defaults_are_ruby if name == :lookupdefaults
      end

      def extend(*modules)
        super
        defaults_are_ruby if modules.any? { |one| one.method_defined?(:lookupdefaults) }
        self
      end

      def lookupvar(name, _options = {})
        unless name.is_a?(String)
          raise Puppet::ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string"
        end
        # A variable that has a value keeps it, and is one object however often it is asked for: old templates put
        # things into a hash they find again so.
        @variables ||= {}
        return touch(name) if @variables.key?(name)
        return @variables[name] = Bunraku.shared(name) if SHARED.include?(name)
        found, value, told_as, reason = Bunraku.ask('variable', [live!.number, name])
        # Templates that have set it without Ruby have been rendered here by now.
        return touch(name) if @variables.key?(name)
        if found
          return value if value.nil? || name.match?(/\A\d+\z/)
          @variables[name] = value
          return touch(name)
        end
        begin
          throw(:undefined_variable, reason)
        rescue UNCAUGHT_THROW_EXCEPTION
          case Puppet[:strict]
          when :error then raise ArgumentError, "Undefined variable '#{told_as}'; #{reason}"
          when :warning
            Puppet.warn_once('undefined_variables', "Variable: #{told_as}", "Undefined variable '#{told_as}'; #{reason}")
          end
        end
        nil
      end

      def [](name, options = {})
        lookupvar(name, options)
      end

      def setvar(name, value, _options = {})
        if name.to_s.match?(/\A\d+\z/)
          raise Puppet::ParseError, "Cannot assign to a numeric match result variable '$#{name}'"
        end
        unless name.is_a?(String)
          raise Puppet::ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string"
        end
        if %w[trusted facts server_facts].include?(name)
          raise Puppet::ParseError, "Attempt to assign to a reserved variable name: '#{name}'"
        end
        unless Bunraku.ask('set', [live!.number, name, value])
          raise Puppet::ParseError, "Cannot reassign variable '$#{name}'"
        end
        (@variables ||= {})[name] = value
      end

      def []=(name, value, _options = nil)
        setvar(name, value)
      end

      def include?(name)
        catch(:undefined_variable) { return !lookupvar(name).nil? }
        false
      end

      def exist?(name)
        Bunraku.ask('variable', [live!.number, name])[0] ? true : false
      end

      def bound?(name)
        Bunraku.ask('bound', [live!.number, name])
      end

      def to_hash(_recursive = true, _include_undef = false)
        number = live!.number
        # Templates ask for it in each round of a loop. Stale when code of the compile may have run since: its age differs.
        unless @all_age == Bunraku.age
          @all = Bunraku.ask('variables', [number, nil])
          @all_age = Bunraku.age
        end
        @all.dup
      end

      # The variables of these names that have a value.
      def variables(names)
        @variables ||= {}
        names.each { |name| @variables[name] = Bunraku.shared(name) if SHARED.include?(name) && !@variables.key?(name) }
        rest = names.reject { |name| @variables.key?(name) }
        # Templates that have set any without Ruby are rendered here meanwhile: what they have set stays one object.
        @variables.merge!(Bunraku.ask('variables', [live!.number, rest])) { |_, set, _| set } unless rest.empty?
        names.each { |name| touch(name) }
        @variables
      end

      # Tells the compiler of arrays and hashes that have been changed in place since they were handed out: a variable
      # and a resource's parameter are one object in Puppet.
      def settle
        return unless @touched
        touched = @touched
        @touched = nil
        touched.each do |name, print|
          value = @variables[name]
          Bunraku.ask('changed', [number, name, value]) if value.hash != print
        end
      end

      def call_function(name, args, &block)
        Bunraku.call_named(self, name.to_s, '', [*args], block)
      end

      # The scope of the class that this one inherits.
      def inherited_scope
        name = source&.parent if is_classscope?
        class_scope(name) if name
      end

      def find_global_scope
        Scope.at(0)
      end

      def class_scope(type)
        number = Bunraku.ask('class_scope', [type.respond_to?(:name) ? type.name : type.to_s])
        number && Scope.at(number)
      end

      def parent
        number = about[3]
        number && Scope.at(number)
      end

      def file
        (Puppet::Pops::PuppetStack.top_of_stack || [])[0]
      end

      def line
        (Puppet::Pops::PuppetStack.top_of_stack || [])[1]
      end

      def to_s
        reference = resource
        reference ? "Scope(#{reference})" : 'Scope()'
      end
      alias inspect to_s

      def method_missing(name, *args, &block)
        function = name.to_s[/\Afunction_(.*)\z/m, 1]
        unless function
          begin
            super
          rescue NameError => error
            # Ruby knows whether it was written as a variable might be.
            what = error.is_a?(NoMethodError) ? 'method' : 'local variable or method'
            raise error.class.new("undefined #{what} `#{name}' for #{self}:Puppet::Parser::Scope", name)
          end
        end
        unless Puppet::Parser::Functions.function(function)
          raise NoMethodError.new("undefined method `#{name}' for #{self}:Puppet::Parser::Scope", name)
        end
        return public_send(name, *args, &block) if OldFunctions.method_defined?(name)
        Bunraku.call_builtin(self, function, args, block)
      end

      def respond_to_missing?(name, _all = false)
        function = name.to_s[/\Afunction_(.*)\z/m, 1]
        function ? Puppet::Parser::Functions.loaded_or_builtin?(function) : false
      end

      # Its number, while its compile runs.
      def live_number
        live!.number
      end

      # Variables that are the same everywhere and cannot be changed.
      SHARED = %w[facts trusted server_facts].freeze

      private

      def defaults_are_ruby?
        !@defaults.nil?
      end

      def defaults_are_ruby
        @defaults ||= OwnDefaults.new(self)
        Bunraku.ask('defaults_are_ruby', [live!.number])
      end

      def touch(name)
        value = @variables[name]
        (@touched ||= {})[name] ||= value.hash if (value.is_a?(Array) || value.is_a?(Hash)) && !value.frozen?
        value
      end
    end
  end
end
