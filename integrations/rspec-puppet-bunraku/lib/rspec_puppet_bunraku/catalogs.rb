# frozen_string_literal: true

module RspecPuppetBunraku
  # The catalogs of a suite: what has been asked before is answered from here.
  module Catalogs
    # How many catalogs are kept.
    KEPT = 64

    class << self
      # The catalog of a job, or the error that ends its compile. Puppet's facts are set by `stub`, where they are asked for.
      # `quiet`: what has been logged is not told.
      def find(job, quiet: false, &stub)
        start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        result, catalog = kept(job, &stub)
        type = catalog && KnownTypes.missing(catalog)
        raise KnownTypes::Missing, "declares #{type.downcase}, a type that this Puppet has not" if type

        Summary.answered
        error = catalog ? nil : Errors.of(result['error'], job)
        tell(result['logs'], job, error || (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start)) unless quiet
        raise error if error

        catalog
      end

      private

      # Results with their catalogs, the one that has been asked for last at the end.
      def kept(job, &stub)
        @kept ||= {}
        found = @kept.delete(job.json)
        # With the example's environment, which is another object each time.
        found ||= make(job, &stub)
        @kept.shift if @kept.size >= KEPT
        @kept[job.json] = found
      end

      def make(job, &stub)
        result, text = BatchProcess.instance.ask(job.json)
        [result, result['ok'] ? catalog(result, text, job, &stub) : nil]
      end

      def catalog(result, text, job, &stub)
        data = result['catalog']
        data = only_exported(data) if job.exported?
        made = Catalog.new(data, job, &stub)
        resolve(made, job) if text.match?(/"__ptype":"(Deferred|Sensitive)"/)
        made
      end

      # As Puppet's compiler is asked where exported resources are wanted.
      def only_exported(data)
        resources = data['resources'].select { |entry| entry['exported'] }
        names = resources.to_h { |entry| ["#{entry['type']}[#{entry['title']}]", true] }
        edges = data['edges'].select { |edge| names[edge['source']] && names[edge['target']] }
        data.merge('resources' => resources, 'edges' => edges)
      end

      # Values that an agent computes are computed by Puppet, as rspec-puppet has it.
      def resolve(catalog, job)
        catalog.resources
        Puppet::Pops::Evaluator::DeferredResolver.resolve_and_replace(Puppet::Node::Facts.new(catalog.name, job.facts), catalog)
      end

      # `outcome`: the error, or how long it took to make the catalog. What rspec-puppet would have kept is not told again.
      def tell(logs, job, outcome)
        return Log.tell(logs, job, outcome) if outcome.is_a?(Exception)

        known = (@told ||= {}).delete(job.json)
        @told.shift if @told.size >= RSpec::Puppet::Cache::MAX_ENTRIES
        @told[job.json] = true
        Log.tell(logs, job, outcome) unless known
      end
    end
  end
end
