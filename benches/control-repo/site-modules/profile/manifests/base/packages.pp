# Packages that people expect.
class profile::base::packages (
  Array[String[1]]                                 $base,
  Hash[String[1], Variant[Boolean, String[1]]]     $more,
) {
  tag 'site-package'
  ensure_packages($base)

  $more.each |$name, $how| {
    $ensure = $how ? {
      true    => 'installed',
      false   => 'absent',
      default => $how,
    }
    package { $name:
      ensure => $ensure,
    }
  }
}
