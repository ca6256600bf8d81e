# Values that code ties to an object of the compile: a session to the environment, say.

module Puppet
  module Pops
    module Adaptable
      # What is tied to an object; each class of such is there once for an object. Two classes of one name are one.
      class Adapter
        class << self
          # What is tied to the object; nil where nothing is.
          def get(object)
            object.instance_variable_get(place) if object.instance_variable_defined?(place)
          end

          # What is tied to the object, made if need be; a block sees it, with the object if it asks for both.
          def adapt(object, &block)
            shown(get(object) || associate_adapter(create_adapter(object), object), object, &block)
          end

          # Something new, tied to the object in the place of what was.
          def adapt_new(object, &block)
            shown(associate_adapter(create_adapter(object), object), object, &block)
          end

          # Unties it. Gives what was tied.
          def clear(object)
            object.remove_instance_variable(place) if object.instance_variable_defined?(place)
          end

          def create_adapter(_object)
            new
          end

          def associate_adapter(adapter, object)
            object.instance_variable_set(place, adapter)
          end

          def type_name
            name
          end

          private

          def place
            :"@#{name.split('::').join('_')}"
          end

          def shown(adapter, object, &block)
            block&.call(*[adapter, object].take(block.arity == 1 ? 1 : 2))
            adapter
          end
        end
      end
    end
  end
end
