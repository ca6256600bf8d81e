# Look-ups as Ruby of modules makes them, past the function `lookup`.

# Hiera 3, whose classes Puppet still loads: nothing of it is here.
class Hiera
  extend Bunraku::Gaps
end

module Puppet
  module Pops
    module Lookup
      extend Bunraku::Gaps

      # What backends take from the reader of `hiera.yaml`.
      class HieraConfig
        include Bunraku::Partial

        OF = "Puppet's look-ups"

        # The same data with texts for the symbols among the keys, however deep.
        def self.symkeys_to_string(data)
          case data
          when Hash then data.to_h { |key, value| [key.is_a?(Symbol) ? key.to_s : key, symkeys_to_string(value)] }
          when Array then data.map { |item| symkeys_to_string(item) }
          else data
          end
        end
      end

      # What a look-up is made for: a scope, and values that come before and after what data says.
      class Invocation
        include Bunraku::Partial

        OF = "Puppet's look-ups"

        attr_reader :scope, :override_values, :default_values

        # An explainer is taken, and what it would have heard of is asked for in vain: it fails by name.
        def initialize(scope, override_values = {}, default_values = {}, _explainer = nil, adapter = nil)
          if adapter
            raise Bunraku::Missing.new("An adapter of a look-up's own (#{adapter}) of Puppet's Ruby is not supported", :adapter_class)
          end
          @scope = scope
          @override_values = override_values
          @default_values = default_values
        end
      end

      class << self
        # The value of a name, or of the first of several that has one.
        def lookup(names, type, default, has_default, merge, invocation, &block)
          options = { 'override' => invocation.override_values, 'default_values_hash' => invocation.default_values }
          options['value_type'] = type if type
          options['merge'] = merge if merge
          options['default_value'] = default if has_default
          Bunraku.call_named(invocation.scope, 'lookup', '', [names, options], block)
        end

        # What data says of a name; throws `:no_such_key` where it says nothing.
        def search_and_merge(name, invocation, merge, _options = true)
          options = merge ? { 'merge' => merge } : {}
          Bunraku.call_named(invocation.scope, 'lookup', '', [name, options], ->(_name) { throw(:no_such_key) })
        end
      end
    end
  end
end
