# frozen_string_literal: true

module RspecPuppetBunraku
  # The catalogs of a suite: what has been asked before is answered from here.
  module Catalogs
    # How many catalogs are kept.
    KEPT = 64
    # What Bunraku tells of a parameter that a fact goes by the name of, too; in rspec-puppet Puppet is given one for both.
    TAKEN = /\AThe node parameter '([^']*)' for node /

    class << self
      # The catalog of a job, or the error that ends its compile. Puppet's facts are set by `stub`, where they are asked for.
      def find(job, &stub)
        result, catalog = kept(job, &stub)
        Summary.answered
        tell(result['logs'], job)
        raise Errors.of(result['error'], job) unless catalog

        type = KnownTypes.missing(catalog)
        raise KnownTypes::Missing, "declares #{type.downcase}, a type that this Puppet has not" if type

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
        made = Catalog.new(data, job.environment, &stub)
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

      def tell(logs, job)
        logs.each do |log|
          next if log['message'].match(TAKEN) { |found| job.parameters.key?(found[1]) || job.parameters.key?(found[1].to_sym) }

          Puppet::Util::Log.create(level: log['level'].to_sym, message: log['message'], file: log['file'], line: log['line'])
        end
      end
    end
  end
end
