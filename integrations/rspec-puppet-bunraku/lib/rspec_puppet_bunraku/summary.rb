# frozen_string_literal: true

module RspecPuppetBunraku
  # What Bunraku has answered, and which examples were left to Puppet and why: told at the end of a run.
  module Summary
    class << self
      # How many catalogs and values Bunraku has been asked for.
      def bunraku
        @bunraku ||= 0
      end

      # Counts an answer of Bunraku's.
      def answered
        @bunraku = bunraku + 1
      end

      # Counts an example that was left to Puppet.
      def left(reason)
        (@left ||= Hash.new { |all, key| all[key] = [] })[reason] << place
      end

      # Counts an example whose function gives another value each time, so that nothing can be compared.
      def random(function)
        (@random ||= Hash.new { |all, key| all[key] = [] })[function] << place
      end

      # The examples that were left to Puppet, by reason.
      def left_to_puppet
        @left || {}
      end

      # What is told, as lines.
      def lines
        lines = ["Bunraku: #{bunraku} answers"]
        lines.concat(told('left to Puppet', left_to_puppet))
        lines.concat(told('not compared, as it gives another value each time', @random || {}))
      end

      private

      def place
        RSpec.current_example&.location || 'no example'
      end

      def told(what, all)
        all.sort_by { |reason, places| [-places.size, reason] }.map do |reason, places|
          places = places.uniq
          more = places.size > 3 ? ', …' : ''
          "  #{what}, #{places.size}: #{reason} (#{places.first(3).join(', ')}#{more})"
        end
      end
    end
  end
end
