# Takes what comes from outside and hands it on.
class role::loadbalancer {
  contain profile::base
  contain profile::balancer

  Class['profile::base'] -> Class['profile::balancer']
}
