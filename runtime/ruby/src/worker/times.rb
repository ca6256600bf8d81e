# Times and spans of time, and semantic versions.

module Puppet
  module Pops
    module Time
      # Nanoseconds since the epoch.
      class Timestamp
        include Comparable
        attr_reader :nsecs

        def self.now
          time = ::Time.now
          new(time.to_i * 1_000_000_000 + time.nsec)
        end

        def self.parse(text, format = nil, timezone = nil)
          Bunraku.ask('make', ['Timestamp', [text, format, timezone].compact])
        end

        def self.from_time(time)
          new(time.to_i * 1_000_000_000 + time.nsec)
        end

        def initialize(nsecs)
          @nsecs = nsecs
        end

        def <=>(other)
          other.is_a?(Timestamp) ? nsecs <=> other.nsecs : nil
        end

        def hash
          nsecs.hash
        end

        def eql?(other)
          other.is_a?(Timestamp) && nsecs == other.nsecs
        end

        def to_time
          ::Time.at(nsecs.div(1_000_000_000), nsecs.modulo(1_000_000_000), :nsec).utc
        end

        def to_i
          nsecs.div(1_000_000_000)
        end

        def to_f
          nsecs / 1_000_000_000.0
        end

        def +(other)
          Timestamp.new(nsecs + (other.is_a?(Timespan) ? other.nsecs : (other * 1_000_000_000).to_i))
        end

        def -(other)
          return Timespan.new(nsecs - other.nsecs) if other.is_a?(Timestamp)
          Timestamp.new(nsecs - (other.is_a?(Timespan) ? other.nsecs : (other * 1_000_000_000).to_i))
        end

        def format(pattern, timezone = nil)
          Bunraku.ask('compute', ['strftime', [self, pattern, timezone].compact])
        end

        def to_s
          Bunraku.ask('text', [self])
        end
      end

      # Nanoseconds.
      class Timespan
        include Comparable
        attr_reader :nsecs

        def self.parse(text, format = nil)
          Bunraku.ask('make', ['Timespan', [text, format].compact])
        end

        def initialize(nsecs)
          @nsecs = nsecs
        end

        def <=>(other)
          other.is_a?(Timespan) ? nsecs <=> other.nsecs : nil
        end

        def hash
          nsecs.hash
        end

        def eql?(other)
          other.is_a?(Timespan) && nsecs == other.nsecs
        end

        def to_i
          nsecs / 1_000_000_000
        end

        def to_f
          nsecs / 1_000_000_000.0
        end

        def +(other)
          Timespan.new(nsecs + (other.is_a?(Timespan) ? other.nsecs : (other * 1_000_000_000).to_i))
        end

        def -(other)
          Timespan.new(nsecs - (other.is_a?(Timespan) ? other.nsecs : (other * 1_000_000_000).to_i))
        end

        def format(pattern)
          Bunraku.ask('compute', ['strftime', [self, pattern]])
        end

        def to_s
          Bunraku.ask('text', [self])
        end
      end
    end
  end
end

# Semantic versions, ordered and matched by the compiler's own rules.
module SemanticPuppet
  class Version
    include Comparable

    class ValidationFailure < ArgumentError; end

    def self.parse(text)
      raise ValidationFailure, "Unable to parse '#{text}' as a semantic version identifier" unless valid?(text)
      new(text)
    end

    def self.valid?(text)
      /\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?\z/.match?(text)
    end

    attr_reader :major, :minor, :patch, :prerelease, :build

    def initialize(text)
      @text = text
      parts = /\A(\d+)\.(\d+)\.(\d+)(?:-([^+]*))?(?:\+(.*))?\z/.match(text)
      @major, @minor, @patch = parts[1..3].map(&:to_i)
      @prerelease = parts[4]
      @build = parts[5]
    end

    def <=>(other)
      return nil unless other.is_a?(Version)
      return 0 if to_s == other.to_s
      return -1 if Bunraku.ask('less', [self, other])
      Bunraku.ask('less', [other, self]) ? 1 : 0
    end

    def hash
      @text.hash
    end

    def eql?(other)
      other.is_a?(Version) && to_s == other.to_s
    end

    def stable?
      prerelease.nil?
    end

    def to_s
      @text
    end
    alias inspect to_s
  end

  class VersionRange
    def self.parse(text)
      new(text)
    end

    def initialize(text)
      @text = text
    end

    def include?(version)
      version = Version.parse(version) if version.is_a?(String)
      Bunraku.ask('match', [version, self])
    end
    alias cover? include?
    alias member? include?
    alias === include?

    def ==(other)
      other.is_a?(VersionRange) && to_s == other.to_s
    end
    alias eql? ==

    def hash
      @text.hash
    end

    def to_s
      @text
    end
    alias inspect to_s
  end
end
