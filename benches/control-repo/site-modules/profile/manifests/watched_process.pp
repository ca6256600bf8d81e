# A process that monit starts again.
define profile::watched_process (
  Optional[Stdlib::Absolutepath] $pidfile  = undef,
  Optional[String[1]]            $matching = undef,
  Array[Hash]                    $tests    = [],
  Integer[1]                     $timeout  = 30,
  String[1]                      $service  = $title,
) {
  unless $pidfile or $matching {
    fail("${title}: a file with its id or a pattern of its name is needed")
  }
  $tests.each |$test| {
    assert_type(Hash[String, Variant[String, Stdlib::Port]], $test) |$_want, $_got| {
      fail("${title} has a test that is not plain: ${test}")
    }
  }

  file { "/etc/monit/conf.d/20_${title}":
    mode    => '0600',
    content => template('profile/monit-process.erb'),
    notify  => Service['monit'],
  }
}
