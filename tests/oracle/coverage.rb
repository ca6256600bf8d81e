# frozen_string_literal: true

# The oracle's protocol, with one thing more in each result: `evaluated`, the lines of each file on which an expression begins that
# Puppet's evaluator has been given. It is what `bunraku coverage` is held against. What declares is no code that runs, and is left
# out: definitions themselves, types of parameters and of what functions return, what node definitions match.

require_relative 'oracle'

module Evaluated
  @places = {}
  # Templates are parsed anew whenever they are rendered: what has been parsed must not be forgotten before it is asked for.
  @parsed = []

  class << self
    attr_reader :places, :parsed

    # Notes that an expression has been reached.
    def note(target)
      return unless target.is_a?(Puppet::Pops::Model::Positioned) && !definition?(target)

      locator = target.locator
      (places[locator.object_id] ||= [locator, {}])[1][target.offset] = true
    end

    # Whether it is a definition, a template as a whole, or what only holds others together.
    def definition?(target)
      case target
      when Puppet::Pops::Model::Definition, Puppet::Pops::Model::EppExpression, Puppet::Pops::Model::BlockExpression
        true
      when Puppet::Pops::Model::LambdaExpression then target.body.is_a?(Puppet::Pops::Model::EppExpression)
      else false
      end
    end

    # The expressions that only declare, by their places.
    def declaring
      all = Hash.new { |by_locator, id| by_locator[id] = {} }
      expressions = [
        [Puppet::Pops::Model::Parameter, :type_expr],
        [Puppet::Pops::Model::LambdaExpression, :return_type],
        [Puppet::Pops::Model::FunctionDefinition, :return_type],
        [Puppet::Pops::Model::NodeDefinition, :host_matches],
      ]
      expressions.each do |type, part|
        ObjectSpace.each_object(type) do |owner|
          [owner.send(part)].flatten.compact.each do |expression|
            all[expression.locator.object_id][expression.offset] = true
            expression._pcore_all_contents([]) do |inner|
              all[expression.locator.object_id][inner.offset] = true if inner.is_a?(Puppet::Pops::Model::Positioned)
            end
          end
        end
      end
      all
    end

    def lines
      declaring = self.declaring
      by_file = Hash.new { |all, file| all[file] = {} }
      places.each_value do |locator, offsets|
        run = offsets.keys - declaring[locator.object_id].keys
        run.each { |offset| by_file[locator.file.to_s][locator.line_for_offset(offset)] = true }
      end
      by_file.transform_values { |lines| lines.keys.sort }
    end
  end

  # Notes what is evaluated.
  module Evaluator
    def evaluate(target, scope)
      Evaluated.note(target)
      super
    end

    # Parentheses around arguments and receivers are gone through, not evaluated.
    def unwind_parentheses(target)
      Evaluated.note(target) if target.is_a?(Puppet::Pops::Model::ParenthesizedExpression)
      super
    end
  end

  # Keeps what is parsed.
  module Parser
    def assert_and_report(result, *)
      Evaluated.parsed << result
      super
    end
  end

  # Adds it to the result.
  module Job
    def run
      Evaluated.places.clear
      Evaluated.parsed.clear
      super.merge('evaluated' => Evaluated.lines)
    end
  end
end

Puppet::Pops::Evaluator::EvaluatorImpl.prepend(Evaluated::Evaluator)
Puppet::Pops::Parser::EvaluatingParser.prepend(Evaluated::Parser)
Oracle::Job.prepend(Evaluated::Job)
Oracle.main(ARGV.dup) if $PROGRAM_NAME == __FILE__
