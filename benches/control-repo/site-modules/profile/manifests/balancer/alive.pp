# The address moves to another machine when this one dies.
class profile::balancer::alive (
  Integer[1, 255]       $router,
  Integer[1, 254]       $priority,
  Sensitive[String[8]]  $secret,
) {
  ensure_packages(['keepalived'])

  file { '/etc/keepalived/keepalived.conf':
    mode    => '0600',
    content => Sensitive(epp('profile/keepalived.conf.epp', {
      'router'   => $router,
      'priority' => $priority,
      'secret'   => $secret,
      'device'   => $facts['networking']['primary'],
      'address'  => $profile::balancer::address,
    })),
    require => Package['keepalived'],
  }
  ~> service { 'keepalived':
    ensure => running,
    enable => true,
  }
}
