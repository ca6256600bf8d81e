# Values that JSON has no form for.
notify { 'rich':
  message  => Binary('AAH//g=='),
  withpath => Sensitive(true),
}
define all($values, $version, $at, $type, $hash) { }
all { 'x':
  values  => [Binary('YQ=='), Sensitive('s'), default, /a.c/],
  version => SemVer('1.2.3'),
  at      => Timestamp('2020-01-02T03:04:05Z'),
  type    => Integer[1, 2],
  hash    => { 1 => 'integer', 'b' => Binary('YQ==') },
}
