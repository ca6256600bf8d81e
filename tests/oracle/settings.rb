#!/usr/bin/env ruby
# frozen_string_literal: true

# Writes runtime/compile/src/settings.tsv: all settings of real Puppet, as a compile finds them.
#
#   ruby tests/oracle/settings.rb > runtime/compile/src/settings.tsv
#
# One setting a line, in Puppet's order: its name, what it is, its default value as JSON. What it is:
#
#   text     a string; `$name` and `${name}` in it are other settings
#   number   a string likewise, which is a number in the end
#   symbol   a symbol in Ruby, a string in the language
#   value    whatever the JSON says

require 'json'
require 'puppet'

Puppet.initialize_settings(['--no-daemonize',], false)
settings = Puppet.settings

def json(value)
  case value
  when String, Array, Integer, true, false, nil then JSON.generate(value)
  else raise "no form for #{value.inspect}"
  end
end

# The text with all settings in it put in their places.
def plain(text, settings)
  text.gsub(/\$\{(\w+)\}|\$(\w+)/) do
    name = $1 || $2
    name == 'run_mode' ? 'user' : settings[name.to_sym].to_s
  end
end

settings.each do |name, definition|
  # Puppet leaves it out.
  next if name == :name
  value = settings[name]
  raw = definition.default
  # Where the machine's own configuration says something else, that is the value.
  raw = value if value.is_a?(String) && raw.is_a?(String) && raw.include?('$') && plain(raw, settings) != value
  # What differs between machines is told by the program itself.
  raw = value = 'localhost' if name == :certname
  raw = value = 'Puppet/7.23.0 Ruby' if name == :http_user_agent
  kind, shown =
    if value == Float::INFINITY then %w[number Infinity]
    elsif value.is_a?(Symbol) then ['symbol', value.to_s]
    elsif raw.is_a?(String) && raw.include?('$') then [value.is_a?(Numeric) ? 'number' : 'text', raw]
    elsif value.is_a?(String) then ['text', value]
    else ['value', value]
    end
  puts [name, kind, json(shown)].join("\t")
end
