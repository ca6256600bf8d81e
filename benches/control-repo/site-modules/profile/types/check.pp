# How often something is looked at, and how.
type Profile::Check = Variant[
  Enum['tcp', 'ssl-hello', 'mysql', 'redis'],
  Struct[{ uri => Pattern[/\A\//], Optional[expect] => Integer[100, 599], Optional[every] => Profile::Interval }]
]
