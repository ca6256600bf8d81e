# How hashes are inspected: as Ruby does up to 3.3, or from 3.4 on. A setting of the compile says so, and not which Ruby
# this is: what is printed must not depend on that.

module Bunraku
  module Hashes
    INSPECT = Hash.instance_method(:inspect)
    TO_S = Hash.instance_method(:to_s)
    OWN = (RUBY_VERSION.split('.').map(&:to_i) <=> [3, 4]) >= 0 ? '3.4' : '3.1'
    WORD = %r{\A[^@$!].*[^-+*/`%^&|\]<=>~@]\z|\A[^-@$!+*/`%^&|\]<=>~]\z}m

    @now = OWN

    class << self
      # Has hashes written as this Ruby or its like writes them, from now on.
      def write_as(ruby)
        return if ruby == @now
        @now = ruby
        inspect, to_s = ruby == OWN ? [INSPECT, TO_S] : [INSTEAD, INSTEAD]
        Hash.define_method(:inspect, inspect)
        Hash.define_method(:to_s, to_s)
      end

      def write(hash)
        return '{}' if hash.empty?
        within(hash) { "{#{hash.map { |key, value| "#{key_of(key)}#{value.inspect}" }.join(', ')}}" }
      end

      private

      def key_of(key)
        return "#{key.inspect}#{@now == '3.4' ? ' => ' : '=>'}" unless key.is_a?(Symbol) && @now == '3.4'
        text = key.name
        key.inspect == ":#{text}" && text.match?(WORD) ? "#{text}: " : "#{text.inspect}: "
      end

      # A hash within itself is three dots.
      def within(hash)
        around = Thread.current[:bunraku_hashes] ||= {}.compare_by_identity
        return '{...}' if around.key?(hash)
        around[hash] = true
        begin
          yield
        ensure
          around.delete(hash)
        end
      end
    end

    INSTEAD = ->(*) { Hashes.write(self) }
  end
end
