# frozen_string_literal: true

module RspecPuppetBunraku
  # A catalog from Bunraku's JSON, of which only what is asked for becomes objects: one resource when a matcher looks for it, all
  # of them with their edges when something walks through the graph.
  class Catalog < Puppet::Resource::Catalog
    # The entries of the resources as JSON has them, for those who need no objects.
    attr_reader :entries

    # `data`: the catalog as a hash; `job`: what was asked; `types`: called before Puppet's types are asked anything.
    def initialize(data, job, &types)
      @whole = true # while Puppet's class sets itself up
      super(data['name'], job.environment, &nil)
      @whole = false
      @code = job.code
      @data = data
      @entries = data['resources']
      @types = types
      @by_reference = {}
      @entries.each { |entry| @by_reference[[entry['type'], entry['title']]] = entry }
      @made = {}.compare_by_identity
      tag(*data['tags'])
      self.version = data['version']
      self.catalog_uuid = data['catalog_uuid']
      self.environment = data['environment']
      add_class(*data['classes'])
    end

    # Names of the types that are written in Ruby.
    def native_types
      @native_types ||= @entries.filter_map { |entry| entry['type'] if entry['kind'] == 'compilable_type' }.uniq
    end

    # Whether its graph has been built, and may have been changed since.
    def changed?
      @whole
    end

    # Makes the facts of the example those that Puppet's types see.
    def prepare_types
      @types&.call
    end

    # The definition of a class or defined type, from the code or the modules; nil where there is none. Puppet parses them now.
    def definition(type, title)
      Puppet.override(current_environment: environment_instance) do
        return known_types.find_definition(type) unless type == Puppet::Resource::TYPE_CLASS

        title == :main ? known_types.hostclass('') : known_types.find_hostclass(title)
      end
    end

    # The resource of a type and title, or of an alias.
    def resource(type, title = nil)
      return super if @whole

      name = type.respond_to?(:name) ? type.name : type
      name, wanted = Puppet::Resource.type_and_title(name, title)
      entry = @by_reference[[name, wanted.to_s]]
      return made(entry) if entry
      return nil unless aliased?(name)

      whole
      super
    end

    # The graph's and the table's questions are about all of it.
    %i[
      resources resource_keys resource_refs vertices vertex? edges edge? edges_between each_edge adjacent to_a size leaves
      add_resource add_resource_before add_resource_after remove_resource add_vertex add_edge add_relationship remove_vertex!
      remove_edge! container_of path_between matching_edges reversal dependencies dependents downstream_from_vertex
      upstream_from_vertex direct_dependents_of direct_dependencies_of tree_from_vertex walk find_cycles_in_graph
      report_cycles_in_graph to_dot_graph write_graph relationship_graph to_catalog filter to_data_hash create_resource apply
      finalize clear alias make_default_resources
    ].each do |name|
      next unless Puppet::Resource::Catalog.method_defined?(name)

      define_method(name) do |*arguments, **named, &block|
        whole
        super(*arguments, **named, &block)
      end
    end

    # What an agent would make of it.
    def to_ral
      prepare_types
      whole
      super
    end

    private

    # Puppet's types of the environment with the code of the job, as they are after a compile.
    def known_types
      return environment_instance.known_resource_types if @has_code

      before = Puppet[:code]
      Puppet[:code] = @code
      environment_instance.check_for_reparse
      environment_instance.known_resource_types.tap { @has_code = true }
    ensure
      Puppet[:code] = before if before
    end

    # `filter` and `to_ral` make another catalog by the class of this one.
    def self.new(first = nil, *rest, &types)
      first.is_a?(Hash) ? super : Puppet::Resource::Catalog.new(first, *rest)
    end

    # Whether resources of a type may go by other names than their titles: native ones do by what their type makes of these.
    def aliased?(name)
      @entries.any? do |entry|
        next false unless entry['type'] == name
        next true unless name == 'Class' || entry['kind'] == 'defined_type'

        entry['title'] != 'main' && entry['parameters'] && (entry['parameters'].key?('alias') || entry['parameters'].key?('name'))
      end
    end

    def made(entry)
      @made[entry] ||= Resource.from_entry(entry, self)
    end

    def whole
      return if @whole

      @whole = true
      @entries.each { |entry| add_resource(made(entry)) }
      @data['edges'].each do |edge|
        source, target = edge.values_at('source', 'target').map { |reference| made(@by_reference[title_key_for_ref(reference)]) }
        add_edge(Puppet::Relationship.new(source, target))
      end
    end
  end
end
