# Values as tagged bytes. The form is drawn in wire.rs.

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

  # A key that a Hiera backend does not have.
  class NoSuchKey < Exception; end

  # A function that cannot be loaded.
  class LoadFailure < ArgumentError; end

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
    Tag = Protocol::ValueTag

    def initialize(bytes, at)
      @bytes = bytes
      @at = at
    end

    def byte
      byte = @bytes.getbyte(@at)
      @at += 1
      byte
    end

    def size
      small = byte
      return small if small < 255
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
      form = byte
      case form
      when Tag::STRING then text
      when Tag::BYTES then text.force_encoding(Encoding::BINARY)
      when Tag::UNDEF then nil
      when Tag::TRUE then true
      when Tag::FALSE then false
      when Tag::INTEGER then integer
      when Tag::ARRAY then Array.new(size) { value }
      when Tag::KNOWN_ARRAY
        array = Bunraku.compile.share(size, [])
        size.times { array << value }
        array
      when Tag::KNOWN_HASH
        hash = Bunraku.compile.share(size, {})
        size.times { key = value; hash[key] = value }
        hash
      when Tag::AGAIN then Bunraku.compile.shared(size)
      when Tag::FROZEN then Bunraku.freeze_deep(value)
      when Tag::HASH
        hash = {}
        size.times { key = value; hash[key] = value }
        hash
      when Tag::FLOAT
        float = @bytes.byteslice(@at, 8).unpack1('E')
        @at += 8
        float
      when Tag::DEFAULT then :default
      when Tag::SENSITIVE then Puppet::Pops::Types::PSensitiveType::Sensitive.new(value)
      when Tag::REGEXP then Regexp.new(text)
      when Tag::TYPE then Puppet::Pops::Types.read(size, text, text, value, value)
      when Tag::TIMESTAMP
        seconds = integer
        Puppet::Pops::Time::Timestamp.new(seconds * 1_000_000_000 + integer)
      when Tag::TIMESPAN
        seconds = integer
        Puppet::Pops::Time::Timespan.new(seconds * 1_000_000_000 + integer)
      when Tag::VERSION then SemanticPuppet::Version.parse(text)
      when Tag::RANGE then SemanticPuppet::VersionRange.parse(text)
      when Tag::BINARY
        length = size
        @at += length
        Puppet::Pops::Types::PBinaryType::Binary.new(@bytes.byteslice(@at - length, length))
      when Tag::URI then Bunraku.uri(text)
      when Tag::LAMBDA
        number = size
        Block.new(number, integer, text)
      when Tag::OBJECT
        number = size
        Puppet::Pops::Types::ObjectHandle.read(number, text, value)
      when Tag::SCOPE then Puppet::Parser::Scope.at(size)
      when Tag::FOREIGN then Bunraku.compile.objects[size]
      when Tag::NAMED then text == 'Symbol' ? text.to_sym : Object.const_get(text)
      else raise IOError, "a value of form #{form}, which there is not"
      end
    end
  end

  # Writes values to a message.
  class Writer
    Tag = Protocol::ValueTag

    attr_reader :bytes

    def initialize(kind)
      @bytes = [kind].pack('C')
    end

    def byte(byte)
      @bytes << byte
      self
    end

    def integer(integer)
      @bytes << [integer].pack('q<')
      self
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

    def tagged(form, text)
      @bytes << form
      text(text)
    end

    def nanoseconds(form, total)
      seconds, rest = total.divmod(1_000_000_000)
      @bytes << form << [seconds, rest].pack('q<q<')
    end

    def value(value)
      case value
      when String then tagged(value.encoding == Encoding::BINARY ? Tag::BYTES : Tag::STRING, value)
      when nil then @bytes << Tag::UNDEF
      when true then @bytes << Tag::TRUE
      when false then @bytes << Tag::FALSE
      when Integer
        unless value.between?(-0x8000000000000000, 0x7fffffffffffffff)
          end_of_range = value.positive? ? 'max' : 'min'
          raise Puppet::Error, format("Use of a Ruby Integer outside of Puppet Integer %s range, got '0x%x'", end_of_range, value)
        end
        @bytes << Tag::INTEGER << [value].pack('q<')
      when Float then @bytes << Tag::FLOAT << [value].pack('E')
      when Array
        return self unless number(Tag::KNOWN_ARRAY, value)
        size(value.size)
        value.each { |item| value(item) }
      when Hash
        return self unless number(Tag::KNOWN_HASH, value)
        size(value.size)
        value.each { |key, item| value(key); value(item) }
      when Symbol
        case value
        when :default then @bytes << Tag::DEFAULT
        when :undef, :undefined then @bytes << Tag::UNDEF
        else object(value)
        end
      when Puppet::Pops::Types::PSensitiveType::Sensitive
        @bytes << Tag::SENSITIVE
        value(value.unwrap)
      when Regexp then tagged(Tag::REGEXP, Bunraku.regexp_source(value))
      when Puppet::Pops::Types::PAnyType
        @bytes << Tag::TYPE
        size(value.live!.number)
      when Puppet::Pops::Time::Timestamp then nanoseconds(Tag::TIMESTAMP, value.nsecs)
      when Puppet::Pops::Time::Timespan then nanoseconds(Tag::TIMESPAN, value.nsecs)
      when SemanticPuppet::Version then tagged(Tag::VERSION, value.to_s)
      when SemanticPuppet::VersionRange then tagged(Tag::RANGE, value.to_s)
      when Puppet::Pops::Types::PBinaryType::Binary then tagged(Tag::BINARY, value.binary_buffer)
      when Block
        @bytes << Tag::LAMBDA
        size(value.live!.number)
      when Puppet::Pops::Types::ObjectHandle
        @bytes << Tag::OBJECT
        size(value.live!.number)
      when Puppet::Parser::Scope
        @bytes << Tag::SCOPE
        size(value.live!.number)
      when Puppet::Resource
        @bytes << Tag::TYPE
        size(Bunraku.number_of_reference(value))
      when Puppet::Pops::Types::Iterable::Sequence then value(value.to_a)
      when Enumerator then value(value.to_a)
      when Proc
        block = Block.of(value)
        block ? value(block) : object(value)
      else
        !Object.autoload?(:URI) && value.is_a?(::URI::Generic) ? tagged(Tag::URI, value.to_s) : instance(value)
      end
      self
    end

    # The outermost array of a message is only its envelope.
    def envelope(value)
      return value(value) unless value.is_a?(Array)
      @bytes << Tag::ARRAY
      size(value.size)
      value.each { |item| value(item) }
      self
    end

    # The number of an array or hash; says whether what it holds has to follow: its first time in a message.
    def number(form, value)
      number, is_new = Bunraku.compile.share_number(value)
      written = (@written ||= {})
      known = !is_new && written[number]
      written[number] = true
      @bytes << (known ? Tag::AGAIN : form)
      size(number)
      !known
    end

    # An instance of a data type: its number, and what it would be made from. Any other object otherwise.
    def instance(value)
      name = Bunraku.compile.type_names[value.class]
      return object(value) unless name
      @bytes << Tag::INSTANCE
      size(Bunraku.compile.number(value))
      text(name)
      of_puppet = value.is_a?(Puppet::Pops::Types::PuppetObject)
      data = Bunraku.data_of(value)
      value(of_puppet ? value._pcore_init_hash : data)
      value(data)
      value(of_puppet ? nil : [value.class.name, Bunraku.text_of(value)])
    end

    # Any other object of Ruby: the compiler knows its class, its text and its number.
    def object(value)
      number = Bunraku.compile.number(value)
      @bytes << Tag::FOREIGN
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
end
