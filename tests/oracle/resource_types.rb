# frozen_string_literal: true

# Writes the table of resource types that a Puppet has without any module: its own, and those of the modules that its
# packages bring along in a vendor directory. One type a line, tab-separated: where it comes from (`puppet`, or the
# module), name, name variables, whether titles and name variables mean the same, attributes in Puppet's order, and its
# title patterns as JSON where they are not the usual one.
#
#   for v in 7 8 9; do
#     tests/oracle/puppet.sh $v tests/oracle/resource_types.rb > runtime/resource-types/src/builtin/$v.tsv
#   done

require 'json'
require 'puppet'

Puppet.initialize_settings([], false)

# Debian's package of 7 has no such directory, those of other builders have the same modules as 8.
root = ENV['ORACLE_ROOT'] || File.join(__dir__, '../../.cache/oracles/8')
vendored = Dir.glob(File.join(root, 'usr/share/puppet/vendor_modules/*')).sort
abort('resource_types.rb: no modules are vendored; tests/oracle/fetch.sh gets them') if vendored.empty?

def names(folder)
  Dir.glob(File.join(folder, 'puppet/type/*.rb')).map { |file| File.basename(file, '.rb') }.sort
end

def row(origin, name)
  type = Puppet::Type.type(name)
  attributes = type.allattrs - Puppet::Type.metaparams
  patterns = type.title_patterns.map { |regexp, parts| [regexp.source, parts.map { |part, *| part.to_s }] }
  usual = patterns == [['(.*)', [type.key_attributes[0].to_s]]]
  [origin, name, type.key_attributes.join(','), type.isomorphic?, attributes.join(','),
   usual ? '' : JSON.generate(patterns)].join("\t")
end

environment = Puppet::Node::Environment.create(:production, [])
Puppet.override(environments: Puppet::Environments::Static.new(environment), current_environment: environment) do
  own = File.dirname($LOADED_FEATURES.find { |file| file.end_with?('/lib/puppet.rb', '/vendor_ruby/puppet.rb') })
  # `component` is the compiler's own, it takes classes and defined types in.
  puts((names(own) - ['component']).map { |name| row('puppet', name) })
  vendored.each do |folder|
    library = File.join(folder, 'lib')
    $LOAD_PATH << library
    puts(names(library).map { |name| row(File.basename(folder), name) })
  end
end
