# A site, with and without TLS.
define profile::web::site (
  Profile::Site        $site,
  Stdlib::Absolutepath $root,
  Array[String]        $headers = [],
) {
  $docroot = pick($site['docroot'], "${root}/${title}")
  $locations = pick($site['locations'], {}).map |$path, $location| {
    {
      'path'     => $path,
      'provider' => 'location',
      'require'  => pick($location['require'], 'all granted'),
      'options'  => pick($location['options'], ['None']),
    }
  }
  $base = { 'path' => $docroot, 'require' => 'all granted', 'options' => ['FollowSymLinks'], 'allow_override' => ['None'] }
  $proxy = $site['proxy'] ? {
    undef   => {},
    default => { 'proxy_pass' => [{ 'path' => '/', 'url' => $site['proxy'], 'reverse_urls' => [$site['proxy']] }] },
  }
  $rewrites = pick($site['rewrites'], []).map |$rewrite| {
    { 'comment' => $rewrite['comment'], 'rewrite_rule' => $rewrite['rule'] }
  }
  $common = {
    'servername'    => $title,
    'serveraliases' => pick($site['aliases'], []),
    'docroot'       => $docroot,
    'directories'   => [$base] + $locations,
    'headers'       => $headers + pick($site['headers'], []),
  } + $proxy

  if $site['tls'] {
    apache::vhost { "${title}-plain":
      port            => 80,
      servername      => $title,
      serveraliases   => pick($site['aliases'], []),
      docroot         => $docroot,
      manage_docroot  => false,
      redirect_status => 'permanent',
      redirect_dest   => "https://${title}/",
    }
    $certificate = "/etc/ssl/site/${title}"
    file {
      default:
        ensure => file,
        owner  => 'root',
        group  => 'ssl-cert',
        ;
      "${certificate}.pem":
        mode    => '0644',
        content => template('profile/certificate.erb'),
        ;
      "${certificate}.key":
        mode    => '0640',
        content => Sensitive("the key of ${title} comes from the vault\n"),
        ;
    }
    apache::vhost { $title:
      port     => 443,
      ssl      => true,
      ssl_cert => "${certificate}.pem",
      ssl_key  => "${certificate}.key",
      rewrites => $rewrites,
      *        => $common,
    }
  } else {
    apache::vhost { $title:
      port     => 80,
      rewrites => $rewrites,
      *        => $common,
    }
  }

  profile::rotated { "site-${title}":
    path   => ["/var/log/apache2/${title}_access.log", "/var/log/apache2/${title}_error.log"],
    rotate => 14,
    reload => 'apache2',
  }

  file { "/etc/site/sites/${title}.yaml":
    content => to_yaml({ 'name' => $title } + $site),
  }

  @@profile::watched { "${trusted['certname']}-${title}":
    address => $facts['networking']['ip'],
    port    => $site['tls'] ? { true => 443, default => 80 },
    every   => 60,
  }
}
