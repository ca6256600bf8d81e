# A project of the cloud with its people, quotas, networks and credentials.
define profile::cloud::tenant (
  Array[String[1], 1]        $people,
  Enum['awake', 'asleep']    $state    = 'awake',
  Integer[1]                 $factor   = 1,
  Hash[String, Hash]         $networks = {},
  Hash[String, Integer]      $quotas   = {},
) {
  $home = "/srv/tenants/${title}"
  $usual = lookup('profile::cloud::quotas', Hash[String, Integer])

  keystone_tenant { $title:
    ensure      => present,
    enabled     => true,
    description => "Of ${people[0]}",
  }
  file {
    default:
      owner => 'root',
      group => 'root',
      ;
    $home:
      ensure => directory,
      mode   => '0750',
      ;
    "${home}/quotas.json":
      content => to_json(($usual + $quotas).reduce({}) |$all, $pair| { $all + { $pair[0] => $pair[1] * $factor } }),
      ;
  }

  $people.each |$index, $person| {
    $user = "${person}@${title}"
    $secret = lookup("profile::cloud::secrets.${person}", String, 'first', "unset-${person}")
    keystone_user { $user:
      ensure   => present,
      enabled  => true,
      email    => "${person}@example.com",
      password => Sensitive($secret),
    }
    keystone_user_role { "${user}@${title}":
      ensure => present,
      roles  => if $index == 0 { ['admin', 'member'] } else { ['member'] },
    }
    profile::cloud::credentials { $user:
      path   => "${home}/${person}.openrc",
      tenant => $title,
      person => $person,
      secret => $secret,
    }
  }

  $networks.each |$name, $network| {
    neutron_network { "${title}-${name}":
      ensure      => present,
      tenant_name => $title,
    }
    neutron_subnet { "${title}-${name}":
      ensure       => present,
      network_name => "${title}-${name}",
      cidr         => $network['cidr'],
      gateway_ip   => regsubst($network['cidr'], '\.0/\d+$', '.1'),
      tenant_name  => $title,
    }
  }
}
