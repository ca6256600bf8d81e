# frozen_string_literal: true

# Whether the files of a resource type can be loaded: each place in them that may raise is tried, as far as that can be done
# without the rest of the file.

module Bunraku
  # Has the classes of types and attributes refuse what Puppet's own do: words that they don't have, an attribute twice, names
  # that no class can have.
  class Refusing
    # `words` has a heading for each kind of class, and below it, indented, the methods that Puppet's has.
    def initialize(words)
      @words = Hash.new { |all, heading| all[heading] = [] }
      heading = nil
      words.each_line(chomp: true) { |line| line.start_with?(' ') ? @words[heading].concat(line.split) : heading = line }
      @modules = {}
      @made = []
    end

    def type(type)
      refuse_words(type, Puppet::Type, %w[type any])
    end

    # An attribute that a type declares: its class, which has its name and no body yet.
    def attribute(type, made)
      is_property = made <= Puppet::Property
      if is_property && type.declared&.any? { |name, other| name == made.name && other <= Puppet::Property }
        refuse(Puppet::DevError, "Class #{type.name} already has a property named #{made.name}")
      end
      set_constant(type, "#{'Parameter' unless is_property}#{made.name.to_s.capitalize}", made)
      headings = is_property ? %w[property any] : %w[parameter any]
      headings.unshift('ensure') if made <= Puppet::Property::Ensure
      refuse_words(made, is_property ? Puppet::Property : Puppet::Parameter, headings)
    end

    # Whether an error is what has been refused here.
    def refused?(error)
      return true if error.equal?(@refused)

      # Other errors of names are those of constants.
      is_word = error.is_a?(NoMethodError) || error.is_a?(NameError) && error.message.start_with?('undefined local variable')
      is_word && @made.any? { |made| made.equal?(error.receiver) }
    end

    private

    def refuse(kind, message)
      @refused = kind.new(message)
      raise @refused
    end

    def set_constant(type, const, made)
      if type.const_defined?(const, false)
        refuse(Puppet::DevError, "Class #{const} is already defined in Puppet::Type::#{type.name.to_s.capitalize}")
      end
      type.const_set(const, made)
    rescue NameError => error
      @refused = error
      raise
    end

    # Ruby itself says what a class has not: what stands in for missing methods here is out of its way, and those that Puppet's
    # has and none here do nothing.
    def refuse_words(made, base, headings)
      @made << made
      made.extend(@modules[[base, headings]] ||= words_of(base.singleton_class, headings))
      return unless [AnyWord, Gaps].include?(made.method(:method_missing).owner)

      made.singleton_class.define_method(:method_missing, BasicObject.instance_method(:method_missing))
      made.define_singleton_method(:respond_to_missing?) { |*_asked| false }
    end

    def words_of(base, headings)
      words = @words.values_at(*headings).compact.flatten.grep(/\A[a-z_]\w*[?!]?\z/i)
      words.reject! { |word| base.method_defined?(word) || base.private_method_defined?(word) }
      Module.new { words.each { |word| define_method(word) { |*_arguments| nil } } }
    end
  end

  module Loading
    class << self
      # The message of what a place raises; nil where it raises nothing, or something else than it would in Puppet.
      def raised(kind, file, text, line)
        case kind
        when 'declared' then of_declared(file, text)
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

      # Runs the file with classes that know Puppet's words and no others: the message of what they refuse.
      def of_declared(file, words)
        refusing = Bunraku.refusing = Refusing.new(words)
        load(file)
        nil
      rescue StandardError => error
        error.message if refusing.refused?(error)
      ensure
        Bunraku.refusing = nil
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
