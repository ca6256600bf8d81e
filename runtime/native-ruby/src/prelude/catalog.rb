# Resources, the catalog, the node, definitions and modules, as functions and templates see them: with a Ruby process and
# without one.

module Puppet
  # A reference to a resource, or a resource of the catalog.
  class Resource
    extend Bunraku::Gaps
    include Enumerable

    # Name of a resource type, in the form that references have.
    def self.type_name(name)
      name.to_s.split('::').map(&:capitalize).join('::')
    end

    # A resource type, as far as code looks at it.
    class KnownType
      def initialize(name)
        @name = Puppet::Resource.type_name(name)
      end

      def name
        @name.downcase.to_sym
      end

      def to_s
        @name
      end
    end

    # What a class, defined type or node is: the source of a scope.
    class Type
      attr_reader :type, :name, :module_name, :file, :line, :parent, :arguments

      def self.from(found)
        found && new(*found)
      end

      # Those that there are come with all of that; Puppet's own is given a hash of it.
      def initialize(type, name, module_name = {}, file = nil, line = nil, parent = nil, arguments = nil)
        if module_name.is_a?(Hash)
          raise Bunraku::Missing.new('Classes and defined types that code in Ruby makes (Puppet::Resource::Type.new) are not supported', :new)
        end

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

    attr_reader :type, :title, :parameters, :file, :line, :virtual

    # `File[/x]` in two.
    def self.type_and_title(type, title)
      if type.is_a?(Puppet::Resource)
        [type.type, type.title]
      elsif title.nil? && type.is_a?(String) && (parts = /\A([^\[\]]+)\[(.+)\]\z/m.match(type))
        [type_name(parts[1]), parts[2]]
      elsif title
        [type_name(type), title]
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
        @type = Puppet::Resource.type_name(type)
        @title = title
      end
      @title = @title.split('::').map(&:capitalize).join('::') if @type == 'Class' && @title.is_a?(String)
      @parameters = attributes[:parameters] || {}
    end

    def ref
      "#{type}[#{title}]"
    end
    alias to_s ref
    alias to_ref ref

    def [](name)
      name = name.to_s
      return title if name == 'title'
      @parameters.key?(name) ? @parameters[name] : @parameters[name.to_sym]
    end

    def key?(name)
      @parameters.key?(name.to_s) || @parameters.key?(name.to_sym)
    end
    alias has_key? key?

    # What the title says, then the parameters.
    def to_hash
      Bunraku.ask('titled', [type, title.to_s]).transform_keys(&:to_sym).merge(to_h)
    end

    def to_h
      @parameters.transform_keys(&:to_sym)
    end

    # Its parameters, one by one.
    def each(&block)
      parameters.each(&block)
      self
    end

    def keys
      parameters.keys
    end

    def length
      parameters.length
    end

    def empty?
      parameters.empty?
    end

    def name
      "#{type}/#{title}"
    end

    def inspect
      "#{ref}#{to_hash.inspect}"
    end

    # The words of its type and title.
    def tags
      words = [type, title].map { |word| word.to_s.downcase }
      words.select! { |word| word.match?(/\A[[:alnum:]_][[:alnum:]_:.-]*\z/) }
      words.flat_map { |word| word.include?('::') ? [word] + word.split('::') : [word] }.uniq
    end

    def exported
      false
    end

    # What its JSON and YAML say.
    def to_data_hash
      data = { 'type' => type, 'title' => title.to_s, 'tags' => tags.to_a, 'exported' => exported ? true : false }
      data['parameters'] = to_h.transform_keys(&:to_s) unless to_h.empty?
      data['kind'] = { 'builtin' => 'compilable_type', 'define' => 'defined_type' }.fetch(Bunraku.ask('type?', [type.downcase]), 'unknown')
      data
    end

    def encode_with(coder)
      to_data_hash.each { |name, value| coder[name] = value }
    end

    def to_json(*options)
      to_data_hash.to_json(*options)
    end

    def class?
      type == 'Class'
    end

    def resource_type
      KnownType.new(type) if Bunraku.ask('type?', [type.downcase])
    end

    def ==(other)
      other.is_a?(Puppet::Resource) && other.ref == ref
    end
  end

  module Parser
    # A resource of the catalog.
    class Resource < Puppet::Resource
      # A parameter with its name.
      class Param
        attr_accessor :name, :value, :source, :add, :file, :line

        def initialize(name: nil, value: nil, source: nil, line: nil, file: nil, add: nil)
          raise Puppet::ResourceError, "'name' is a required option for #{self.class}" unless name
          @name = name.intern
          @value = value
          @source = source
          @line = line
          @file = file
          @add = add
        end

        def to_s
          "#{name} => #{value}"
        end
      end

      attr_reader :file, :line, :tags
      attr_accessor :virtual, :exported

      def self.from(found)
        return nil unless found
        type, title, titled, parameters, virtual, exported, tags, file, line = found
        made = new(type, title, parameters: parameters)
        made.send(:setup, title, titled, virtual, exported, tags, file, line)
        made
      end

      # The parameters by their names.
      def parameters
        @parameters.to_h { |name, value| [name.to_sym, Param.new(name: name, value: value)] }
      end

      def name
        self[:name] || title
      end

      # What the title says, then the parameters that have a value.
      def to_hash
        @titled.merge(@parameters).reject { |_, value| value.nil? }.transform_keys(&:to_sym)
      end
      alias to_h to_hash

      def virtual?
        @virtual
      end

      def exported?
        @exported
      end

      def tagged?(*names)
        names.flatten.any? { |name| tags.include?(name.to_s.downcase) }
      end

      # The scope that has declared it.
      def scope
        number = Bunraku.ask('resource_scope', [type, title.to_s])
        number && Puppet::Parser::Scope.at(number)
      end

      private

      def setup(title, titled, virtual, exported, tags, file, line)
        @title = title
        @titled = titled
        @virtual = virtual
        @exported = exported
        @tags = tags
        @file = file
        @line = line
      end
    end

    # The catalog so far.
    class Catalog
      def self.current
        Bunraku.kept(self) || Bunraku.keep(self, new)
      end

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

      def environment_instance
        Puppet::Node::Environment.current
      end

      def resource_keys
        resources.map { |resource| [resource.type, resource.title] }
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

      def trusted_data
        Puppet::Parser::Scope.at(0).lookupvar('trusted')
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
        Puppet::Resource::Type.from(Bunraku.ask('definition', ['class', name.to_s]))
      end
      alias find_hostclass hostclass

      def definition(name)
        Puppet::Resource::Type.from(Bunraku.ask('definition', ['define', name.to_s]))
      end
      alias find_definition definition

      def environment
        Puppet::Node::Environment.current
      end
    end

    # The compiler.
    class CompilerView
      def self.current
        Bunraku.kept(self) || Bunraku.keep(self, new)
      end

      def environment
        Puppet::Node::Environment.current
      end

      def catalog
        Catalog.current
      end

      def node
        NodeView.new
      end

      def topscope
        Scope.at(0)
      end

      def loaders
        Puppet::Pops::Loaders.loaders
      end

      def findresource(*args)
        catalog.resource(*args)
      end

      # All but what each catalog has before any code runs: the stage and the class of settings.
      def resources
        catalog.resources.reject { |resource| ['Stage[main]', 'Class[Settings]'].include?(resource.ref) }
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
  end

  module Node
    # The environment as functions see it.
    class Environment
      extend Bunraku::Gaps

      attr_reader :name

      def self.current
        Bunraku.kept(self) || Bunraku.keep(self, new(Bunraku.compile.environment))
      end

      def initialize(name)
        @name = name.to_sym
      end

      def to_s
        name.to_s
      end

      def modulepath
        Bunraku.ask('modulepath')
      end
      alias full_modulepath modulepath

      def manifest
        Bunraku.ask('manifest')
      end

      def modules
        Bunraku.ask('modules').map { |name, path| Puppet::Module.new(name, path) }
      end

      def module(name)
        Puppet::Module.find(name)
      end

      # A module by the name it has on the Forge, `author/name`.
      def module_by_forge_name(forge_name)
        _author, name = forge_name.split('/', 2)
        found = self.module(name)
        found if found && found.forge_name == forge_name
      end

      def known_resource_types
        Puppet::Parser::KnownTypes.new
      end
    end
  end

  # A module by name.
  class Module
    # Of what else `metadata.json` says Puppet reads nothing.
    attr_reader :name, :path, :summary, :description, :project_page

    def self.find(name, _environment = nil)
      path = Bunraku.ask('module', [name.to_s])
      path && new(name.to_s, path)
    end

    def initialize(name, path)
      @name = name
      @path = path
    end

    def file(name)
      path = File.join(@path, 'files', name.to_s)
      File.exist?(path) ? path : nil
    end

    def template(name)
      path = File.join(@path, 'templates', name.to_s)
      File.exist?(path) ? path : nil
    end

    # What its `metadata.json` says, dependencies as Puppet writes them: `author/name`, and some version.
    def metadata
      require 'json'
      @metadata ||= begin
        said = File.exist?(metadata_file) ? JSON.parse(File.read(metadata_file)) : {}
        (said['dependencies'] || []).each do |dependency|
          dependency['name'] = dependency['name'].tr('-', '/') if dependency['name']
          dependency['version_requirement'] ||= '>= 0.0.0'
        end
        said
      end
    end

    def metadata_file
      File.join(@path, 'metadata.json')
    end

    def has_metadata?
      !metadata.empty?
    end

    def version
      metadata['version']
    end

    def author
      metadata['author']
    end

    def license
      metadata['license']
    end

    def source
      metadata['source']
    end

    def dependencies
      metadata['dependencies']
    end

    def forge_name
      metadata['name'] && metadata['name'].tr('-', '/')
    end

    def modulepath
      File.dirname(@path)
    end

    def plugin_directory
      File.join(@path, 'lib')
    end

    def environment
      Puppet::Node::Environment.current
    end

    def to_s
      "Module #{name}(#{path})"
    end
  end

  module Pops
    module Evaluator
      module Runtime3ResourceSupport
        # A resource type's name, or `class` or `node` as they are.
        def self.find_resource_type_or_class(scope, name)
          %w[class node].include?(name.to_s.downcase) ? name.to_s.downcase : find_resource_type(scope, name)
        end

        def self.find_resource_type(_scope, name)
          return nil if name.nil?
          Puppet::Resource::KnownType.new(name) if Bunraku.ask('type?', [name.to_s.downcase])
        end
      end
    end
  end
end
