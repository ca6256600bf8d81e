# A user that sites belong to.
define profile::web::owner (
  Stdlib::Absolutepath $home = "/srv/owners/${title}",
) {
  user { "web-${title}":
    ensure => present,
    system => true,
    home   => $home,
    shell  => '/usr/sbin/nologin',
  }
  file { $home:
    ensure  => directory,
    owner   => "web-${title}",
    mode    => '0750',
    require => User["web-${title}"],
  }
}
