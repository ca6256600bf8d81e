# A file with something of every construct.
require 'json'
require_relative '../other'

module Sample
  LIMIT = 10

  class Thing < Base
    attr_accessor :name

    def initialize(name, size = LIMIT, *rest, last, key: 1, **options, &block)
      super()
      @name, @size = name, size
      @name ||= "none #{rest.size}"
    end

    def self.of(name)
      new(name)
    end

    class << self
      def other(name)
        of(name).name += 'x'
      end
    end
  end
end

Puppet::Functions.create_function(:'sample::all', Puppet::Functions::InternalFunction) do
  local_types do
    type 'Names = Array[String]'
  end

  dispatch :all do
    scope_param
    param 'String[1]', :text
    optional_param 'Names', :names
    repeated_param 'Integer', :more
    optional_block_param 'Callable[1,1]', :block
    return_type 'Array'
  end

  def all(scope, text, names = [], *more)
    here = <<~END
      a #{text}
        b
    END
    first, (second, *others), third = 1, [2, 3], 4
    list = names.map { |name| next if name.empty?; name[0..2].tr('a-z', 'b') }
    more.each_with_index do |n, at|
      break n if n > 3 && at != 2
      list << n.to_s unless n.nil? or n == 1
    end
    add = ->(a, b = 1) { a + b }
    total = 0
    total += add.call(*more, 2) while total < 3
    begin
      total = Integer(text)
      raise ArgumentError, "bad #{total}" if total.zero?
    rescue ArgumentError, TypeError => e
      total = e.message =~ /^b(.)/ ? $1 : 'no'
    else
      total = 0
    ensure
      list.push('end')
    end
    hash = { 'k' => first, sym: second, **{ 'more' => others } }
    hash['x'] ||= third
    kind = case text
           when 'a', /^b/i then :one
           when String then helper(text) { |x| x * 2 }
           else nil
           end
    list.map(&:to_s).each(&add) if false
    [here, list, total, hash, kind, %w[a b], 1.5, -2, true, self, defined?(@x), block_given?, (1..3).to_a]
  end

  def helper(text)
    value = yield text
    text == 'x' ? value : call_function('upcase', value)&.length
  end
end
