# Caches: memcached for sessions, redis for queues.
class profile::cache (
  Hash[String, Hash]      $instances,
  Integer[1]              $share  = 25,
) {
  class { 'memcached':
    max_memory => "${share}%",
    listen_ip  => '127.0.0.1',
    user       => 'memcache',
  }

  class { 'redis':
    default_install => false,
    manage_repo     => false,
  }
  $instances.each |$name, $instance| {
    redis::instance { $name:
      * => { 'databases' => 4, 'maxmemory' => '256mb', 'maxmemory_policy' => 'allkeys-lru' } + $instance,
    }
  }
}
