# frozen_string_literal: true

require 'spec_helper'
require 'puppet/test/test_helper'
require 'set'

describe 'sample::twice' do
  it { is_expected.to run.with_params(4).and_return(8) }
  it('asks Bunraku', :bunraku) { expect(answers { is_expected.to run.with_params(4) }).to eq(1) }
  it { is_expected.to run.with_params(-1.5).and_return(-3.0) }
  it { is_expected.to run.with_params('x').and_raise_error(ArgumentError, /expects a Numeric value, got String/) }
  it('leaves symbols to Puppet', :bunraku) { expect(left_to_puppet { is_expected.to run.with_params(:x).and_raise_error(StandardError) }).to include(/Symbol/) }
end

describe 'sample::twice' do
  it 'is told where Bunraku gives another value', :bunraku do
    RSpec.configuration.bunraku_compare = true
    process = RspecPuppetBunraku::BatchProcess.instance
    change = Module.new { define_method(:ask) { |job| super(job).tap { |result, _| result.merge!('value' => 9, 'repr' => '9') } } }
    process.singleton_class.prepend(change)
    expect { subject.execute(4) }.to raise_error(RspecPuppetBunraku::Difference, /sample::twice\(4\): Puppet 8, Bunraku 9/)
  ensure
    RSpec.configuration.bunraku_compare = ENV['BUNRAKU_COMPARE'] == '1'
    RspecPuppetBunraku::BatchProcess.close
  end
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

describe 'sample::declare' do
  it 'knows of the calls before' do
    is_expected.to run.with_params('x').and_return('x')
    is_expected.to run.with_params('x').and_raise_error(/Duplicate declaration: Notify\[x\]/)
    is_expected.to run.with_params('y').and_return('y')
    expect(-> { catalogue }).to contain_notify('x')
    expect(-> { catalogue }).to contain_notify('y')
  end

  it('asks Bunraku each time', :bunraku) { expect(answers { %w[x y z].each { |title| is_expected.to run.with_params(title) } }).to eq(3) }
end

describe 'sample::count' do
  it { expect([subject.execute, subject.execute, subject.execute]).to eq([1, 2, 3]) }
end

describe 'sample::chance' do
  it { expect(subject.execute).to match(/\A\h{32}\z/) }

  it 'is no difference', :bunraku do
    RSpec.configuration.bunraku_compare = true
    expect { subject.execute }.not_to raise_error
    expect(RspecPuppetBunraku::Summary.lines).to include(/\A  not compared, as it gives another value each time, \d: sample::chance/)
  ensure
    RSpec.configuration.bunraku_compare = ENV['BUNRAKU_COMPARE'] == '1'
  end
end

describe 'sample::values' do
  it('asks Bunraku for text', :bunraku) { expect(answers { subject.execute('text') }).to eq(1) }
  it { is_expected.to run.with_params('text').and_return(['x', { 'a' => "it's", 'b' => [1.5, true, "ä\n"] }]) }
  it { is_expected.to run.with_params('symbol').and_return([:b]) }
  it { is_expected.to run.with_params('undef').and_return('a' => :undef) }
  it { is_expected.to run.with_params('nil').and_return('a' => nil) }
  it { is_expected.to run.with_params('time').and_return([Time.at(0)]) }
  it { is_expected.to run.with_params('set').and_return('a' => [Set.new([1])]) }
  it { is_expected.to run.with_params('rational').and_return(Rational(1, 2)) }
end

describe 'sample::log' do
  let(:pre_condition) { 'notice("before")' }

  # What is logged within a block, with its level.
  def logged
    logs = []
    # What has been logged before waits for somebody who takes it.
    Puppet::Util::Log.with_destination(Puppet::Test::LogCollector.new([])) { nil }
    Puppet::Util::Log.with_destination(Puppet::Test::LogCollector.new(logs)) { yield }
    logs.map { |log| "#{log.level}: #{log.message}" }
  end

  def of_call(text)
    ["warning: of Ruby: #{text}", "notice: of the language: #{text}"]
  end

  it 'logs what a call logs, and what is before it once' do
    expect(logged { subject.execute('x') }).to eq(['notice: before', *of_call('x')])
    expect(logged { subject.execute('y') }).to eq(of_call('y'))
    expect(logged { catalogue }).to eq([])
  end

  it 'logs nothing twice where Puppet makes calls again' do
    expect(logged { subject.execute('x') && subject.execute('y') }).to eq(['notice: before', *of_call('x'), *of_call('y')])
    expect(logged { expect { subject.execute(:z) }.to raise_error(ArgumentError) }).to eq([])
  end
end

describe 'sample_old' do
  it { is_expected.to run.with_params('x').and_return(:x) }
end

describe 'sample::nothing' do
  it { is_expected.to be_nil }
end
