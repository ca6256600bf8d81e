#!/usr/bin/env ruby
# frozen_string_literal: true

# Reads reports as Puppet keeps them: one path a line on stdin, the report's data as JSON on stdout.

require 'json'
require 'puppet'
require 'puppet/transaction/report'

Puppet.initialize_settings(['--exclude_unchanged_resources', 'false'])
$stdin.each_line do |line|
  text = File.read(line.chomp)
  report = YAML.respond_to?(:unsafe_load) ? YAML.unsafe_load(text) : YAML.load(text)
  raise "#{line.chomp} holds a #{report.class}" unless report.is_a?(Puppet::Transaction::Report)

  puts JSON.generate(report.to_data_hash)
end
