#!/usr/bin/env ruby
# frozen_string_literal: true

# What PuppetDB's own termini tell PuppetDB: a line of JSON a command, a line of JSON back, its payload.
#
#   puppetdb_commands.rb FOLDER        the folder that has puppet/reports/puppetdb.rb below it
#
# {"report": DATA, "all": BOOLEAN} is a report as an agent sends it; {"facts": DATA, "trusted": DATA, "environment": NAME}
# facts; {"code": MANIFEST, "node": NAME} a catalog of that code.

require 'json'
$LOAD_PATH.unshift(ARGV.fetch(0))
require 'puppet'
require 'puppet/transaction/report'
require 'puppet/reports'
require 'puppet/node/facts'
require 'puppet/util/puppetdb'

Puppet.initialize_settings(['--certname', 'server.example.com', '--node_name_value', 'server.example.com'])
require 'puppet/reports/puppetdb'
require 'puppet/indirector/facts/puppetdb'
require 'puppet/indirector/catalog/puppetdb'

# Nothing is sent: what would be is kept.
module Kept
  def submit_command(_certname, _name, _version, _time)
    @kept = yield
  end

  def kept = @kept
end

# The termini ask the configuration of PuppetDB, which is not there: edges are told by its defaults.
module Edges
  def self.include_catalog_edges? = true
end
Puppet::Util::Puppetdb.define_singleton_method(:config) { Edges }

CONFIG = Struct.new(:include_unchanged_resources) do
  alias_method :include_unchanged_resources?, :include_unchanged_resources
end

def of_report(job)
  report = Puppet::Transaction::Report.from_data_hash(job['report'])
  config = CONFIG.new(job['all'])
  report.extend(Puppet::Reports.report(:puppetdb))
  report.singleton_class.prepend(Kept)
  report.define_singleton_method(:config) { config }
  report.process
  report.kept
end

def of_facts(job)
  terminus = Puppet::Node::Facts::Puppetdb.new
  terminus.singleton_class.prepend(Kept)
  terminus.define_singleton_method(:get_trusted_info) { |_node| job['trusted'] }
  facts = Puppet::Node::Facts.from_data_hash(job['facts'])
  request = Puppet::Indirector::Request.new(:facts, :save, facts.name, facts, environment: Puppet::Node::Environment.create(job['environment'].to_sym, []))
  terminus.save(request)
  terminus.kept
end

def of_catalog(job)
  environment = Puppet::Node::Environment.create(:production, [])
  Puppet[:code] = job['code']
  Puppet.override(current_environment: environment, environments: Puppet::Environments::Static.new(environment), rich_data: true) do
    node = Puppet::Node.new(job['node'], environment: environment)
    catalog = Puppet::Parser::Compiler.compile(node)
    Puppet::Resource::Catalog::Puppetdb.new.munge_catalog(catalog, Time.now, environment: 'production').first
  end
end

def payload(job)
  return of_catalog(job) if job.key?('code')

  job.key?('report') ? of_report(job) : of_facts(job)
end

$stdin.each_line do |line|
  job = JSON.parse(line)
  answer =
    begin
      { 'payload' => payload(job) }
    rescue StandardError => e
      { 'error' => e.message }
    end
  puts JSON.generate(answer)
end
