# A service that a balancer offers.
type Profile::Service = Struct[{
  port              => Stdlib::Port,
  Optional[mode]    => Enum['http', 'tcp'],
  Optional[options] => Hash[String[1], Variant[String, Array[String]]],
  servers           => Hash[Stdlib::Fqdn, Profile::Server, 1],
  Optional[checks]  => Array[Profile::Check],
}]
