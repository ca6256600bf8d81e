# frozen_string_literal: true

require 'spec_helper'

describe 'Sample::Port' do
  it { is_expected.to allow_values(1, 80, 65_535) }
  it { is_expected.not_to allow_value(0) }
  it { is_expected.not_to allow_value('80') }
end
