# The interface of functions: `Puppet::Functions.create_function`.

module Puppet
  module Pops
    module Functions
      # One signature and the method behind it.
      class Dispatch
        attr_reader :method_name, :parameters, :block, :returns, :weaving, :mismatch, :block_name

        def initialize(method_name, parameters, block, block_name, returns, weaving, mismatch)
          @method_name = method_name
          @parameters = parameters
          @block = block
          @block_name = block_name
          @returns = returns
          @weaving = weaving
          @mismatch = mismatch
        end

        def argument_mismatch_handler?
          @mismatch
        end

        # Calls the method, with the scope, caches and what else is injected in the places they were asked for.
        def invoke(instance, scope, args, &block)
          instance.send(@method_name, *weave(scope, args), &block)
        end

        # The form the compiler reads: parameters as type, name and how often; and so on.
        def described
          [@mismatch, @parameters, @block, @block_name.to_s, @returns, @method_name.to_s]
        end

        private

        def weave(scope, args)
          return args unless @weaving
          woven = []
          @weaving.each do |knot|
            case knot
            when :scope then woven << scope
            when :cache then woven << Bunraku.compile.caches[:shared] ||= Bunraku::ObjectCache.new
            when Array then woven << Bunraku.injector.public_send(knot[0], scope, *knot[1..-1])
            when Symbol
              raise Bunraku::Missing.new("The injected parameter '#{knot}' of Puppet's Ruby is not supported", knot)
            else
              if knot.negative?
                woven.concat(args[(-knot - 1)..-1] || [])
              elsif knot < args.size
                woven << args[knot]
              end
            end
          end
          woven
        end
      end

      # The signatures of a function, in order.
      class Dispatcher
        attr_reader :dispatchers

        def initialize(function)
          @function = function
          @dispatchers = []
        end

        def empty?
          @dispatchers.empty?
        end

        def add(dispatch)
          @dispatchers << dispatch
        end

        # Asks the compiler which signature takes the arguments; it checks the result as well.
        def dispatch(instance, scope, args, &block)
          index = Bunraku.ask('dispatch', [@function.func_name, @function.module_name, args, Bunraku.block_of(block)])
          found = @dispatchers[index]
          if found.argument_mismatch_handler?
            raise ArgumentError, "'#{@function.func_name}' #{found.invoke(instance, scope, args)}"
          end
          result = found.invoke(instance, scope, args, &block)
          Bunraku.ask('returned', [@function.func_name, @function.module_name, index, result]) if found.returns
          result
        end
      end

      # What every function is.
      class Function
        class << self
          attr_reader :func_name, :local_type_texts, :module_name

          def loader
            Puppet::Pops::Loaders.find_loader(module_name)
          end

          def dispatcher
            @dispatcher ||= Dispatcher.new(self)
          end

          def name
            @func_name || super
          end
          alias to_s name
        end

        # Some functions set themselves up with what they are given.
        def initialize(closure_scope = nil, loader = nil)
          @closure_scope = closure_scope
          @loader = loader
        end

        def loader
          @loader || self.class.loader
        end

        def closure_scope
          @closure_scope || Puppet::Parser::Scope.at(0)
        end

        def call(scope, *args, &block)
          self.class.dispatcher.dispatch(self, scope, args, &block)
        end

        def call_function(name, *args, &block)
          Bunraku.call_named(closure_scope, name.to_s, self.class.module_name, args, block, self.class.name)
        end
      end
    end
  end

  module Functions
    extend Bunraku::Gaps

    # What functions are made from.
    class Function < Puppet::Pops::Functions::Function
      class << self
        def builder
          DispatcherBuilder.new(dispatcher)
        end

        def dispatch(method_name, &block)
          builder.build(method_name, false, &block)
        end

        def argument_mismatch(method_name, &block)
          builder.build(method_name, true, &block)
        end

        def local_types(&block)
          @local_type_texts = LocalTypes.new.collect(&block)
          @local_type_texts.each do |text|
            name = text[/\A\s*([\w:]+)/, 1]
            texts = @local_type_texts
            define_method("type_#{name}") { Bunraku.ask('type', [name, texts]) }
          end
        end
      end
    end

    # Functions that see the scope they are called from.
    class InternalFunction < Function
      def self.builder
        InternalDispatchBuilder.new(dispatcher)
      end

      def call_function_with_scope(scope, name, *args, &block)
        Bunraku.call_named(scope, name.to_s, self.class.module_name, args, block, self.class.name)
      end
    end

    class PuppetFunction < Function; end

    # The words of a `dispatch` block.
    class DispatcherBuilder
      def initialize(dispatcher)
        @dispatcher = dispatcher
      end

      def build(method_name, mismatch, &block)
        @parameters = []
        @weaving = []
        @woven = false
        @least = 0
        @most = 0
        @block = nil
        @block_name = nil
        @returns = nil
        instance_eval(&block)
        weaving = @woven ? @weaving : nil
        @dispatcher.add(Puppet::Pops::Functions::Dispatch.new(method_name, @parameters, @block, @block_name, @returns, weaving, mismatch))
      end

      def param(type, name)
        add(type, name, 0)
        raise ArgumentError, 'A required parameter cannot be added after an optional parameter' if @least != @most
        @least += 1
        @most += 1
      end
      alias required_param param

      def optional_param(type, name)
        add(type, name, 1)
        @most += 1
      end

      def repeated_param(type, name)
        add(type, name, 2)
        @most = :default
      end
      alias optional_repeated_param repeated_param

      def required_repeated_param(type, name)
        add(type, name, 3)
        raise ArgumentError, 'A required repeated parameter cannot be added after an optional parameter' if @least != @most
        @least += 1
        @most = :default
      end

      def block_param(*type_and_name)
        case type_and_name.size
        when 0 then type, name = 'Callable', :block
        when 1 then type, name = 'Callable', type_and_name[0]
        when 2 then type, name = type_and_name
        else
          raise ArgumentError, "block_param accepts max 2 arguments (type, name), got #{type_and_name.size}."
        end
        unless type.to_s.match?(/\A\s*(?:Callable|Variant|Optional)\b/)
          actual = type.is_a?(String) ? Puppet::Pops::Types::TypeParser.singleton.parse(type).class : type.class
          raise ArgumentError, "Expected PCallableType or PVariantType thereof, got #{actual}"
        end
        unless name.is_a?(Symbol)
          raise ArgumentError, "Expected block_param name to be a Symbol, got #{name.class}"
        end
        raise ArgumentError, 'Attempt to redefine block' if @block
        @block = [type, false]
        @block_name = name
      end
      alias required_block_param block_param

      def optional_block_param(*type_and_name)
        block_param(*type_and_name)
        @block[1] = true
      end

      def return_type(type)
        unless type.is_a?(String) || type.is_a?(Puppet::Pops::Types::PAnyType)
          raise ArgumentError, "Argument to 'return_type' must be a String reference to a Puppet Data Type. Got #{type.class}"
        end
        @returns = type
      end

      private

      def add(type, name, often)
        raise ArgumentError, 'Parameters cannot be added after a block parameter' if @block
        raise ArgumentError, 'Parameters cannot be added after a repeated parameter' if @most == :default
        raise ArgumentError, "Parameter name argument must be a Symbol. Got #{name.class}" if name.is_a?(String)
        unless type.is_a?(String) || type.is_a?(Puppet::Pops::Types::PAnyType)
          raise ArgumentError, "Parameter 'type' must be a String reference to a Puppet Data Type. Got #{type.class}"
        end
        @weaving << (often > 1 ? -(@parameters.size + 1) : @parameters.size)
        @parameters << [type, name.to_s, often]
      end
    end

    # The same with what only internal functions are given.
    class InternalDispatchBuilder < DispatcherBuilder
      { scope_param: :scope, cache_param: :cache, compiler_param: :pal_catalog_compiler,
        script_compiler_param: :pal_script_compiler, pal_compiler_param: :pal_compiler }.each do |word, what|
        define_method(word) do
          @weaving << what
          @woven = true
        end
      end
    end

    # The words of a `local_types` block.
    class LocalTypes
      def collect(&block)
        @texts = []
        instance_eval(&block)
        @texts
      end

      def type(text)
        @texts << text
      end
    end

    class << self
      def create_function(name, base = Function, &block)
        create_loaded_function(name, nil, base, &block)
      rescue StandardError => error
        raise error if error.is_a?(Bunraku::Missing)
        raise Bunraku::LoadFailure, "Function Load Error for function '#{name}': #{error.message}"
      end

      def create_loaded_function(name, _loader, base = Function, &block)
        unless base.ancestors.include?(Puppet::Pops::Functions::Function)
          raise ArgumentError, "Functions must be based on Puppet::Pops::Functions::Function. Got #{base}"
        end
        name = name.to_s
        made = Class.new(base)
        made.instance_variable_set(:@func_name, name)
        made.instance_variable_set(:@module_name, Bunraku.loading_module.to_s)
        made.class_eval(&block)
        add_default(made, name.split('::').last) if made.dispatcher.empty?
        made
      end

      private

      # Without a `dispatch` the method of the function's name takes whatever its Ruby parameters take.
      def add_default(made, method_name)
        unless made.method_defined?(method_name) || made.private_method_defined?(method_name)
          raise ArgumentError, "Function Creation Error, cannot create a default dispatcher for function '#{method_name}', no method with this name found"
        end
        kinds = { req: 0, opt: 1, rest: 2 }
        parameters = made.instance_method(method_name).parameters.filter_map do |kind, name|
          ['Any', name.to_s, kinds[kind]] if kinds[kind]
        end
        made.dispatcher.add(Puppet::Pops::Functions::Dispatch.new(method_name, parameters, nil, nil, nil, nil, false))
      end
    end
  end
end

module Bunraku
  # What `cache_param` gives: a hash by object and key.
  class ObjectCache
    def initialize
      @values = Hash.new { |all, object| all[object] = {} }.compare_by_identity
    end

    def retrieve(object)
      @values[object.class]
    end
  end

  class << self
    attr_reader :loading_module

    def block_of(block)
      block
    end

    # Calls a function by name: one of the compiler's, of a manifest, of a module.
    def call_named(scope, name, module_name, args, block, from = nil)
      Bunraku.ask('function', [scope.live!.number, name, module_name.to_s, args, given(block), from])
    end

    # A block as the compiler takes it: a lambda of the language's own, or one of Ruby's with the kinds of its parameters.
    def given(block)
      return block if block.nil? || Block.of(block)

      [block, block.parameters.map { |kind, _| { req: '!', opt: '?', rest: '*' }.fetch(kind, '') }.join]
    end

    # Loads a function's file, or takes what was loaded from it before. Gives what the compiler must know. Classes are kept
    # by file, as many as there are files that this process has loaded; stale when the file's time or length differ.
    def load_function(name, file, module_name, stamp)
      known = (@function_classes ||= {})[file]
      unless known && known[1] == stamp
        text = File.read(file, encoding: Encoding::UTF_8)
        unless text.match?(/Puppet::Functions\.create_function/)
          raise ArgumentError, "The code loaded from #{file} does not seem to be a Puppet 4x API function - no create_function call."
        end
        outer = @loading_module
        @loading_module = module_name
        begin
          made = eval(text, Puppet::Pops::Loader::RubyFunctionInstantiator.get_binding, file, 1) # rubocop:disable Security/Eval -- what a function file is for
        ensure
          @loading_module = outer
        end
        unless made.is_a?(Class)
          raise ArgumentError, "The code loaded from #{file} did not produce a Function class when evaluated. Got '#{made.class}'"
        end
        unless made.name.to_s == name
          raise ArgumentError, "The code loaded from #{file} produced mis-matched name, expected '#{name}', got #{made.name}"
        end
        known = @function_classes[file] = [made, stamp]
      end
      made = known[0]
      compile.functions[[name, module_name]] = made.new(nil, nil)
      own_call = made.instance_method(:call).owner != Puppet::Pops::Functions::Function
      [own_call, made.local_type_texts || [], made.dispatcher.dispatchers.map(&:described)]
    end

    # Calls a loaded function, named with its module; `index` is the signature that was chosen, none where the function chooses itself.
    def call_loaded(function, index, scope, args, block)
      instance = compile.functions[function]
      block = block.to_proc if block
      watch_changes(scope, args) do
        next instance.call(scope, *args, &block) unless index
        instance.class.dispatcher.dispatchers[index].invoke(instance, scope, args, &block)
      end
    end

    # Tells the compiler of arguments that have been changed in place: all who hold them see that.
    def watch_changes(scope, args)
      lists = args.select { |arg| (arg.is_a?(Array) || arg.is_a?(Hash)) && !arg.frozen? }
      return yield if lists.empty?
      prints = lists.map(&:hash)
      begin
        yield
      ensure
        changed = lists.zip(prints).filter_map { |list, print| list unless list.hash == print }
        Bunraku.ask('mutated', [scope.number, changed]) unless changed.empty?
      end
    end
  end
end

module Puppet
  module Pops
    module Loader; end
  end
end

# Where the files of functions are evaluated: constants that are missing are missing here, and none of the worker's are
# seen. (Each is opened by its whole name, so that those of the modules around it are not seen either.)
class Puppet::Pops::Loader::RubyFunctionInstantiator
  def self.get_binding
    binding
  end
end

# Where modules keep extensions.
module PuppetX; end
module Puppetx; end
