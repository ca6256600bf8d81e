# Something that the monitoring looks at from outside.
define profile::watched (
  Stdlib::IP::Address $address,
  Stdlib::Port        $port,
  Profile::Interval   $every = '1m',
) {
  file { "/etc/monitoring/targets/${title}.yaml":
    content => to_yaml({ 'title' => $title, 'target' => "${address}:${port}", 'every' => $every }),
  }
}
