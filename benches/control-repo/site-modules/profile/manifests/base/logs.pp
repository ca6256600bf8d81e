# Logs: kept for a while here, and sent away.
class profile::base::logs (
  Stdlib::Fqdn       $server,
  Hash[String, Hash] $rotate,
  Hash[String, Hash] $rules,
  Hash[String, Hash] $follow = {},
) {
  include rsyslog
  class { 'rsyslog::client':
    server        => $server,
    log_local     => true,
    custom_config => 'profile/rsyslog-client.conf.erb',
  }

  $rules.each |$name, $rule| {
    rsyslog::snippet { $name:
      content => epp('profile/rsyslog-rule.epp', { 'name' => $name, 'rule' => $rule }),
    }
  }

  $follow.each |$name, $file| {
    rsyslog::imfile { $name:
      file_name     => $file['path'],
      file_tag      => pick($file['tag'], $name),
      file_facility => pick($file['facility'], 'local0'),
    }
  }

  $rotate.each |$name, $rule| {
    profile::rotated { $name:
      * => $rule,
    }
  }
}
