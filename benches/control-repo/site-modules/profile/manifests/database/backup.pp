# A dump of a database, now and then.
define profile::database::backup (
  Enum['none', 'daily', 'hourly'] $frequency,
  String[1]                       $command,
  Stdlib::Absolutepath            $to        = '/var/backups/databases',
) {
  ensure_resource('file', $to, { 'ensure' => 'directory', 'mode' => '0700' })

  unless $frequency == 'none' {
    file { "/etc/site/backup/${title}.sh":
      mode    => '0700',
      content => epp('profile/backup.sh.epp', { 'name' => $title, 'command' => $command, 'to' => $to, 'frequency' => $frequency }),
      require => File[$to],
    }
    cron { "backup-${title}":
      command => "/etc/site/backup/${title}.sh",
      minute  => fqdn_rand(60, $title),
      hour    => $frequency ? { 'hourly' => '*', default => 2 + fqdn_rand(4, $title) },
    }
  }
}
