# Resources, the catalog, the node and definitions, as functions and templates see them.

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
  end
end
