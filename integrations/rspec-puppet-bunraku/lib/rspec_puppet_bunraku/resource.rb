# frozen_string_literal: true

module RspecPuppetBunraku
  # A resource of a catalog that Bunraku has made. What classes and defined types are, the catalog says: Puppet is not asked to
  # look for them in all modules.
  class Resource < Puppet::Resource
    DEFINED = ::Puppet::Resource::Type.new(:definition, 'defined').freeze
    CLASS = ::Puppet::Resource::Type.new(:hostclass, 'class').freeze

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
      @title = :main if @type == TYPE_CLASS && @title == 'main'
      @parameters = {}
      entry['parameters']&.each { |name, value| @parameters[name.to_sym] = plain?(value) ? value : rich(value) }
      @sensitive_parameters = entry['sensitive_parameters'] ? entry['sensitive_parameters'].map(&:to_sym) : EMPTY_ARRAY
      tag(*entry['tags'])
      ATTRIBUTES.each { |name| instance_variable_set(:"@#{name}", entry[name.to_s]) if entry.key?(name.to_s) }
      @catalog = catalog
      @rstype = CLASS if @type == TYPE_CLASS
      @rstype = DEFINED if @kind == DEFINED_TYPE_STRING
    end

    # What an agent makes of it; the facts of the example are in force then.
    def to_ral
      catalog.prepare_types if catalog.respond_to?(:prepare_types)
      super
    end

    private

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
