# Data types: `Puppet::DataTypes.create_type`, and the classes that are made of interfaces.

module Puppet
  module DataTypes
    extend Bunraku::Gaps

    # What a file says: the compiler makes a type of it.
    class Declared
      attr_reader :name
      attr_accessor :interface, :implementation, :implementation_class

      def initialize(name)
        @name = name
      end

      def implemented?
        !(@implementation.nil? && @implementation_class.nil?)
      end

      # As the interface of a type: a name, its text, whether there is more to it.
      def described
        raise ArgumentError, 'a data type must have an interface' unless @interface.is_a?(String)
        [@name, @interface, implemented?]
      end
    end

    # The words of a `create_type` block.
    class Words
      def initialize(declared)
        @declared = declared
      end

      def interface(text)
        raise ArgumentError, 'a data type can only have one interface' unless @declared.interface.nil?
        @declared.interface = text
      end

      def implementation(&block)
        only_one
        @declared.implementation = block
      end

      def implementation_class(ruby_class)
        only_one
        @declared.implementation_class = ruby_class
      end

      # Loads a file below some `lib` folder, once.
      def load_file(name)
        name = "#{name}.rb" unless name.end_with?('.rb')
        found = Bunraku.folders.map { |folder| File.join(folder, name) }.find { |file| File.file?(file) }
        found ? require(found) : false
      end

      private

      def only_one
        raise ArgumentError, 'a data type can only have one implementation' if @declared.implemented?
      end
    end

    def self.create_type(name, &block)
      declared = Declared.new(name.to_s)
      Words.new(declared).freeze.instance_eval(&block)
      declared.described
      declared
    rescue StandardError => error
      raise error if error.is_a?(Bunraku::Missing)
      raise ArgumentError, "Data Type Load Error for type '#{name}': #{error.message}"
    end
  end

  module Pops
    # What Ruby's words are called as methods.
    module ProtectedNames
      WORDS = %w[alias begin break def do end ensure for module next nil not redo rescue retry return self super then
                 until when while yield].freeze

      def self.of(name)
        WORDS.include?(name) ? "_#{name}" : name
      end

      def self.back(name)
        WORDS.include?(name.delete_prefix('_')) && name.start_with?('_') ? name.delete_prefix('_') : name
      end
    end
  end
end

# Where the files of data types are evaluated: constants that are missing are missing here.
class Puppet::Pops::Loader::RubyDataTypeInstantiator
  def self.get_binding
    binding
  end
end

module Bunraku
  # An attribute as the compiler describes it.
  # Names of classes whose instances Puppet knows the types of by that name alone.
  OF_OTHER_TYPES = %w[
    Module Closure Iterator Function PAnyType PTypeType String Float Integer Regexp NilClass Proc PuppetProc Symbol Sensitive Timespan
    Timestamp TrueClass FalseClass URI Resource Array Binary Version VersionRange Hash
  ].freeze

  Attribute = Struct.new(:name, :kind, :has_value, :value, :own, :type) do
    def settable?
      kind != 'constant' && kind != 'derived'
    end

    def method_name
      Puppet::Pops::ProtectedNames.of(name)
    end

    def default?(given)
      has_value && value == given
    end
  end

  # Makes a class of an interface.
  class ClassMaker
    def initialize(name, parent, attributes, functions, equality, include_type)
      @name = name
      @parent = parent
      @attributes = attributes
      @functions = functions
      @equality = equality
      @include_type = include_type
    end

    def make
      @class = Class.new(@parent || Object)
      @class.include(Puppet::Pops::Types::PuppetObject) unless @parent
      constructors
      readers
      initializer
      init_hash
      placeholders
      comparison
      @class
    end

    # Attributes in the order of the constructor: those that must be given first.
    def self.in_order(attributes)
      needed, others = attributes.select(&:settable?).partition { |attribute| !attribute.has_value }
      needed + others
    end

    private

    def own
      @attributes.select { |attribute| attribute.own && attribute.kind != 'constant' }
    end

    def kept
      own.reject { |attribute| attribute.kind == 'derived' }
    end

    def constructors
      ordered = self.class.in_order(@attributes)
      @class.define_singleton_method(:_pcore_attributes) { ordered }
      @class.define_singleton_method(:from_asserted_hash) do |hash|
        new(*ordered.map { |attribute| hash.fetch(attribute.name, attribute.value) })
      end
      @class.define_singleton_method(:from_hash) do |hash|
        Bunraku.ask('from_hash', [_pcore_type, hash])
      end
      name = @name
      @class.define_singleton_method(:create) do |*args|
        ordered.zip(args).first([args.size, ordered.size].min).each do |attribute, value|
          Puppet::Pops::Types::TypeAsserter.assert_instance_of("#{name}[#{attribute.name}]", attribute.type, value)
        end
        new(*args)
      end
    end

    def readers
      @attributes.each do |attribute|
        next unless attribute.own
        value = attribute.value
        case attribute.kind
        when 'constant'
          @class.define_singleton_method(attribute.method_name) { value }
          @class.define_method(attribute.method_name) { value }
        when 'derived'
          unimplemented(attribute.method_name, "derived attribute #{@name}[#{attribute.name}]")
        else @class.attr_reader attribute.method_name
        end
      end
    end

    def unimplemented(method_name, label)
      @class.define_method(method_name) { |*_args| raise Puppet::Error, "no method is implemented for #{label}" }
    end

    # Its parameters have the attributes' names, as code that looks at them expects.
    def initializer
      ordered = self.class.in_order(@attributes)
      return if ordered.empty?
      defaults = ordered.to_h { |attribute| [attribute.name, attribute.value] }
      @class.define_singleton_method(:_pcore_defaults) { defaults }
      parameters = ordered.map do |attribute|
        attribute.has_value ? "#{attribute.method_name} = self.class._pcore_defaults['#{attribute.name}']" : attribute.method_name
      end
      inherited = ordered.reject(&:own).map(&:method_name)
      lines = @parent ? ["super(#{inherited.join(', ')})"] : []
      lines.concat(ordered.select(&:own).map { |attribute| "@#{attribute.method_name} = #{attribute.method_name}" })
      @class.class_eval("def initialize(#{parameters.join(', ')})\n#{lines.join("\n")}\nend", '<bunraku>/type', 1)
    end

    def init_hash
      kept = self.kept
      inherits = !@parent.nil?
      @class.define_method(:_pcore_init_hash) do
        hash = inherits ? super() : {}
        kept.each do |attribute|
          value = instance_variable_get("@#{attribute.method_name}")
          hash[attribute.name] = value unless attribute.default?(value)
        end
        hash
      end
    end

    def placeholders
      @functions.each do |name|
        unimplemented(Puppet::Pops::ProtectedNames.of(name), "function #{@name}[#{name}]")
      end
    end

    def comparison
      names = @equality || own.map(&:name)
      return if names.empty? && !@include_type
      methods = names.map { |name| Puppet::Pops::ProtectedNames.of(name) }
      inherits = !@parent.nil?
      include_type = @include_type
      @class.define_method(:eql?) do |other|
        return false if inherits && !super(other)
        return false if include_type && !other.instance_of?(self.class)
        methods.all? { |name| instance_variable_get("@#{name}").eql?(other.public_send(name)) }
      end
      @class.alias_method(:==, :eql?)
      @class.define_method(:hash) do
        own = methods.map { |name| instance_variable_get("@#{name}") }.hash
        inherits ? super() ^ own : own
      end
    end
  end

  class << self
    # Evaluates the file of a data type. Gives its name, its interface, and whether Ruby implements it.
    def load_datatype(file, key)
      text = File.read(file, encoding: Encoding::UTF_8)
      unless text.match?(/Puppet::DataTypes\.create_type/)
        raise ArgumentError, "The code loaded from #{file} does not seem to be a Puppet 5x API data type - no create_type call."
      end
      made = eval(text, Puppet::Pops::Loader::RubyDataTypeInstantiator.get_binding, file, 1) # rubocop:disable Security/Eval
      unless made.is_a?(Puppet::DataTypes::Declared)
        raise ArgumentError, "The code loaded from #{file} did not produce a data type when evaluated. Got '#{made.class}'"
      end
      unless made.name.casecmp(key).zero?
        raise ArgumentError, "The code loaded from #{file} produced mis-matched name, expected '#{key}', got #{made.name}"
      end
      compile.datatypes[made.name] = made
      made.described
    end

    # The class of a type. Gives whether it makes instances from hashes, and the order of its constructor.
    def class_for(type, name, parent, attributes, functions, equality, include_type)
      declared = compile.datatypes[name]
      attributes = attributes.map { |row| Attribute.new(*row) }
      made = declared && declared.implementation_class
      unless made
        made = ClassMaker.new(name, parent && compile.classes[parent], attributes, functions, equality, include_type).make
        made.define_singleton_method(:_pcore_type) { type }
        made.class_eval(&declared.implementation) if declared && declared.implementation
      end
      made.define_singleton_method(:_pcore_type) { type } if made < Puppet::Pops::Types::PuppetObject
      of_other_type = of_other_type?(made)
      compile.type_names[made] = name unless of_other_type
      compile.classes[name] = made
      order = constructor_order(made, name, attributes)
      note_readers(made, order, attributes)
      [made.respond_to?(:from_asserted_hash), order, of_other_type ? made.name : nil]
    end

    # Whether a class that is not marked as one of Puppet's objects has a name, whatever module it lies in, by which Puppet takes its
    # instances for those of another type.
    def of_other_type?(made)
      !(made < Puppet::Pops::Types::PuppetObject) && OF_OTHER_TYPES.include?(made.name.to_s.split('::').last)
    end

    # Where readers are not those that were made here, a catalog has what they yield.
    def note_readers(made, order, attributes)
      ordered = order.map { |name| attributes.find { |attribute| attribute.name == name } }
      return if ordered.all? { |attribute| made_here?(made, attribute.method_name) }
      compile.readers[made] = ordered
    end

    def made_here?(made, method_name)
      made.method_defined?(method_name) && made.instance_method(method_name).source_location.to_a[0].to_s.start_with?('<bunraku')
    end

    # What a catalog says of an instance: none where that is what it would be made from.
    def data_of(object)
      readers = compile.readers[object.class]
      return unless readers
      values = readers.map { |attribute| [attribute, object.send(attribute.method_name)] }
      values.pop while !values.empty? && values.last[0].default?(values.last[1])
      values.to_h { |attribute, value| [attribute.name, value] }
    end

    # Names of attributes as the constructor takes them; it must take just these.
    def constructor_order(made, name, attributes)
      names = ClassMaker.in_order(attributes).map(&:name)
      constructor = made.respond_to?(:from_asserted_args) ? made.method(:from_asserted_args) : made.instance_method(:initialize)
      needed = constructor.parameters.count { |kind, _| kind == :req }
      own = constructor.parameters.map do |_, parameter|
        parameter = parameter.to_s
        back = Puppet::Pops::ProtectedNames.back(parameter)
        names.include?(back) ? back : parameter
      end
      return names if own == names
      if own.size < names.size || needed > names.size
        raise ArgumentError, "Initializer for class #{made.name} does not match the attributes of #{name}"
      end
      own = own.first(names.size)
      stranger = own.find { |parameter| !names.include?(parameter) }
      if stranger
        of = Bunraku.compile.holds?('attributes-without-stutter') ? 'of the' : 'of the the'
        raise ArgumentError, "Initializer for class #{made.name} parameter '#{stranger}' does not match any #{of} attributes of type #{name}"
      end
      own
    end

    def make_instance(name, args, from_hash)
      made = compile.classes[name]
      return made.from_asserted_hash(*args) if from_hash
      made.respond_to?(:from_asserted_args) ? made.from_asserted_args(*args) : made.new(*args)
    end

    def call_member(object, name, args, block)
      block = block.to_proc if block
      object.send(Puppet::Pops::ProtectedNames.of(name), *args, &block)
    end
  end
end
