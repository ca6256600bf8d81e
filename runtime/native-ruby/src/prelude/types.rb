# Questions about types, and rich data, as functions ask for them without a Ruby process.

module Puppet
  module Pops
    module Types
      # Types from text.
      class TypeParser
        def self.singleton
          new
        end

        def parse(text, _scope = nil)
          Bunraku.ask('type', [text, []])
        end
      end

      # What values are of types.
      class TypeCalculator
        def self.singleton
          new
        end

        def self.instance?(type, value)
          type.instance?(value)
        end

        def self.assignable?(one, other)
          one.assignable?(other)
        end

        def self.infer(value)
          Bunraku.ask('infer', [value, false])
        end

        def self.infer_set(value)
          Bunraku.ask('infer', [value, true])
        end

        def self.generalize(type)
          type.generalize
        end

        def instance?(type, value)
          type.instance?(value)
        end

        def assignable?(one, other)
          one.assignable?(other)
        end

        def infer(value)
          Bunraku.ask('infer', [value, false])
        end

        def infer_set(value)
          Bunraku.ask('infer', [value, true])
        end

        def generalize(type)
          type.generalize
        end

        def string(type)
          type.to_s
        end
      end

      # What is wrong about a value.
      class TypeMismatchDescriber
        def self.singleton
          new
        end

        def self.describe_mismatch(name, expected, actual)
          Bunraku.ask('mismatch', [name, expected, actual])
        end

        def describe_mismatch(name, expected, actual)
          Bunraku.ask('mismatch', [name, expected, actual])
        end
      end
    end

    module Serialization
      # Rich data as Puppet's JSON has it.
      class ToDataConverter
        def self.convert(value, _options = {})
          Bunraku.ask('to_data', [value])
        end
      end
    end
  end
end
