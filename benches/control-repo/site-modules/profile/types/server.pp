# A server behind a balancer.
type Profile::Server = Struct[{
  address          => Stdlib::IP::Address,
  Optional[weight] => Integer[0, 256],
  Optional[backup] => Boolean,
}]
