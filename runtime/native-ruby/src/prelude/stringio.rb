# Texts that are read and written as files are. Places in them are counted in bytes.

class StringIO
  include Enumerable

  def self.open(*args)
    io = new(*args)
    return io unless block_given?
    begin
      yield io
    ensure
      io.forget_text
    end
  end

  def initialize(*args, &block)
    text, mode = args
    Bunraku.left_to_ruby if block || args.size > 2 || ![nil, 'r', 'r+', 'w', 'w+', 'a', 'a+'].include?(mode)
    text = ''.dup if args.empty?
    Bunraku.left_to_ruby unless text.is_a?(String)
    text.replace('') if mode == 'w' || mode == 'w+'
    @text = text
    @reads = mode.nil? || mode == 'r' || mode.end_with?('+')
    @writes = mode != 'r'
    @appends = !mode.nil? && mode.start_with?('a')
    @at = 0
    @line = 0
    # Where it is: not known once what runs through it may have stopped anywhere.
    @known = true
  end

  def string
    @text
  end

  def string=(text)
    Bunraku.left_to_ruby unless text.is_a?(String) && @reads && @writes && !@appends
    @text = text
    rewind
    text
  end

  def write(*items)
    may_write
    items.sum { |item| put(item.to_s) }
  end

  def <<(item)
    write(item)
    self
  end

  def print(*items)
    Bunraku.left_to_ruby if items.empty?
    write(*items)
    nil
  end

  def printf(*args)
    write(format(*args)) unless args.empty?
    nil
  end

  def puts(*items)
    may_write
    items.empty? ? put("\n") : items.each { |item| put_line(item) }
    nil
  end

  def read(*args)
    Bunraku.left_to_ruby unless args.empty? || args == [nil]
    may_read
    rest = rest_of_text
    @at = @text.bytesize if @at < @text.bytesize
    rest
  end

  def gets(*args, chomp: false)
    separator = separator_of(args)
    may_read
    return nil if @at >= @text.bytesize
    rest = rest_of_text
    found = separator && rest.index(separator)
    line = found ? rest[0, found + separator.size] : rest
    @at += line.bytesize
    @line += 1
    chomp && separator ? chomped(line, separator) : line
  end

  def readlines(*args, chomp: false)
    separator = separator_of(args)
    may_read
    rest = rest_of_text
    @at = @text.bytesize if @at < @text.bytesize
    lines = separator ? rest.lines(separator) : [rest].reject { |line| line.empty? }
    @line += lines.size
    chomp && separator ? lines.map { |line| chomped(line, separator) } : lines
  end

  def each_line(*args, chomp: false)
    Bunraku.left_to_ruby unless block_given?
    separator = separator_of(args)
    Bunraku.left_to_ruby if separator.nil?
    may_read
    at = @at
    size = @text.bytesize
    rest_of_text.lines(separator).each do |line|
      # What the block does to it is not looked for any further.
      Bunraku.left_to_ruby if @at != at || @text.bytesize != size || !@known || !@reads
      at += line.bytesize
      @at = at
      @line += 1
      yield chomp ? chomped(line, separator) : line
    end
    self
  end
  alias each each_line

  # For all that runs through it. Only some of that goes to the end.
  def to_a
    lines = readlines
    @known = false
    lines
  end

  def getc
    may_read
    return nil if @at >= @text.bytesize
    char = rest_of_text[0]
    @at += char.bytesize
    char
  end

  def eof?
    may_read
    @at >= @text.bytesize
  end
  alias eof eof?

  def pos
    may_read_or_write
    @at
  end
  alias tell pos

  def pos=(at)
    Bunraku.left_to_ruby unless at.is_a?(Integer) && at >= 0
    @at = at
  end

  def seek(at)
    may_read_or_write
    self.pos = at
    0
  end

  def rewind
    @at = 0
    @line = 0
    @known = true
    0
  end

  def lineno
    may_read
    @line
  end

  def size
    Bunraku.left_to_ruby if @text.nil?
    @text.bytesize
  end
  alias length size

  def truncate(size)
    may_write
    # Of another size versions of Ruby do not agree what is given.
    Bunraku.left_to_ruby unless size == 0
    @text.replace('')
    0
  end

  def close
    @reads = false
    @writes = false
    nil
  end

  def closed?
    !@reads && !@writes
  end

  def flush
    self
  end

  def fsync
    0
  end

  def sync
    true
  end

  def tty?
    false
  end
  alias isatty tty?

  # What has been opened for a block ends with it.
  def forget_text
    @text = nil
    close
  end

  private

  def may_read
    Bunraku.left_to_ruby unless @reads && @known && !@text.nil?
  end

  def may_write
    Bunraku.left_to_ruby unless @writes && @known && !@text.nil?
  end

  def may_read_or_write
    Bunraku.left_to_ruby unless (@reads || @writes) && @known && !@text.nil?
  end

  # What lines end in; nil where all that is left is one.
  def separator_of(args)
    return "\n" if args.empty?
    separator = args[0]
    Bunraku.left_to_ruby unless args.size == 1 && (separator.nil? || separator.is_a?(String) && !separator.empty?)
    separator
  end

  def chomped(line, separator)
    line.end_with?(separator) ? line.chomp(separator) : line
  end

  def rest_of_text
    @at < @text.bytesize ? @text.byteslice(@at, @text.bytesize) : ''.dup
  end

  def put_line(item)
    return item.each { |inner| put_line(inner) } if item.is_a?(Array)
    text = item.to_s
    put(text)
    put("\n") unless text.end_with?("\n")
  end

  # Writes a text where it is, over what is there. How many bytes that is.
  def put(text)
    Bunraku.left_to_ruby unless text.is_a?(String)
    size = @text.bytesize
    @at = size if @appends
    Bunraku.left_to_ruby if @at > size
    if @at == size
      @text << text
    else
      behind = @at + text.bytesize
      @text.replace(@text.byteslice(0, @at) + text + (behind < size ? @text.byteslice(behind, size) : ''))
    end
    @at += text.bytesize
    text.bytesize
  end
end
