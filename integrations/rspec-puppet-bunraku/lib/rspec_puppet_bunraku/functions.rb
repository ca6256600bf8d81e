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
    # What a job logs around the call that is asked for.
    MARK = 'rspec-puppet-bunraku'

    # The name, as the `run` matcher shows it.
    attr_reader :func_name

    # `group`: the example; `find`: finds Puppet's function.
    def initialize(group, name, &find)
      @group = group
      @func_name = name
      @find = find
      # The calls that Bunraku has answered, and how many of them Puppet has seen.
      @calls = []
      @seen = 0
      @told = false
    end

    # The file of a function of the current interface, or of the language, in a module or in Puppet. Others are Puppet's: what
    # they give is not what the language makes of it.
    def self.file(name, environment)
      path = name.gsub('::', '/')
      files = environment.modules.flat_map { |one| FILES.map { |file| File.join(one.path, format(file, within(path, file))) } }
      files << File.join(OwnRuby::PUPPET, 'functions', "#{path}.rb")
      files.find { |file| File.file?(file) }
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
      @calls << arguments
      # Where both are compared, Puppet has been asked already.
      @seen += 1 if RSpec.configuration.bunraku_compare
      value
    rescue Literal::None, Job::Unsayable, Undecided => error
      by_puppet(error.message, arguments, block)
    end

    # Makes the calls in Puppet that Bunraku has answered, for their effects.
    def replay
      @puppets_alone = true
      calls = @calls.drop(@seen)
      @seen = @calls.size
      Log.quietly { calls.each { |arguments| puppets.execute(*arguments) } } if calls.any?
    end

    # Whether Puppet's compiler has had no calls but those that Bunraku has answered, too.
    def compared?
      RSpec.configuration.bunraku_compare && !@puppets_alone
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

    # What is logged before the call has been told where Bunraku has answered one.
    def puppets
      @puppets ||= @told ? Log.quietly { @find.call } : @find.call
    end

    # Puppet is to know of the calls before.
    def by_puppet(reason, arguments, block)
      Summary.left(reason)
      replay
      puppets.execute(*arguments, &block)
    end

    # The calls before are made again, in the same compile: what they have left is there.
    def ask(arguments)
      job = @group.send(:function_job, func_name, @calls, arguments)
      result = answer(job)
      Summary.answered
      return compared(result['value'], arguments, job) if RSpec.configuration.bunraku_compare

      tell(result['logs'], job)
      result['value']
    end

    # The result of a job where its value is to be taken.
    def answer(job)
      result, = BatchProcess.instance.ask(job.json)
      raise Undecided, 'calls a function that fails' unless result['ok']

      value = result['value']
      raise Undecided, 'calls a function whose value JSON does not hold' unless held?(value, result)
      raise Undecided, 'calls a function in Ruby that returns nothing, which may be :undef' if nothing?(value) && @group.send(:ruby_function?, func_name)

      result
    end

    # What is logged outside of the call, Puppet logs once, before the first.
    def tell(logs, job)
      marks = logs.each_index.select { |number| logs[number]['message'] == MARK }
      during = logs[(marks.first + 1)...marks.last]
      outside = logs[0...marks.first] + logs[(marks.last + 1)..]
      Log.tell_messages(@told ? during : outside + during, job)
      @told = true
    end

    # Text is so in Ruby, too, where it is printed as text: symbols and other objects are not. Tagged values are left to Puppet.
    def held?(value, result)
      result.key?('value') && !tagged?(value) && result['repr'] == Puppet::Pops::Types::StringConverter.convert(value, '%p')
    end

    def nothing?(value)
      case value
      when Hash then value.each_value.any? { |item| nothing?(item) }
      when Array then value.any? { |item| nothing?(item) }
      else value.nil?
      end
    end

    def tagged?(value)
      case value
      when Hash then value.key?('__ptype') || value.each_value.any? { |item| tagged?(item) }
      when Array then value.any? { |item| tagged?(item) }
      else false
      end
    end

    def compared(value, arguments, job)
      wanted = puppets.execute(*arguments)
      return value if wanted == value

      if random?(wanted, value, arguments, job)
        Summary.random(func_name)
        return value
      end

      difference = "#{func_name}(#{arguments.inspect[1..-2]}): Puppet #{wanted.inspect}, Bunraku #{value.inspect}"
      raise Difference, Comparison.message([difference])
    end

    # Whether each of both gives another value each time, as a password by chance.
    def random?(wanted, value, arguments, job)
      answer(job)['value'] != value && puppets.execute(*arguments) != wanted
    rescue Undecided, Puppet::Error
      false
    end
  end

  # In place of rspec-puppet's own way to a function.
  module FunctionGroup
    def find_function(name = self.class.top_level_description)
      return super unless name == self.class.top_level_description

      reason = @compiler && 'works on the compiler of Puppet'
      reason ||= 'calls a function of the older interface' unless Function.file(name, adapter.current_environment)
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
      @own_function&.replay
      yield
    end

    # A compiler that the example has asked for may be in any state.
    def reason_for_puppet
      OwnRuby.reason(self) || (@compiler && !@own_function&.compared? && 'works on the compiler of Puppet')
    end

    def ruby_function?(name)
      Function.file(name, adapter.current_environment).end_with?('.rb')
    end

    # The job of a call after others.
    def function_job(name, earlier, arguments)
      node = nodename(:function)
      calls = [*earlier, arguments].map { |list| "#{name}(#{list.map { |argument| Literal.of(argument) }.join(', ')})" }
      call = calls.pop
      mark = "crit('#{Function::MARK}')"
      asked = {
        nodename: node, facts_val: facts_hash(node), trusted_facts_val: trusted_facts_hash(node),
        code: [pre_cond, *calls, "#{mark} $rspec_puppet_value = #{call} #{mark}", '$rspec_puppet_value'].join("\n")
      }
      Job.new(asked, adapter.current_environment, want: %w[value])
    end
  end
end
