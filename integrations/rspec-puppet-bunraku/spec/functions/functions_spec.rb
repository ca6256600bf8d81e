# frozen_string_literal: true

require 'spec_helper'

describe 'sample::twice' do
  it { is_expected.to run.with_params(4).and_return(8) }
  it('asks Bunraku', :bunraku) { expect(answers { is_expected.to run.with_params(4) }).to eq(1) }
  it { is_expected.to run.with_params(-1.5).and_return(-3.0) }
  it { is_expected.to run.with_params('x').and_raise_error(ArgumentError, /expects a Numeric value, got String/) }
  it('leaves symbols to Puppet', :bunraku) { expect(left_to_puppet { is_expected.to run.with_params(:x).and_raise_error(StandardError) }).to include(/Symbol/) }
end

describe 'sample::upper' do
  it { is_expected.to run.with_params("it's $x \\ ").and_return("IT'S $X \\ ") }
  it { is_expected.to run.with_params(sensitive('ä')).and_return('Ä') }
  it { is_expected.to run.with_params('').and_raise_error(ArgumentError, 'nothing to do') }
  it { is_expected.to run.with_params('a').with_lambda { |text| "<#{text}>" }.and_return('<A>') }
  it { is_expected.not_to run.with_params }

  it 'is Puppet\'s where Ruby is stubbed', :bunraku do
    allow(File).to receive(:exist?).and_call_original
    reasons = left_to_puppet { is_expected.to run.with_params('a').and_return('A') }
    expect(reasons).to eq(['stubs exist? of File'])
  end
end

describe 'sample::declare' do
  it 'shows its effects in the catalog' do
    is_expected.to run.with_params('x').and_return('x')
    expect(-> { catalogue }).to contain_notify('x')
  end

  it 'runs in the compiler that the example has' do
    scope['x']
    is_expected.to run.with_params('y')
    expect(-> { catalogue }).to contain_notify('y')
  end
end

describe 'sample_old' do
  it { is_expected.to run.with_params('x').and_return(:x) }
end

describe 'sample::nothing' do
  it { is_expected.to be_nil }
end
