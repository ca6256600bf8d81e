# frozen_string_literal: true

module RspecPuppetBunraku
  # Literals of the Puppet language, for arguments of functions.
  module Literal
    # A value that has none.
    class None < StandardError; end

    # The literal of a value. Raises None where there is none, or where Ruby tells apart what the language does not.
    def self.of(value)
      case value
      when nil then 'undef'
      when true, false then value.to_s
      when Integer then integer(value)
      when Float then value.finite? ? value.to_s : raise(None, "calls a function with #{value}")
      when String then quoted(value)
      when Array then "[#{value.map { |item| of(item) }.join(', ')}]"
      when Hash then "{#{value.map { |key, item| "#{of(key)} => #{of(item)}" }.join(', ')}}"
      when Puppet::Pops::Types::PSensitiveType::Sensitive then "Sensitive(#{of(value.unwrap)})"
      else raise None, "calls a function with #{OwnRuby.name_of(value)}"
      end
    end

    def self.integer(value)
      raise None, "calls a function with #{value}" unless value.bit_length < 64

      value.negative? ? "(#{value})" : value.to_s
    end

    def self.quoted(text)
      raise None, 'calls a function with text of another class' unless text.instance_of?(String)
      is_utf8 = [Encoding::UTF_8, Encoding::US_ASCII].include?(text.encoding) && text.valid_encoding?
      raise None, 'calls a function with text that is not UTF-8' unless is_utf8

      "'#{text.gsub(/[\\']/) { |found| "\\#{found}" }}'"
    end
  end

  # The function of a function spec. Bunraku is asked for its value; Puppet, where something says that it could differ: then, and
  # where the example looks at Puppet's compiler afterwards, the calls are made in Puppet.
  class Function
    # Where a function's name is looked for below a module, and what of it takes the arguments as the language has them.
    FILES = ['functions/%s.pp', 'lib/puppet/functions/%s.rb'].freeze

    # The name, as the `run` matcher shows it.
    attr_reader :func_name

    # `group`: the example; `find`: finds Puppet's function.
    def initialize(group, name, &find)
      @group = group
      @func_name = name
      @find = find
      @calls = []
    end

    # Whether a function of the current interface, or of the language, lies in a module or in Puppet. Others are Puppet's: what
    # they give is not what the language makes of it.
    def self.current?(name, environment)
      path = name.gsub('::', '/')
      modules = environment.modules.map(&:path)
      modules.any? { |folder| FILES.any? { |file| File.file?(File.join(folder, format(file, within(path, file)))) } } ||
        File.file?(File.join(OwnRuby::PUPPET, 'functions', "#{path}.rb"))
    end

    # The name below a module's folder: functions in the language do not repeat the module's name there.
    def self.within(path, file)
      file.end_with?('.pp') && path.include?('/') ? path.split('/', 2).last : path
    end

    # Calls it: what the `run` matcher asks.
    def execute(*arguments, &block)
      reason = block ? 'calls a function with a block' : @group.send(:reason_for_puppet)
      return by_puppet(reason, arguments, block) if reason

      value = ask(arguments)
      # Where both are compared, Puppet has been asked already.
      @calls << arguments unless RSpec.configuration.bunraku_compare
      value
    rescue Literal::None, Job::Unsayable, Undecided => error
      by_puppet(error.message, arguments, block)
    end

    # Makes the calls in Puppet that Bunraku has answered, for their effects.
    def replay
      calls = @calls
      @calls = []
      calls.each { |arguments| puppets.execute(*arguments) }
    end

    # Everything else is asked of Puppet's function.
    def method_missing(name, *arguments, &block)
      puppets.respond_to?(name) ? puppets.public_send(name, *arguments, &block) : super
    end

    def respond_to_missing?(name, include_private = false)
      puppets.respond_to?(name, include_private) || super
    end

    # Why Bunraku's answer is not taken.
    class Undecided < StandardError; end

    private

    def puppets
      @puppets ||= @find.call
    end

    def by_puppet(reason, arguments, block)
      Summary.left(reason)
      puppets.execute(*arguments, &block)
    end

    def ask(arguments)
      result, = BatchProcess.instance.ask(@group.send(:function_job, func_name, arguments).json)
      raise Undecided, 'calls a function that fails' unless result['ok']

      value = result['value']
      raise Undecided, 'calls a function whose value JSON does not hold' unless held?(value, result)

      Summary.answered
      compared(value, arguments)
    end

    # What is text is so in Ruby, too; tagged values are left to Puppet.
    def held?(value, result)
      return result['repr'].to_s.start_with?("'", '"') if value.is_a?(String)

      result.key?('value') && !tagged?(value)
    end

    def tagged?(value)
      case value
      when Hash then value.key?('__ptype') || value.each_value.any? { |item| tagged?(item) }
      when Array then value.any? { |item| tagged?(item) }
      else false
      end
    end

    def compared(value, arguments)
      return value unless RSpec.configuration.bunraku_compare

      wanted = puppets.execute(*arguments)
      return value if Comparison.plain(wanted) == value

      difference = "#{func_name}(#{arguments.inspect[1..-2]}): Puppet #{wanted.inspect}, Bunraku #{value.inspect}"
      raise Difference, Comparison.message([difference])
    end
  end

  # In place of rspec-puppet's own way to a function.
  module FunctionGroup
    def find_function(name = self.class.top_level_description)
      return super unless name == self.class.top_level_description

      reason = @compiler && 'works on the compiler of Puppet'
      reason ||= 'calls a function of the older interface' unless Function.current?(name, adapter.current_environment)
      return @own_function = Function.new(self, name) { super(name) } unless reason

      super.tap { |found| Summary.left(reason) if found }
    end

    def scope
      bring_up_to_date { super }
    end

    def catalogue
      bring_up_to_date { super }
    end

    def call_function(name, *arguments)
      bring_up_to_date { super }
    end

    def rspec_puppet_cleanup
      @own_function = nil
      super
    end

    private

    # Puppet's compiler is to have seen the calls that Bunraku has answered.
    def bring_up_to_date
      function = @own_function
      function&.replay
      yield
    end

    # A compiler that the example has asked for may be in any state.
    def reason_for_puppet
      OwnRuby.reason(self) || (@compiler && 'works on the compiler of Puppet')
    end

    def function_job(name, arguments)
      node = nodename(:function)
      call = "#{name}(#{arguments.map { |argument| Literal.of(argument) }.join(', ')})"
      asked = {
        nodename: node, facts_val: facts_hash(node), trusted_facts_val: trusted_facts_hash(node),
        code: "#{pre_cond}\n$rspec_puppet_value = #{call}\n$rspec_puppet_value"
      }
      Job.new(asked, adapter.current_environment, want: %w[value])
    end
  end
end
