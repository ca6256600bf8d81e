# The zones that the applications are found by.
class profile::applications::named {
  Integer[1, 20].each |$n| {
    $zone = get_in_addr_arpa("10.${n}.0")
    file { "/etc/zones/${zone}":
      content => "; ${zone}\n${join(ipaddresses().filter |$a| { $a }, "\n")}\n",
    }
  }
}
