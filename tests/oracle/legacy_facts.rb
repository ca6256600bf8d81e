# frozen_string_literal: true

# Writes the names of legacy facts, those that have a structured fact in their place and that an agent does not send since
# Puppet 8 (`include_legacy_facts`), of all systems that Facter knows. One a line, sorted; `*` stands for the name of an
# interface, a device and so on.
#
#   tests/oracle/puppet.sh 8 tests/oracle/legacy_facts.rb > runtime/nodes/src/legacy_facts.txt

require 'facter'

folder = $LOAD_PATH.map { |path| File.join(path, 'facter/facts') }.find { |path| File.directory?(path) }
Dir.glob(File.join(folder, '**/*.rb')).sort.each { |file| require file }

def classes(parent)
  parent.constants.map { |name| parent.const_get(name) }.grep(Module).flat_map { |item| [item, *classes(item)] }
end

names = classes(Facts).uniq.flat_map do |item|
  next [] unless item.const_defined?(:FACT_NAME, false)

  own = item.const_defined?(:TYPE, false) && item::TYPE == :legacy ? [item::FACT_NAME] : []
  own + (item.const_defined?(:ALIASES, false) ? Array(item::ALIASES) : [])
end
names = names.map { |name| name.is_a?(Regexp) ? name.source : name }
puts names.map { |name| name.delete_prefix('^').delete_suffix('$').gsub('.*', '*') }.uniq.sort
