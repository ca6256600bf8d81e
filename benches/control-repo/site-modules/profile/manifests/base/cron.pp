# Things done again and again; each machine at its own minute.
class profile::base::cron (
  Hash[String, Hash] $jobs,
  Hash[String, Hash] $timers = {},
) {
  $jobs.each |$name, $job| {
    $own = { 'minute' => fqdn_rand(60, $name), 'user' => 'root' }
    cron { $name:
      * => $own + $job,
    }
  }

  $timers.each |$name, $timer| {
    systemd::timer { "${name}.timer":
      timer_content   => epp('profile/timer.epp', { 'name' => $name, 'every' => $timer['every'] }),
      service_content => template('profile/timer-service.erb'),
      active          => true,
      enable          => true,
    }
  }
}
