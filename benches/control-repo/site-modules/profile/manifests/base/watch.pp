# Services that are started again when they die.
class profile::base::watch (
  Hash[String, Hash] $processes = {},
  Array[String]      $alerts    = ['root@localhost'],
  Profile::Interval  $every     = '60s',
) {
  package { 'monit':
    ensure => installed,
  }
  -> file {
    default:
      ensure => file,
      mode   => '0600',
      notify => Service['monit'],
      ;
    '/etc/monit/conf.d':
      ensure  => directory,
      mode    => '0700',
      purge   => true,
      recurse => true,
      ;
    '/etc/monit/monitrc':
      content => epp('profile/monitrc.epp'),
      ;
  }

  service { 'monit':
    ensure => running,
    enable => true,
  }

  $processes.each |$name, $process| {
    profile::watched_process { $name:
      * => $process,
    }
  }

  @@profile::watched { "${trusted['certname']}-ssh":
    address => $facts['networking']['ip'],
    port    => 22,
  }
}
