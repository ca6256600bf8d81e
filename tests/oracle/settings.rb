#!/usr/bin/env ruby
# frozen_string_literal: true

# Writes a table of runtime/configuration/src/tables/: all settings of real Puppet as it defines them.
#
#   tests/oracle/puppet.sh 7 tests/oracle/settings.rb > runtime/configuration/src/tables/7.tsv
#
# and likewise for 8 and 9. One setting a line, in Puppet's order: its name, its type by Puppet's word, its default value as JSON,
# and, where its type needs it, what values it may have, or which setting it is another name of. `$name` and `${name}` in
# a default are other settings. What depends on the machine (directories, host name) is not in it:
# `runtime/configuration/src/layout.rs` knows the directories.

require 'json'
require 'puppet'

Puppet.initialize_settings([], false)
settings = Puppet.settings

# What is no default of Puppet's but of this machine: told by the program itself.
OF_THE_MACHINE = {
  confdir: nil, codedir: nil, vardir: nil, publicdir: nil, rundir: nil, logdir: nil,
  hiera_config: nil, cadir: nil, basemodulepath: nil, vendormoduledir: nil,
  certname: 'localhost', srv_domain: nil
}.freeze

TYPES = Puppet::Settings::SETTING_TYPES.invert.freeze

def type_of(definition)
  TYPES.fetch(definition.class).to_s
end

settings.each do |name, definition|
  # Puppet leaves it out.
  next if name == :name

  type = type_of(definition)
  if type == 'alias'
    puts [name, type, 'null', definition.alias_name].join("\t")
    next
  end
  default = OF_THE_MACHINE.fetch(name) { definition.default }
  default = 'Puppet/' + Puppet.version + ' Ruby' if name == :http_user_agent
  default = default.to_s if default.is_a?(Symbol)
  unless [String, Array, Integer, TrueClass, FalseClass, NilClass].any? { |kind| default.is_a?(kind) }
    raise "no form for #{default.inspect}"
  end

  line = [name, type, JSON.generate(default)]
  line << definition.values.join(',') if definition.respond_to?(:values)
  puts line.join("\t")
end
