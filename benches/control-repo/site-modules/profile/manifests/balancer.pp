# Takes connections and hands them to servers.
class profile::balancer (
  Hash[String[1], Profile::Service] $services,
  Stdlib::IP::Address               $address,
  Hash[String, String]              $defaults  = {},
  Boolean                           $watch     = true,
) {
  class { 'haproxy':
    merge_options    => true,
    global_options   => {
      'maxconn' => String(4096 * profile::workers(512)),
      'stats'   => ['socket /var/lib/haproxy/stats level admin', 'timeout 30s'],
    },
    defaults_options => $defaults,
  }

  haproxy::listen { 'stats':
    ipaddress => '127.0.0.1',
    ports     => '9000',
    mode      => 'http',
    options   => { 'stats' => ['enable', 'uri /', 'refresh 10s'] },
  }

  $services.each |$name, $service| {
    profile::balanced { $name:
      address => $address,
      service => $service,
    }
  }

  if $watch {
    include profile::balancer::alive
  }
}
