# frozen_string_literal: true

require 'spec_helper'

describe 'sample' do
  it('asks once', :bunraku) { expect(answers { catalogue }).to eq(1) }
  it { is_expected.to compile.with_all_deps }
  it { is_expected.to contain_class('sample').with_port(80) }
  it { is_expected.not_to contain_class('nothing') }
  it { is_expected.not_to contain_user('unrealised') }
  it { is_expected.to contain_package('sample').that_comes_before('File[/etc/sample.conf]') }
  it { is_expected.to contain_file('/etc/sample.conf').with_content("port 80\n").with_mode('0640').that_notifies('Service[sample]') }
  it { is_expected.to contain_service('the service').with_ensure('running') }
  it { is_expected.to contain_service('sample').that_subscribes_to('File[/etc/sample.conf]') }
  it { is_expected.to have_resource_count(7) }
  it { is_expected.to have_sample__item_resource_count(2) }
  it { is_expected.to contain_sample__item('a').with_value('from the module') }
  it { is_expected.to contain_file('/srv/a').with_content('from the module|Debian|web|gold') }
  it { expect(catalogue.resource('file', '/etc/sample.conf')[:require]).to be_a(Puppet::Resource) }
  it { expect(catalogue.edges.map(&:to_s)).to include('Class[Sample] => Package[sample]') }
  it { expect(catalogue).to be_a(Puppet::Resource::Catalog) }

  context 'with parameters that are not text' do
    let(:params) { { port: 8080, secret: sensitive('x'), extra: { 'a' => 1, 'b' => [true, :undef] } } }

    it { is_expected.to contain_file('/etc/sample.conf').with_content("port 8080\na 1\nb [true, ]\n") }
    it { is_expected.to contain_file('/etc/sample.secret').with_content(sensitive('x')) }
  end

  context 'with undef and references' do
    let(:params) { { from_data: :undef, secret: sensitive('x'), needs: ref('User', 'unrealised') } }

    it { is_expected.not_to compile.with_all_deps }
    it { is_expected.to contain_file('/etc/sample.secret').with_require('User[unrealised]') }
  end

  context 'with facts, a node and its parameters' do
    let(:node) { 'db1.example.com' }
    let(:facts) { { os: { 'name' => 'Fedora', 'family' => 'RedHat' }, nothing: nil } }
    let(:node_params) { { tier: 'silver' } }
    let(:trusted_facts) { { pp_role: 'db' } }

    it { is_expected.to contain_file('/srv/b').with_content('|Fedora|db|silver') }
    it { expect(catalogue.name).to eq('db1.example.com') }
  end

  context 'with code around' do
    let(:pre_condition) { 'user { "before": } realize(User["before"])' }
    let(:post_condition) { 'notify { "after ${trusted[external][who]}": }' }
    let(:trusted_external_data) { { who: 'me' } }

    it { is_expected.to contain_user('before') }
    it { is_expected.to contain_notify('after me') }
  end

  context 'with code that asks for the server' do
    # From version 4 on, rspec-puppet always tells of one.
    let(:always?) { !RSpec.configuration.respond_to?(:trusted_server_facts) }
    let(:facts) { { ipaddress: '192.0.2.7' } }
    let(:node) { 'db1.example.com' }
    let(:post_condition) { 'notify { "${server_facts[environment]} ${server_facts[servername]} ${server_facts[serverip]}": }' }

    it { is_expected.to contain_notify(always? ? 'rp_env db1.example.com 192.0.2.7' : '  ') }

    it 'knows it where a setting says so' do
      RSpec.configuration.trusted_server_facts = true unless always?
      is_expected.to contain_notify('rp_env db1.example.com 192.0.2.7')
    ensure
      RSpec.configuration.trusted_server_facts = false unless always?
    end
  end

  context 'with another environment and Hiera' do
    let(:environment) { 'staging' }
    let(:hiera_config) { File.expand_path('../fixtures/hiera.yaml', __dir__) }
    let(:post_condition) { 'notify { "in ${environment}": }' }

    it { is_expected.to contain_notify('in staging') }
    it { is_expected.to contain_sample__item('a').with_value('from the global layer') }
  end

  context 'with modules that lie elsewhere' do
    let(:module_path) { '/nonexistent' }

    it { expect { catalogue }.not_to raise_error } # rspec-puppet goes by config.module_path, and so does this
  end

  context 'with exported resources' do
    before { Puppet.settings[:storeconfigs] = true }

    it { is_expected.not_to contain_group('sample') }
    it { expect(exported_resources).to contain_group('sample').with_gid(1042) }
    it { expect(exported_resources).not_to contain_package('sample') }
  end

  context 'when it fails' do
    let(:params) { { fails: true, port: 7 } }

    it { is_expected.to compile.and_raise_error(/no 7/) }
    it { is_expected.not_to compile }
    it { expect { catalogue }.to raise_error(Puppet::PreformattedError, /Evaluation Error.*no 7 \(file: .*init.pp, line: 12, column: 5\)/) }
  end

  context 'when a parameter is of another type' do
    let(:params) { { port: 'x' } }

    it { is_expected.to compile.and_raise_error(/parameter 'port' expects an Integer value, got String/) }
  end

  context 'when a resource is not there' do
    let(:post_condition) { 'notify { "a": require => File["/nope"] }' }

    it { expect { catalogue }.to raise_error(Puppet::Error, %r{Could not find resource 'File\[/nope\]'}) }
  end

  context 'when resources go round in circles' do
    let(:params) { { circles: true } }

    it { is_expected.not_to compile }
  end

  context 'when a value is none that the type takes' do
    let(:post_condition) { 'file { "/x": mode => "rwx" }' }

    it { is_expected.not_to compile }
    it { is_expected.to contain_file('/x').with_mode('rwx') }
  end

  context 'with values that an agent computes' do
    let(:post_condition) { 'notify { "a": message => Deferred("sample::upper", ["x"]) }' }

    it { is_expected.to contain_notify('a').with_message('X') }
  end
end
