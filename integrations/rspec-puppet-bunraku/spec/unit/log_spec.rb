# frozen_string_literal: true

require 'spec_helper'
require 'puppet/test/test_helper'

describe 'sample', type: :class do
  let(:code) { 'notice("n")' }
  # Each has a job of its own: what is kept is not told again.
  let(:pre_condition) { "#{code} # #{self.class.description}" }

  # What is logged within a block.
  def logged
    logs = []
    # What has been logged before waits for somebody who takes it.
    Puppet::Util::Log.with_destination(Puppet::Test::LogCollector.new([])) { nil }
    Puppet.clear_deprecation_warnings
    Puppet::Util::Log.with_destination(Puppet::Test::LogCollector.new(logs)) { yield }
    logs
  end

  def lines
    logged { catalogue }.map { |log| "#{log.level}: #{log.to_s.sub(/[\d.]+ seconds/, '_ seconds')}" }
  end

  context('with what nearly every compile logs') do
    it { expect(lines).to eq(['notice: n', *hiera, exported, "notice: Compiled catalog for #{Puppet[:certname]} in environment rp_env in _ seconds"]) }
    it { expect { catalogue }.to(change { logged { catalogue }.size }.by(0)) }

    # Of rspec-puppet's own hiera.yaml, which is no file.
    def hiera
      ['warning: /dev/null: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default config',
       "warning: /dev/null: Use of 'hiera.yaml' version 3 is deprecated. It should be converted to version 5\n   (file: /dev/null)"]
    end

    def exported
      file = File.expand_path('../fixtures/modules/sample/manifests/init.pp', __dir__)
      "warning: You cannot collect exported resources without storeconfigs being set; the export is ignored (file: #{file}, line: 40, column: 3)"
    end
  end

  context('with the source of what is logged') do
    it { expect(logged { catalogue }.first.source).to eq('Scope(Class[main])') }
  end

  context('with a fact of the name of a parameter') do
    # Names as text, as facts have them: the defaults of these specs have none.
    before { RSpec.configuration.default_node_params = {} }
    after { RSpec.configuration.default_node_params = { tier: 'gold' } }

    let(:facts) { { 'tier' => 'bronze' } }
    let(:node_params) { { 'tier' => 'silver' } }

    it { expect(lines.grep(/tier|environment'/)).to eq([]) }
  end

  context('with the place of what is logged') do
    let(:code) { '$h = { a => 1, a => 2 }' }

    it do
      log = logged { catalogue }.find { |one| one.message.start_with?('The key') }
      expect(log.message).to eq("The key 'a' is declared more than once")
      expect(log.to_s).to eq("The key 'a' is declared more than once (line: 2, column: 18)")
      expect([log.line, log.pos]).to eq([2, 18])
    end
  end

  context('with a compile that fails') do
    let(:code) { 'notice("n") fail("x")' }

    let(:error) { "Evaluation Error: Error while evaluating a Function Call, x (line: 2, column: 13) on node #{Puppet[:certname]}" }

    it { expect(logged { expect { catalogue }.to raise_error(/x/) }.map(&:to_s)).to eq(['n', error]) }
    it { expect(logged { expect { catalogue }.to raise_error(/x/) }.map(&:to_s)).to eq(['n', error]) }
  end
end
