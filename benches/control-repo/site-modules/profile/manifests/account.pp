# An account with its home and keys.
define profile::account (
  Integer                         $uid,
  String                          $realname,
  Stdlib::Absolutepath            $shell    = '/bin/bash',
  Array[String]                   $groups   = [],
  Hash[String, Profile::Sshkey]   $keys     = {},
  Hash[String, Scalar]            $settings = {},
  Enum['present', 'absent']       $ensure   = 'present',
) {
  $home = "/home/${title}"
  $is_here = $ensure == 'present'

  group { $title:
    ensure => $ensure,
    gid    => $uid,
  }
  -> user { $title:
    ensure         => $ensure,
    uid            => $uid,
    gid            => $uid,
    comment        => $realname,
    home           => $home,
    shell          => $shell,
    groups         => $groups,
    membership     => inclusive,
    purge_ssh_keys => true,
    require        => Group['everybody'],
  }

  if $is_here {
    file {
      default:
        owner   => $title,
        group   => $title,
        require => User[$title],
        ;
      $home:
        ensure => directory,
        mode   => '0750',
        ;
      ["${home}/.ssh", "${home}/.config"]:
        ensure => directory,
        mode   => '0700',
        ;
      "${home}/.profile":
        content => epp('profile/profile.sh.epp', { 'name' => $title, 'realname' => $realname, 'settings' => $settings }),
        ;
    }
  }

  $keys.each |String $key, Profile::Sshkey $data| {
    ssh_authorized_key { "${title}@${key}":
      ensure => $ensure,
      user   => $title,
      *      => $data,
    }
  }
}
