# The message queue.
class profile::cloud::queue (
  Hash[String, Hash]   $users,
  Hash[String, String] $policies = {},
  Array[String]        $vhosts   = ['/'],
) {
  class { 'rabbitmq':
    delete_guest_user => true,
    admin_enable      => false,
    repos_ensure      => false,
  }
  $vhosts.each |$vhost| {
    rabbitmq_vhost { $vhost:
      ensure => present,
    }
  }
  $users.each |$name, $user| {
    rabbitmq_user { $name:
      password => $user['password'],
      admin    => pick($user['admin'], false),
    }
    $vhosts.each |$vhost| {
      rabbitmq_user_permissions { "${name}@${vhost}":
        configure_permission => '.*',
        read_permission      => '.*',
        write_permission     => '.*',
      }
    }
  }
  $policies.each |$name, $pattern| {
    rabbitmq_policy { "${name}@/":
      pattern    => $pattern,
      priority   => 0,
      applyto    => 'all',
      definition => { 'ha-mode' => 'all', 'ha-sync-mode' => 'automatic' },
    }
  }
}
