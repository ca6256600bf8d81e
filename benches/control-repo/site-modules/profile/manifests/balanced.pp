# One service of the balancer, with its servers.
define profile::balanced (
  Stdlib::IP::Address $address,
  Profile::Service    $service,
) {
  $mode = pick($service['mode'], 'tcp')
  $own = { 'balance' => $mode ? { 'http' => 'roundrobin', default => 'leastconn' } }

  # Options of all checks, lists put one behind the other.
  $checks = pick($service['checks'], ['tcp']).map |$check| { profile::check_options($check) }
  $options = ([$own, pick($service['options'], {})] + $checks).reduce({}) |$all, $some| {
    $some.reduce($all) |$memo, $pair| {
      [$key, $value] = $pair
      $memo + { $key => $key in $memo ? {
        true    => [$memo[$key], $value].flatten.unique,
        default => $value,
      } }
    }
  }

  haproxy::frontend { "${title}-in":
    bind    => { "${address}:${service['port']}" => [] },
    mode    => $mode,
    options => { 'default_backend' => $title, 'option' => ["${mode}log"] },
  }
  haproxy::backend { $title:
    mode             => $mode,
    collect_exported => false,
    options          => $options,
  }

  $service['servers'].each |$name, Profile::Server $server| {
    $backup = $server['backup'] ? { true => ['backup'], default => [] }
    haproxy::balancermember { "${title}-${name}":
      listening_service => $title,
      server_names      => $name,
      ipaddresses       => $server['address'],
      ports             => "${service['port']}",
      weight            => $server['weight'],
      options           => ['check', 'inter 2000', 'rise 2', 'fall 3'] + $backup,
    }
  }
}
