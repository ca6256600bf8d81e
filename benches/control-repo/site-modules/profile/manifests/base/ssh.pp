# The way in.
class profile::base::ssh (
  Hash[String, Variant[String, Integer, Array]] $server,
  Hash[String, Variant[String, Integer, Array, Hash]] $client,
  Hash[String, Hash] $matches = {},
) {
  class { 'ssh::server':
    storeconfigs_enabled => false,
    options              => $server,
  }
  class { 'ssh::client':
    storeconfigs_enabled => false,
    options              => $client,
  }

  $matches.each |$name, $match| {
    ssh::server::match_block { $name:
      type    => 'Group',
      order   => 60,
      options => $match,
    }
  }

  # Other machines learn this one's keys.
  ['ed25519', 'ecdsa'].each |$kind| {
    $key = $facts.get("ssh.${kind}.key")
    if $key {
      @@sshkey { "${trusted['certname']}-${kind}":
        host_aliases => [$facts['networking']['ip']],
        key          => $key,
        type         => $kind,
      }
    }
  }
}
