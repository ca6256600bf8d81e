# Serves sites, with a cache of its own.
class role::webserver {
  contain profile::base
  contain profile::web
  contain profile::cache

  Class['profile::base'] -> Class['profile::cache'] -> Class['profile::web']
}
