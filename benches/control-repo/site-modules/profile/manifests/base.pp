# What every machine has, whatever else it is.
#
# @param features parts that a machine can do without
class profile::base (
  Hash[String, Boolean] $features,
  String[1]             $contact = 'ops@example.com',
) {
  $parts = $features.filter |$_name, $wanted| { $wanted }.keys.map |$name| { "profile::base::${name}" }
  contain $parts

  # Repositories before packages before whatever needs one.
  Class['profile::base::repositories'] -> Class['profile::base::packages']

  file { '/etc/motd':
    ensure  => file,
    mode    => '0644',
    content => epp('profile/motd.epp', {
      'contact'  => $contact,
      'parts'    => $parts,
      'role'     => $facts['site_role'],
      'location' => [$facts['datacenter'], $facts['rack']],
    }),
  }

  file { '/etc/site':
    ensure => directory,
  }
  file { '/etc/site/facts.d':
    ensure  => directory,
    purge   => true,
    recurse => true,
  }
  ['site_role', 'datacenter', 'tier', 'rack'].each |$fact| {
    file { "/etc/site/facts.d/${fact}.txt":
      content => "${fact}=${facts[$fact]}\n",
    }
  }
}
