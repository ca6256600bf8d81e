# HOCON: texts, as the gem `hocon` reads them. What they say, `Bunraku` finds out; what depends on more than the text, and
# what the gem refuses when it looks at the whole, is left to Ruby.

module Hocon
  class ConfigError < StandardError
    class ConfigParseError < ConfigError; end
  end

  # A text that has been read, with all its substitutions.
  class SimpleConfig
    def initialize(data)
      @data = data
    end

    def resolve
      self
    end

    def root
      self
    end

    def unwrapped
      @data
    end
  end

  class ConfigFactory
    def self.parse_string(text)
      Bunraku.left_to_ruby unless text.is_a?(String)
      data, fault = Bunraku.hocon(text)
      raise ConfigError::ConfigParseError, fault if fault
      SimpleConfig.new(data)
    end
  end

  def self.parse(text)
    ConfigFactory.parse_string(text).root.unwrapped
  end
end
