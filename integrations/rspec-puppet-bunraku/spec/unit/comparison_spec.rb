# frozen_string_literal: true

require 'spec_helper'

describe 'sample', :bunraku, type: :class do
  # What differs where Bunraku's answer has been changed on its way.
  def differences
    RSpec.configuration.bunraku_compare = true
    process = RspecPuppetBunraku::BatchProcess.instance
    change = Module.new { define_method(:ask) { |job| super(job).tap { |result, _| yield result } } }
    process.singleton_class.prepend(change)
    RspecPuppetBunraku::Catalogs.instance_variable_set(:@kept, nil)
    catalogue
    nil
  rescue RspecPuppetBunraku::Difference => error
    error.message
  ensure
    RSpec.configuration.bunraku_compare = ENV['BUNRAKU_COMPARE'] == '1'
    RspecPuppetBunraku::Catalogs.instance_variable_set(:@kept, nil)
    RspecPuppetBunraku::BatchProcess.close
  end

  def entry(result, type)
    result['catalog']['resources'].find { |one| one['type'] == type }
  end

  it 'finds nothing where both are the same' do
    expect(differences { |_| nil }).to be_nil
  end

  it 'tells of another value' do
    expect(differences { |result| entry(result, 'File')['parameters']['mode'] = '0600' })
      .to include('File[/etc/sample.conf] mode: Puppet "0640", Bunraku "0600"')
  end

  it 'tells of resources and edges that are not there' do
    found = differences { |result| result['catalog']['resources'].reject! { |one| one['type'] == 'Service' } && result['catalog']['edges'].pop(6) }
    expect(found).to include('Service[sample]: only Puppet has it')
  end

  it 'tells of another error' do
    found = differences { |result| result.merge!('ok' => false, 'error' => { 'message' => 'no', 'code' => 'X' }) }
    expect(found).to include('Puppet: a catalog', 'Bunraku: Puppet::PreformattedError: no')
  end
end
