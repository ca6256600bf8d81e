# The conversation with the compiler: messages over two pipes, values as tagged bytes. The form is drawn in wire.rs.

module Bunraku
  # What is on its way through Ruby and belongs to the compiler: an error it raised, a `return` or `next` of a lambda.
  # Passed back as it came unless Ruby code catches it.
  module Carried
    attr_accessor :token
  end

  # `return`, `next` and `break` of the Puppet language while they pass through Ruby. Not to be caught by a bare rescue.
  class Jump < Exception
    include Carried
  end

  # `break`: ends Ruby's own loops as well.
  class Break < StopIteration
    include Carried
  end

  # Raised into code that has run for too long.
  class TimeLimit < Exception; end

  # A thing of Puppet's Ruby that the worker does not have.
  class Missing < NameError; end

  # A value of the compiler that has no form in Ruby: known by number for as long as the compile lasts.
  class Handle
    attr_reader :number

    def initialize(number)
      @number = number
      @compile = Bunraku.compile
    end

    def live!
      raise Puppet::Error, 'A value of an earlier compile cannot be used any more' unless @compile.equal?(Bunraku.compile)
      self
    end
  end

  # Reads values from a message.
  class Reader
    def initialize(bytes, at)
      @bytes = bytes
      @at = at
    end

    def size
      byte = @bytes.getbyte(@at)
      @at += 1
      return byte if byte < 255
      long = @bytes.byteslice(@at, 4).unpack1('V')
      @at += 4
      long
    end

    def text
      length = size
      text = @bytes.byteslice(@at, length).force_encoding(Encoding::UTF_8)
      @at += length
      text
    end

    def integer
      value = @bytes.byteslice(@at, 8).unpack1('q<')
      @at += 8
      value
    end

    def value
      tag = @bytes.getbyte(@at)
      @at += 1
      case tag
      when 5 then text
      when 0 then nil
      when 1 then true
      when 2 then false
      when 3 then integer
      when 6 then Array.new(size) { value }
      when 7
        hash = {}
        size.times { key = value; hash[key] = value }
        hash
      when 4
        float = @bytes.byteslice(@at, 8).unpack1('E')
        @at += 8
        float
      when 8 then :default
      when 9 then Puppet::Pops::Types::PSensitiveType::Sensitive.new(value)
      when 10 then Regexp.new(text)
      when 11 then Puppet::Pops::Types.read(size, text, text, value, value)
      when 12
        seconds = integer
        Puppet::Pops::Time::Timestamp.new(seconds * 1_000_000_000 + integer)
      when 13
        seconds = integer
        Puppet::Pops::Time::Timespan.new(seconds * 1_000_000_000 + integer)
      when 14 then SemanticPuppet::Version.parse(text)
      when 15 then SemanticPuppet::VersionRange.parse(text)
      when 16
        length = size
        @at += length
        Puppet::Pops::Types::PBinaryType::Binary.new(@bytes.byteslice(@at - length, length))
      when 17 then Bunraku.uri(text)
      when 18
        number = size
        Block.new(number, integer, text)
      when 19
        number = size
        Puppet::Pops::Types::ObjectHandle.read(number, text, value)
      when 20 then Puppet::Parser::Scope.at(size)
      when 21 then Bunraku.compile.objects[size]
      else raise IOError, "tag #{tag} in a message"
      end
    end
  end

  # Writes values to a message.
  class Writer
    attr_reader :bytes

    def initialize(op)
      @bytes = op.b
    end

    def size(count)
      count < 255 ? @bytes << count : (@bytes << 255 << [count].pack('V'))
      self
    end

    def text(text)
      text = text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace) unless text.encoding == Encoding::UTF_8 || text.encoding == Encoding::US_ASCII || text.encoding == Encoding::BINARY
      raw = text.b
      size(raw.bytesize)
      @bytes << raw
      self
    end

    def tagged(tag, text)
      @bytes << tag
      text(text)
    end

    def nanoseconds(tag, total)
      seconds, rest = total.divmod(1_000_000_000)
      @bytes << tag << [seconds, rest].pack('q<q<')
    end

    def value(value)
      case value
      when String then tagged("\x05".b, value)
      when nil then @bytes << "\x00".b
      when true then @bytes << "\x01".b
      when false then @bytes << "\x02".b
      when Integer
        unless value.between?(-0x8000000000000000, 0x7fffffffffffffff)
          end_of_range = value.positive? ? 'max' : 'min'
          raise Puppet::Error, format("Use of a Ruby Integer outside of Puppet Integer %s range, got '0x%x'", end_of_range, value)
        end
        @bytes << "\x03".b << [value].pack('q<')
      when Float then @bytes << "\x04".b << [value].pack('E')
      when Array
        @bytes << "\x06".b
        size(value.size)
        value.each { |item| value(item) }
      when Hash
        @bytes << "\x07".b
        size(value.size)
        value.each { |key, item| value(key); value(item) }
      when Symbol
        case value
        when :default then @bytes << "\x08".b
        when :undef, :undefined then @bytes << "\x00".b
        else object(value)
        end
      when Puppet::Pops::Types::PSensitiveType::Sensitive
        @bytes << "\x09".b
        value(value.unwrap)
      when Regexp then tagged("\x0a".b, Bunraku.regexp_source(value))
      when Puppet::Pops::Types::PAnyType
        @bytes << "\x0b".b
        size(value.live!.number)
      when Puppet::Pops::Time::Timestamp then nanoseconds("\x0c".b, value.nsecs)
      when Puppet::Pops::Time::Timespan then nanoseconds("\x0d".b, value.nsecs)
      when SemanticPuppet::Version then tagged("\x0e".b, value.to_s)
      when SemanticPuppet::VersionRange then tagged("\x0f".b, value.to_s)
      when Puppet::Pops::Types::PBinaryType::Binary then tagged("\x10".b, value.binary_buffer)
      when Block
        @bytes << "\x12".b
        size(value.live!.number)
      when Puppet::Pops::Types::ObjectHandle
        @bytes << "\x13".b
        size(value.live!.number)
      when Puppet::Pops::Types::PuppetObject then instance(value)
      when Puppet::Parser::Scope
        @bytes << "\x14".b
        size(value.live!.number)
      when Puppet::Resource then value(Bunraku.ask('reference', [value.type.to_s, value.title]))
      when Puppet::Pops::Types::Iterable::Sequence then value(value.to_a)
      when Enumerator then value(value.to_a)
      when Proc
        block = Block.of(value)
        block ? value(block) : object(value)
      else
        defined?(::URI::Generic) && value.is_a?(::URI::Generic) ? tagged("\x11".b, value.to_s) : object(value)
      end
      self
    end

    # An instance of a data type: its number, and what it would be made from.
    def instance(value)
      name = Bunraku.compile.type_names[value.class]
      return object(value) unless name
      @bytes << "\x16".b
      size(Bunraku.compile.number(value))
      text(name)
      value(value._pcore_init_hash)
      value(Bunraku.data_of(value))
    end

    # Any other object of Ruby: the compiler knows its class, its text and its number.
    def object(value)
      number = Bunraku.compile.number(value)
      @bytes << "\x15".b
      size(number)
      text(value.class.name || 'Object')
      text(Bunraku.text_of(value))
    end
  end

  # A lambda of the Puppet language.
  class Block < Handle
    attr_reader :arity

    @procs = ObjectSpace::WeakMap.new

    class << self
      attr_reader :procs

      def of(proc)
        @procs[proc]
      end
    end

    # `parameters` names them, each with a mark: `!` required, `?` optional, `*` the rest.
    def initialize(number, arity, parameters)
      super(number)
      @arity = arity
      @parameters = parameters.split(',').map do |text|
        kind = { '!' => :req, '?' => :opt, '*' => :rest }[text[0]]
        [kind, text[1..-1].to_sym]
      end
    end

    # What Ruby code is given: yields, calls, and knows its arity and parameters.
    def to_proc
      return @proc if @proc
      block = self
      made = proc { |*args| Bunraku.ask('block', [block, args]) }
      arity = @arity
      parameters = @parameters
      made.define_singleton_method(:arity) { arity }
      made.define_singleton_method(:parameters) { parameters }
      Block.procs[made] = self
      @proc = made
    end
  end

  # What belongs to one compile and goes with it.
  class Compile
    attr_reader :objects, :facts, :node, :environment, :settings, :functions, :scopes, :caches, :contexts, :datatypes,
                :classes, :type_names, :readers

    def initialize(node, environment, settings)
      @node = node
      @environment = environment
      @settings = settings
      @objects = []
      @numbers = {}.compare_by_identity
      @functions = {}
      @scopes = {}
      @caches = {}
      @contexts = {}
      @datatypes = {}
      @classes = {}
      @type_names = {}.compare_by_identity
      @readers = {}.compare_by_identity
    end

    def number(object)
      @numbers[object] ||= (@objects << object).size - 1
    end
  end

  class << self
    attr_reader :compile, :folders

    def text_of(object)
      object.to_s.to_s
    rescue StandardError
      object.class.to_s
    end

    # `$facts` and the like: read once a compile, frozen as in Puppet.
    def shared(name)
      known = compile.caches[name]
      return known if known
      value = freeze_deep(ask('variable', [0, name])[1])
      compile.caches[name] = value
    end

    def freeze_deep(value)
      case value
      when Array then value.each { |item| freeze_deep(item) }
      when Hash then value.each { |key, item| freeze_deep(key); freeze_deep(item) }
      end
      value.freeze
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

    # Questions after which every variable is what it was.
    READING = %w[variable variables bound changed log warn_once deprecation setting].freeze

    # How often code of the compile may have run: what is remembered of its variables holds as long as this stands.
    attr_reader :age

    # Asks the compiler; it may call back before it answers.
    def ask(what, args = nil)
      @age += 1 unless READING.include?(what)
      writer = Writer.new('c')
      writer.text(what)
      writer.value(args)
      send_message(writer.bytes)
      converse
    end

    # Handles messages until an answer comes.
    def converse
      loop do
        message = receive
        case op = message.getbyte(0)
        when 114 then return Reader.new(message, 1).value # r
        when 101 then raise_carried(Reader.new(message, 1)) # e
        else reply(op, message)
        end
      end
    end

    def run
      loop do
        message = receive
        reply(message.getbyte(0), message)
      end
    end

    def reply(op, message)
      depth = @depth
      begin
        @depth += 1
        @age += 1
        if depth.zero?
          @deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + @time_limit
        end
        writer = Writer.new('r')
        writer.value(handle(op, Reader.new(message, 1)))
        answer = writer.bytes
      rescue Exception => error # rubocop:disable Lint/RescueException -- nothing may end the worker
        @deadline = nil
        answer = failure(error)
      ensure
        @depth = depth
        @deadline = nil if depth.zero?
      end
      send_message(answer)
    end

    # An error as a message: the token of what was carried, class, text, and where in the modules' Ruby it was raised.
    def failure(error)
      writer = Writer.new('e')
      if error.is_a?(Carried) && error.token
        writer.value(error.token)
        return writer.bytes
      end
      writer.value(nil)
      writer.value(error.is_a?(StandardError))
      writer.text(error.class.name || error.class.to_s)
      writer.text(message_of(error))
      writer.text(top_of(error) || '')
      file, line = error.respond_to?(:file) ? [error.file, error.line] : [nil, nil]
      writer.value([file && file.to_s, line && line.to_i])
      writer.bytes
    rescue Exception => second # rubocop:disable Lint/RescueException
      Writer.new('e').value(nil).value(true).text(second.class.to_s).text("the error of a function could not be told: #{second.class}").text('').value([nil, nil]).bytes
    end

    def message_of(error)
      # Puppet's process has these suggestions; the worker loads them only when somebody reads one.
      require 'did_you_mean' if error.is_a?(NameError) && !defined?(DidYouMean::Correctable)
      error.message.to_s
    rescue LoadError
      error.message.to_s
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
      token = reader.value
      kind = reader.value
      message = reader.value
      error = case kind
              when 'fault' then Puppet::PreformattedError.new(message)
              when 'break' then Break.new('break() from context where this is illegal')
              else Jump.new(kind)
              end
      error.extend(Carried) unless error.is_a?(Carried)
      error.token = token
      raise error
    end

    def receive
      header = read_exactly(4)
      read_exactly(header.unpack1('V'))
    end

    def read_exactly(count)
      while @buffer.bytesize < count
        begin
          @buffer << @input.readpartial(count > 65_536 ? count : 65_536)
        rescue EOFError
          exit!(0)
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

    def send_message(bytes)
      @output.syswrite_all([bytes.bytesize].pack('V') << bytes)
    end

    # Raises into the main thread when its time is up. The compiler itself ends a worker that does not heed this.
    def watch
      main = Thread.main
      Thread.new do
        loop do
          sleep(@time_limit > 4 ? 1 : @time_limit / 8.0)
          deadline = @deadline
          if deadline && Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
            @deadline = nil
            main.raise(TimeLimit, "ran for more than #{format('%g', @time_limit)} seconds (setting ruby_timeout)")
          end
        end
      end
    end

    def start(input, output, folders, time_limit, memory_limit)
      @input = input
      @output = output
      def @output.syswrite_all(bytes)
        written = syswrite(bytes)
        while written < bytes.bytesize
          bytes = bytes.byteslice(written, bytes.bytesize)
          written = syswrite(bytes)
        end
      end
      @buffer = String.new(capacity: 65_536, encoding: Encoding::BINARY)
      @depth = 0
      @age = 0
      @folders = folders
      @time_limit = time_limit
      $LOAD_PATH.unshift(*folders)
      Process.setrlimit(Process::RLIMIT_AS, memory_limit) if memory_limit.positive?
      watch
      run
    end
  end
end
