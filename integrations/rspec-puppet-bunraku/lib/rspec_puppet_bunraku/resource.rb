# frozen_string_literal: true

module RspecPuppetBunraku
  # A resource of a catalog that Bunraku has made. That it is a class or of a defined type, the catalog says: Puppet looks for
  # their definitions only when one is asked for.
  class Resource < Puppet::Resource
    # How values that JSON can't hold are written.
    RICH = '__ptype'
    # How a reference to a resource is written, where the job asks for them.
    REFERENCE = 'ResourceReference'

    class << self
      # The resource that an entry of a catalog describes.
      def from_entry(entry, catalog)
        resource = allocate
        resource.fill(entry, catalog)
        resource
      end
    end

    # Takes over an entry of a catalog.
    def fill(entry, catalog)
      @type = entry['type']
      @title = entry['title']
      @title = :main if @title == 'main' && [TYPE_CLASS, 'Stage'].include?(@type)
      @parameters = {}
      entry['parameters']&.each { |name, value| @parameters[name.to_sym] = plain?(value) ? value : rich(value) }
      @sensitive_parameters = entry['sensitive_parameters'] ? entry['sensitive_parameters'].map(&:to_sym) : EMPTY_ARRAY
      tag(*entry['tags'])
      ATTRIBUTES.each { |name| instance_variable_set(:"@#{name}", entry[name.to_s]) if entry.key?(name.to_s) }
      # What is virtual is in no catalog, but as exported. The compiler's own resources, which have no place, do not say.
      @virtual = false if entry.key?('line') && @type != TYPE_CLASS && !entry['exported']
      @catalog = catalog
    end

    # What it has been given, and what its title says, as in all of Puppet's catalogs.
    def parameters
      unless @titled
        @titled = true
        @parameters = parse_title.merge!(@parameters)
      end
      @parameters
    end

    # The definition of a class or defined type, or Puppet's type.
    def resource_type
      @rstype ||= in_language? ? definition : super
    end

    # Whether it is of a type that is written in Ruby.
    def builtin_type?
      in_language? ? false : super
    end

    # Which parameters are its name.
    def key_attributes
      in_language? ? [:name] : super
    end

    # A copy for another catalog: of this class where Puppet would look for the definition.
    def copy_as_resource
      return super unless in_language?

      copy = dup
      copy.copied
      copy
    end

    # YAML names Puppet's class.
    def encode_with(coder)
      coder.represent_map("!ruby/object:#{::Puppet::Resource.name}", to_data_hash)
    end

    # What an agent makes of it; the facts of the example are in force then.
    def to_ral
      catalog.prepare_types if catalog.respond_to?(:prepare_types)
      super
    end

    protected

    # What a copy has for itself.
    def copied
      @parameters = parameters.transform_values { |value| copy_of(value) }
      @sensitive_parameters = @sensitive_parameters.dup
      @tags = tags
    end

    private

    def copy_of(value)
      case value
      when ::Puppet::Resource then value.copy_as_resource
      when Array
        list = value.flatten.any?(::Puppet::Resource) ? value.flatten : value
        list.map { |item| item.is_a?(::Puppet::Resource) ? item.copy_as_resource : item }
      else value
      end
    end

    def in_language?
      @type == TYPE_CLASS || @kind == DEFINED_TYPE_STRING
    end

    # What no file defines, as `Class[Settings]`, is of a type without parameters.
    def definition
      found = catalog.definition(type, title) if catalog.respond_to?(:definition)
      found || ::Puppet::Resource::Type.new(class? ? :hostclass : :definition, class? ? title : type)
    end

    def parse_title
      in_language? ? { name: title.to_s } : super
    end

    def plain?(value)
      case value
      when Hash then !value.key?(RICH) && value.each_value.all? { |item| plain?(item) }
      when Array then value.all? { |item| plain?(item) }
      else true
      end
    end

    def rich(value)
      case value
      when Hash
        return reference(value['__pvalue']) if value[RICH] == REFERENCE
        return ::Puppet::Pops::Serialization::FromDataConverter.convert(value) if value.key?(RICH)

        value.transform_values { |item| rich(item) }
      when Array then value.map { |item| rich(item) }
      else value
      end
    end

    def reference(text)
      ::Puppet::Resource.new(*text.match(/\A([^\[]+)\[(.*)\]\z/m).captures)
    end
  end
end
