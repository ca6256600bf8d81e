# frozen_string_literal: true

module RspecPuppetBunraku
  # A job of `bunraku batch` that asks for what rspec-puppet would let Puppet compile.
  class Job
    # What can't be said in a job: why Puppet must answer.
    class Unsayable < StandardError; end

    # Settings that code may read and that are the suite's: folders that rspec-puppet sets, what it says of an environment, and what
    # Puppet says of itself.
    OF_SUITE = %i[
      confdir codedir vardir ssldir logdir rundir publicdir environmentpath basemodulepath vendormoduledir
      manifest modulepath hiera_config http_user_agent
    ].freeze
    # Settings that a suite sets in memory and that have their own place in a job, change with each example, or are about how a
    # catalog is written, which rspec-puppet never does.
    ELSEWHERE = %i[
      code vardir environment environmentpath manifest modulepath hiera_config trusted_server_facts rich_data
    ].freeze

    # The environment that an example compiles in.
    attr_reader :environment

    # `asked`: what `build_catalog` has been given; `environment`: the example's; `want`: what the result is to hold.
    def initialize(asked, environment, want: %w[catalog])
      @asked = asked
      @want = want
      @environment = environment
    end

    # The job as JSON: equal where what is compiled is equal.
    #
    # Raises Unsayable where a value has no JSON.
    def json
      @json ||= JSON.generate(hash)
    end

    # The facts as the example has them.
    def facts
      @asked[:facts_val]
    end

    # Whether only exported resources are asked for.
    def exported?
      @asked[:exported]
    end

    # The text of the manifest.
    def code
      @asked[:code].to_s
    end

    # The node's name.
    def node
      @asked[:nodename]
    end

    # The node's own parameters.
    def parameters
      @asked[:node_params] || {}
    end

    # What the server tells of itself.
    def server_facts
      @asked[:server_facts] || {}
    end

    # The trusted data of the node, as Puppet's own class makes them.
    def trusted
      given = ['remote', node, @asked[:trusted_facts_val] || {}]
      given << (@asked[:trusted_external_data] || {})
      Puppet::Context::TrustedInformation.new(*given).to_h
    end

    # The settings of Puppet that code in an environment may read, as they are now.
    def self.settings(environment)
      settings = { 'compat' => Puppet.version.to_i }
      OF_SUITE.each do |name|
        value = Puppet.settings.value(name, environment.name) if Puppet.settings.valid?(name)
        # That there is no manifest is a symbol.
        settings[name.to_s] = plain(value) unless value.nil? || value.is_a?(Symbol)
      end
      in_memory.each { |name| settings[name.to_s] = plain(Puppet[name]) unless ELSEWHERE.include?(name) }
      # As rspec-puppet sets it before each compile.
      settings['autosign'] = false
      settings['log_level'] = Puppet::Util::Log.sendlevel?(:info) ? Puppet::Util::Log.level.to_s : 'notice'
      settings['strict'] = Puppet[:strict].to_s
      settings['strict_variables'] = Puppet[:strict_variables]
      settings
    end

    # Names of settings that the suite has set (`Puppet[:name] = …`).
    def self.in_memory
      memory = Puppet.settings.instance_variable_get(:@value_sets)[:memory]
      memory.instance_variable_get(:@values).keys
    end

    # A value as JSON can hold it: keys are text, symbols are text, `:undef` is null.
    #
    # Raises Unsayable for anything else.
    def self.plain(value)
      case value
      when Hash then value.to_h { |key, item| [key_of(key), plain(item)] }
      when Array then value.map { |item| plain(item) }
      when :undef then nil
      when Symbol then value.to_s
      when Float then value.finite? ? value : raise(Unsayable, "the number #{value}")
      when String then text(value)
      when nil, true, false, Integer then value
      else raise Unsayable, OwnRuby.name_of(value)
      end
    end

    def self.key_of(key)
      case key
      when String, Symbol, Integer, true, false then text(key.to_s)
      else raise Unsayable, "a key that is #{OwnRuby.name_of(key)}"
      end
    end

    def self.text(value)
      return value if value.encoding == Encoding::UTF_8 && value.valid_encoding?

      text = value.encode(Encoding::UTF_8)
      text.valid_encoding? ? text : raise(Unsayable, 'a text that is not UTF-8')
    rescue EncodingError
      raise Unsayable, 'a text that is not UTF-8'
    end

    private

    def hash
      job = {
        'code' => self.class.text(code), 'node' => node, 'environment_name' => environment.name.to_s,
        'modulepath' => environment.modulepath, 'facts' => self.class.plain(facts),
        'parameters' => self.class.plain(parameters), 'trusted' => self.class.plain(trusted),
        'server_facts' => self.class.plain(server_facts), 'settings' => self.class.settings(environment),
        'want' => @want, 'exported' => exported? ? true : false, 'references' => true
      }
      job['hiera_config'] = Puppet[:hiera_config] if Puppet::FileSystem.exist?(Puppet[:hiera_config].to_s)
      job
    end
  end
end
