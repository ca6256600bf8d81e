# A person with an account.
type Profile::Person = Struct[{
  uid                => Integer[2000, 59999],
  realname           => String[1],
  Optional[shell]    => Stdlib::Absolutepath,
  Optional[groups]   => Array[String[1]],
  Optional[keys]     => Hash[String[1], Profile::Sshkey],
  Optional[settings] => Hash[Pattern[/\A[A-Z_]+\z/], Variant[String, Numeric, Boolean]],
}]
