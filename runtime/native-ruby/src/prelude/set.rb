# Sets: the keys of a hash, in the order they came.

class Set
  include Enumerable

  def self.[](*items)
    new(items)
  end

  def initialize(items = nil, &block)
    @hash = {}
    if block
      items.each { |item| @hash[block.call(item)] = true }
    elsif !items.nil?
      items.each { |item| @hash[item] = true }
    end
  end

  def add(item)
    @hash[item] = true
    self
  end
  alias << add

  def add?(item)
    return nil if @hash.key?(item)
    add(item)
  end

  def delete(item)
    @hash.delete(item)
    self
  end

  def delete?(item)
    return nil unless @hash.key?(item)
    delete(item)
  end

  def include?(item)
    @hash.key?(item)
  end
  alias member? include?
  alias contain? include?
  alias === include?

  def size
    @hash.size
  end
  alias length size

  def count(*args, &block)
    return @hash.size if args.empty? && !block
    to_a.count(*args, &block)
  end

  def empty?
    @hash.empty?
  end

  def clear
    @hash.clear
    self
  end

  def to_a
    @hash.keys
  end

  def to_set
    self
  end

  def dup
    Set.new(@hash.keys)
  end

  def each(&block)
    @hash.keys.each(&block)
    self
  end

  def |(other)
    made = dup
    other.each { |item| made.add(item) }
    made
  end
  alias union |
  alias + |

  def &(other)
    made = Set.new
    if other.is_a?(Set) && other.size > size
      # The smaller one is run through.
      each { |item| made.add(item) if other.include?(item) }
    else
      other.each { |item| made.add(item) if @hash.key?(item) }
    end
    made
  end
  alias intersection &

  def -(other)
    made = dup
    other.each { |item| made.delete(item) }
    made
  end
  alias difference -

  def ^(other)
    made = Set.new(other.to_a)
    @hash.keys.each { |item| made.include?(item) ? made.delete(item) : made.add(item) }
    made
  end

  def merge(other)
    other.each { |item| @hash[item] = true }
    self
  end

  def subtract(other)
    other.each { |item| @hash.delete(item) }
    self
  end

  def subset?(other)
    other.size >= size && to_a.all? { |item| other.include?(item) }
  end
  alias <= subset?

  def superset?(other)
    size >= other.size && other.to_a.all? { |item| include?(item) }
  end
  alias >= superset?

  def proper_subset?(other)
    other.size > size && subset?(other)
  end
  alias < proper_subset?

  def proper_superset?(other)
    size > other.size && superset?(other)
  end
  alias > proper_superset?

  def intersect?(other)
    other.to_a.any? { |item| include?(item) }
  end

  def disjoint?(other)
    !intersect?(other)
  end

  def select!(&block)
    keep(to_a.select(&block))
  end
  alias filter! select!

  def reject!(&block)
    keep(to_a.reject(&block))
  end

  def delete_if(&block)
    reject!(&block)
    self
  end

  def keep_if(&block)
    select!(&block)
    self
  end

  def map!(&block)
    items = to_a.map(&block)
    @hash = {}
    items.each { |item| @hash[item] = true }
    self
  end
  alias collect! map!

  def join(between = nil)
    to_a.join(between)
  end

  def ==(other)
    other.is_a?(Set) && other.size == size && to_a.all? { |item| other.include?(item) }
  end

  def inspect
    "#<Set: {#{to_a.map { |item| item.inspect }.join(', ')}}>"
  end
  alias to_s inspect

  private

  # What is left of it; nil where that is all.
  def keep(items)
    before = @hash.size
    @hash = {}
    items.each { |item| @hash[item] = true }
    items.size == before ? nil : self
  end
end
