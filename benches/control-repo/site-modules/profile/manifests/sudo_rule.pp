# A file of rules for sudo.
define profile::sudo_rule (
  Variant[String, Array[String, 1]] $who,
  Array[Stdlib::Absolutepath, 1]    $commands,
  String                            $as       = 'root',
  Boolean                           $password = true,
  Integer[10, 99]                   $order    = 50,
) {
  $tag = $password ? { true => 'PASSWD', default => 'NOPASSWD' }
  $lines = [$who].flatten.map |$one| { "${one} ALL=(${as}) ${tag}: ${commands.join(', ')}" }

  file { "/etc/sudoers.d/${order}-${title}":
    mode         => '0440',
    content      => @("RULES"),
      # ${title}: by Puppet, on ${facts['networking']['hostname']}
      ${lines.join("\n")}
      | RULES
    validate_cmd => '/usr/sbin/visudo -c -f %',
    require      => File['/etc/sudoers.d'],
  }
}
