# frozen_string_literal: true

# The command `puppet` of the Puppet that is loaded: `puppet.sh 8 command.rb catalog compile NODE …`.

require 'puppet/util/command_line'
Puppet::Util::CommandLine.new('puppet', ARGV).execute
