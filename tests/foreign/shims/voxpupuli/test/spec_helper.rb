# frozen_string_literal: true

# Stands in for the gem voxpupuli-test, which Debian does not package: as much of its set-up as says what a suite
# compiles with.

require 'puppetlabs_spec_helper/module_spec_helper'
require 'rspec-puppet-facts'
include RspecPuppetFacts # rubocop:disable Style/MixinUsage

RSpec.configure do |config|
  config.facter_implementation = :rspec if config.respond_to?(:facter_implementation=)
  config.default_facts = { puppetversion: Puppet.version, facterversion: Facter.version }
  config.before do
    Puppet.settings[:strict] = :error
    Puppet.settings[:strict_variables] = true
  end
end

def add_facts_for_metadata(metadata)
  names = (metadata['dependencies'] || []).map { |item| item['name'].tr('/', '-') }
  add_custom_fact(:systemd, ->(_os, facts) { facts['service_provider'] == 'systemd' }) if names.include?('puppet-systemd')
end

# Facts that FacterDB has not, as the suites expect them by default.
def add_mocked_facts!
  add_facts_for_metadata(JSON.parse(File.read(File.join(Dir.pwd, 'metadata.json'))))
  add_custom_fact(:service_provider, 'systemd')
end

metadata = File.join(Dir.pwd, 'metadata.json')
add_facts_for_metadata(JSON.parse(File.read(metadata))) if File.file?(metadata)
local = File.join(Dir.pwd, 'spec', 'spec_helper_local.rb')
require local if File.file?(local)
