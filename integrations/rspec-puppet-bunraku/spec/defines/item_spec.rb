# frozen_string_literal: true

require 'spec_helper'

describe 'sample::item' do
  let(:title) { "it's" }

  it { is_expected.to compile.with_all_deps }
  it { is_expected.to contain_file("/srv/it's").with_content('|Debian|web|gold') }
end
