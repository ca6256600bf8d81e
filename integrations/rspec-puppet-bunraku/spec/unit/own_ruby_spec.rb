# frozen_string_literal: true

require 'spec_helper'
require 'rbconfig'
require 'tmpdir'

describe 'sample', type: :class do
  def reasons
    left_to_puppet do
      catalogue
    rescue Puppet::Error
      nil # what Puppet makes of it is no matter here
    end
  end

  it 'leaves nothing to Puppet without a reason', :bunraku do
    expect(reasons).to eq([])
  end

  it 'leaves stubs of methods to Puppet', :bunraku do
    allow(Puppet::FileSystem).to receive(:exist?).and_call_original
    expect(reasons).to eq(['stubs exist? of Puppet::FileSystem'])
  end

  it 'leaves stubs of instances to Puppet', :bunraku do
    allow_any_instance_of(Puppet::Node).to receive(:name).and_call_original
    expect(reasons).to eq(['stubs any instance of a class'])
  end

  it 'leaves stubs of constants to Puppet', :bunraku do
    stub_const('Sample', 1)
    expect(reasons).to eq(['stubs a constant'])
  end

  it 'takes no notice of doubles and of stubs that all suites have', :bunraku do
    double(call: 1).call
    allow(Puppet.features).to receive(:root?).and_return(true)
    expect(reasons).to eq([])
  end

  it 'works where Mocha is loaded and the suite stubs by something else', :bunraku do
    begin
      require 'mocha/api'
    rescue LoadError
      skip 'there is no Mocha'
    end
    expect(reasons).to eq([])
  end

  it 'leaves functions that a spec defines to Puppet', :bunraku do
    Puppet::Parser::Functions.newfunction(:of_the_spec, type: :rvalue) { |_| 'x' }
    expect(reasons).to eq(['defines of_the_spec in Ruby of its own'])
  end

  it 'forgets them with the example', :bunraku do
    expect(reasons).to eq([])
  end

  # The suite in a folder, in a process of its own: what is defined outside of an example is so for all.
  def summary_of(folder)
    gem = File.expand_path('../..', __dir__)
    command = [RbConfig.ruby, '-S', 'rspec', '--no-color', '--order', 'defined', '-I', "#{gem}/lib", '-I', "#{gem}/spec", '.']
    IO.popen({ 'SPEC_OPTS' => nil }, command, chdir: folder, err: File::NULL, &:read)
  end

  it 'says where something is defined outside of an example', :bunraku do
    Dir.mktmpdir do |folder|
      FileUtils.mkdir_p("#{folder}/spec")
      definition = "require 'spec_helper'\ndescribe 'sample', type: :class do\n  Puppet::Functions.create_function(:of_the_suite) { def of_the_suite; end }\nend\n"
      File.write("#{folder}/spec/a_spec.rb", definition)
      File.write("#{folder}/spec/b_spec.rb", "require 'spec_helper'\ndescribe('sample', type: :class) { it { is_expected.to compile } }\n")
      expect(summary_of(folder))
        .to include('left to Puppet, 1: defines of_the_suite in Ruby of its own, outside of an example, at ./spec/a_spec.rb:3 (./spec/b_spec.rb:2)')
    end
  end

  it 'leaves another environment to Puppet', :bunraku do
    before = ENV.fetch('SAMPLE', nil)
    ENV['SAMPLE'] = 'x'
    expect(reasons).to eq(['changes the environment'])
  ensure
    ENV['SAMPLE'] = before
  end

  context 'with facts that JSON does not hold' do
    let(:facts) { { now: Object.new.freeze.class } }

    it('leaves them to Puppet', :bunraku) { expect(reasons).to eq(['has Object in its facts, parameters or code']) }
  end

  context 'with a type of a module that is not there, as packages of Puppet bring it along' do
    let(:pre_condition) { 'host { "a": ip => "192.0.2.1" }' }

    it 'leaves it to Puppet, which says that there is none', :bunraku do
      expected = Puppet::Type.type(:host) ? [] : ['declares host, a type that this Puppet has not']
      expect(reasons).to eq(expected)
    end
  end

  context 'with look-ups of its own' do
    before { RSpec.configuration.use_fixture_spec_hiera = true }
    after { RSpec.configuration.use_fixture_spec_hiera = false }

    it('leaves them to Puppet', :bunraku) { expect(reasons).to eq(['sets use_fixture_spec_hiera']) }
  end
end
