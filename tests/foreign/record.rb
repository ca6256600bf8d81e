# frozen_string_literal: true

# Records what a module's own rspec suite asks Puppet to compile, as jobs of the `batch` protocol.
#
#   RECORD=jobs.jsonl MODULES=DIR rspec -I tests/foreign/shims -r ./tests/foreign/record.rb spec/classes …
#
# Nothing is compiled here: each example ends where rspec-puppet would start its compile, and the job is
# written down: code, node, facts, trusted data, settings. Calls of functions (`is_expected.to run…`) become
# jobs, too, where their arguments can be written as Puppet code. The jobs are then compiled by real Puppet and by
# Bunraku, both outside of rspec. MODULES is the folder with the modules, each by its name.

require 'json'
require 'puppet'
require 'rspec-puppet'

module Record
  # The settings that suites change and that a compile depends on.
  SETTINGS = %i[strict strict_variables].freeze

  class << self
    def seen
      @seen ||= {}
    end

    def write(job)
      line = JSON.generate(job)
      return if seen[line]

      seen[line] = true
      File.open(ENV.fetch('RECORD'), 'a') { |file| file.puts(line) }
    end

    def base(node)
      {
        'node' => node,
        'environment_name' => 'rp_env',
        'modulepath' => [ENV.fetch('MODULES')],
        'settings' => SETTINGS.to_h { |name| [name.to_s, plain(Puppet[name])] },
      }
    end

    def compile(asked)
      node = asked[:nodename]
      facts = plain(asked[:facts_val])
      trusted = Puppet::Context::TrustedInformation.new(
        'remote', node, asked[:trusted_facts_val], asked[:trusted_external_data] || {}
      )
      job = base(node).merge(
        'code' => asked[:code],
        'facts' => facts,
        'parameters' => plain(asked[:node_params]),
        'trusted' => plain(trusted.to_h),
      )
      job['hiera_config'] = asked[:hiera_config_val] if asked[:hiera_config_val]
      write(job)
    end

    def call(name, params, facts)
      arguments = params.map { |param| literal(param) }
      write(base('localhost').merge('code' => "$r = #{name}(#{arguments.join(', ')})\n$r", 'facts' => facts,
                                    'want' => %w[value]))
    rescue ArgumentError
      nil # what has no literal can't be asked of the language
    end

    def plain(value)
      case value
      when Hash then value.to_h { |key, item| [key.to_s, plain(item)] }
      when Array then value.map { |item| plain(item) }
      when Symbol then value.to_s
      else value
      end
    end

    def literal(value)
      case value
      when nil, :undef then 'undef'
      when :default then 'default'
      when true, false, Integer then value.to_s
      when Float then value.finite? ? value.to_s : raise(ArgumentError)
      when String, Symbol then quoted(value.to_s)
      when Array then "[#{value.map { |item| literal(item) }.join(', ')}]"
      when Hash then "{#{value.map { |key, item| "#{literal(key)} => #{literal(item)}" }.join(', ')}}"
      else raise ArgumentError, 'no literal'
      end
    end

    def quoted(text)
      raise ArgumentError, 'not text' unless text.encoding == Encoding::UTF_8 && text.valid_encoding?

      "'#{text.gsub('\\') { '\\\\' }.gsub("'") { "\\'" }}'"
    end
  end

  # In place of the compile.
  module Compile
    def build_catalog(*args)
      Record.compile(args.first)
      throw :recorded
    end
  end

  # In place of the call.
  module Call
    def matches?(function)
      facts = begin
        Record.plain(RSpec.current_example.example_group_instance.send(:facts_hash, 'localhost'))
      rescue StandardError
        {}
      end
      Record.call(function.func_name, @params || [], facts) unless @block
      throw :recorded
    end
  end

  # Looking for the function would compile something; its name is enough.
  Function = Struct.new(:func_name)

  module FindFunction
    def subject
      Function.new(self.class.top_level_description.downcase)
    end

    def find_function(name = self.class.top_level_description)
      Function.new(name.downcase)
    end
  end

  RSpec::Puppet::Support.prepend(Compile)
  RSpec::Puppet::FunctionMatchers::Run.prepend(Call)
  RSpec::Puppet::FunctionExampleGroup.prepend(FindFunction)
end

RSpec.configure do |config|
  config.around { |example| catch(:recorded) { example.run } }
  # A suite's coverage report would compile once more.
  config.before(:suite) { RSpec::Puppet::Coverage.singleton_class.define_method(:report!) { |*| nil } }
end
