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
      when 23 then text.force_encoding(Encoding::BINARY)
      when 0 then nil
      when 1 then true
      when 2 then false
      when 3 then integer
      when 6 then Array.new(size) { value }
      when 24
        array = Bunraku.compile.share(size, [])
        size.times { array << value }
        array
      when 25
        hash = Bunraku.compile.share(size, {})
        size.times { key = value; hash[key] = value }
        hash
      when 26 then Bunraku.compile.shared(size)
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
      when String then tagged(value.encoding == Encoding::BINARY ? "\x17".b : "\x05".b, value)
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
        return self unless number("\x18".b, value)
        size(value.size)
        value.each { |item| value(item) }
      when Hash
        return self unless number("\x19".b, value)
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
        !Object.autoload?(:URI) && value.is_a?(::URI::Generic) ? tagged("\x11".b, value.to_s) : object(value)
      end
      self
    end

    # The outermost array of a message is only its envelope.
    def envelope(value)
      return value(value) unless value.is_a?(Array)
      @bytes << "\x06".b
      size(value.size)
      value.each { |item| value(item) }
      self
    end

    # The number of an array or hash; says whether what it holds has to follow: its first time in a message.
    def number(tag, value)
      number, is_new = Bunraku.compile.share_number(value)
      written = (@written ||= {})
      known = !is_new && written[number]
      written[number] = true
      @bytes << (known ? "\x1a".b : tag)
      size(number)
      !known
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
end
