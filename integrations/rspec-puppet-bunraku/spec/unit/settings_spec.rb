# frozen_string_literal: true

require 'spec_helper'
require 'tmpdir'

describe 'sample', type: :class do
  # A folder without manifests.
  before(:context) { RSpec.configuration.manifest = File.expand_path('../fixtures', __dir__) }
  after(:context) { RSpec.configuration.manifest = nil }

  let(:environment) { 'staging' }
  let(:names) { %i[confdir codedir vardir statedir ssldir certdir hostcert manifest modulepath hiera_config autosign http_user_agent strict certname] }
  let(:pre_condition) { "notify { 'settings': message => [#{names.map { |name| "$settings::#{name}" }.join(', ')}] }" }
  let(:found) { names.zip(catalogue.resource('Notify[settings]')[:message]).to_h }
  # What stands for the folder of Puppet's files, which rspec-puppet makes anew for each example.
  let(:vardir) { found[:vardir] }

  it 'shows the settings of the suite to the code' do
    # `Puppet[…]` is of no environment.
    wanted = names.to_h { |name| [name, Puppet.settings.value(name, :staging)] }
    wanted.merge!(strict: 'warning', vardir: vardir, statedir: "#{vardir}/state", autosign: false)
    expect(found).to eq(wanted)
    expect(vardir).to start_with(Dir.tmpdir)
    expect(found.values_at(:confdir, :ssldir, :hiera_config)).to eq(['/dev/null', '/dev/null/ssl', '/dev/null'])
    expect(found[:modulepath]).to eq(RSpec.configuration.module_path)
  end
end
