# frozen_string_literal: true

require 'spec_helper'

describe 'sample', type: :class do
  let(:pre_condition) { code }

  def error
    catalogue
  rescue Puppet::Error => error
    error
  end

  def parts
    [error.class, error.basic_message, error.file, error.line, error.pos, error.issue_code, error.environment&.to_s, error.node]
  end

  context 'with a text that is none of the language' do
    let(:code) { 'notify { a' }

    it { expect { catalogue }.to raise_error(Puppet::ParseErrorWithIssue, "Could not parse for environment rp_env: Syntax error at 'include' (line: 3, column: 1) on node #{Puppet[:certname]}") }
    it { expect(parts).to eq([Puppet::ParseErrorWithIssue, "Syntax error at 'include'", nil, 3, 1, :SYNTAX_ERROR, 'rp_env', Puppet[:certname]]) }
  end

  context 'with a look-up that finds nothing' do
    let(:code) { 'lookup("nope")' }

    it { expect { catalogue }.to raise_error(Puppet::DataBinding::LookupError, "Function lookup() did not find a value for the name 'nope' on node #{Puppet[:certname]}") }
    it { expect(parts).to eq([Puppet::DataBinding::LookupError, "Function lookup() did not find a value for the name 'nope'", nil, nil, nil, nil, nil, Puppet[:certname]]) }
  end

  context 'with a function that fails' do
    let(:code) { 'fail("x")' }

    it { expect(parts).to eq([Puppet::PreformattedError, 'Evaluation Error: Error while evaluating a Function Call, x', nil, 2, 1, :RUNTIME_ERROR, nil, Puppet[:certname]]) }
  end

  context 'with a function that fails in a file' do
    let(:code) { '' }
    let(:params) { { fails: true, port: 7 } }
    let(:file) { File.expand_path('../fixtures/modules/sample/manifests/init.pp', __dir__) }

    it { expect(parts).to eq([Puppet::PreformattedError, 'Evaluation Error: Error while evaluating a Function Call, no 7', file, 12, 5, :RUNTIME_ERROR, nil, Puppet[:certname]]) }
  end

  context 'with an error that has no code' do
    let(:code) { 'realize(User["nope"])' }

    it { expect(error).to be_instance_of(Puppet::Error).and have_attributes(message: "Failed to realize virtual resources User[nope] on node #{Puppet[:certname]}") }
  end
end
