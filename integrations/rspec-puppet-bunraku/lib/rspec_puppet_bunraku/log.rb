# frozen_string_literal: true

module RspecPuppetBunraku
  # What Bunraku has logged, in Puppet's log: each message as Puppet would have it.
  module Log
    # Of a parameter that is taken already. Facts are parameters of rspec-puppet's node from the start; what the server tells of itself is not.
    TAKEN = /\AThe node parameter '([^']*)' for node /
    # How Puppet ends what it says once in a process.
    ONCE = /\n   \(/
    # Puppet's log tells the place of what has a code of its own; which that is, Bunraku does not say.
    ISSUE = :ISSUE

    class << self
      # Tells the messages of a result and what came of it: an error, or how long the catalog took. `job` is what was asked.
      def tell(logs, job, outcome)
        tell_messages(logs, job)
        return Puppet.log_exception(outcome) if outcome.is_a?(Exception)

        compiled(job, outcome) unless job.exported?
      end

      # Tells the messages alone.
      def tell_messages(logs, job)
        logs.each { |log| tell_one(log, job) }
      end

      # What is logged within a block has been told; but for what is critical, nobody hears it again.
      def quietly
        before = Puppet::Util::Log.level
        Puppet::Util::Log.level = :crit
        yield
      ensure
        Puppet::Util::Log.level = before
      end

      private

      # As Puppet's terminus for catalogs tells; exported resources are asked of the compiler itself.
      def compiled(job, seconds)
        Puppet.notice(format('Compiled catalog for %<node>s in environment %<environment>s in %<seconds>0.2f seconds',
                             node: job.node, environment: job.environment, seconds: seconds))
      end

      def tell_one(log, job)
        message = log['message']
        taken = message.match(TAKEN)
        return taken_by(message, taken[1], job) if taken
        return Puppet.warn_once(nil, message, message, :default, :default, log['level'].to_sym) if message.match?(ONCE)

        place = { file: log['file'], line: log['line'], pos: log['column'] }
        told = Puppet::Util::Errors.error_location_with_space(*place.values)
        is_issue = place[:pos] && message.end_with?(told)
        place.merge!(message: message.delete_suffix(told), issue_code: ISSUE) if is_issue
        place[:source] = log['source'] if log['source']
        Puppet::Util::Log.create({ level: log['level'].to_sym, message: message }.merge(place))
      end

      def taken_by(message, name, job)
        Puppet::Util::Warnings.warnonce(message) if job.server_facts.key?(name)
      end
    end
  end
end
