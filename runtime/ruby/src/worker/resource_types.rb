# frozen_string_literal: true

# Resource types whose parameters no reader of their source finds, since code makes them: their files are run, and what
# they declare is noted. No resource of such a type is ever made here, so what its parameters do, and what its providers
# are, is taken in and forgotten.

module Bunraku
  # Takes any word of a class's own language.
  module AnyWord
    def method_missing(_name, *_args)
      nil
    end

    def respond_to_missing?(_name, _all = false)
      true
    end
  end
end

module Puppet
  # A parameter of a resource type, as a class that its block is the body of.
  class Parameter
    extend Bunraku::AnyWord

    class << self
      attr_accessor :name

      def isnamevar
        @isnamevar = true
      end

      def isnamevar?
        @isnamevar == true
      end
    end
  end

  class Property < Parameter
    module Boolean; end
  end

  class Provider
    extend Bunraku::AnyWord

    class NameService < Provider
      class ObjectAdd < NameService; end
    end

    class Package < Provider; end
    class ParsedFile < Provider; end
  end

  class Parameter
    class Boolean < Parameter; end
    class Path < Parameter; end
    class PackageOptions < Parameter; end
  end

  class Property
    class List < Property; end
    class OrderedList < List; end
    class KeyValue < Property; end
    class Ensure < Property; end
  end

  class Type
    extend Bunraku::Gaps

    # A type whose file has not been run here: a class with a name.
    class BuiltIn
      extend Bunraku::Gaps

      class << self
        attr_reader :name

        def of(name)
          Class.new(self) { @name = name.to_sym }
        end

        def to_s
          "Puppet::Type::#{name.to_s.split('_').map(&:capitalize).join}"
        end
        alias inspect to_s

        def new(*_args)
          raise Bunraku::Missing.new("A resource of #{self}, as agents make them, is not supported", :new)
        end
      end
    end

    class << self
      attr_reader :name, :declared

      # Whether a resource type exists is all that a compile knows of it, but for those whose files have been run here.
      def type(name)
        here = Bunraku.compile.resource_types[name.to_s.downcase]
        return here if here

        return unless Bunraku.ask('type?', [name.to_s.downcase]) == 'builtin'

        Bunraku.compile.caches["Puppet::Type::#{name.to_s.downcase}"] ||= BuiltIn.of(name.to_s.downcase)
      end

      def newtype(name, _options = {}, &block)
        type = Class.new(self) { extend Bunraku::AnyWord }
        type.begin(name.to_s.downcase.to_sym)
        Bunraku.refusing&.type(type)
        Bunraku.compile.resource_types[type.name.to_s] = type
        const = type.name.to_s.split('_').map(&:capitalize).join
        Puppet::Type.const_set(const, type) if const.match?(/\A[A-Z]\w*\z/) && !Puppet::Type.const_defined?(const, false)
        type.class_eval(&block) if block
        type
      end

      def begin(name)
        @name = name
        @declared = {}
        @isomorphic = true
      end

      def newparam(name, options = {}, &block)
        note(name, Puppet::Parameter, options, &block)
      end

      def newproperty(name, options = {}, &block)
        note(name, Puppet::Property, options, &block)
      end

      def ensurable(&block)
        newproperty(:ensure, parent: Puppet::Property::Ensure, &block)
      end

      def provide(name, options = {}, &block)
        parent = options[:parent]
        provider = Class.new(parent.is_a?(Class) ? parent : Puppet::Provider)
        type = self
        provider.define_singleton_method(:resource_type) { type }
        provider.define_singleton_method(:name) { name.to_sym }
        provider.class_eval(&block) if block
        provider
      end

      attr_writer :isomorphic

      def isomorphic?
        @isomorphic
      end

      def parameters
        of(Puppet::Parameter).reject { |name| @declared[name] <= Puppet::Property }
      end

      def properties
        of(Puppet::Property).map { |name| @declared[name] }
      end

      def validattr?(name)
        @declared.key?(name.to_sym)
      end

      def attrclass(name)
        @declared[name.to_sym]
      end

      # Name variables, attributes, whether two resources may not share a name, and how titles are taken apart, if the type says.
      def described
        names = @declared.select { |name, made| made.isnamevar? || name == :name }.keys
        names = [:name] if names.empty?
        [names.map(&:to_s), @declared.keys.map(&:to_s), @isomorphic ? true : false, patterns]
      end

      private

      # Each expression with the names of what its groups are; nil where the type says nothing of titles.
      def patterns
        return unless singleton_methods.include?(:title_patterns)

        title_patterns.map do |expression, groups|
          [expression.to_s, groups.map { |group, computed| computed ? computes_titles : group.to_s }]
        end
      end

      def computes_titles
        raise Bunraku::Missing.new("#{name}.title_patterns with code of its own of Puppet's Ruby is not supported", :title_patterns)
      end

      def of(kind)
        @declared.select { |_, made| made <= kind }.keys
      end

      def note(name, kind, options, &block)
        parent = options[:parent]
        made = Class.new(parent.is_a?(Class) && parent <= Puppet::Parameter ? parent : kind)
        made.name = name.to_s.downcase.to_sym
        Bunraku.refusing&.attribute(self, made)
        made.isnamevar if options[:namevar]
        (@declared ||= {})[made.name] = made
        made.class_eval(&block) if block
        made
      end
    end
  end
end

module Bunraku
  class << self
    # What refuses words and attributes as Puppet's own classes do, while a file is run for that.
    attr_accessor :refusing

    # Runs the file of a resource type: what `described` gives, and the files that it has loaded; nil where it makes no such
    # type.
    def load_resource_type(file, name)
      before = $LOADED_FEATURES.dup
      load(file)
      type = compile.resource_types[name]
      return [*type.described, $LOADED_FEATURES - before] if type

      # Ruby loads a file that is required once in all compiles: the type may have come from one of them.
      return unless before.any? { |other| other != file && makes_types?(other) }

      raise ArgumentError, "the file declares no type '#{name}' when it is run"
    end

    private

    def makes_types?(file)
      File.file?(file) && File.binread(file).match?(/newtype|register_type/)
    end
  end
end
