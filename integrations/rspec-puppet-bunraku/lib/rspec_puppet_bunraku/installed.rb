# frozen_string_literal: true

module RspecPuppetBunraku
  # In place of rspec-puppet's own way to a catalog.
  module Support
    def build_catalog(*arguments)
      asked = arguments.first
      return super unless asked.is_a?(Hash) && arguments.size == 1

      reason = OwnRuby.reason(self)
      return catalog_of(asked) { super(*arguments) } unless reason

      Summary.left(reason)
      super
    rescue Job::Unsayable => error
      Summary.left("has #{error.message} in its facts, parameters or code")
      super
    rescue KnownTypes::Missing => error
      Summary.left(error.message)
      super
    end

    private

    # Bunraku's catalog; where both are to be asked, the block asks Puppet.
    def catalog_of(asked, &puppet)
      job = Job.new(asked.merge(server_facts: server_facts_of(asked)), adapter.current_environment)
      job.json
      stub = -> { stub_facts!(asked[:facts_val]) }
      return Comparison.check(job, puppet, &stub) if RSpec.configuration.bunraku_compare

      Catalogs.find(job, &stub)
    end

    # What the server tells of itself, which rspec-puppet takes from the facts of the example: from version 4 on always, before
    # where a setting says so.
    def server_facts_of(asked)
      return {} if RSpec.configuration.respond_to?(:trusted_server_facts) && !RSpec.configuration.trusted_server_facts

      stub_facts!(asked[:facts_val])
      server_facts_hash
    end
  end

  RSpec.configure do |config|
    # The program: a path, or a name to be found on PATH.
    config.add_setting :bunraku, default: ENV.fetch('BUNRAKU', 'bunraku')
    # Whether Puppet compiles everything, too, and what differs fails.
    config.add_setting :bunraku_compare, default: ENV.fetch('BUNRAKU_COMPARE', '0') == '1'

    config.prepend_before(:all) { OwnRuby.environment_of_suite }
    config.after { OwnRuby.forget }
    config.after(:suite) do
      RSpec.configuration.reporter.message("\n#{Summary.lines.join("\n")}")
      BatchProcess.close
    end
  end

  [Puppet::Parser::Functions, Puppet::Functions, Puppet::Type, Puppet::DataTypes].each { |target| OwnRuby.watch(target) }
  RSpec::Puppet::Support.prepend(Support)
  RSpec::Puppet::FunctionExampleGroup.prepend(FunctionGroup)
end
