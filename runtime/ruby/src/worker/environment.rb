# Puppet's helpers around the variables of the process, which OpenVox 9 tells are deprecated.

module Puppet
  module Util
    module_function

    def get_env(name, mode = default_env)
      Environment.use(:get_env, 'ENV[]', mode)
      ENV.fetch(name, nil)
    end

    def get_environment(mode = default_env)
      Environment.use(:get_environment, 'ENV.to_hash', mode)
      ENV.to_hash
    end

    def clear_environment(mode = default_env)
      Environment.use(:clear_environment, 'ENV.clear', mode)
      ENV.clear
    end

    def set_env(name, value = nil, mode = default_env)
      Environment.use(:set_env, 'ENV[]=', mode)
      ENV[name] = value
    end

    def merge_environment(variables, mode = default_env)
      Environment.use(:merge_environment, 'ENV.merge!', mode)
      variables.each { |name, value| ENV[name.to_s] = value }
    end

    def withenv(variables, _mode = :posix)
      saved = ENV.to_hash
      variables.each { |name, value| ENV[name.to_s] = value }
      yield
    ensure
      ENV.replace(saved) if saved
    end

    def default_env
      :posix
    end

    # What these have in common.
    module Environment
      # Puppet shows where in its own file the warning is made; here it is where the helper is called.
      def self.use(helper, instead, mode)
        if Bunraku.compile.holds?('environment-helpers-are-deprecated')
          text = "Puppet::Util.#{helper} is deprecated and will be removed in a future version. Use #{instead} directly instead."
          place = caller.find { |line| !line.start_with?('<bunraku', '<internal') }
          Bunraku.ask('deprecation', ["Puppet::Util.#{helper}", text, "(location: #{place})"])
        elsif mode != :posix
          raise "Puppet::Util.#{helper} has no mode #{mode} here"
        end
      end
    end
  end
end
