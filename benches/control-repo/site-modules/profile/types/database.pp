# A database of an application.
type Profile::Database = Struct[{
  owner                => String[1],
  password             => Variant[String[8], Sensitive[String[8]]],
  Optional[charset]    => String[1],
  Optional[readers]    => Array[String[1]],
  Optional[extensions] => Array[String[1]],
  Optional[hosts]      => Array[Variant[Stdlib::IP::Address, Enum['%', 'localhost']]],
  Optional[backup]     => Enum['none', 'daily', 'hourly'],
}]
