# Checkers of the syntax of texts: those that come with Puppet, which the compiler has, and those that modules register;
# what they report issues by.

module Puppet
  module Plugins
    extend Bunraku::Gaps

    module SyntaxCheckers
      SYNTAX_CHECKERS_KEY = :'puppet::syntaxcheckers'
      # Its names in Puppet 3 and 4, and what the checkers were called there.
      SYNTAX_CHECKERS = 'puppet::syntaxcheckers'
      SYNTAX_CHECKERS_TYPE = 'Puppet::Plugins::SyntaxCheckers::SyntaxChecker'

      # What every checker is.
      class SyntaxChecker
        def check(_text, _syntax, _acceptor, _place)
          raise NotImplementedError, "The class #{self.class.name} should have implemented the method check()"
        end
      end
    end
  end

  # Puppet's own checkers.
  module SyntaxCheckers
    extend Bunraku::Gaps

    # What they do, the compiler does.
    class Native < Puppet::Plugins::SyntaxCheckers::SyntaxChecker
      # The checker's key, its name in messages, and the example in one of them.
      def initialize(key, name, example)
        super()
        @key = key
        @name = name
        @example = example
      end

      def check(text, syntax, acceptor, place)
        raise ArgumentError, "#{@name} syntax checker: the text to check must be a String." unless text.is_a?(String)
        unless syntax.is_a?(String)
          raise ArgumentError, "#{@name} syntax checker: the syntax identifier must be a String, e.g. #{@example}"
        end
        unless acceptor.is_a?(Puppet::Pops::Validation::Acceptor)
          raise ArgumentError, "#{@name} syntax checker: invalid Acceptor, got: '#{acceptor.class.name}'."
        end
        code, message = Bunraku.ask('syntax', [@key, syntax, text])
        return if message.nil?
        raise ArgumentError, message if code.nil?
        issue = Puppet::Pops::Issues.issue(code.to_sym) { message }
        acceptor.accept(Puppet::Pops::Validation::Diagnostic.new(:error, issue, place.file, place, {}))
      end
    end

    class Json < Native
      def initialize
        super('json', 'Json', 'json, data+json')
      end
    end

    class Base64 < Native
      def initialize
        super('base64', 'Base64', 'json, data+json')
      end
    end

    class PP < Native
      def initialize
        super('pp', 'PP', 'pp')
      end
    end

    class EPP < Native
      def initialize
        super('epp', 'EPP', 'pp')
      end
    end
  end

  module Pops
    module Issues
      extend Bunraku::Gaps

      # A kind of fault: its code, and how its message is made.
      class Issue
        attr_reader :issue_code, :arg_names, :message_block
        attr_writer :demotable

        def initialize(issue_code, *arg_names, &message_block)
          @issue_code = issue_code
          @arg_names = arg_names
          @message_block = message_block
          @demotable = true
        end

        def demotable?
          @demotable
        end

        def format(data = {})
          MessageData.new(data, @arg_names).instance_eval(&@message_block)
        rescue StandardError => error
          raise "Error while reporting issue: #{issue_code}. #{error.message}"
        end
      end

      # What the block of a message reads.
      class MessageData
        def initialize(data, names)
          @data = data
          names.each { |name| define_singleton_method(name) { @data[name] } }
        end

        def label(*args)
          args.empty? ? label_provider : label_provider.label(args[0])
        end

        def label_provider
          @data[:label] || raise(Puppet::Error, 'Label provider key :label must be set to produce the text of the message!')
        end

        def semantic
          @data[:semantic] || raise(Puppet::Error, 'Label provider key :semantic must be set to produce the text of the message!')
        end
      end

      class << self
        def issue(code, *names, &block)
          Issue.new(code, *names, &block)
        end

        def hard_issue(code, *names, &block)
          issue(code, *names, &block).tap { |made| made.demotable = false }
        end
      end
    end

    module Validation
      extend Bunraku::Gaps

      # One fault that was found.
      Diagnostic = Struct.new(:severity, :issue, :file, :source_pos, :arguments, :exception) do
        def initialize(severity, issue, file, source_pos, arguments = {}, exception = nil)
          super
        end

        # The place as a list of what is known of it.
        def place
          [file, source_pos && source_pos.line, source_pos && source_pos.pos].map { |part| part == '' ? nil : part }
        end
      end

      # Takes faults in.
      class Acceptor
        attr_reader :diagnostics

        def initialize
          @diagnostics = []
        end

        # A fault, or all of another acceptor's.
        def accept(diagnostic)
          @diagnostics.concat(diagnostic.is_a?(Acceptor) ? diagnostic.diagnostics : [diagnostic])
        end

        def errors
          of(:error)
        end

        def warnings
          of(:warning, :deprecation)
        end

        def errors_and_warnings
          of(:error, :warning, :deprecation)
        end

        def ignored
          of(:ignore)
        end

        def error_count
          errors.size
        end

        def warning_count
          warnings.size
        end

        def errors?
          !errors.empty?
        end

        def warnings?
          !warnings.empty?
        end

        def errors_or_warnings?
          errors? || warnings?
        end

        def prune(&block)
          removed, @diagnostics = @diagnostics.partition(&block)
          removed.empty? ? nil : removed
        end

        private

        def of(*severities)
          @diagnostics.select { |diagnostic| severities.include?(diagnostic.severity) }
        end
      end

      # Faults as text, the place in front.
      class DiagnosticFormatter
        def format(diagnostic)
          "#{format_location(diagnostic)} #{format_severity(diagnostic)}#{format_message(diagnostic)}"
        end

        def format_message(diagnostic)
          diagnostic.issue.format(diagnostic.arguments)
        end

        def format_severity(diagnostic)
          diagnostic.severity == :deprecation ? 'Deprecation notice: ' : ''
        end

        def format_location(diagnostic)
          file, line, pos = diagnostic.place
          known = [file, *([line, *pos] if line)].join(':') if file
          known ? "#{known}:" : ''
        end
      end

      # The same, the place behind.
      class DiagnosticFormatterPuppetStyle < DiagnosticFormatter
        def format(diagnostic)
          place = format_location(diagnostic)
          place.empty? ? format_message(diagnostic) : "#{format_severity(diagnostic)}#{format_message(diagnostic)}#{place}"
        end

        def format_location(diagnostic)
          file, line, pos = diagnostic.place
          known = [line, *pos].join(':') if line
          if file
            known ? " at #{file}:#{known}" : " in #{file}"
          else
            known ? " at line #{known}" : ''
          end
        end
      end
    end

    module Adapters
      extend Bunraku::Gaps

      # A place in a source.
      class SourcePosAdapter
        attr_accessor :file, :line, :pos, :offset, :length

        def initialize(file = '', line = nil, pos = nil)
          @file = file
          @line = line
          @pos = pos
        end

        # Checkers of Puppet 3 were given a hash.
        def [](name)
          { file: file, line: line, pos: pos, position: pos }[name.to_sym]
        end
      end
    end
  end
end

# What extensions were made from in Puppet 3.
module PuppetX
  SYNTAX_CHECKERS = Puppet::Plugins::SyntaxCheckers::SYNTAX_CHECKERS
  SYNTAX_CHECKERS_TYPE = Puppet::Plugins::SyntaxCheckers::SYNTAX_CHECKERS_TYPE
end

module Puppetx
  SYNTAX_CHECKERS = PuppetX::SYNTAX_CHECKERS
  SYNTAX_CHECKERS_TYPE = PuppetX::SYNTAX_CHECKERS_TYPE

  module Puppet
    SyntaxChecker = ::Puppet::Plugins::SyntaxCheckers::SyntaxChecker
  end

  module Puppetlabs
    module SyntaxCheckers
      SyntaxChecker = ::Puppet::Plugins::SyntaxCheckers::SyntaxChecker
      Json = ::Puppet::SyntaxCheckers::Json
    end
  end
end

module Bunraku
  class << self
    # What `Puppet.lookup(:plugins)` gives: checkers by syntax, under the key of their registry. Made when it is first
    # asked for; then modules add to it.
    def plugins
      known = compile.caches[:plugins]
      raise known if known.is_a?(Exception)
      return known if known
      own = Puppet::SyntaxCheckers
      checkers = { 'json' => own::Json.new, 'base64' => own::Base64.new, 'pp' => own::PP.new, 'epp' => own::EPP.new }
      compile.caches[:plugins] = known = { Puppet::Plugins::SyntaxCheckers::SYNTAX_CHECKERS_KEY => checkers }
      # From here on the compiler asks for checkers here.
      ask('plugins').each { |module_name, file| extend_by(module_name, file) }
      checkers.merge!(injector.contributions(Puppet::Plugins::SyntaxCheckers::SYNTAX_CHECKERS))
      known
    rescue StandardError, ScriptError => error
      # Half a registry is none, whoever asks next.
      compile.caches[:plugins] = error
      raise
    end

    # The faults of a text by the checker for its syntax: how many, and those that are told, each as code, message, file,
    # line and column.
    def check_syntax(syntax, text, file, line, column)
      checkers = plugins[Puppet::Plugins::SyntaxCheckers::SYNTAX_CHECKERS_KEY]
      names = syntax.split('+')
      name = names.each_index.map { |n| names[n..-1].join('+') }.find { |known| checkers[known] }
      return [0, []] unless name
      acceptor = Puppet::Pops::Validation::Acceptor.new
      checkers[name].check(text, syntax, acceptor, Puppet::Pops::Adapters::SourcePosAdapter.new(file || '', line, column))
      formatter = Puppet::Pops::Validation::DiagnosticFormatterPuppetStyle.new
      most = [Puppet[:max_errors].to_i, 1].max
      told = acceptor.errors.first(most).map do |error|
        [error.issue.issue_code.to_s, formatter.format_message(error).to_s, *error.place]
      end
      [most == 1 ? told.size : acceptor.error_count, told]
    end

    private

    # Runs a module's file that extends the compiler.
    def extend_by(module_name, file)
      outer = @loading_module
      @loading_module = module_name
      file.include?('/lib/puppet/bindings/') ? load(file) : require(file)
    ensure
      @loading_module = outer
    end
  end
end
