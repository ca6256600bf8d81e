# Addresses of resources, as far as they are plain: what is not certain is left to Ruby.

module URI
  class Generic
    # These have rules of their own.
    OTHERS = %w[file ftp ldap ldaps mailto ws wss]

    def self.parse(text)
      scheme, userinfo, host, port, path, query, fragment = Bunraku.uri_parts(text) || Bunraku.left_to_ruby
      return new(nil, nil, nil, nil, path, query, fragment) unless scheme
      scheme = scheme.downcase
      Bunraku.left_to_ruby if OTHERS.include?(scheme)
      kind = URI::Generic
      kind = URI::HTTP if scheme == 'http'
      kind = URI::HTTPS if scheme == 'https'
      # With nothing where the host stands: whether that is one of no letters, versions of the library say in their ways.
      Bunraku.left_to_ruby unless host || kind == URI::Generic
      kind.new(scheme, userinfo, host || :unsure, port || kind.default_port, path || '', query, fragment)
    end

    # What is made of parts, as far as these are plain, too.
    def self.build(parts)
      new(*(Bunraku.uri_of(parts) || Bunraku.left_to_ruby))
    end

    attr_reader :scheme, :userinfo, :port, :path, :query, :fragment

    def initialize(scheme, userinfo, host, port, path, query, fragment)
      @scheme = scheme
      @userinfo = userinfo
      @host = host
      @port = port
      @path = path
      @query = query
      @fragment = fragment
    end

    def user
      @userinfo && @userinfo.split(':', 2).first
    end

    def password
      @userinfo && @userinfo.split(':', 2)[1]
    end

    def host
      Bunraku.left_to_ruby if @host == :unsure
      @host
    end
    alias hostname host

    def host=(host)
      @host = plain(host, /\A[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?\z/)
    end

    def port=(port)
      @port = plain(port.to_s, /\A[1-9][0-9]{0,4}\z/).to_i
    end

    def path=(path)
      @path = plain(path, %r{\A(/[A-Za-z0-9_.-]+)+\z})
    end

    def user=(user)
      user = plain(user, /\A[A-Za-z0-9_.-]+\z/)
      @userinfo = password ? "#{user}:#{password}" : user
    end

    def password=(password)
      Bunraku.left_to_ruby unless user
      @userinfo = "#{user}:#{plain(password, /\A[A-Za-z0-9_.-]+\z/)}"
    end

    def self.default_port
      nil
    end

    def default_port
      self.class.default_port
    end

    def opaque
      nil
    end

    def absolute?
      @scheme ? true : false
    end
    alias absolute absolute?

    def relative?
      !absolute?
    end

    def hierarchical?
      true
    end

    def to_s
      port = @port && @port != default_port ? @port : nil
      Bunraku.uri_text([@scheme, @userinfo, host, port, @path, @query, @fragment])
    end

    def ==(other)
      return false unless other.is_a?(URI::Generic)
      to_s == other.to_s || Bunraku.left_to_ruby
    end

    private

    # A part that nothing is escaped in, and that no rule refuses.
    def plain(part, form)
      Bunraku.left_to_ruby unless part.is_a?(String) && form.match?(part)
      part
    end
  end

  class HTTP < Generic
    def self.default_port
      80
    end

    def request_uri
      made = @path.empty? ? '/' : @path
      @query ? "#{made}?#{@query}" : made
    end
  end

  class HTTPS < HTTP
    def self.default_port
      443
    end
  end
end
