# PostgreSQL and the databases in it.
class profile::database::postgresql (
  Hash[String[1], Profile::Database] $databases,
  Hash[String, Scalar]               $settings = {},
  Hash[String, Hash]                 $access   = {},
  String                             $version  = '13',
) {
  class { 'postgresql::globals':
    version             => $version,
    encoding            => 'UTF-8',
    manage_package_repo => false,
  }
  class { 'postgresql::server':
    listen_addresses => '*',
    ipv4acls         => ['host all all 10.0.0.0/8 md5'],
  }
  include postgresql::server::contrib

  $settings.each |$name, $value| {
    postgresql::server::config_entry { $name:
      value => "${value}",
    }
  }
  $access.each |$name, $rule| {
    postgresql::server::pg_hba_rule { $name:
      * => $rule,
    }
  }
  $databases.each |$name, $database| {
    profile::database::postgresql::application { $name:
      database => $database,
    }
  }
}
