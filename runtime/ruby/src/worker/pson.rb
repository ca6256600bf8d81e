# frozen_string_literal: true

# PSON, Puppet 7's own form of JSON: what modules still call of it, by Ruby's JSON. What is wrong within an array or a
# hash is told in the words of Ruby's parser.
module PSON
  class PSONError < StandardError; end
  class ParserError < PSONError; end
  class GeneratorError < PSONError; end

  class << self
    def parse(source, _options = {})
      require 'json'
      text = source.to_str
      raise ParserError, "source '#{text[0, 20]}' not in PSON!" unless text.match?(/\A\s*[\[{]/)

      JSON.parse(text, create_additions: false)
    rescue JSON::ParserError => error
      raise ParserError, error.message
    end
    alias parse! parse

    def load(source, _proc = nil)
      parse(source.respond_to?(:to_str) ? source : source.read)
    end
    alias restore load

    def generate(value, _state = nil)
      require 'json'
      JSON.generate(value)
    end
    alias fast_generate generate
    alias unparse generate
    alias fast_unparse generate

    # With a line for each item; where there is none, with an empty one.
    def pretty_generate(value, _options = nil)
      pretty(value, '')
    end
    alias pretty_unparse pretty_generate

    def [](value, _options = {})
      value.respond_to?(:to_str) ? parse(value.to_str) : generate(value)
    end

    def dump(value, io = nil, _limit = nil)
      return generate(value) unless io

      io.write(generate(value))
      io
    end

    private

    def pretty(value, indent)
      deeper = "#{indent}  "
      case value
      when Hash
        items = value.map { |key, item| "#{deeper}#{generate(key.to_s)}: #{pretty(item, deeper)}" }
        "{\n#{items.join(",\n")}\n#{indent}}"
      when Array
        items = value.map { |item| "#{deeper}#{pretty(item, deeper)}" }
        "[\n#{items.join(",\n")}\n#{indent}]"
      else
        generate(value)
      end
    end
  end
end

class Object
  def to_pson(*)
    PSON.generate(self)
  end
end
