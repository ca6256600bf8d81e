#!/usr/bin/env ruby
# frozen_string_literal: true

# Writes runtime/native-ruby/src/prelude/puppet_files.rb: the names of the files of Puppet's, Facter's and SemanticPuppet's own
# Ruby that code can require, in each of the three versions.
#
#   ruby tests/oracle/library_files.rb > runtime/native-ruby/src/prelude/puppet_files.rb

LIBRARIES = %w[facter puppet puppet_pal semantic_puppet].freeze

if ARGV == ['names']
  require 'puppet'
  require 'facter'
  LIBRARIES.each do |library|
    # Where Puppet lies, and what else a package puts below its names.
    first = $LOAD_PATH.find { |place| File.file?(File.join(place, "#{library}.rb")) }
    root = ENV['ORACLE_ROOT'] || '/usr/lib/ruby/vendor_ruby'
    folders = [first, *$LOAD_PATH.select { |place| place.start_with?(root) }].uniq
    files = folders.flat_map { |folder| Dir.glob("{#{library}.rb,#{library}/**/*.rb}", base: folder) }
    puts files.map { |file| file.delete_suffix('.rb') }.uniq.sort
  end
  exit
end

versions = Hash.new { |names, name| names[name] = +'' }
%w[7 8 9].each do |version|
  names = IO.popen([File.join(__dir__, 'puppet.sh'), version, __FILE__, 'names'], &:readlines)
  abort "library_files.rb: no oracle of version #{version}" if names.empty?
  names.each { |name| versions[name.chomp] << version }
end
folders = versions.keys.group_by { |name| name.include?('/') ? File.dirname(name) : '.' }
lines = folders.sort.map do |folder, names|
  "#{folder}: #{names.map { |name| "#{File.basename(name)}#{":#{versions[name]}" unless versions[name] == '789'}" }.join(' ')}"
end
puts <<~TEXT
  # The names of the files of Puppet's, Facter's and SemanticPuppet's own Ruby, a folder a line; behind a colon the versions
  # that have a file, where not all have. Written by tests/oracle/library_files.rb.

  module Bunraku
    PUPPET_FILES = <<~FILES
TEXT
puts lines.map { |line| "    #{line}" }
puts "  FILES\nend"
