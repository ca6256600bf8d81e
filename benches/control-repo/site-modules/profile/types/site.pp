# A web site.
type Profile::Site = Struct[{
  Optional[aliases]   => Array[Stdlib::Fqdn],
  Optional[tls]       => Boolean,
  Optional[docroot]   => Stdlib::Absolutepath,
  Optional[proxy]     => Stdlib::HTTPUrl,
  Optional[headers]   => Array[String[1]],
  Optional[rewrites]  => Array[Struct[{ comment => String, rule => Array[String[1], 1] }]],
  Optional[locations] => Hash[Pattern[/\A\//], Struct[{ Optional[require] => String, Optional[options] => Array[String] }]],
  Optional[owner]     => String[1],
  Optional[quota]     => Pattern[/\A\d+[MG]\z/],
}]
