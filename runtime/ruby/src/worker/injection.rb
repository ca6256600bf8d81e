# Values that functions are injected with: what Puppet 3 and 4 called the binder. Modules bind values and producers of
# values to names and types in `lib/puppet/bindings/MODULE/default.rb`; functions name what they want.

module Puppet
  # The words of a file of bindings.
  module Bindings
    extend Bunraku::Gaps

    def self.newbindings(name, &block)
      Bunraku.injector.add(name.to_s, block)
    end
  end

  module Pops
    module Binder
      extend Bunraku::Gaps

      module Producers
        extend Bunraku::Gaps

        # What gives a value each time it is asked.
        class Producer
          def produce(scope, *args)
            internal_produce(scope, *args)
          end

          def producer(_scope, *_args)
            self
          end

          protected

          def internal_produce(_scope, *_args)
            raise NotImplementedError, "Producer-class '#{self.class.name}' should implement #internal_produce(scope)"
          end
        end

        # Gives what a block gives, each time anew or always what it gave first.
        class BlockProducer < Producer
          def initialize(anew, &block)
            super()
            @anew = anew
            @block = block
          end

          def produce(scope, *_args)
            return @block.call(scope) if @anew
            @value = @block.call(scope) unless defined?(@value)
            @value
          end
        end

        # Asks a producer that a block makes, a new one for each look-up or always the first.
        class SeriesProducer < Producer
          def initialize(anew, &block)
            super()
            @anew = anew
            @block = block
          end

          def producer(scope, *_args)
            @inner = @block.call(scope) if @anew || !defined?(@inner)
            self
          end

          def produce(scope, *_args)
            producer(scope) unless defined?(@inner)
            @inner.produce(scope)
          end
        end
      end

      # One value: its name and type, and what produces it.
      class Binding
        include Bunraku::Gaps

        attr_reader :bound_name, :bound_type, :multibind_id, :producer

        def initialize(injector)
          @injector = injector
        end

        def name(name)
          @bound_name = name
          self
        end

        def type(type)
          @bound_type = Bunraku::Injector.type(type)
          self
        end
        alias instance_of type

        %w[integer float boolean string scalar data].each do |word|
          define_method(word) { type(Types::TypeFactory.send(word)) }
        end

        def array_of(type)
          type(Types::TypeFactory.array_of(Bunraku::Injector.type(type)))
        end

        def hash_of(type)
          type(Types::TypeFactory.hash_of(Bunraku::Injector.type(type)))
        end

        def array_of_data
          array_of(Types::TypeFactory.data)
        end

        def hash_of_data
          hash_of(Types::TypeFactory.data)
        end

        def in_multibind(id)
          @multibind_id = id.to_s
          self
        end

        # A value, or the one instance of a class.
        def to(value, *args)
          return to_instance(value, *args) if value.is_a?(Class)
          produced { value }
        end

        # The one instance of a class, which a name may stand for until it is needed.
        def to_instance(type, *args)
          unless type.is_a?(Class) || type.is_a?(String)
            raise ArgumentError, "to_instance accepts String (a class name), or a Class.*args got: #{type.class}."
          end
          produced { |scope| instance(type, scope, args) }
        end

        # A value or instance that is new each time.
        def to_series_of(value, *args)
          return produced(true) { |scope| instance(value, scope, args) } if value.is_a?(Class)
          produced(true) { Marshal.load(Marshal.dump(value)) }
        end

        # What one producer gives, again and again.
        def to_producer(producer, *args)
          series(false, producer, args)
        end

        # The same with a new producer for each look-up.
        def to_producer_series(producer, *args)
          series(true, producer, args)
        end

        # What is bound to another type and name, or to a name.
        def to_lookup_of(*what)
          produced(true) { |scope| @injector.lookup(scope, *what) }
        end

        # An entry of a hash that is bound.
        def to_hash_lookup_of(type, name, key)
          produced(true) { |scope| (@injector.lookup(scope, type, name) || {})[key] }
        end

        # The first of several that is bound.
        def to_first_found(*all)
          produced(true) do |scope|
            found = nil
            all.each do |what|
              found = @injector.lookup(scope, *what)
              break unless found.nil?
            end
            found
          end
        end

        private

        def produced(anew = false, &block)
          @producer = Producers::BlockProducer.new(anew, &block)
          self
        end

        def series(anew, producer, args)
          made = producer.is_a?(Class) || producer.is_a?(String) ? nil : producer
          @producer = Producers::SeriesProducer.new(anew) { |scope| made || instance(producer, scope, args) }
          self
        end

        def instance(type, scope, args)
          Bunraku::Injector.instance(Bunraku::Injector.class_of(type, self), @injector, scope, self, args)
        end
      end

      # Values that others contribute to: a list, or a hash by their names.
      class Multibinding < Binding
        attr_reader :id

        def initialize(injector, id)
          super(injector)
          @id = id.to_s
          produced { |scope| @injector.contributed(self, scope) }
        end
      end

      # What the block of `newbindings` is run in.
      class Bindings
        include Bunraku::Gaps

        def initialize(injector)
          @injector = injector
        end

        def bind(&block)
          added(Binding.new(@injector), &block)
        end

        def multibind(id, &block)
          added(Multibinding.new(@injector, id), &block)
        end

        def type_factory
          Types::TypeFactory
        end

        private

        def added(binding, &block)
          @injector.bindings << binding
          binding.instance_eval(&block) if block
          binding
        end
      end
    end
  end

  module Functions
    # What functions say where they are made: attributes that are looked up when they are first read.
    module Injected
      def attr_injected(type, name, injection_name = nil)
        injected(name) { |scope| Bunraku.injector.lookup(scope, Bunraku::Injector.type(type), injection_name.to_s) }
      end
      alias injected_param attr_injected

      def attr_injected_producer(type, name, injection_name = nil)
        injected(name) { |scope| Bunraku.injector.lookup_producer(scope, Bunraku::Injector.type(type), injection_name.to_s) }
      end
      alias injected_producer_param attr_injected_producer
      alias injected_provider_param attr_injected_producer

      %i[type_of hash_of array_of].each do |word|
        define_method(word) { |*args| Puppet::Pops::Types::TypeFactory.public_send(word, *args) }
      end

      private

      def injected(name, &find)
        define_method(name) do
          @injected ||= {}
          @injected[name] = find.call(closure_scope) unless @injected.key?(name)
          @injected[name]
        end
      end
    end

    Function.extend(Injected)

    class DispatcherBuilder
      # A parameter that no caller gives: the value bound to a type and name, put where it stands among the others.
      def injected_param(type, _name, injection_name = '')
        inject(:lookup, type, injection_name)
      end

      # The same with what produces the value.
      def injected_producer_param(type, _name, injection_name = '')
        inject(:lookup_producer, type, injection_name)
      end
      alias injected_provider_param injected_producer_param

      private

      def inject(how, type, injection_name)
        @weaving << [how, Bunraku::Injector.type(type), injection_name.to_s]
        @woven = true
      end
    end
  end
end

module Bunraku
  # What is bound in a compile, and the values of that.
  class Injector
    # Types of Puppet's for Ruby's own classes.
    PLAIN = { String => 'String', Integer => 'Integer', Float => 'Float', Array => 'Array', Hash => 'Hash',
              Numeric => 'Numeric', Regexp => 'Regexp', TrueClass => 'Boolean', FalseClass => 'Boolean' }.freeze

    class << self
      # A type: as it is, from its notation, or of a Ruby class, which a name with capitals between colons stands for.
      def type(type)
        case type
        when Puppet::Pops::Types::PAnyType then type
        when Class then parse(PLAIN[type] || runtime(type.name))
        when /\A(?:::)?(?:Puppet|PuppetX|Puppetx)::/ then parse(runtime(type.delete_prefix('::')))
        when String then parse(type)
        else raise ArgumentError, "No type: #{type.inspect}"
        end
      end

      # The Ruby class that a type is of.
      def class_name(type)
        type.to_s[/\ARuntime\['?ruby'?, ?'([\w:]+)'\]\z/, 1]
      end

      # A class by its name: one that is there, or that a file of a module makes.
      def class_of(type, binding)
        return type if type.is_a?(Class)
        path = type.delete_prefix('::')
        found = constant(path)
        [snake(path), path.gsub('::', '/').downcase].uniq.each do |file|
          break if found
          begin
            require(file)
          rescue LoadError => error
            raise if error.path != file
          end
          found = constant(path)
        end
        return found if found.is_a?(Class)
        raise ArgumentError, "Can not load the class #{type} specified in binding named: '#{binding.bound_name}'"
      end

      # An instance: as the class injects it, or by its constructor.
      def instance(type, injector, scope, binding, args)
        if type.respond_to?(:inject)
          maker = type.instance_method(:initialize)
          if type.method(:inject).owner <= maker.owner || maker.arity != 0
            return type.inject(injector, scope, binding, *args)
          end
        end
        type.new(*args)
      end

      private

      def parse(text)
        Puppet::Pops::Types::TypeParser.singleton.parse(text)
      end

      def runtime(name)
        "Runtime['ruby', '#{name}']"
      end

      def constant(path)
        path.split('::').inject(Object) do |owner, name|
          return nil unless owner.is_a?(Module) && owner.const_defined?(name, owner.equal?(Object))
          owner.const_get(name)
        end
      end

      def snake(path)
        path.gsub('::', '/').gsub(/([A-Z]+)([A-Z][a-z])/, '\1_\2').gsub(/([a-z\d])([A-Z])/, '\1_\2').downcase
      end
    end

    attr_reader :bindings

    def initialize
      @bindings = []
      @looking = []
      checkers = Puppet::Plugins::SyntaxCheckers
      registry = Puppet::Pops::Binder::Multibinding.new(self, checkers::SYNTAX_CHECKERS)
      @bindings << registry.name(checkers::SYNTAX_CHECKERS).hash_of(checkers::SYNTAX_CHECKERS_TYPE)
    end

    # Takes a module's bindings in.
    def add(name, block)
      found = Puppet::Pops::Binder::Bindings.new(self)
      found.instance_exec(Puppet::Parser::Scope.at(0), &block)
      @entries = nil
      name
    end

    # The value bound to a type and name, or to a name whose value is data; none where there is none.
    def lookup(scope, *what, &block)
      found = entry(*what)
      value = found && once(what) { found.producer(scope).produce(scope) }
      unless value.nil? || what.size < 2 || fits?(what[0], value)
        got = Puppet::Pops::Types::TypeCalculator.infer(value)
        raise ArgumentError, "Type error: incompatible type, expected: #{what[0]}, got: #{got}"
      end
      handed(scope, value, block)
    end

    # What produces the value.
    def lookup_producer(scope, *what, &block)
      found = entry(*what)
      handed(scope, found && once(what) { found.producer(scope) }, block)
    end

    # Values that are contributed to a list or hash.
    def contributed(multibinding, scope)
      registry = Puppet::Plugins::SyntaxCheckers
      return Bunraku.plugins[registry::SYNTAX_CHECKERS_KEY] if multibinding.id == registry::SYNTAX_CHECKERS
      return contributions(multibinding.id, scope) if multibinding.bound_type.to_s.start_with?('Hash')
      @bindings.select { |one| one.multibind_id == multibinding.id }.map { |one| one.producer.produce(scope) }
    end

    # Those of a hash, by name.
    def contributions(id, scope = Puppet::Parser::Scope.at(0))
      @bindings.select { |one| one.multibind_id == id }.each_with_object({}) do |one, found|
        if found.key?(one.bound_name)
          raise ArgumentError, "Duplicate key (same priority) contributed to Hash Multibinding '#{id}' key: '#{one.bound_name}'."
        end
        found[one.bound_name] = one.producer.produce(scope)
      end
    end

    private

    def entry(*what)
      raise ArgumentError, "lookup should be called with two or three arguments, got: #{what.size + 1}" unless what.size.between?(1, 2)
      type, name = what.size == 1 && !what[0].is_a?(Puppet::Pops::Types::PAnyType) ? [nil, what[0]] : what
      @entries ||= @bindings.each_with_object({}) do |one, all|
        all[key(one.bound_type, one.bound_name)] = one if one.producer && one.bound_name
      end
      found = @entries[key(type, name)]
      return found.producer if found
      class_name = name.to_s.empty? && type && Injector.class_name(type)
      return nil unless class_name
      # A class that nothing is bound to: an instance of it.
      made = Injector.class_of(class_name, Puppet::Pops::Binder::Binding.new(self))
      Puppet::Pops::Binder::Producers::BlockProducer.new(true) { |scope| Injector.instance(made, self, scope, nil, []) }
    end

    # All types of data are one.
    def key(type, name)
      [type && !Bunraku.ask('assignable', [Puppet::Pops::Types::TypeFactory.data, type]) ? type.to_s : 'Data', name.to_s]
    end

    # Whether a value is of a type; types of Ruby's classes are known here only.
    def fits?(type, value)
      name = type.to_s[/'([\w:]+)'\]+\z/, 1]
      return Bunraku.ask('instance', [type, value]) unless name && type.to_s.include?('Runtime')
      values = type.to_s.start_with?('Hash') ? value.values : [*value]
      values.all? { |one| one.class.ancestors.any? { |ancestor| ancestor.name == name } }
    end

    # No look-up may need itself.
    def once(what)
      key = "[#{what.map(&:to_s).join(', ')}]"
      raise ArgumentError, "Lookup loop detected for key: #{key}" if @looking.include?(key)
      @looking.push(key)
      yield
    ensure
      @looking.delete(key)
    end

    def handed(scope, value, block)
      return value unless block
      raise ArgumentError, 'The block should have arity 1 or 2' unless [1, 2].include?(block.arity)
      block.arity == 1 ? block.call(value) : block.call(scope, value)
    end
  end

  class << self
    # What is bound in the compile.
    def injector
      known = compile.caches[:injector]
      return known if known
      compile.caches[:injector] = known = Injector.new
      plugins
      known
    end
  end
end
