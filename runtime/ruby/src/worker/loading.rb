# frozen_string_literal: true

# Whether the files of a resource type can be loaded: each place in them that may raise is tried, as far as that can be done
# without the rest of the file.

module Bunraku
  module Loading
    class << self
      # The message of what a place raises; nil where it raises nothing, or something else than it would in Puppet.
      def raised(kind, file, text, line)
        case kind
        when 'syntax' then of_syntax(file)
        when 'require' then of_require(text)
        when 'relative' then of_require(File.expand_path(text, File.dirname(File.realpath(file))))
        when 'computed' then File.file?(file) && of_require(eval(text, TOPLEVEL_BINDING.dup, file, line).to_s)
        when 'newtype' then of_newtype(file)
        when 'raise' then of_run(file, text) { |error| !error.is_a?(NameError) }
        when 'notype' then of_run(file, text) { |error, place| of_nil?(error) && place.lineno == line }
        end
      rescue StandardError, ScriptError
        nil
      end

      private

      def of_nil?(error)
        error.is_a?(NoMethodError) && error.receiver.nil?
      end

      def of_syntax(file)
        return unless defined?(RubyVM::InstructionSequence)

        RubyVM::InstructionSequence.compile_file(file)
        nil
      rescue SyntaxError => error
        error.message
      end

      def of_require(name)
        require name
        nil
      rescue LoadError => error
        error.message if error.path == name
      end

      # Runs a file: a provider's after that of its type. The message of the error that a block tells to be the file's own: what
      # else is lacking here is no error there.
      def of_run(file, type)
        begin
          load(type) unless file == type
        rescue StandardError, ScriptError
          nil
        end
        load(file)
        nil
      rescue StandardError => error
        place = error.backtrace_locations&.first
        error.message if place&.path == file && yield(error, place)
      end

      # Puppet has no such method. Ruby itself says so, where what stands in for missing methods here is out of its way.
      def of_newtype(file)
        Puppet.singleton_class.define_method(:method_missing, BasicObject.instance_method(:method_missing))
        load(file)
        nil
      rescue NoMethodError => error
        error.message if error.name == :newtype
      ensure
        Puppet.singleton_class.send(:remove_method, :method_missing)
      end
    end
  end

  class << self
    # The number of the first of these places that raises, and the message.
    def check_loading(places)
      places.each_with_index do |(kind, file, text, line), number|
        message = Loading.raised(kind, file, text, line)
        return [number, message.dup.force_encoding('UTF-8').scrub] if message
      end
      nil
    end
  end
end
