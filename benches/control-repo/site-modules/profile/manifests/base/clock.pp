# The right time.
class profile::base::clock (
  Array[Stdlib::Host]        $servers,
  Enum['ntp', 'chrony']      $with = 'ntp',
) {
  # Each machine asks some of them, so that none is asked by all.
  $mine = fqdn_rotate($servers)[0, 3]

  case $with {
    'chrony': {
      class { 'chrony':
        servers => $mine,
      }
    }
    default: {
      class { 'ntp':
        servers  => $mine,
        restrict => ['default kod nomodify notrap nopeer noquery', '127.0.0.1'],
      }
    }
  }
}
