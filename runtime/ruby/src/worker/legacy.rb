# The old interface of functions: `Puppet::Parser::Functions.newfunction`.

module Puppet
  module Parser
    module Functions
      extend Bunraku::Gaps
      Environment = Puppet::Node::Environment

      @known = {}

      # Loads functions by name, as old code asks for it.
      module Loader
        # Without a warning.
        module Delegatee
          class << self
            def load(name, _environment = nil)
              Puppet::Parser::Functions.function(name) ? true : false
            end

            def loaded?(name)
              Puppet::Parser::Functions.known?(name)
            end

            def loadall(_environment = nil)
              Bunraku.folders.each do |folder|
                Dir[File.join(folder, 'puppet/parser/functions/*.rb')].sort.each do |file|
                  Puppet::Parser::Functions.function(File.basename(file, '.rb'))
                end
              end
            end
          end
        end

        class << self
          def load(name, environment = nil)
            warn("#load('#{name}')", "load(\"#{name}\")")
            Delegatee.load(name, environment)
          end

          def loaded?(name)
            warn(".loaded?('#{name}')", "loaded?(\"#{name}\")")
            Delegatee.loaded?(name)
          end

          def loadall(environment = nil)
            warn('#loadall', 'loadall')
            Delegatee.loadall(environment)
          end

          def delegatee
            Delegatee
          end

          private

          def warn(key, shown)
            return if Puppet[:strict] == :off
            message = "The method 'Puppet::Parser::Functions.autoloader##{shown}' is deprecated in favor of using 'Scope#call_function'."
            Puppet.warn_once('deprecations', "Puppet::Parser::Functions#{key}", message)
          end
        end
      end

      class Error
        def self.is4x(name)
          raise Puppet::ParseError, "#{name}() can only be called using the 4.x function API. See Scope#call_function"
        end
      end

      class << self
        def autoloader
          Loader
        end

        def newfunction(name, options = {}, &block)
          name = name.to_sym
          arity = options[:arity] || -1
          type = options[:type] || :statement
          raise Puppet::DevError, "Invalid statement type #{type.inspect}" unless %i[statement rvalue].include?(type)
          real = "real_function_#{name}"
          full = "function_#{name}"
          OldFunctions.send(:define_method, real, &block)
          OldFunctions.send(:define_method, full) do |*args|
            unless args[0].is_a?(Array)
              raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. For example, function_example([1]) instead of function_example(1)'
            end
            count = args[0].size
            if arity >= 0 && count != arity
              raise ArgumentError, "#{name}(): Wrong number of arguments given (#{count} for #{arity})"
            elsif arity.negative? && count < (arity + 1).abs
              raise ArgumentError, "#{name}(): Wrong number of arguments given (#{count} for minimum #{(arity + 1).abs})"
            end
            result = Bunraku.from_old(send(real, args[0]))
            type == :rvalue ? result : nil
          end
          @known[name] = { arity: arity, type: type, name: full, doc: options[:doc], file: block.source_location[0] }.compact
        end

        # The name of the method behind a function; loads its file. `false` where there is none.
        def function(name, _environment = nil)
          name = name.to_sym
          Bunraku.load_old(name.to_s) unless @known[name]
          return @known[name][:name] if @known[name]
          Bunraku.builtin?(name.to_s) ? "function_#{name}" : false
        end

        def known?(name)
          @known.key?(name.to_sym)
        end

        def info(name)
          @known[name.to_sym]
        end

        def forget(name)
          @known.delete(name.to_sym)
        end

        def loaded_or_builtin?(name)
          known?(name) || Bunraku.builtin?(name)
        end

        def rvalue?(name, _environment = nil)
          found = @known[name.to_sym]
          found ? found[:type] == :rvalue : false
        end

        def arity(name, _environment = nil)
          found = @known[name.to_sym]
          found ? found[:arity] : -1
        end

        def environment_module(_environment = nil)
          OldFunctions
        end
      end
    end
  end
end

# Where the files of such functions are evaluated.
class Puppet::Pops::Loader::RubyLegacyFunctionInstantiator
  def self.get_binding
    binding
  end
end

module Bunraku
  # Puppet's own functions that old code may call as methods of a scope.
  BUILTIN = %w[assert_type binary_file break contain create_resources defined dig digest each epp fail file filter
               find_file fqdn_rand generate hiera hiera_array hiera_hash hiera_include include inline_epp
               inline_template lest lookup map match md5 new next realize reduce regsubst require return reverse_each
               scanf sha1 sha256 shellquote slice split sprintf step strftime tag tagged template then type versioncmp
               with debug info notice warning err alert emerg crit].freeze
  # Those of them that only the newer interface has: their old form says so.
  OLD_REFUSED = %w[assert_type binary_file break defined dig each epp filter find_file hiera hiera_array hiera_hash
                   hiera_include inline_epp lest lookup map match new next reduce regsubst return reverse_each slice
                   split step strftime then type with].freeze

  class << self
    def builtin?(name)
      BUILTIN.include?(name)
    end

    # A function of the compiler's called as a method of a scope.
    def call_builtin(scope, name, args, block)
      unless args[0].is_a?(Array)
        raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. For example, function_example([1]) instead of function_example(1)'
      end
      Puppet::Parser::Functions::Error.is4x(name) if OLD_REFUSED.include?(name)
      return old_versioncmp(*args[0]) if name == 'versioncmp'
      Bunraku.ask('builtin', [scope.live!.number, name, args[0], given(block)])
    end

    # The older form of it takes two versions and says nothing of their types.
    def old_versioncmp(*versions)
      unless versions.length == 2
        raise ArgumentError, "versioncmp(): Wrong number of arguments given (#{versions.length} for 2)"
      end
      Puppet::Util::Package.versioncmp(*versions)
    end

    # Loads the file of an old function, if there is one; a compile looks for it once.
    def load_old(name)
      return unless name.match?(/\A\w+\z/)
      file = (@old_places ||= {}).fetch(name) do
        paths = folders.map { |folder| File.join(folder, 'puppet/parser/functions', "#{name}.rb") }
        @old_places[name] = paths.find { |path| File.file?(path) }
      end
      load_old_file(name, file) if file
    end

    def load_old_file(name, file)
      stat = File.stat(file)
      stamp = [stat.mtime, stat.size]
      known = (@old_files ||= {})[file]
      return if known == stamp && Puppet::Parser::Functions.known?(name)
      @old_files[file] = stamp
      text = File.read(file, encoding: Encoding::UTF_8)
      made = eval(text, Puppet::Pops::Loader::RubyLegacyFunctionInstantiator.get_binding, file, 1) # rubocop:disable Security/Eval
      [made, text]
    end

    # The same for a call from the Puppet language, which minds how the file is written.
    def load_old_function(name, file)
      Puppet::Parser::Functions.forget(name) if (@old_files ||= {})[file] && @old_files[file] != [File.stat(file).mtime, File.stat(file).size]
      unless Puppet::Parser::Functions.known?(name)
        check_old(File.read(file, encoding: Encoding::UTF_8), file)
        made, = load_old_file(name, file)
        unless made.is_a?(Hash)
          raise ArgumentError, "Illegal legacy function definition! The code loaded from #{file} did not return the result of calling 'newfunction'. Got '#{made.class}'"
        end
        unless made[:name] == "function_#{name}"
          raise ArgumentError, "The code loaded from #{file} produced mis-matched name, expected 'function_#{name}', got '#{made[:name]}'"
        end
      end
      found = Puppet::Parser::Functions.info(name)
      [found[:arity], found[:type] == :rvalue]
    end

    # What Puppet refuses in such a file: methods of its own, and no call of `newfunction`.
    def check_old(text, file)
      return if text.match?(/\bnewfunction\b/) && !text.match?(/\bdef\b/)
      require 'ripper'
      tree = Ripper.sexp(text)
      return unless tree
      calls = []
      walk_old(tree, file, calls)
      return unless calls.empty?
      raise ArgumentError, "The code loaded from #{file} does not seem to be a Puppet 3x API function - no 'newfunction' call."
    end

    def walk_old(node, file, calls)
      return unless node.is_a?(Array)
      name = node.find { |part| part.is_a?(Array) && part[0] == :@ident }
      case node[0]
      when :fcall, :call then calls << name if name && name[1] == 'newfunction'
      when :def, :defs
        shown = name ? name[1] : '<unknown>'
        line = name && name[2].is_a?(Array) ? name[2][1] : nil
        site = Bunraku.compile.holds?('called-openvox') ? 'docs.openvoxproject.org/openvox' : 'puppet.com/docs/puppet'
        raise SecurityError, "Illegal method definition of method '#{shown}' in source #{file} on line #{line || '<unknown>'} in legacy function. See https://#{site}/latest/functions_refactor_legacy.html for more information"
      end
      node.each { |part| walk_old(part, file, calls) }
    end

    # Arguments as old functions know them.
    def to_old(value, inner = false)
      case value
      when String then value.dup
      when Numeric, true, false then value
      when nil then inner ? nil : empty_text
      when Array then value.map { |item| to_old(item, true) }
      when Hash then value.to_h { |key, item| [to_old(key, true), to_old(item, true)] }
      when Regexp then value.inspect
      when Puppet::Pops::Types::PCatalogEntryType then reference(value)
      when SemanticPuppet::Version, SemanticPuppet::VersionRange, Puppet::Pops::Types::PBinaryType::Binary,
           Puppet::Pops::Time::Timespan, Puppet::Pops::Time::Timestamp
        value.to_s
      else value
      end
    end

    def empty_text
      Puppet.version.to_i < 8 ? String.new : ''.freeze
    end

    def reference(type)
      if type.is_a?(Puppet::Pops::Types::PClassType)
        Puppet::Resource.new('class', type.title.to_s)
      elsif type.type_name.nil?
        type
      else
        Puppet::Resource.new(type.type_name, type.title.to_s)
      end
    end

    # Results of old functions: the symbol they used for undef.
    def from_old(value)
      case value
      when :undef then nil
      when Array then value.map { |item| from_old(item) }
      when Hash then value.to_h { |key, item| [from_old(key), from_old(item)] }
      else value
      end
    end

    def call_old(name, scope, args)
      scope.public_send("function_#{name}", args.map { |arg| to_old(arg) })
    ensure
      scope.settle
    end
  end
end
