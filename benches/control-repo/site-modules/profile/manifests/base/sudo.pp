# Who may do what as root.
class profile::base::sudo (
  String[1]          $group,
  Hash[String, Hash] $rules,
) {
  package { 'sudo':
    ensure => installed,
  }
  -> file {
    '/etc/sudoers.d':
      ensure  => directory,
      mode    => '0750',
      purge   => true,
      recurse => true,
      ;
    "/etc/sudoers.d/10-${group}":
      mode    => '0440',
      content => "%${group} ALL=(ALL:ALL) ALL\n",
      ;
  }

  $rules.each |$name, $rule| {
    profile::sudo_rule { $name:
      * => $rule,
    }
  }
}
