# The web server and the sites on it.
class profile::web (
  Hash[Stdlib::Fqdn, Profile::Site] $sites,
  Array[String]                     $mods,
  Stdlib::Absolutepath              $root   = '/srv/www',
  Hash[String, String]              $headers = {},
) {
  $workers = profile::workers(64)
  class { 'apache':
    mpm_module    => false,
    default_vhost => false,
    default_mods  => ['alias', 'auth_basic', 'authz_user', 'dir', 'filter', 'mime', 'negotiation', 'reqtimeout', 'setenvif'],
    server_tokens => 'Prod',
    serveradmin   => $profile::base::contact,
    timeout       => 60,
  }
  class { 'apache::mod::event':
    serverlimit     => $workers,
    threadsperchild => 25,
  }
  $mods.each |$mod| {
    include "apache::mod::${mod}"
  }

  file { $root:
    ensure => directory,
  }

  $owners = $sites.map |$_name, $site| { pick($site['owner'], 'www-data') }.unique
  profile::web::owner { $owners - 'www-data': }

  $sites.each |$name, $site| {
    profile::web::site { $name:
      site    => $site,
      root    => $root,
      headers => $headers.map |$header, $value| { "always set ${header} \"${value}\"" },
    }
  }

  # The sites of a person need the person.
  Profile::Web::Owner <| |> -> Profile::Web::Site <| |>
}
