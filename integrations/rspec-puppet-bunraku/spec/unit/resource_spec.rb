# frozen_string_literal: true

require 'spec_helper'

describe 'sample', type: :class do
  let(:pre_condition) { 'define of_the_code($v = 2) { } of_the_code { "q": } file { "/tmp/x/": }' }
  let(:folder) { File.expand_path('../fixtures/modules/sample/manifests', __dir__) }

  def resource(*name)
    catalogue.resource(*name)
  end

  def definition(*name)
    type = resource(*name).resource_type
    [type.class, type.type, type.name, type.arguments.keys, type.file]
  end

  it 'knows the definitions of classes and defined types' do
    expect(definition('Class[sample]')).to eq([Puppet::Resource::Type, :hostclass, 'sample', %w[port secret extra from_data fails circles needs], "#{folder}/init.pp"])
    expect(definition('Sample::Item[a]')).to eq([Puppet::Resource::Type, :definition, 'sample::item', %w[value], "#{folder}/item.pp"])
    expect(definition('Of_the_code[q]')).to eq([Puppet::Resource::Type, :definition, 'of_the_code', %w[v], ''])
    expect(definition('Class[settings]')).to eq([Puppet::Resource::Type, :hostclass, 'settings', [], nil])
    expect(definition('Class', :main).first(3)).to eq([Puppet::Resource::Type, :hostclass, ''])
  end

  it 'knows which parameters there are' do
    expect(%i[port require nope].map { |name| resource('Class[sample]').valid_parameter?(name) }).to eq([true, true, false])
    expect(%i[v nope].map { |name| resource('Of_the_code[q]').valid_parameter?(name) }).to eq([true, false])
    expect(%i[mode nope].map { |name| resource('File[/srv/a]').valid_parameter?(name) }).to eq([true, false])
  end

  it 'has what the title says among the parameters' do
    expect(resource('File[/tmp/x/]').parameters).to eq(path: '/tmp/x')
    expect(resource('Sample::Item[a]')[:name]).to eq('a')
    expect(resource('File[/tmp/x/]').to_manifest).to eq("file { '/tmp/x/':\n  path => '/tmp/x',\n}")
  end

  it 'says what is virtual' do
    expect(['File[/srv/a]', 'Sample::Item[a]', 'Class[sample]', 'Stage[main]'].map { |name| resource(name).virtual }).to eq([false, false, nil, nil])
  end

  it 'is written as Puppet writes it' do
    expect(resource('Sample::Item[a]').to_yaml).to start_with("--- !ruby/object:Puppet::Resource\ntype: Sample::Item\ntitle: a\n")
    expect(resource('Stage[main]').to_data_hash).to include('title' => 'main', 'parameters' => { 'name' => 'main' })
  end

  it 'is the same in a copy of the catalog' do
    copy = catalogue.to_resource.resource('Sample::Item[a]')
    expect(copy).to eq(resource('Sample::Item[a]'))
    expect(copy).not_to equal(resource('Sample::Item[a]'))
    copy[:value] = 'another'
    expect(resource('Sample::Item[a]')[:value]).to eq('from the module')
    expect(copy.resource_type.name).to eq('sample::item')
  end
end
