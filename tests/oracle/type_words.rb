# frozen_string_literal: true

# Adds the methods that this Puppet's classes of resource types and attributes have to the list of those that are known:
#
#   tests/oracle/puppet.sh 7|8|9 tests/oracle/type_words.rb runtime/resource-types/src/ruby/words.txt
#
# Below each heading stand the words of that class; below `any` those of all classes.

require 'puppet'
require 'puppet/util/command_line'
%w[boolean path package_options].each { |name| require "puppet/parameter/#{name}" }
%w[boolean list ordered_list keyvalue ensure].each { |name| require "puppet/property/#{name}" }

# What loading a type of Puppet's own defines: a method `newfile` for instance, which is none of the language.
DROPPED = %i[newfile newpackage].freeze
CLASSES = {
  'type' => [Puppet::Type],
  'parameter' => [Puppet::Parameter, Puppet::Parameter::Boolean, Puppet::Parameter::Path, Puppet::Parameter::PackageOptions],
  'property' => [Puppet::Property, Puppet::Property::Boolean, Puppet::Property::List, Puppet::Property::OrderedList,
                 Puppet::Property::KeyValue],
  'ensure' => [Puppet::Property::Ensure],
  'any' => [Class.new]
}.freeze

words_of = lambda do |heading|
  all = CLASSES.fetch(heading).flat_map { |kind| kind.methods + kind.private_methods }
  all.uniq.map(&:to_s).grep(/\A[a-z_]\w*[?!]?\z/i) - DROPPED.map(&:to_s)
end

file = ARGV.fetch(0)
known = Hash.new { |all, heading| all[heading] = [] }
heading = nil
File.foreach(file, chomp: true) { |line| line.start_with?(' ') ? known[heading].concat(line.split) : heading = line }
any = known['any'] | words_of.call('any') | %w[super yield]
property = known['property'] | words_of.call('property')
text = CLASSES.keys.map do |heading|
  words = known[heading] | words_of.call(heading)
  words -= any unless heading == 'any'
  words = any if heading == 'any'
  words -= property if heading == 'ensure'
  lines = words.sort.each_with_object([+'']) do |word, all|
    all << +'' if all.last.size + word.size > 115
    all.last << (all.last.empty? ? '  ' : ' ') << word
  end
  "#{heading}\n#{lines.join("\n")}\n"
end
File.write(file, text.join)
