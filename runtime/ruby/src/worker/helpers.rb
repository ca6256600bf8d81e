# Small helpers of Puppet's library, each of which few modules use.

module Puppet
  module Util
    extend Bunraku::Gaps

    class << self
      # A path, a query and a fragment, each with its own characters that stand for themselves.
      def uri_encode(path, options = { allow_fragment: false })
        raise ArgumentError, 'path may not be nil' if path.nil?
        plain, query, fragment = path.encode(Encoding::UTF_8).match(/\A([^?#]*)(?:\?([^#]*))?(?:#(.*))?\z/m).captures
        encoded = rfc2396_escape(plain)
        encoded += "?#{query.split('&').map { |pair| pair.split('=').map { |part| uri_query_encode(part) }.join('=') }.join('&')}" if query
        encoded += "#{options[:allow_fragment] ? '#' : '%23'}#{uri_query_encode(fragment)}" if fragment
        encoded
      end

      def uri_query_encode(text)
        return nil if text.nil?
        bytes = text.encode(Encoding::UTF_8).b.gsub(/[^A-Za-z0-9\-._~]/) { |byte| format('%%%02X', byte.ord) }
        bytes.force_encoding(Encoding::UTF_8)
      end

      def uri_unescape(text)
        require 'uri'
        ::URI::DEFAULT_PARSER.unescape(text.to_s)
      end

      def rfc2396_escape(text)
        require 'uri'
        ::URI::DEFAULT_PARSER.escape(text)
      end

      def path_to_uri(path)
        Bunraku.uri("file://#{uri_encode(path)}")
      end

      def uri_to_path(uri)
        uri_unescape(uri.path) if uri.is_a?(::URI)
      end

      # Seconds that a block takes.
      def thinmark
        start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        yield
        Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
      end

      # Writes a file anew, all of it or nothing.
      def replace_file(file, mode, staging_location: nil, validate: true)
        require 'tempfile'
        raise Puppet::DevError, 'replace_file requires a block' unless block_given?
        file = Pathname.new(file)
        mode ||= File.exist?(file) ? File.stat(file).mode & 0o7777 : 0o640
        made = Tempfile.create(file.basename.to_s, staging_location || file.dirname.to_s, encoding: Encoding::BINARY)
        begin
          made.chmod(mode.is_a?(String) ? mode.to_i(8) : mode)
          yield made
          made.close
          File.rename(made.path, file)
        rescue StandardError
          File.unlink(made.path) if File.exist?(made.path)
          raise
        end
        file
      end

      def exit_on_fail(_message, _code = 1)
        yield
      end

      def pretty_backtrace(backtrace = caller(1))
        [*backtrace].join("\n")
      end
    end

    # What kind of machine this is.
    module Platform
      extend Bunraku::Gaps

      class << self
        def windows?
          false
        end
        alias jruby? windows?
        alias jruby_fips? windows?

        def solaris?
          RUBY_PLATFORM.include?('solaris')
        end

        def fips_enabled?
          path = '/proc/sys/crypto/fips_enabled'
          File.exist?(path) && File.read(path, 1) == '1'
        end

        def default_paths
          %w[/usr/sbin /sbin]
        end
      end
    end

    # Messages that are logged once.
    module Warnings
      module_function

      def warnonce(message)
        Puppet.warn_once('', "warnonce #{message}", message, :default, :default)
      end

      def notice_once(message)
        Bunraku.ask('warn_once', ['notice', "notice_once #{message}", message.to_s, nil])
      end

      def debug_once(_message); end
      def clear_warnings; end
    end

    # Digests of texts and files.
    module Checksums
      module_function

      { md5: 'MD5', sha1: 'SHA1', sha224: 'SHA224', sha256: 'SHA256', sha384: 'SHA384', sha512: 'SHA512' }.each do |name, digest|
        define_method(name) { |content| OpenSSL::Digest.hexdigest(digest, content) }
        define_method(:"#{name}_file") { |file| OpenSSL::Digest.hexdigest(digest, File.binread(file)) }
        module_function name, :"#{name}_file"
      end

      def checksum?(text)
        text =~ /^\{(\w{3,9})\}\S+/
      end

      def sumdata(checksum)
        checksum[/^\{\w+\}(.+)/, 1]
      end

      def sumtype(checksum)
        checksum[/^\{(\w+)\}/, 1]
      end
    end

    # Names of files and of constants.
    module ConstantInflector
      module_function

      def file2constant(file)
        file.split('/').map(&:capitalize).join('::').gsub(/_+(.)/) { Regexp.last_match(1).capitalize }
      end

      def constant2file(constant)
        constant.to_s.gsub(/([a-z])([A-Z])/, '\1_\2').gsub('::', '/').downcase
      end
    end

    # Measures nothing here, and runs what is to be measured.
    module Profiler
      def self.profile(_message, _metric)
        yield
      end
    end

    module CharacterEncoding
      module_function

      # The text as UTF-8; as it is where that can't be.
      def convert_to_utf_8(text)
        return text.encode(Encoding::UTF_8) unless text.encoding == Encoding::BINARY || text.encoding == Encoding::UTF_8
        plain = text.dup.force_encoding(Encoding::UTF_8)
        plain.valid_encoding? ? plain : text.dup
      rescue EncodingError
        text
      end

      def override_encoding_to_utf_8(text)
        plain = text.dup.force_encoding(Encoding::UTF_8)
        plain.valid_encoding? ? plain : text
      end
    end
  end
end
