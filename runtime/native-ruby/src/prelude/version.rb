# Versions as RubyGems compares them.

module Gem
  class Version
    include Comparable

    PATTERN = /\A\s*([0-9]+(\.[0-9a-zA-Z]+)*(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?)?\s*\z/

    def self.correct?(text)
      PATTERN.match?(text.to_s)
    end

    def self.create(text)
      return text if text.is_a?(Gem::Version) || text.nil?
      new(text)
    end

    def initialize(text)
      Bunraku.left_to_ruby if text.nil?
      unless Gem::Version.correct?(text)
        raise ArgumentError, "Malformed version number string #{text}"
      end
      @text = text.to_s.strip.gsub('-', '.pre.')
      @text = '0' if @text.empty?
    end

    def to_s
      @text
    end
    alias version to_s

    # Numbers as integers, words as they are.
    def segments
      @text.scan(/[0-9]+|[a-z]+/i).map { |part| part.match?(/\A\d/) ? part.to_i : part }
    end

    def prerelease?
      @text.match?(/[a-zA-Z]/)
    end

    def release
      return self unless prerelease?
      parts = segments
      parts.pop while parts.any? { |part| part.is_a?(String) }
      Gem::Version.new(parts.join('.'))
    end

    def bump
      parts = segments
      parts.pop while parts.any? { |part| part.is_a?(String) }
      parts.pop if parts.size > 1
      Gem::Version.new(parts.join('.').succ)
    end

    # What versions are compared by: without noughts at the end of the numbers, and of all of it.
    def significant
      parts = segments
      words = parts.index { |part| part.is_a?(String) } || parts.size
      numbers = parts.first(words)
      rest = parts.drop(words)
      numbers.pop while numbers.last == 0
      rest.pop while rest.last == 0
      numbers + rest
    end

    def <=>(other)
      if other.is_a?(String)
        return nil unless Gem::Version.correct?(other)
        return self <=> Gem::Version.new(other)
      end
      return nil unless other.is_a?(Gem::Version)
      mine = significant
      theirs = other.significant
      most = mine.size > theirs.size ? mine.size : theirs.size
      most.times do |place|
        a = mine[place] || 0
        b = theirs[place] || 0
        next if a == b
        return -1 if a.is_a?(String) && b.is_a?(Integer)
        return 1 if a.is_a?(Integer) && b.is_a?(String)
        return a <=> b
      end
      0
    end

    def eql?(other)
      other.is_a?(Gem::Version) && other.to_s == @text
    end

    def inspect
      "#<Gem::Version #{@text.inspect}>"
    end
  end
end
