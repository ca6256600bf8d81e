#!/usr/bin/env ruby
# frozen_string_literal: true

# How fast real Puppet parses and validates the files named on stdin, one a line: in one process,
# loaded beforehand, each file read, parsed and validated as `puppet parser validate` does it.

require 'puppet'
require 'puppet/pops'

Puppet.initialize_settings(['--confdir', '/nonexistent', '--vardir', '/nonexistent'])
Puppet[:strict] = :error
manifests = Puppet::Pops::Parser::EvaluatingParser.new
templates = Puppet::Pops::Parser::EvaluatingParser::EvaluatingEppParser.new
files = $stdin.each_line(chomp: true).to_a
started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
faults = files.count do |file|
  (file.end_with?('.epp') ? templates : manifests).parse_file(file)
  false
rescue StandardError
  true
end
seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
megabytes = files.sum { |file| File.size(file) } / 1e6
puts format('%d files, %.1f MB in %.3f s (%.1f MB/s), %d files with faults',
            files.size, megabytes, seconds, megabytes / seconds, faults)
