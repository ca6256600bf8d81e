# frozen_string_literal: true

module RspecPuppetBunraku
  # Both compile, and what differs fails the example: BUNRAKU_COMPARE=1, or `config.bunraku_compare = true`.
  module Comparison
    # How many differences a message shows.
    SHOWN = 5

    class << self
      # The catalog that Bunraku has made, or its error, where Puppet's is the same; `puppet` asks Puppet.
      #
      # Raises Difference where they are not.
      def check(job, puppet, &stub)
        wanted = outcome(&puppet)
        got = outcome { Catalogs.find(job, quiet: true, &stub) }
        differences = of(wanted, got)
        raise Difference, message(differences) unless differences.empty?
        raise got if got.is_a?(Puppet::Error)

        got
      end

      # What differs between two catalogs or errors, as lines.
      def of(wanted, got)
        return of_errors(wanted, got) if [wanted, got].any?(Puppet::Error)

        of_resources(wanted, got) + of_lists('edges', edges(wanted), edges(got)) +
          of_lists('classes', wanted.classes.sort, got.classes.sort)
      end

      # A value as both have it: references as their text, `:undef` as nil.
      def plain(value)
        case value
        when Puppet::Resource, Puppet::Pops::Types::PAnyType then value.to_s
        when Puppet::Pops::Types::PSensitiveType::Sensitive then [:sensitive, plain(value.unwrap)]
        when Hash then value.to_h { |key, item| [plain(key), plain(item)] }
        when Array then value.map { |item| plain(item) }
        when :undef then nil
        else value
        end
      end

      # The text of an error that lists what differs.
      def message(differences)
        rest = differences.size - SHOWN
        lines = differences.first(SHOWN).map { |line| "  #{line}" }
        lines << "  and #{rest} more" if rest.positive?
        "Bunraku and Puppet differ:\n#{lines.join("\n")}"
      end

      private

      def outcome
        yield
      rescue Puppet::Error => error
        error
      end

      def of_errors(wanted, got)
        texts = [wanted, got].map { |one| one.is_a?(Puppet::Error) ? "#{one.class}: #{one.message}" : 'a catalog' }
        texts.uniq.size == 1 ? [] : ["Puppet: #{texts.first}", "Bunraku: #{texts.last}"]
      end

      def of_resources(wanted, got)
        wanted, got = [wanted, got].map { |catalog| catalog.resources.to_h { |resource| [resource.ref, resource] } }
        missing = (wanted.keys - got.keys).map { |reference| "#{reference}: only Puppet has it" }
        added = (got.keys - wanted.keys).map { |reference| "#{reference}: only Bunraku has it" }
        order = wanted.keys == got.keys || (missing + added).any? ? [] : ['the order of resources']
        missing + added + order + (wanted.keys & got.keys).flat_map { |reference| of_resource(wanted[reference], got[reference]) }
      end

      def of_resource(wanted, got)
        wanted_facets, got_facets = [wanted, got].map { |resource| facets(resource) }
        names = (wanted_facets.keys | got_facets.keys).reject { |name| wanted_facets[name] == got_facets[name] }
        names.map { |name| "#{wanted.ref} #{name}: Puppet #{wanted_facets[name].inspect}, Bunraku #{got_facets[name].inspect}" }
      end

      def facets(resource)
        all = plain(resource.to_hash)
        all.merge('(sensitive)': resource.sensitive_parameters.sort, '(tags)': resource.tags.to_a.sort,
                  '(exported)': resource.exported ? true : false, '(file)': resource.file, '(line)': resource.line)
      end

      def edges(catalog)
        catalog.edges.map { |edge| "#{edge.source.ref} => #{edge.target.ref}" }.sort
      end

      def of_lists(what, wanted, got)
        [[wanted - got, 'Puppet'], [got - wanted, 'Bunraku']].flat_map do |list, who|
          list.map { |item| "#{what}: only #{who} has #{item}" }
        end
      end
    end
  end
end
