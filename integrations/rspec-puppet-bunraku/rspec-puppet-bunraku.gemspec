# frozen_string_literal: true

Gem::Specification.new do |gem|
  gem.name = 'rspec-puppet-bunraku'
  gem.version = '0.1.0'
  gem.summary = 'The catalogs of rspec-puppet suites, compiled by Bunraku'
  gem.description = 'One line in spec_helper.rb, and the catalogs of a suite come from one process of Bunraku instead of Puppet in Ruby.'
  gem.authors = ['The authors of Bunraku']
  gem.license = 'Apache-2.0'
  gem.required_ruby_version = '>= 3.1'
  gem.files = Dir['lib/**/*.rb', 'README.md']
  gem.add_dependency 'puppet', '>= 7', '< 10'
  gem.add_dependency 'rspec-puppet', '>= 2.9', '< 6'
end
