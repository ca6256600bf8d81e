# Puppet's client of HTTP, with which functions fetch secrets and report processors send what they make of reports. Ruby's
# own library does the talking: what is here is Puppet's interface to it, its trust and its errors.

module Puppet
  # What the process has for all: the client.
  module Runtime
    class << self
      def [](name)
        case name
        when :http then @client ||= HTTP::Client.new
        else raise Bunraku::Missing.new("Puppet.runtime[:#{name}] of Puppet's Ruby is not supported", name)
        end
      end
    end
  end

  def self.runtime
    Runtime
  end

  module SSL
    extend Bunraku::Gaps

    class SSLError < Puppet::Error; end

    # Whom a connection trusts, and what it shows of itself.
    SSLContext = Struct.new(:store, :client_cert, :private_key, :verify_peer)

    # Contexts out of Puppet's settings.
    class SSLProvider
      extend Bunraku::Gaps

      # Trusts Puppet's authority, and shows the certificate of this host.
      def load_context(certname: Puppet[:certname], revocation: Puppet[:certificate_revocation], password: nil, include_system_store: false)
        store = store(authorities(true), include_system_store)
        revoke(store) if %i[chain leaf].include?(revocation.to_s.to_sym)
        key = pem(File.join(Puppet[:privatekeydir], "#{certname}.pem"), 'The private key is missing from')
        own = pem(File.join(Puppet[:certdir], "#{certname}.pem"), 'The client certificate is missing from')
        SSLContext.new(store, OpenSSL::X509::Certificate.new(own), OpenSSL::PKey.read(key, password), true)
      rescue OpenSSL::PKey::PKeyError => error
        raise SSLError.new("Failed to load private key for host '#{certname}': #{error.message}", error)
      end

      # Trusts whom the system trusts, and these.
      def create_system_context(cacerts:, path: Puppet[:ssl_trust_store], include_client_cert: false)
        raise Bunraku::Missing.new("create_system_context with include_client_cert of Puppet's Ruby is not supported", :include_client_cert) if include_client_cert
        store = store(cacerts, true)
        store.add_file(path) if path && File.size?(path)
        SSLContext.new(store, nil, nil, true)
      end

      # Trusts these alone.
      def create_root_context(cacerts:, crls: [], **_revocation)
        store = store(cacerts, false)
        crls.each { |list| store.add_crl(list) }
        SSLContext.new(store, nil, nil, true)
      end

      # Trusts everybody.
      def create_insecure_context(**_own)
        SSLContext.new(nil, nil, nil, false)
      end

      # The certificates of Puppet's authority.
      def authorities(required)
        file = Puppet[:localcacert]
        text = File.file?(file) ? File.read(file) : ''
        raise Puppet::Error, "The CA certificates are missing from '#{file}'" if required && text.empty?
        text.scan(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/m).map { |one| OpenSSL::X509::Certificate.new(one) }
      end

      private

      def store(authorities, system)
        store = OpenSSL::X509::Store.new
        store.set_default_paths if system
        authorities.each { |one| store.add_cert(one) }
        store
      end

      def revoke(store)
        lists = pem(Puppet[:hostcrl], 'The CRL is missing from')
        lists.scan(/-----BEGIN X509 CRL-----.*?-----END X509 CRL-----/m) { |one| store.add_crl(OpenSSL::X509::CRL.new(one)) }
        leaf = OpenSSL::X509::V_FLAG_CRL_CHECK
        store.flags = Puppet[:certificate_revocation].to_s == 'leaf' ? leaf : leaf | OpenSSL::X509::V_FLAG_CRL_CHECK_ALL
      end

      def pem(file, missing)
        raise Puppet::Error, "#{missing} '#{file}'" unless File.file?(file)
        File.read(file)
      end
    end
  end

  module HTTP
    extend Bunraku::Gaps

    class HTTPError < Puppet::Error; end
    class ConnectionError < HTTPError; end
    class RouteError < HTTPError; end
    class ProtocolError < HTTPError; end
    class SerializationError < HTTPError; end

    # An answer that is no success.
    class ResponseError < HTTPError
      attr_reader :response

      def initialize(response)
        super(response.reason)
        @response = response
      end
    end

    class TooManyRedirects < HTTPError
      def initialize(address)
        super("Too many HTTP redirections for #{address}")
      end
    end

    class TooManyRetryAfters < HTTPError
      def initialize(address)
        super("Too many HTTP retries for #{address}")
      end
    end

    # What came back.
    class Response
      attr_reader :url, :code, :reason, :plain

      def initialize(url, plain)
        @url = url
        @plain = plain
        @code = plain.code.to_i
        @reason = plain.message
      end

      def body
        @plain.body
      end

      def read_body(&block)
        raise ArgumentError, 'A block is required' unless block
        @plain.read_body(&block)
      end

      def success?
        @plain.is_a?(Net::HTTPSuccess)
      end

      def [](name)
        @plain[name]
      end

      def each_header(&block)
        @plain.each_header(&block)
      end
    end
    ResponseNetHTTP = Response

    # The answer as Ruby's own library has it.
    module ResponseConverter
      module_function

      def to_ruby_response(response)
        response.plain
      end
    end

    # Sends requests, each over a connection of its own.
    class Client
      include Bunraku::Partial

      OF = "Puppet's HTTP client"
      REDIRECTS = 10
      RETRIES = 100

      def get(url, headers: {}, params: {}, options: {}, &block)
        run(made(Net::HTTP::Get, url, headers, params), options, &block)
      end

      def head(url, headers: {}, params: {}, options: {})
        run(made(Net::HTTP::Head, url, headers, params), options)
      end

      def delete(url, headers: {}, params: {}, options: {})
        run(made(Net::HTTP::Delete, url, headers, params), options)
      end

      def put(url, body, headers: {}, params: {}, options: {})
        run(with_body(Net::HTTP::Put, 'put', url, body, headers, params), options)
      end

      def post(url, body, headers: {}, params: {}, options: {}, &block)
        run(with_body(Net::HTTP::Post, 'post', url, body, headers, params), options, &block)
      end

      def close; end

      private

      def made(kind, url, headers, params)
        unless params.empty?
          url = url.dup
          url.query = params.map { |name, value| "#{Puppet::Util.uri_query_encode(name.to_s)}=#{Puppet::Util.uri_query_encode(value.to_s)}" }.join('&')
        end
        kind.new(url, { 'X-Puppet-Version' => Puppet.version, 'User-Agent' => Puppet[:http_user_agent] }.merge(headers))
      end

      def with_body(kind, word, url, body, headers, params)
        raise ArgumentError, "'#{word}' requires a string 'body' argument" unless body.is_a?(String)
        request = made(kind, url, headers, params)
        request.body = body
        request.content_length = body.bytesize
        raise ArgumentError, "'#{word}' requires a 'content-type' header" unless request['Content-Type']
        request
      end

      # Sends a request until there is an answer that asks for no other.
      def run(request, options, &block)
        login = options[:basic_auth]
        login ||= { user: request.uri.user, password: request.uri.password } if request.uri.user && request.uri.password
        request.basic_auth(login[:user], login[:password]) if login
        redirects = retries = 0
        loop do
          response, rest = once(request, options, &block)
          case rest
          when :moved
            raise TooManyRedirects, request.uri if redirects >= options.fetch(:redirect_limit, REDIRECTS)
            request = moved(request, response)
            redirects += 1
          when :later
            raise TooManyRetryAfters, request.uri if retries >= RETRIES
            retries += 1
            pause = [wait(response['Retry-After']), Puppet[:runinterval].to_i].min
            Puppet.warning("Sleeping for #{pause} seconds before retrying the request")
            sleep(pause)
          else
            return response
          end
        end
      end

      # Sends it once. Gives the answer, and whether another request has to follow.
      def once(request, options)
        start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        connected = false
        response = rest = nil
        connection(request.uri, options).start do |http|
          connected = true
          http.request(request) do |plain|
            response = Response.new(request.uri, plain)
            rest = if [301, 302, 307].include?(response.code) then :moved
                   elsif [429, 503].include?(response.code) && response['Retry-After'] then :later
                   end
            if rest then plain.read_body
            elsif block_given? then yield response
            else plain.body
            end
          end
        end
        [response, rest]
      rescue Puppet::SSL::SSLError, HTTPError
        raise
      rescue StandardError => error
        seconds = (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start).round(3)
        failed(request.uri, error, seconds, connected)
      end

      def failed(uri, error, seconds, connected)
        what = case error
               when Net::OpenTimeout then "timed out connect operation after #{seconds} seconds"
               when Net::ReadTimeout then "timed out read operation after #{seconds} seconds"
               when EOFError then "interrupted after #{seconds} seconds"
               else "failed after #{seconds} seconds: #{error.message}"
               end
        raise (connected ? HTTPError : ConnectionError).new("Request to #{uri} #{what}", error)
      end

      def connection(uri, options)
        http = proxied(uri)
        http.open_timeout = Puppet[:http_connect_timeout]
        http.read_timeout = Puppet[:http_read_timeout]
        http.max_retries = 0
        http.local_host = Puppet[:sourceaddress] if Puppet[:sourceaddress]
        if uri.scheme == 'https'
          context = options[:ssl_context] || own_context(options[:include_system_store])
          http.use_ssl = true
          http.verify_mode = context.verify_peer ? OpenSSL::SSL::VERIFY_PEER : OpenSSL::SSL::VERIFY_NONE
          http.cert_store = context.store if context.store
          http.cert = context.client_cert
          http.key = context.private_key
        end
        http
      end

      def own_context(system)
        provider = Puppet::SSL::SSLProvider.new
        system ? provider.create_system_context(cacerts: provider.authorities(false)) : provider.load_context
      end

      # The settings name a proxy, or the variables of the environment do.
      def proxied(uri)
        host = Puppet[:http_proxy_host].to_s
        return Net::HTTP.new(uri.hostname, uri.port) if host.empty? || host == 'none'
        past = Puppet[:no_proxy].to_s.split(/\s*,\s*/).any? do |one|
          name, port = one.sub(/\A\*?\.?/, '').split(':')
          uri.hostname.end_with?(name.to_s) && (port.nil? || port.to_i == uri.port)
        end
        return Net::HTTP.new(uri.hostname, uri.port, nil) if past
        login = [Puppet[:http_proxy_user], Puppet[:http_proxy_password]].map { |word| word.to_s == 'none' ? nil : word }
        Net::HTTP.new(uri.hostname, uri.port, host, Puppet[:http_proxy_port], *login)
      end

      # The request at the place it has moved to. Another host hears of logins only where it is trusted.
      def moved(request, response)
        place = response['location'] or raise ProtocolError, 'Location response header is missing'
        to = URI.parse(place)
        made = request.class.new(request.uri.merge(to))
        made.body = request.body
        # A place without a host is not taken for the same one, as in Puppet.
        same = to.host && to.host.casecmp?(request.uri.host)
        request.each do |name, value|
          next if %w[host accept-encoding].include?(name)
          next if !same && %w[authorization cookie].include?(name) && !Puppet[:location_trusted]
          made[name] = value
        end
        made
      rescue URI::InvalidURIError => error
        raise ProtocolError.new("Location URI is invalid: #{error.message}", error)
      end

      def wait(text)
        Integer(text)
      rescue ArgumentError
        begin
          [(DateTime.rfc2822(text).to_time - Time.now).to_i, 0].max
        rescue ArgumentError
          raise ProtocolError, "Failed to parse Retry-After header '#{text}' as an integer or RFC 2822 date"
        end
      end
    end
  end

  # The interface of before.
  module Network
    extend Bunraku::Gaps

    module HTTP
      class RedirectionLimitExceededException < Puppet::Error; end

      # Requests to one host, by path.
      class Connection
        attr_reader :address, :port

        def initialize(host, port, use_ssl: true, context: nil)
          @address = host
          @port = port.to_i
          @use_ssl = use_ssl
          @options = { redirect_limit: 10 }
          @options[:ssl_context] = context || own_context if use_ssl
        end

        def use_ssl?
          @use_ssl
        end

        def get(path, headers = {}, options = {})
          answered { |client| client.get(url(path), headers: headers || {}, options: @options.merge(options)) }
        end

        def head(path, headers = {}, options = {})
          answered { |client| client.head(url(path), headers: headers || {}, options: @options.merge(options)) }
        end

        def delete(path, headers = { 'Depth' => 'Infinity' }, options = {})
          answered { |client| client.delete(url(path), headers: headers || {}, options: @options.merge(options)) }
        end

        def post(path, data, headers = nil, options = {})
          answered { |client| client.post(url(path), data || '', headers: typed(headers), options: @options.merge(options)) }
        end

        def put(path, data, headers = nil, options = {})
          answered { |client| client.put(url(path), data || '', headers: typed(headers), options: @options.merge(options)) }
        end

        def request_get(path, headers = {})
          shown(get(path, headers)) { |plain| yield plain if block_given? }
        end

        def request_head(path, headers = {})
          shown(head(path, headers)) { |plain| yield plain if block_given? }
        end

        def request_post(path, data, headers = {})
          shown(post(path, data, headers)) { |plain| yield plain if block_given? }
        end

        private

        def typed(headers)
          { 'Content-Type' => 'application/x-www-form-urlencoded' }.merge(headers || {})
        end

        def url(path)
          path = URI(path).request_uri if path.match?(%r{\Ahttps?://})
          URI("#{@use_ssl ? 'https' : 'http'}://#{@address}:#{@port}/#{path.delete_prefix('/')}")
        end

        def own_context
          provider = Puppet::SSL::SSLProvider.new
          provider.load_context
        rescue Puppet::SSL::SSLError => error
          Puppet.log_exception(error)
          provider.create_root_context(cacerts: [])
        end

        def shown(plain)
          yield plain
          plain
        end

        def answered
          yield(Puppet.runtime[:http]).plain
        rescue Puppet::HTTP::TooManyRedirects => error
          raise RedirectionLimitExceededException.new("Too many HTTP redirections for #{@address}:#{@port}", error)
        rescue Puppet::HTTP::HTTPError => error
          Puppet.log_exception(error, error.message)
          case error.cause
          when Net::OpenTimeout, Net::ReadTimeout, Net::HTTPError, EOFError then raise error.cause
          else raise
          end
        end
      end
    end

    module HttpPool
      class << self
        def http_instance(host, port, use_ssl = true, verify_peer = true)
          Puppet.warn_once('deprecations', self, "The method 'Puppet::Network::HttpPool.http_instance' is deprecated. Use Puppet.runtime[:http] instead")
          context = Puppet::SSL::SSLProvider.new.create_insecure_context unless verify_peer
          Network::HTTP::Connection.new(host, port, use_ssl: use_ssl, context: context)
        end

        def connection(host, port, use_ssl: true, ssl_context: nil)
          Puppet.warn_once('deprecations', self, "The method 'Puppet::Network::HttpPool.connection' is deprecated. Use Puppet.runtime[:http] instead")
          raise ArgumentError, "An ssl_context is required when connecting to 'https://#{host}:#{port}'" if use_ssl && !ssl_context
          if ssl_context && !use_ssl
            Puppet.warning("An ssl_context is unnecessary when connecting to 'http://#{host}:#{port}' and will be ignored")
          end
          Network::HTTP::Connection.new(host, port, use_ssl: use_ssl, context: use_ssl ? ssl_context : nil)
        end
      end
    end
  end
end
