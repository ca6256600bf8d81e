# An interface of the cloud.
type Profile::Endpoint = Struct[{
  port             => Stdlib::Port,
  type             => String[1],
  Optional[path]   => String,
  Optional[public] => Boolean,
}]
