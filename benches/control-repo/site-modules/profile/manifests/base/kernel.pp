# Settings and modules of the kernel.
class profile::base::kernel (
  Hash[String, Variant[Integer, String]] $settings,
  Array[String]                          $load      = [],
  Array[String]                          $blacklist = [],
) {
  $settings.each |$key, $value| {
    sysctl::value { $key:
      value => "${value}",
    }
  }

  $load.each |$module| {
    kmod::load { $module: }
  }
  $blacklist.each |$module| {
    file { "/etc/modprobe.d/blacklist-${module}.conf":
      content => "blacklist ${module}\ninstall ${module} /bin/false\n",
    }
  }
}
