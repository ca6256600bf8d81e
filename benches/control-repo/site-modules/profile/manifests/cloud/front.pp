# The web server that runs what is written for WSGI.
class profile::cloud::front {
  class { 'apache':
    default_vhost => false,
    purge_configs => true,
  }
  include apache::mod::ssl
  include apache::mod::headers
}
