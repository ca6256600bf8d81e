# Digests of data that comes in pieces: what `Digest::MD5.new` and the like make.

module Bunraku
  class RunningDigest
    SIZES = { 'MD5' => 16, 'SHA1' => 20, 'SHA256' => 32, 'SHA384' => 48, 'SHA512' => 64 }.freeze

    def initialize(name)
      @name = name
      @pieces = []
    end

    def update(data)
      @pieces.push(Bunraku.bytes_of(data))
      self
    end
    alias << update

    def reset
      @pieces = []
      self
    end

    # Of a string, which leaves nothing behind, or of what came so far.
    def digest(*data)
      return Bunraku.digest_of(@name, @pieces) if data.empty?
      Bunraku.left_to_ruby unless data.size == 1
      reset
      Bunraku.digest_of(@name, data)
    end

    def hexdigest(*data)
      digest(*data).unpack1('H*')
    end

    def base64digest(*data)
      Base64.strict_encode64(digest(*data))
    end

    def to_s
      hexdigest
    end

    def digest_length
      SIZES[@name]
    end
    alias length digest_length
    alias size digest_length

    # It is an object of another class in Ruby, and equal to texts there.
    def class
      Bunraku.left_to_ruby
    end

    def is_a?(_other)
      Bunraku.left_to_ruby
    end
    alias kind_of? is_a?
    alias instance_of? is_a?
    alias == is_a?
    alias eql? is_a?
    alias respond_to? is_a?
  end
end
