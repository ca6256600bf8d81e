# A service of the cloud: its classes, and settings that no class has a parameter for.
define profile::cloud::service (
  Array[String[1]]            $classes,
  Optional[Profile::Endpoint] $endpoint = undef,
  Hash[String, Hash]          $options  = {},
) {
  include $classes

  # Section by section, as the file has them.
  $options.each |$section, $settings| {
    $settings.each |$setting, $value| {
      create_resources("${title}_config", {
        "${section}/${setting}" => { 'value' => $value },
      })
    }
  }

  if $endpoint {
    file { "/etc/site/endpoints/${title}.json":
      content => to_json_pretty({
        'name' => $title,
        'type' => $endpoint['type'],
        'url'  => "https://cloud.example.com:${endpoint['port']}${endpoint['path']}",
      }),
    }
    if $endpoint['public'] {
      @@profile::watched { "${trusted['certname']}-${title}":
        address => $facts['networking']['ip'],
        port    => $endpoint['port'],
      }
    }
  }

  $logs = "/var/log/${title}"
  profile::rotated { "cloud-${title}":
    path  => "${logs}/*.log",
    owner => $title,
  }
  rsyslog::imfile { "cloud-${title}":
    file_name     => "${logs}/${title}.log",
    file_tag      => $title,
    file_facility => 'local1',
  }
}
