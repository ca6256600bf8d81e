# The conversation with the compiler: messages over two pipes, each with a number and that of the message it answers. What
# they say is in the tables of the protocol (`protocol.rs`).

module Bunraku
  # What belongs to one compile and goes with it. `caches` has what never changes during a compile: settings, `$facts` and
  # the like, injected values, by name; so nothing in it gets stale, and it grows with what the compile asks for.
  class Compile
    # How many exceptions are kept: whoever calls a function knows of its error at once, or when it has passed those between.
    KEPT = 256

    attr_reader :objects, :facts, :node, :environment, :settings, :functions, :scopes, :caches, :contexts, :datatypes, :resource_types,
                :classes, :type_names, :readers, :references, :held

    # Whether a rule that not all versions of the language have is in force.
    def holds?(rule)
      (@rules ||= @settings['rules'].to_s.split).include?(rule)
    end

    def initialize
      @objects = []
      @numbers = {}.compare_by_identity
      @functions = {}
      @scopes = {}
      @caches = {}
      @contexts = {}
      @datatypes = {}
      @resource_types = {}
      @classes = {}
      @type_names = {}.compare_by_identity
      @readers = {}.compare_by_identity
      @references = {}.compare_by_identity
      @held = {}
      @shared = {}
      @share_numbers = {}.compare_by_identity
      @given = -1
      @raised = {}
      @raised_count = 0
    end


    # The number that an exception is known by while it passes through the compiler.
    def keep(error)
      number = @raised_count
      @raised_count += 1
      @raised.delete(number - KEPT)
      @raised[number] = error
      number
    end

    # The exception of a number; nil where it is not kept any more.
    def raised(number)
      @raised[number]
    end

    # What the compile is of. Gives the folders that Ruby is loaded from.
    def begin(node, environment, settings, folders)
      @node = node
      @environment = environment
      @settings = settings
      folders
    end

    # An array or hash that came with a number.
    def share(number, object)
      @share_numbers[object] = number
      @shared[number] = object
    end

    def shared(number)
      @shared.fetch(number)
    end

    # The number of an array or hash, and whether it is a new one.
    def share_number(object)
      number = @share_numbers[object]
      return [number, false] if number
      number = @given += 2
      share(number, object)
      [number, true]
    end

    def number(object)
      @numbers[object] ||= (@objects << object).size - 1
    end
  end

  class << self
    attr_reader :compile, :folders

    # The compiler, the catalog and the environment, by their classes: one object each for all that ask, for modules hang
    # methods and values of their own onto them.
    def kept(of)
      compile.caches[of]
    end

    def keep(of, object)
      compile.caches[of] = object
    end

    def text_of(object)
      object.to_s.to_s
    rescue StandardError
      object.class.to_s
    end

    # `$facts` and the like: read once a compile, frozen as in Puppet.
    def shared(name)
      known = compile.caches[name]
      return known if known
      value = ask('variable', [0, name])[1]
      # A witness of an upgrade is told of the facts that newer agents do not send, and gives them.
      value.default_proc = ->(_, key) { ask('fact', [key]) if key.is_a?(String) } if name == 'facts' && compile.settings['witness']
      compile.caches[name] = freeze_deep(value)
    end

    def freeze_deep(value)
      return value if value.frozen?
      case value
      when Array then value.each { |item| freeze_deep(item) }
      when Hash then value.each { |key, item| freeze_deep(key); freeze_deep(item) }
      end
      value.freeze
    end

    # A reference that a parameter holds is a resource in Puppet. One object as long as it is the same one there.
    def held_reference(number, type_name, title)
      compile.held[number] ||= begin
        made = Puppet::Resource.new(type_name, title)
        compile.references[made] = number
        made
      end
    end

    # The number of such a reference; of a resource that code has made, one that is asked for.
    def number_of_reference(resource)
      compile.references[resource] ||= compile.references[ask('reference', [resource.type.to_s, resource.title.to_s])]
    end

    # The text between the slashes of the Puppet notation.
    def regexp_source(regexp)
      return regexp.source if regexp.options.zero?
      regexp.to_s
    end

    def uri(text)
      require 'uri'
      ::URI.parse(text)
    end

    # How often code of the compile may have run: what is remembered of its variables holds as long as this stands.
    attr_reader :age

    # Asks the compiler a question of the protocol; it may call back before it answers.
    def ask(what, args = [])
      raise Puppet::Error, 'A forked process cannot ask the compiler' if stray?
      question, count, keeps = Protocol::QUESTIONS[what]
      raise IOError, "question '#{what}', which there is not" unless question
      raise IOError, "question '#{what}' in another form" unless args.size == count
      @age += 1 unless keeps
      writer = Writer.new(Protocol::Message::ASK)
      writer.byte(question)
      writer.envelope(args)
      converse(send_message(writer.bytes, 0))
    end

    # Handles messages until the question of this number is answered.
    def converse(question)
      loop do
        number, about, message = receive
        if about.zero?
          reply(number, message)
        elsif about != question
          leave(Processes::CONFUSED)
        else
          return answer_of(message)
        end
      end
    end

    def run
      loop do
        number, _about, message = receive
        if message.getbyte(0) == Protocol::Message::OVER
          Processes.note(Parts.loaded + Library.loaded)
          leave(Processes::DONE)
        end
        reply(number, message)
      end
    end

    # The answer that a message gives; raises what it fails with.
    def answer_of(message)
      reader = Reader.new(message, 0)
      case reader.byte
      when Protocol::Message::ANSWER then reader.value
      when Protocol::Message::FAILURE then raise_carried(reader)
      else leave(Processes::CONFUSED)
      end
    end

    def reply(number, message)
      depth = @depth
      begin
        @depth += 1
        @age += 1
        @clock.begin if depth.zero?
        answer = answered(message) || failure(NoSuchKey.new('no such key'))
      rescue Exception => error # rubocop:disable Lint/RescueException -- nothing may end the worker
        @clock.over
        answer = failure(error)
      ensure
        @depth = depth
        @clock.over if depth.zero?
      end
      # What a function has forked and not ended comes here as well; it has nobody to answer.
      leave(0) if stray?
      send_message(answer, number)
    end

    # The answer of a message; none where the code throws what a look-up catches: no `rescue` of its own may.
    def answered(message)
      catch(:no_such_key) do
        reader = Reader.new(message, 0)
        raise IOError, 'a message that is no request' unless reader.byte == Protocol::Message::DO
        writer = Writer.new(Protocol::Message::ANSWER)
        writer.value(handle(reader.byte, reader.value))
        return writer.bytes
      end
      nil
    end

    # Causes of failures by the names of their classes.
    FAILURES = {
      'Bunraku::NoSuchKey' => Protocol::RubyFailure::NO_SUCH_KEY,
      'Bunraku::LoadFailure' => Protocol::RubyFailure::LOAD,
      'Bunraku::TimeLimit' => Protocol::RubyFailure::TIME_LIMIT,
      'NoMethodError' => Protocol::RubyFailure::NO_METHOD,
      'NoMemoryError' => Protocol::RubyFailure::NO_MEMORY,
      'SystemExit' => Protocol::RubyFailure::EXIT,
      'SystemStackError' => Protocol::RubyFailure::SPOILT,
      'Interrupt' => Protocol::RubyFailure::SPOILT,
      'SignalException' => Protocol::RubyFailure::SPOILT
    }.freeze

    # An error as a message: its cause, then the number of what was carried, or the text, and where in the modules' Ruby it
    # was raised.
    def failure(error)
      if error.is_a?(Carried) && error.token
        return Writer.new(Protocol::Message::FAILURE).byte(Protocol::RubyFailure::CARRIED).integer(error.token).bytes
      end
      otherwise = case error
                  when Puppet::DataBinding::LookupError then Protocol::RubyFailure::LOOK_UP
                  when Puppet::PreformattedError then Protocol::RubyFailure::FORMED
                  when Puppet::Error then Protocol::RubyFailure::PUPPET
                  when StandardError then Protocol::RubyFailure::RAISED
                  else Protocol::RubyFailure::UNCAUGHT
                  end
      # Other errors have places, too (Psych's, of the text they read), which are not those of Puppet code.
      file, line, column = error.is_a?(Puppet::ParseError) ? [error.file, error.line, error.pos] : []
      told(error, otherwise, message_of(error), [file && file.to_s, line && line.to_i, column && column.to_i])
    rescue Exception => second # rubocop:disable Lint/RescueException
      what = "the error of a function could not be told: #{second.class}"
      told(second, Protocol::RubyFailure::RAISED, what, [nil, nil, nil])
    end

    # The message of an error; `otherwise` is the cause of one whose class is not among those above.
    def told(error, otherwise, text, place)
      name = error.class.name || error.class.to_s
      cause = FAILURES.fetch(name, otherwise)
      text = "#{name}: #{text}" if cause == Protocol::RubyFailure::SPOILT
      # Nobody in Puppet knows the class that a file which can't be loaded has here. Before a compile nothing is kept.
      name, number = cause == Protocol::RubyFailure::LOAD ? ['ArgumentError', -1] : [name, compile&.keep(error) || -1]
      writer = Writer.new(Protocol::Message::FAILURE).byte(cause).text(text).text(top_of(error) || '').envelope(place)
      writer.text(name).integer(number).bytes
    end

    # The compiler puts the place behind it.
    def message_of(error)
      (error.is_a?(Puppet::PlacedError) ? error.message_alone : error.message).to_s
    end

    # The innermost line that is not the worker's own.
    def top_of(error)
      if error.is_a?(SyntaxError) && (at = error.message[/\A[^\n]*?:\d+(?=:)/])
        return at
      end
      line = (error.backtrace || []).find { |text| !text.start_with?('<bunraku', '<internal') }
      line && line.sub(/:in .*\z/m, '')
    end

    def raise_carried(reader)
      cause = reader.byte
      token = reader.integer
      message = reader.text
      error = case cause
              when Protocol::CompileFailure::FAULT then error_of(reader, message)
              when Protocol::CompileFailure::NO_SUCH_KEY then throw(:no_such_key)
              when Protocol::CompileFailure::BREAK then Break.new('break() from context where this is illegal')
              when Protocol::CompileFailure::NEXT then Jump.new('next')
              when Protocol::CompileFailure::RETURN then Jump.new('return')
              else raise IOError, "an error of cause #{cause}, which there is not"
              end
      error.extend(Carried) unless error.is_a?(Carried)
      error.token = token
      raise error
    end

    # Libraries that have to be there for classes of errors.
    LIBRARIES = { 'JSON' => 'json', 'Psych' => 'psych', 'URI' => 'uri', 'IPAddr' => 'ipaddr' }.freeze

    # An error of the compiler's: the exception itself, where it was raised here, or one of its class.
    def error_of(reader, message)
      name, number, top, file, line = reader.text, reader.integer, reader.text, reader.text, reader.integer
      kept = compile.raised(number)
      return kept if kept
      error = error_named(name, message)
      error.set_backtrace([top]) unless top.empty?
      if error.is_a?(Puppet::PlacedError)
        error.file = file unless file.empty?
        error.line = line if line.positive?
      end
      error
    end

    # Not made by `new`, which each class has its own arguments for.
    def error_named(name, message)
      library = LIBRARIES[name[/\A\w+/]]
      require library if library
      name.split('::').inject(Object) { |outer, part| outer.const_get(part) }.allocate.exception(message)
    rescue NameError
      Puppet::Error.new(message)
    end

    # A message's number, that of the question it answers, and what it says.
    def receive
      @clock.wait do
        length, number, about = read_exactly(12).unpack('VVV')
        message = read_exactly(length)
        # The first message of a compile says where counting goes on.
        leave(Processes::CONFUSED) if @number && number != following(@number)
        @number = number
        [number, about, message]
      end
    end

    def read_exactly(count)
      while @buffer.bytesize < count
        begin
          @buffer << @input.readpartial(count > 65_536 ? count : 65_536)
        rescue EOFError
          leave(Processes::NOBODY)
        end
      end
      if @buffer.bytesize == count
        bytes = @buffer
        @buffer = String.new(capacity: 65_536, encoding: Encoding::BINARY)
        bytes
      else
        @buffer.slice!(0, count)
      end
    end

    # Gives the number of what was sent.
    def send_message(bytes, about)
      @number = following(@number)
      write([bytes.bytesize, @number, about].pack('VVV') << bytes)
      @number
    end

    def write(bytes)
      until bytes.empty?
        written = @output.syswrite(bytes)
        return if written == bytes.bytesize
        bytes = bytes.byteslice(written, bytes.bytesize)
      end
    rescue Errno::EPIPE
      # The compiler has ended while this process was got ready for its next compile.
      leave(Processes::NOBODY)
    end

    def following(number)
      number == 0xffffffff ? 1 : number + 1
    end

    # Ends this process and nothing of what it would do at its end.
    def leave(status)
      exit!(status)
    end
  end
end
