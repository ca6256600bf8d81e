# frozen_string_literal: true

# What a module's spec_helper.rb would have, and this gem; without it where PUPPET_ALONE=1 asks whether the specs say what is so.
require 'rspec-puppet'
PUPPET_ALONE = ENV['PUPPET_ALONE'] == '1'
require 'rspec_puppet_bunraku' unless PUPPET_ALONE

RSpec.configure do |config|
  config.mock_with :rspec
  config.module_path = File.expand_path('fixtures/modules', __dir__)
  config.setup_fixtures = false
  config.default_facts = { os: { name: 'Debian', family: 'Debian' }, osfamily: 'Debian', operatingsystem: 'Debian' }
  config.default_trusted_facts = { pp_role: 'web' }
  config.default_node_params = { tier: 'gold' }
  config.filter_run_excluding(bunraku: true) if PUPPET_ALONE
  config.before { Puppet.settings[:strict] = :warning }
end

# How many times Bunraku has answered within a block.
def answers
  before = RspecPuppetBunraku::Summary.bunraku
  yield
  RspecPuppetBunraku::Summary.bunraku - before
end

# Why examples have been left to Puppet within a block.
def left_to_puppet
  before = RspecPuppetBunraku::Summary.left_to_puppet.transform_values(&:size)
  yield
  after = RspecPuppetBunraku::Summary.left_to_puppet.transform_values(&:size)
  after.reject { |reason, count| before[reason] == count }.keys
end
