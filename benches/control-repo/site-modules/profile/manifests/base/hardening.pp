# What must not be, and what must be so.
class profile::base::hardening (
  Stdlib::Absolutepath       $modules_file,
  Hash[String, Hash]         $files  = {},
  Hash[String, Hash]         $limits = {},
  Array[String]              $absent = [],
) {
  $defaults = { 'owner' => 'root', 'group' => 'root' }
  create_resources('file', $files, $defaults)

  $limits.each |$domain, $items| {
    file { "/etc/security/limits.d/50-${domain}.conf":
      content => $items.map |$item, $value| { [$domain, '-', $item, $value].join("\t") }.join("\n"),
    }
  }

  $absent.each |$path| {
    file { $path:
      ensure => absent,
    }
  }

  # Every plain file of this class belongs to nobody else.
  File <| tag == 'profile::base::hardening' and ensure != 'absent' |> {
    mode => '0644',
  }
}
