# What a person sources to use a project.
define profile::cloud::credentials (
  Stdlib::Absolutepath $path,
  String[1]            $tenant,
  String[1]            $person,
  String[1]            $secret,
  Stdlib::HTTPSUrl     $url    = "https://${lookup('profile::cloud::name')}:5000/v3",
) {
  file { $path:
    mode      => '0600',
    show_diff => false,
    content   => template('profile/openrc.erb'),
  }
}
