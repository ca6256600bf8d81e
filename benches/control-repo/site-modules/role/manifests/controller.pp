# Runs the interfaces of the cloud, their queue and their caches.
class role::controller {
  contain profile::base
  contain profile::cache
  contain profile::balancer
  contain profile::cloud

  Class['profile::base'] -> Class['profile::cloud']
}
