# Paths, as far as they are absolute or plain texts. What the disk says of one is asked through File.

class Pathname
  include Comparable

  def initialize(path)
    path = path.to_s if path.is_a?(Pathname)
    Bunraku.left_to_ruby unless path.is_a?(String) && !path.include?("\0")
    @path = path
  end

  def to_s
    @path.dup
  end
  alias to_path to_s

  def inspect
    "#<Pathname:#{@path}>"
  end

  def absolute?
    @path.start_with?('/')
  end

  def relative?
    !absolute?
  end

  # Without `.`, and with `..` taken back, whatever the disk says.
  def cleanpath(through_links = false)
    Bunraku.left_to_ruby if through_links
    kept = []
    @path.split('/').each do |part|
      next if part.empty? || part == '.'
      if part != '..'
        kept.push(part)
      elsif !kept.empty? && kept.last != '..'
        kept.pop
      elsif relative?
        kept.push(part)
      end
    end
    text = kept.join('/')
    return Pathname.new("/#{text}") if absolute?
    Pathname.new(text.empty? ? '.' : text)
  end

  def +(other)
    other = Pathname.new(other)
    return other if other.absolute?
    below = other.to_s
    detours = below.empty? || below.end_with?('/') || below.split('/').any? { |part| ['', '.', '..'].include?(part) }
    Bunraku.left_to_ruby if detours || ['', '.', '..'].include?(@path)
    Pathname.new(@path.end_with?('/') ? "#{@path}#{below}" : "#{@path}/#{below}")
  end
  alias / +

  def join(*others)
    others.inject(self) { |path, other| path + other }
  end

  def basename(*suffix)
    Pathname.new(File.basename(@path, *suffix))
  end

  def dirname
    Pathname.new(File.dirname(@path))
  end

  def extname
    File.extname(@path)
  end

  def parent
    Bunraku.left_to_ruby if @path.empty? || @path.split('/').any? { |part| part == '.' || part == '..' }
    dirname
  end

  def root?
    !@path.empty? && @path.delete('/').empty?
  end

  def exist?
    File.exist?(@path)
  end

  def file?
    File.file?(@path)
  end

  def directory?
    File.directory?(@path)
  end

  def readable?
    File.readable?(@path)
  end

  def read(*how)
    Bunraku.left_to_ruby unless how.empty?
    File.read(@path)
  end

  def ==(other)
    other.is_a?(Pathname) && other.to_s == @path
  end
  alias === ==
  alias eql? ==

  # Folders go before what begins with their names.
  def <=>(other)
    return nil unless other.is_a?(Pathname)
    @path.tr('/', "\0") <=> other.to_s.tr('/', "\0")
  end

  def each_filename
    Bunraku.left_to_ruby unless block_given?
    @path.split('/').each { |name| yield name unless name.empty? }
    nil
  end
end
