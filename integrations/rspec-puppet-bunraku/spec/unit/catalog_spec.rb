# frozen_string_literal: true

require 'spec_helper'

describe 'sample', :bunraku, type: :class do
  # How many resources have become objects.
  def made
    catalogue.instance_variable_get(:@made).size
  end

  context 'with a catalog that no other example has' do
    let(:params) { { port: 4711 } }

    it 'makes the resource that is asked for, and no other' do
      skip 'a comparison looks at all' if RSpec.configuration.bunraku_compare
      is_expected.to contain_package('sample')
      is_expected.not_to contain_class('sample::nothing')
      expect(made).to eq(1)
    end
  end

  context 'with another one' do
    let(:params) { { port: 4712 } }

    it 'makes all where something walks through the graph' do
      expect(catalogue.resources.size).to eq(made)
      expect(catalogue.resource('Package', 'sample')).to equal(catalogue.resources.find { |one| one.ref == 'Package[sample]' })
    end
  end

  it 'is the same one for the same job' do
    first = catalogue
    @catalogue = nil
    expect(catalogue).to equal(first)
  end
end
