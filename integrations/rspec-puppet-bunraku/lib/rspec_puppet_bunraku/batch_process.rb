# frozen_string_literal: true

require 'json'

module RspecPuppetBunraku
  # One `bunraku batch`: a job in, its result out, a line of JSON each. Every process of rspec has its own, also where it has
  # been forked; it ends when rspec ends, and one that has died is started again for the next job.
  class BatchProcess
    # How many times in a row a process may die before the suite is told to do without.
    MOST_DEATHS = 3

    class << self
      # The process of this rspec process.
      def instance
        @instance = new(RSpec.configuration.bunraku) unless @instance&.own?
        @instance
      end

      # Ends it, where there is one.
      def close
        @instance.close if @instance&.own?
        @instance = nil
      end
    end

    # How many jobs it has answered, and how often a process has been started.
    attr_reader :jobs, :starts

    # `command`: path or name of the program.
    def initialize(command)
      @command = command
      @owner = Process.pid
      @jobs = 0
      @starts = 0
      @deaths = 0
    end

    # Whether this process of rspec has started it: a forked one must not write into its parent's pipe.
    def own?
      @owner == Process.pid
    end

    # The result of a job (its JSON) as a hash and as JSON. A process that dies is started again and asked
    # once more; where that dies, too, it is an error.
    def ask(job)
      @jobs += 1
      answer = tell(job) || again(job)
      [JSON.parse(answer, max_nesting: false), answer]
    end

    # Ends the process and waits for it.
    def close
      return unless @pipe

      @pipe.close
      @pipe = nil
    rescue SystemCallError, IOError
      @pipe = nil
    end

    private

    def tell(line)
      start unless @pipe
      @pipe.write(line, "\n")
      @pipe.flush
      answer = @pipe.gets
      @deaths = 0 if answer
      answer
    rescue Errno::EPIPE
      nil
    end

    def again(line)
      died
      answer = tell(line)
      return answer if answer

      died
      raise ProcessError, "#{@command} batch died twice of the same job"
    end

    def died
      close
      @deaths += 1
      warn "rspec-puppet-bunraku: #{@command} batch has died (#{$?&.inspect}) and is started again"
      return if @deaths < MOST_DEATHS

      raise ProcessError, "#{@command} batch has died #{@deaths} times in a row"
    end

    def start
      @starts += 1
      # What a server's configuration says is no matter of a suite, nor is what the example that happens to be first has set.
      environment = OwnRuby.environment_of_suite.merge('BUNRAKU_NO_CONFIG' => '1')
      @pipe = IO.popen([environment, @command, 'batch'], 'r+:UTF-8', unsetenv_others: true)
    rescue Errno::ENOENT, Errno::EACCES => error
      raise ProcessError, "#{@command} can't be started (#{error.message}): BUNRAKU, or config.bunraku, names the program"
    end
  end
end
