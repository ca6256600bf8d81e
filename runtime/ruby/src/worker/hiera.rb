# What a Hiera backend written in Ruby is given.

module Puppet
  # The context of a look-up. Its cache is kept on both sides: what has been cached is answered here.
  class LookupContext < Bunraku::Handle
    # What is kept for one location of an entry.
    class Cache
      attr_reader :values, :files

      def initialize
        @values = {}
        @files = {}
      end
    end

    attr_reader :environment_name, :module_name

    def initialize(number, attributes)
      super(number)
      @environment_name = attributes['environment_name'].to_sym
      @module_name = attributes['module_name']
      @cache = Bunraku.compile.contexts[attributes['cache']] ||= Cache.new
    end

    def cache(key, value)
      @cache.values[key] = value
    end

    def cache_all(hash)
      @cache.values.merge!(hash)
      nil
    end

    def cache_has_key(key)
      @cache.values.key?(key)
    end

    def cached_value(key)
      @cache.values[key]
    end

    def cached_entries(&block)
      if block
        @cache.values.each_pair { |key, value| block.arity.abs >= 2 ? yield(key, value) : yield([key, value]) }
        nil
      else
        Puppet::Pops::Types::Iterable.on(@cache.values)
      end
    end

    def cached_file_data(path)
      stat = File.stat(path)
      stamp = [stat.mtime, stat.size]
      known = @cache.files[path]
      return known[1] if known && known[0] == stamp
      text = File.read(path, encoding: 'bom|utf-8')
      data = block_given? ? yield(text) : text
      @cache.files[path] = [stamp, data]
      data
    end

    def interpolate(value)
      Bunraku.ask('context', [live!.number, 'interpolate', value])
    end

    # The text is made only where somebody reads it.
    def explain
      return unless Bunraku.ask('context', [live!.number, 'explain?', nil])
      Bunraku.ask('context', [live!.number, 'explain!', yield.to_s])
      nil
    end

    def not_found
      Bunraku.ask('context', [live!.number, 'not_found', nil])
    end
  end
end
