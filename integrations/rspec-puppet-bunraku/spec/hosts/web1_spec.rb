# frozen_string_literal: true

require 'spec_helper'

describe 'web1.example.com' do
  let(:pre_condition) { 'node "web1.example.com" { notify { $facts["networking"]["fqdn"]: } } node default { }' }

  it { is_expected.to contain_notify('web1.example.com') }
  it { is_expected.to have_class_count(0) }
end
