# What the applications have beside them on the machine.
class profile::applications::watched {
  include redis
  include dns

  Integer[1, 20].each |$n| {
    dns::zone { "app${n}.example.com":
      soa     => 'ns1.example.com',
      soaip   => '10.0.0.2',
      contact => 'admin.example.com.',
    }
  }
}
