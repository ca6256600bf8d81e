# The graphs that an agent of the installed Puppet makes of a catalog, as it writes them with --graph, in a folder:
#   ruby graphs.rb CATALOG.json FOLDER [plain]
# With `plain` they have nothing but what the catalog says: no schedules and file bucket of the agent's own, and no relationships that
# types of resources add by themselves.
require 'puppet'
require 'tmpdir'

catalog, folder, plain = ARGV

if plain
  class Puppet::Graph::RelationshipGraph
    def build_autorelation_dependencies(_catalog); end
  end

  class Puppet::Resource::Catalog
    def make_default_resources; end
  end
end

Dir.mktmpdir do |work|
  Puppet.initialize_settings(['--vardir', "#{work}/var", '--confdir', "#{work}/conf"])
  Puppet[:graph] = true
  Puppet[:graphdir] = folder
  environment = Puppet::Node::Environment.create(:production, [])
  environments = Puppet::Environments::Static.new(environment)
  Puppet.override(current_environment: environment, environments: environments) do
    data = JSON.parse(File.read(catalog, encoding: 'UTF-8'))
    ral = Puppet::Resource::Catalog.from_data_hash(data).to_ral
    ral.finalize
    ral.relationship_graph
  end
end
