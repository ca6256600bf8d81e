# frozen_string_literal: true

# Makes the catalogs of an rspec-puppet suite with Bunraku. `require 'rspec_puppet_bunraku'` in spec_helper.rb is all;
# the README says what is left to Puppet and how that is told.

require 'rspec-puppet'

# What this gem adds to rspec-puppet.
module RspecPuppetBunraku
  # A catalog that Bunraku and Puppet make differently, where both are asked (BUNRAKU_COMPARE=1).
  # No `raise_error` of a suite is to take it for what the suite expects.
  class Difference < Exception; end # rubocop:disable Lint/InheritException

  # The process is not to be had, or has died while it was asked.
  class ProcessError < StandardError; end
end

require 'rspec_puppet_bunraku/batch_process'
require 'rspec_puppet_bunraku/own_ruby'
require 'rspec_puppet_bunraku/resource'
require 'rspec_puppet_bunraku/catalog'
require 'rspec_puppet_bunraku/job'
require 'rspec_puppet_bunraku/log'
require 'rspec_puppet_bunraku/errors'
require 'rspec_puppet_bunraku/known_types'
require 'rspec_puppet_bunraku/comparison'
require 'rspec_puppet_bunraku/summary'
require 'rspec_puppet_bunraku/catalogs'
require 'rspec_puppet_bunraku/functions'
require 'rspec_puppet_bunraku/spared_work'
require 'rspec_puppet_bunraku/installed'
