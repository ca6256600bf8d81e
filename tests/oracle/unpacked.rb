# frozen_string_literal: true

# Lets a script find Puppet and what it requires in a folder of unpacked packages, and nowhere else: the folder that
# `fetch.sh` made, named by ORACLE_ROOT. `puppet.sh` requires this file before the script, in a Ruby started without
# gems: those of the machine are not asked.

root = ENV.fetch('ORACLE_ROOT')
gems = File.join(root, 'usr/share/rubygems-integration/all/gems')

# Puppet looks for types and functions in all of $LOAD_PATH, so the place of the machine's Puppet has to go.
$LOAD_PATH.reject! { |dir| dir.split('/').include?('vendor_ruby') }

require 'rbconfig'

# Rubygems as Ruby itself has it, and no gems but those that come with Ruby.
ENV['GEM_HOME'] = ENV['GEM_PATH'] = File.join(RbConfig::CONFIG['rubylibprefix'], 'gems', RbConfig::CONFIG['ruby_version'])
require 'rubygems'

# What a Ruby with gems has: both add to the messages of errors, and know the files of Ruby itself only.
require 'error_highlight'
require 'did_you_mean'

libraries = Dir.glob(File.join(gems, '*', 'lib')).sort.flat_map { |lib| [File.join(lib, 'concurrent-ruby'), lib] }
libraries = [File.join(root, 'usr/lib/ruby/vendor_ruby'), *libraries].select { |dir| File.directory?(dir) }
$LOAD_PATH.unshift(*libraries)

# Later versions of Ruby have Set without asking for it; some of what Debian ships with them relies on that.
require 'set'
