# The compile as functions of the old interface and templates see it: scopes, resources, the catalog.

module Puppet
  # A reference to a resource, or a resource of the catalog.
  class Resource
    extend Bunraku::Gaps

    # Name of a resource type, in the form references have.
    class TypeName < String
      def initialize(name)
        super(name.split('::').map(&:capitalize).join('::'))
      end

      def name
        downcase.to_sym
      end
    end

    # What a class, defined type or node is: the source of a scope.
    class Type
      attr_reader :type, :name, :module_name, :file, :line, :parent, :arguments

      def initialize(type, name, module_name, file, line, parent, arguments)
        @type = type.to_sym
        @name = name
        @module_name = module_name
        @file = file
        @line = line
        @parent = parent
        @arguments = arguments
      end

      def to_s
        name
      end
    end

    attr_reader :type, :title

    # `File[/x]` in two.
    def self.type_and_title(type, title)
      if type.is_a?(Puppet::Resource)
        [type.type, type.title]
      elsif title.nil? && type.is_a?(String) && (parts = /\A([^\[\]]+)\[(.+)\]\z/m.match(type))
        [TypeName.new(parts[1]), parts[2]]
      elsif title
        [TypeName.new(type.to_s), title]
      elsif type.is_a?(Hash)
        raise ArgumentError, "Puppet::Resource.new does not take a hash as the first argument. Did you mean (#{(type[:type] || type['type']).inspect}, #{(type[:title] || type['title']).inspect}) ?"
      else
        raise ArgumentError, "No title provided and #{type.inspect} is not a valid resource reference"
      end
    end

    def initialize(type, title = nil, attributes = {})
      if type.is_a?(Puppet::Resource)
        @type = type.type
        @title = type.title
      elsif title.nil?
        @type, @title = self.class.type_and_title(type, nil)
      else
        @type = TypeName.new(type.to_s)
        @title = title
      end
      @title = @title.split('::').map(&:capitalize).join('::') if @type == 'Class' && @title.is_a?(String)
      @parameters = attributes[:parameters] || {}
    end

    def ref
      "#{type}[#{title}]"
    end
    alias to_s ref

    def [](name)
      name = name.to_s
      return title if name == 'title'
      @parameters.key?(name) ? @parameters[name] : @parameters[name.to_sym]
    end

    def key?(name)
      @parameters.key?(name.to_s) || @parameters.key?(name.to_sym)
    end
    alias has_key? key?

    def to_hash
      @parameters.transform_keys(&:to_sym)
    end
    alias to_h to_hash

    def name
      self[:name] || title
    end

    def class?
      type == 'Class'
    end

    def resource_type
      Bunraku.ask('type?', [type.to_s.downcase]) && type
    end

    def ==(other)
      other.is_a?(Puppet::Resource) && other.ref == ref
    end
    alias eql? ==

    def hash
      ref.hash
    end
  end

  module Parser
    extend Bunraku::Gaps

    # A resource of the catalog.
    class Resource < Puppet::Resource
      attr_reader :file, :line, :tags
      attr_accessor :virtual, :exported

      def self.from(found)
        return nil unless found
        type, title, parameters, virtual, exported, tags, file, line = found
        made = new(type, title, parameters: parameters)
        made.send(:setup, title, virtual, exported, tags, file, line)
        made
      end

      def virtual?
        @virtual
      end

      def exported?
        @exported
      end

      def tagged?(*names)
        names.flatten.any? { |name| tags.include?(name.to_s.downcase) }
      end

      def scope
        raise Bunraku::Missing.new("Puppet::Parser::Resource#scope of Puppet's Ruby is not supported", :scope)
      end

      private

      def setup(title, virtual, exported, tags, file, line)
        @title = title
        @virtual = virtual
        @exported = exported
        @tags = tags
        @file = file
        @line = line
      end
    end

    # The catalog so far.
    class Catalog
      def resource(type, title = nil)
        type, title = Puppet::Resource.type_and_title(type, title)
        Resource.from(Bunraku.ask('resource', [type.to_s, title.to_s]))
      end

      def resources
        Bunraku.ask('resources').map { |found| Resource.from(found) }
      end

      def resource_refs
        resources.map(&:ref)
      end

      def classes
        Bunraku.ask('classes')
      end

      def tags
        Bunraku.ask('tags')
      end

      def tagged?(*names)
        names.flatten.any? { |name| tags.include?(name.to_s.downcase) }
      end

      def name
        Bunraku.compile.node
      end

      def environment
        Bunraku.compile.environment
      end

      def method_missing(name, *_args)
        raise Bunraku::Missing.new("The method '#{name}' of a catalog under construction is not supported", name)
      end

      def respond_to_missing?(_name, _all = false)
        false
      end
    end

    # The node.
    class NodeView
      def name
        Bunraku.compile.node
      end
      alias certname name

      def facts
        self
      end

      def values
        Bunraku.ask('facts')
      end

      def parameters
        values
      end

      def environment
        Puppet::Node::Environment.current
      end

      def to_s
        name
      end
    end

    # Definitions by name.
    class KnownTypes
      def hostclass(name)
        Scope.definition(Bunraku.ask('definition', ['class', name.to_s]))
      end
      alias find_hostclass hostclass

      def definition(name)
        Scope.definition(Bunraku.ask('definition', ['define', name.to_s]))
      end
      alias find_definition definition

      def environment
        Puppet::Node::Environment.current
      end
    end

    # The compiler.
    class CompilerView
      def self.current
        Bunraku.compile.scopes[:compiler] ||= new
      end

      def environment
        Puppet::Node::Environment.current
      end

      def catalog
        Bunraku.compile.scopes[:catalog] ||= Catalog.new
      end

      def node
        Bunraku.compile.scopes[:node] ||= NodeView.new
      end

      def topscope
        Scope.at(0)
      end

      def findresource(*args)
        catalog.resource(*args)
      end

      def resources
        catalog.resources
      end

      def known_resource_types
        KnownTypes.new
      end

      def method_missing(name, *_args)
        raise Bunraku::Missing.new("The method '#{name}' of Puppet's compiler is not supported", name)
      end

      def respond_to_missing?(_name, _all = false)
        false
      end
    end

    module Files
      def self.find_template(name, _environment = nil)
        Bunraku.ask('file', ['templates', name.to_s])
      end

      def self.find_file(name, _environment = nil)
        Bunraku.ask('file', ['files', name.to_s])
      end
    end

    # Functions of the old interface are methods of scopes: they live here.
    module OldFunctions; end

    # A scope: variables, and the functions of the old interface as methods.
    class Scope < Bunraku::Handle
      include OldFunctions
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

        def definition(found)
          found && Puppet::Resource::Type.new(*found)
        end
      end

      Puppet::LEVELS.each do |level|
        define_method(level) { |text| Puppet.public_send(level, text) }
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
        found, value, reason = Bunraku.ask('variable', [live!.number, name])
        if found
          return value if value.nil? || name.match?(/\A\d+\z/)
          @variables[name] = value
          return touch(name)
        end
        begin
          throw(:undefined_variable, reason)
        rescue UNCAUGHT_THROW_EXCEPTION
          case Puppet[:strict]
          when :error then raise ArgumentError, "Undefined variable '#{missing_name(name)}'; #{reason}"
          when :warning
            Puppet.warn_once('undefined_variables', "Variable: #{missing_name(name)}", "Undefined variable '#{missing_name(name)}'; #{reason}")
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
        @variables.merge!(Bunraku.ask('variables', [live!.number, rest])) unless rest.empty?
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

      def environment
        Puppet::Node::Environment.current
      end

      def compiler
        CompilerView.current
      end

      def catalog
        compiler.catalog
      end

      def findresource(type, title = nil)
        catalog.resource(type, title)
      end

      def find_hostclass(name)
        known_resource_types.hostclass(name)
      end

      def find_definition(name)
        known_resource_types.definition(name)
      end

      def find_resource_type(name)
        Puppet::Pops::Evaluator::Runtime3ResourceSupport.find_resource_type(self, name)
      end

      def find_builtin_resource_type(name)
        find_resource_type(name) if Bunraku.ask('type?', [name.to_s.downcase]) == 'builtin'
      end

      def find_defined_resource_type(name)
        find_definition(name)
      end

      def find_global_scope
        Scope.at(0)
      end

      def known_resource_types
        KnownTypes.new
      end

      def class_scope(type)
        number = Bunraku.ask('class_scope', [type.respond_to?(:name) ? type.name : type.to_s])
        number && Scope.at(number)
      end

      def lookupdefaults(type)
        Bunraku.ask('defaults', [live!.number, type.to_s]).to_h do |name, value|
          [name.to_sym, Parameter.new(name.to_sym, value)]
        end
      end

      # A parameter with its name.
      Parameter = Struct.new(:name, :value)

      def resource
        Resource.from(about[0])
      end

      def source
        Scope.definition(about[1])
      end

      def parent_module_name
        about[2]
      end

      def parent
        number = about[3]
        number && Scope.at(number)
      end

      def is_topscope?
        about[4] == 'top'
      end

      def is_nodescope?
        about[4] == 'node'
      end

      def is_classscope?
        about[4] == 'class'
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
          at = caller.find { |line| !line.start_with?('<bunraku', '<internal') }.to_s.sub(/:in .*\z/m, '')
          raise NoMethodError.new("undefined method `#{name}' for #{self}:Puppet::Parser::Scope", name) if at.empty?
          raise NoMethodError.new("undefined method `#{name}' for #{self}:Puppet::Parser::Scope", name)
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

      # Variables that are the same everywhere and cannot be changed.
      SHARED = %w[facts trusted server_facts].freeze

      private

      def touch(name)
        value = @variables[name]
        (@touched ||= {})[name] ||= value.hash if (value.is_a?(Array) || value.is_a?(Hash)) && !value.frozen?
        value
      end

      def missing_name(name)
        name.include?('::') && !name.start_with?('::') ? name : name.sub(/\A(?=::)/, '')
      end

      def about
        Bunraku.ask('scope', [live!.number])
      end
    end
  end
end
