# Semantic versions and ranges of them, read and compared by the compiler's own rules.

module SemanticPuppet
  class Version
    include Comparable

    class ValidationFailure < ArgumentError
    end

    def self.parse(text)
      Bunraku.left_to_ruby unless text.is_a?(String)
      read, fault = Bunraku.version(text)
      raise ValidationFailure, fault if fault
      new(read, :read)
    end

    def self.valid?(text)
      Bunraku.left_to_ruby unless text.is_a?(String)
      Bunraku.version(text).last.nil?
    end

    def initialize(text, how = nil, *rest)
      Bunraku.left_to_ruby unless how == :read && rest.empty?
      @text = text
    end

    def to_s
      @text.dup
    end
    alias inspect to_s

    def numbers
      @text.split(/[-+]/, 2).first.split('.').map { |number| number.to_i }
    end

    def major
      numbers[0]
    end

    def minor
      numbers[1]
    end

    def patch
      numbers[2]
    end

    def prerelease
      @text.split('+', 2).first.split('-', 2)[1]
    end

    def build
      @text.split('+', 2)[1]
    end

    def stable?
      prerelease.nil?
    end

    def to_stable
      Version.parse(numbers.join('.'))
    end

    def next(part)
      major, minor, patch = numbers
      case part
      when :major then Version.parse("#{major + 1}.0.0")
      when :minor then Version.parse("#{major}.#{minor + 1}.0")
      when :patch then Version.parse("#{major}.#{minor}.#{patch + 1}")
      else Bunraku.left_to_ruby
      end
    end

    # Builds do not count here, but for `==`.
    def <=>(other)
      return nil unless Version === other
      Bunraku.version_order(@text, other.to_s)
    end

    def ==(other)
      Version === other && @text == other.to_s
    end
    alias eql? ==

    # They are numbers for Ruby.
    def is_a?(kind)
      return true if [Version, Comparable, Numeric, Object].include?(kind)
      Bunraku.left_to_ruby
    end
    alias kind_of? is_a?
  end

  class VersionRange
    def self.parse(text)
      # Spaces around it and noughts in front of numbers are faults of several kinds.
      Bunraku.left_to_ruby if !text.is_a?(String) || text.strip != text || text.match?(/[-.]0\d/)
      names, fault = Bunraku.version_range(text)
      # Where the library itself is mistaken, the error is of another class.
      Bunraku.left_to_ruby if fault && !fault.start_with?('Unparsable')
      raise ArgumentError, fault if fault
      new(*names)
    end

    def initialize(text, shown)
      @text = text
      @shown = shown
    end

    def to_s
      @text.dup
    end

    def inspect
      @shown.dup
    end

    def include?(version)
      Bunraku.left_to_ruby unless Version === version
      Bunraku.in_version_range(@text, version.to_s)
    end
    alias cover? include?
    alias member? include?
    alias === include?

    def ==(_other)
      Bunraku.left_to_ruby
    end
    alias eql? ==
  end
end
