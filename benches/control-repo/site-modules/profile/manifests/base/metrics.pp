# Measures, sent to the graphite of the place.
class profile::base::metrics (
  Hash[String, Hash]    $carbons,
  Hash[String, Hash]    $plugins,
  Array[String]         $mounts_ignored = ['/dev', '/run', '/sys'],
  Integer[1]            $interval       = 10,
) {
  class { 'collectd':
    purge           => true,
    recurse         => true,
    purge_config    => true,
    interval        => $interval,
    manage_repo     => false,
    minimum_version => '5.12',
  }

  class { 'collectd::plugin::df':
    mountpoints    => $mounts_ignored,
    ignoreselected => true,
  }
  include collectd::plugin::load
  include collectd::plugin::memory
  include collectd::plugin::cpu

  $carbons.each |$name, $carbon| {
    collectd::plugin::write_graphite::carbon { $name:
      * => $carbon,
    }
  }

  $plugins.each |$name, $parameters| {
    class { "collectd::plugin::${name}":
      * => $parameters,
    }
  }
}
