# Digests of data that comes in pieces, which `Digest::MD5.new` and the like make, and those of OpenSSL: plain, keyed, and of passwords.
# What is computed, `Bunraku` does.

module Bunraku
  # What has come so far, as it was when it came.
  module Pieces
    def update(data)
      @pieces.push(Bunraku.bytes_of(data))
      self
    end
    alias << update

    def reset
      @pieces = []
      self
    end
  end

  class RunningDigest
    include Pieces

    SIZES = { 'MD5' => 16, 'SHA1' => 20, 'SHA256' => 32, 'SHA384' => 48, 'SHA512' => 64 }.freeze

    def initialize(name)
      @name = name
      @pieces = []
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

module OpenSSL
  class OpenSSLError < StandardError; end

  class Digest
    include Bunraku::Pieces

    class DigestError < OpenSSLError; end

    SIZES = { 'MD5' => [16, 64], 'SHA1' => [20, 64], 'SHA256' => [32, 64], 'SHA384' => [48, 128], 'SHA512' => [64, 128] }.freeze

    # The name of a digest, given by that or as an object.
    def self.name_of(digest)
      return digest.name if digest.is_a?(OpenSSL::Digest)
      Bunraku.left_to_ruby unless digest.is_a?(String)
      name = digest.upcase
      Bunraku.left_to_ruby unless SIZES.key?(name)
      name
    end

    def self.digest(name, data)
      Bunraku.digest_of(name_of(name), [data])
    end

    def self.hexdigest(name, data)
      digest(name, data).unpack1('H*')
    end

    def self.base64digest(name, data)
      Base64.strict_encode64(digest(name, data))
    end

    attr_reader :name

    def initialize(name, data = nil)
      @name = OpenSSL::Digest.name_of(name)
      @pieces = []
      update(data) unless data.nil?
    end

    # Of a string, which leaves nothing behind, or of what came so far.
    def digest(data = nil)
      return Bunraku.digest_of(@name, @pieces) if data.nil?
      reset
      Bunraku.digest_of(@name, [data])
    end

    def hexdigest(data = nil)
      digest(data).unpack1('H*')
    end

    def base64digest(data = nil)
      Base64.strict_encode64(digest(data))
    end

    def to_s
      hexdigest
    end

    def digest_length
      SIZES[@name][0]
    end
    alias length digest_length
    alias size digest_length

    def block_length
      SIZES[@name][1]
    end

    # What a class of one digest gives without an object.
    module OfOne
      def digest(data)
        new.digest(data)
      end

      def hexdigest(data)
        new.hexdigest(data)
      end
    end

    class MD5 < Digest
      extend OfOne

      def initialize(data = nil)
        super('MD5', data)
      end
    end

    class SHA1 < Digest
      extend OfOne

      def initialize(data = nil)
        super('SHA1', data)
      end
    end

    class SHA256 < Digest
      extend OfOne

      def initialize(data = nil)
        super('SHA256', data)
      end
    end

    class SHA384 < Digest
      extend OfOne

      def initialize(data = nil)
        super('SHA384', data)
      end
    end

    class SHA512 < Digest
      extend OfOne

      def initialize(data = nil)
        super('SHA512', data)
      end
    end
  end

  class HMAC
    include Bunraku::Pieces

    def self.digest(by, key, data)
      Bunraku.hmac(OpenSSL::Digest.name_of(by), key, [data])
    end

    def self.hexdigest(by, key, data)
      digest(by, key, data).unpack1('H*')
    end

    def self.base64digest(by, key, data)
      Base64.strict_encode64(digest(by, key, data))
    end

    def initialize(key, digest)
      @name = OpenSSL::Digest.name_of(digest)
      @key = key
      @pieces = []
    end

    def digest
      Bunraku.hmac(@name, @key, @pieces)
    end

    def hexdigest
      digest.unpack1('H*')
    end
    alias to_s hexdigest

    def base64digest
      Base64.strict_encode64(digest)
    end
  end

  module KDF
    def self.pbkdf2_hmac(password, salt:, iterations:, length:, hash:)
      Bunraku.pbkdf2(OpenSSL::Digest.name_of(hash), password, salt, iterations, length)
    end
  end

  module PKCS5
    def self.pbkdf2_hmac(password, salt, iterations, length, digest)
      Bunraku.pbkdf2(OpenSSL::Digest.name_of(digest), password, salt, iterations, length)
    end

    def self.pbkdf2_hmac_sha1(password, salt, iterations, length)
      Bunraku.pbkdf2('SHA1', password, salt, iterations, length)
    end
  end
end
