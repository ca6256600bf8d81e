# Puppet's loaders and environments, as far as Ruby of modules asks them: for functions and types by name, and for the
# environment that the compile is of.

module Puppet
  module Pops
    # All loaders of the compile: each sees what the environment and its modules have.
    class Loaders
      extend Bunraku::Gaps
      include Bunraku::Partial

      OF = "Puppet's loaders"

      def self.loaders
        Bunraku.kept(self) || Bunraku.keep(self, new)
      end

      def self.find_loader(name)
        loaders.find_loader(name)
      end

      def initialize
        @whole = Loader::Loader.new('')
      end

      def private_environment_loader
        @whole
      end
      alias public_environment_loader private_environment_loader
      alias puppet_system_loader private_environment_loader
      alias static_loader private_environment_loader

      # That of a module; of the environment without a name.
      def find_loader(module_name)
        module_name.to_s.empty? ? @whole : Loader::Loader.new(module_name.to_s)
      end
      alias public_loader_for_module find_loader
      alias private_loader_for_module find_loader
      alias [] find_loader

      def environment
        Puppet::Node::Environment.current
      end
    end

    module Loader
      # Loads by kind and name.
      class Loader
        include Bunraku::Partial

        OF = Loaders::OF

        def initialize(module_name)
          @module_name = module_name
        end

        # A function to call, or a type; nil where there is none of the name.
        def load(kind, name)
          case kind
          when :function then LoadedFunction.new(name.to_s, @module_name) if Bunraku.ask('function?', [name.to_s, @module_name])
          when :type
            name = name.to_s.split('::').map { |word| word[0, 1].upcase + word[1..-1] }.join('::')
            found = Puppet::Pops::Types::TypeParser.singleton.parse(name)
            found unless found.is_a?(Puppet::Pops::Types::PTypeReferenceType)
          else raise Bunraku::Missing.new("Loading a #{kind} by Puppet's loaders is not supported", kind)
          end
        end

        def environment
          Puppet::Node::Environment.current
        end
      end

      # A function that was loaded by name.
      class LoadedFunction
        def initialize(name, module_name)
          @name = name
          @module_name = module_name
        end

        def call(scope, *args, &block)
          Bunraku.call_named(scope.is_a?(Puppet::Parser::Scope) ? scope : Puppet::Parser::Scope.at(0), @name, @module_name, args, block)
        end
      end
    end
  end

  # The environments of the site. What code can learn is that of the compile.
  class Environments
    include Bunraku::Partial

    OF = "Puppet's environments"

    def self.current
      Bunraku.kept(self) || Bunraku.keep(self, new)
    end

    def get(name)
      here = Puppet::Node::Environment.current
      return here if name.to_s == here.name.to_s
      raise Bunraku::Missing.new("The environment '#{name}', another than that of the compile, is not supported", name)
    end
    alias get! get
  end
end
