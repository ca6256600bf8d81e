# Types and the other values of the Puppet language that Ruby has no class for. What a type is and does, the compiler
# knows; here it is a number, a text and its class's name.

module Puppet
  module Pops
    module Types
      extend Bunraku::Gaps

      class TypeAssertionError < Puppet::Error; end
      class TypeConversionError < Puppet::Error; end

      class << self
        # A type that came in a message. `kind` is its class's short name.
        def read(number, kind, text, type_name, title)
          return Bunraku.held_reference(number, type_name, title) if kind == 'Held'
          const_get("P#{kind}Type").from(number, text, type_name, title)
        end

        # The classes of types: PStringType, PIntegerType …
        def const_missing(name)
          return super unless name.match?(/\AP[A-Z]\w*Type\z/)
          const_set(name, Class.new(PAnyType))
        end
      end

      # A type.
      class PAnyType < Bunraku::Handle
        def self.from(number, text, type_name, title)
          made = allocate
          made.send(:setup, number, text, type_name, title)
          made
        end

        def self.const_missing(name)
          return super unless name == :DEFAULT
          TypeParser.singleton.parse(self.name[/P(\w+)Type\z/, 1])
        end

        def to_s
          @text
        end
        alias inspect to_s

        def ==(other)
          other.is_a?(PAnyType) && Bunraku.ask('type_equal', [self, other])
        end
        alias eql? ==

        def hash
          @text.hash
        end

        def instance?(value, _guard = nil)
          Bunraku.ask('instance', [self, value])
        end
        alias === instance?

        def assignable?(other, _guard = nil)
          Bunraku.ask('assignable', [self, other])
        end

        def generalize
          Bunraku.ask('generalize', [self])
        end

        def name
          @type_name || simple_name
        end

        def simple_name
          self.class.name[/P(\w+)Type\z/, 1].sub(/\ACatalogEntry\z/, 'CatalogEntry')
        end

        # What a resource reference names.
        def type_name
          known('type_name')
          @type_name
        end

        def title
          known('title')
          @title
        end

        def class_name
          known('class_name')
          @title
        end

        # Readers of what the type is made of.
        PARTS = %w[from to value values patterns pattern size_type size_type_or_value element_type key_type value_type
                   types elements type optional_type resolved_type case_insensitive?].freeze

        def iterable?(_guard = nil)
          Bunraku.ask('assignable', [TypeParser.singleton.parse('Iterable'), self])
        end

        def method_missing(name, *args, &block)
          if args.empty? && PARTS.include?(name.to_s) && parts.key?(name.to_s)
            return part(name.to_s)
          end
          at = caller.find { |line| !line.start_with?('<bunraku', '<internal') }.to_s.sub(/:in .*\z/m, '')
          raise Bunraku::Missing.new("#{self.class}##{name} of Puppet's Ruby is not supported (#{at})", name)
        end

        def respond_to_missing?(name, _all = false)
          PARTS.include?(name.to_s) && parts.key?(name.to_s)
        end

        private

        def parts
          @parts ||= Bunraku.ask('parts', [live!])
        end

        def part(name)
          value = parts[name]
          name == 'elements' ? value.map { |row| PStructElement.new(*row) } : value
        end

        def known(name)
          return if is_a?(PCatalogEntryType)
          raise NoMethodError, "undefined method `#{name}' for #{self}:#{self.class}"
        end

        def setup(number, text, type_name, title)
          @number = number
          @compile = Bunraku.compile
          @text = text
          @type_name = type_name
          @title = title
        end
      end

      class PCatalogEntryType < PAnyType; end
      class PResourceType < PCatalogEntryType; end
      class PClassType < PCatalogEntryType; end
      class PScalarType < PAnyType; end
      class PScalarDataType < PScalarType; end
      class PNumericType < PScalarDataType; end
      class PIntegerType < PNumericType
        def each(&block)
          found = Iterable.on(self)
          block ? found.each(&block) : found
        end

        def iterable?(_guard = nil)
          finite_range?
        end

        def finite_range?
          range.all?(Integer)
        end

        def size
          finite_range? ? [0, part('to') - part('from') + 1].max : Float::INFINITY
        end

        # The bounds as numbers, infinite ones among them.
        def range
          [part('from'), part('to')]
        end

        def numeric_from
          range[0]
        end

        def numeric_to
          range[1]
        end
      end
      class PFloatType < PNumericType; end
      class PStringType < PScalarDataType; end
      class PBooleanType < PScalarDataType; end
      # A key of a Struct.
      PStructElement = Struct.new(:name, :value_type, :optional?)

      # Types that code can run through, as the values they are.
      module Runs
        def each(&block)
          found = Iterable.on(self)
          block ? found.each(&block) : found
        end

        def iterable?(_guard = nil)
          true
        end
      end

      class PEnumType < PScalarDataType
        include Runs
      end

      # An alias does what the type does that it stands for.
      class PTypeAliasType < PAnyType
        def each(&block)
          resolved_type.each(&block)
        end

        def resolved_type
          part('resolved_type')
        end

        def name
          part('name')
        end

        def method_missing(name, *args, &block)
          resolved_type.public_send(name, *args, &block)
        end

        def respond_to_missing?(name, all = false)
          resolved_type.respond_to?(name, all)
        end
      end
      class PPatternType < PScalarDataType; end

      class PRegexpType < PScalarType
        # The text between the slashes.
        def self.regexp_to_s(regexp)
          Bunraku.regexp_source(regexp)
        end

        def self.regexp_to_s_with_delimiters(regexp)
          "/#{regexp_to_s(regexp).gsub(%r{(?<!\\)/}, '\\/')}/"
        end
      end
      class PCollectionType < PAnyType; end
      class PArrayType < PCollectionType; end
      class PHashType < PCollectionType; end
      class PTupleType < PAnyType; end
      class PStructType < PAnyType; end
      class PUndefType < PAnyType; end

      class PSensitiveType < PAnyType
        # A value that does not show itself.
        class Sensitive
          def initialize(value)
            @value = value
          end

          def unwrap
            @value
          end

          def to_s
            'Sensitive [value redacted]'
          end

          def inspect
            "#<#{self}>"
          end

          # Another than the value's own: what has been changed in place is told by it.
          def hash
            [Sensitive, @value].hash
          end

          def ==(other)
            other.is_a?(Sensitive) && other.hash == hash
          end
          alias eql? ==
        end
      end

      class PBinaryType < PAnyType
        # Bytes.
        class Binary
          attr_reader :binary_buffer

          def self.from_base64(text)
            new(text.unpack1('m'))
          end

          def self.from_base64_strict(text)
            new(text.unpack1('m0'))
          end

          def self.from_base64_urlsafe(text)
            new(text.tr('-_', '+/').unpack1('m'))
          end

          def self.from_string(text)
            new(text)
          end

          def self.from_binary_string(bytes)
            new(bytes)
          end

          def initialize(bytes)
            @binary_buffer = bytes.b.freeze
          end

          def to_s
            [@binary_buffer].pack('m0')
          end
          alias relaxed_to_s to_s

          def length
            @binary_buffer.bytesize
          end

          def hash
            @binary_buffer.hash
          end

          def ==(other)
            other.is_a?(Binary) && other.binary_buffer == binary_buffer
          end
          alias eql? ==
        end
      end

      # What marks the instances of Object types.
      module PuppetObject
        def _pcore_type
          self.class._pcore_type
        end

        def _pcore_init_hash
          {}
        end

        def to_s
          Bunraku.ask('text', [self])
        end
      end

      # An instance of an Object type without Ruby: its attributes are methods.
      class ObjectHandle < Bunraku::Handle
        include PuppetObject

        attr_reader :_pcore_type_name, :_pcore_init_hash

        def self.read(number, type_name, attributes)
          return Puppet::LookupContext.new(number, attributes) if type_name == 'Puppet::LookupContext'
          made = new(number)
          made.instance_variable_set(:@_pcore_type_name, type_name)
          made.instance_variable_set(:@_pcore_init_hash, attributes)
          made
        end

        def _pcore_type
          TypeParser.singleton.parse(_pcore_type_name)
        end

        def method_missing(name, *args)
          key = name.to_s
          return _pcore_init_hash[key] if args.empty? && _pcore_init_hash.key?(key)
          super
        end

        def respond_to_missing?(name, all = false)
          _pcore_init_hash.key?(name.to_s) || super
        end

        def to_s
          Bunraku.ask('text', [self])
        end
      end

      # Types from text.
      class TypeParser
        def self.singleton
          @singleton ||= new
        end

        def parse(text, _scope = nil)
          Bunraku.ask('type', [text, []])
        end
      end

      # Questions about types.
      class TypeCalculator
        def self.singleton
          @singleton ||= new
        end

        %i[instance? assignable? infer infer_set generalize equals is_kind_of_callable?].each do |name|
          define_singleton_method(name) { |*args| singleton.public_send(name, *args) }
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

        def equals(one, other)
          one == other
        end

        def string(type)
          type.to_s
        end

        def is_kind_of_callable?(type, _optional = true)
          type.to_s.match?(/\A(?:Optional\[|Variant\[)?Callable/)
        end
      end

      # Types, and other values in arrays, as manifests write them.
      class TypeFormatter
        def self.singleton
          @singleton ||= new
        end

        def self.string(value)
          singleton.string(value)
        end

        def string(value)
          value.is_a?(PAnyType) ? value.to_s : StringConverter.convert(value, '%p')
        end
        alias alias_expanded_string string
      end

      # Values as texts, by formats of the function `new` of String.
      class StringConverter
        def self.singleton
          @singleton ||= new
        end

        def self.convert(value, format = :default)
          singleton.convert(value, format)
        end

        def convert(value, format = :default)
          Bunraku.ask('make', ['String', format == :default ? [value] : [value, format]])
        end
      end

      # What is wrong about a value.
      class TypeMismatchDescriber
        def self.singleton
          @singleton ||= new
        end

        def self.describe_mismatch(*args)
          singleton.describe_mismatch(*args)
        end

        def describe_mismatch(name, expected, actual)
          Bunraku.ask('mismatch', [name, expected, actual])
        end
      end

      module TypeAsserter
        def self.assert_instance_of(subject, type, value, _undef_ok = false)
          subject = yield(subject) if block_given?
          Bunraku.ask('assert', [subject.to_s, type, value])
          value
        end

        def self.assert_assignable(subject, expected, actual)
          return actual if expected.assignable?(actual)
          raise ArgumentError, TypeMismatchDescriber.describe_mismatch(subject, expected, actual)
        end
      end

      # Types by what they are made of.
      module TypeFactory
        extend Bunraku::Gaps

        class << self
          # The type of a Ruby class, also by its name; a type is itself.
          def ruby(type)
            Bunraku::Injector.type(type)
          end
          alias ruby_type ruby
          alias type_of ruby

          %w[any undef default scalar scalar_data numeric integer float boolean string collection data rich_data
             callable all_callables binary timestamp timespan regexp sem_ver sem_ver_range].each do |name|
            kind = { 'all_callables' => 'Callable' }[name] || name.split('_').map(&:capitalize).join
            define_method(name) { TypeParser.singleton.parse(kind) }
          end

          def range(from, to)
            TypeParser.singleton.parse("Integer[#{from},#{to}]")
          end

          def optional(type)
            TypeParser.singleton.parse("Optional[#{type}]")
          end

          def not_undef(type)
            TypeParser.singleton.parse("NotUndef[#{type}]")
          end

          def array_of(type)
            TypeParser.singleton.parse("Array[#{type}]")
          end

          def hash_of(value, key = 'Scalar')
            TypeParser.singleton.parse("Hash[#{key},#{value}]")
          end

          def variant(*types)
            TypeParser.singleton.parse("Variant[#{types.join(',')}]")
          end

          def enum(*values)
            TypeParser.singleton.parse("Enum[#{values.map(&:inspect).join(',')}]")
          end

          def type_type(type)
            TypeParser.singleton.parse("Type[#{type}]")
          end

          def infer(value)
            TypeCalculator.infer(value)
          end
        end
      end

      # What can be iterated over.
      module Iterable
        # Items, or pairs of a hash, one after the other.
        class Sequence
          include Enumerable

          def initialize(source)
            @source = source
            @enumerator = nil
          end

          def each(&block)
            return self unless block
            @source.each(&block)
          end

          def hash_style?
            @source.is_a?(Hash)
          end

          def next
            @enumerator ||= @source.each
            @enumerator.next
          end

          def size
            @source.size
          end

          def reverse_each(&block)
            Sequence.new(@source.to_a.reverse).each(&block)
          end

          def step(count)
            Sequence.new(@source.each_slice(count).map(&:first))
          end

          def unbounded?
            false
          end

          def to_array
            to_a
          end
        end

        def self.on(value)
          case value
          when Sequence then value
          when Array, Hash then Sequence.new(value)
          when Integer then Sequence.new(0...value)
          when String then Sequence.new(value.chars)
          when Enumerator, Range then Sequence.new(value)
          when PAnyType then Sequence.new(Bunraku.ask('iterate', [value]) || (return nil))
          end
        end

        def self.asserted_iterable(caller, value, infer_elements = false)
          on(value) || raise(ArgumentError, "#{caller.class}(): wrong argument type (#{value.class}; is not Iterable.")
        end
      end
    end
  end
end
