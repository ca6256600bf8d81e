# The database of an application in PostgreSQL.
define profile::database::postgresql::application (
  Profile::Database $database,
) {
  $owner = $database['owner']

  postgresql::server::db { $title:
    user     => $owner,
    password => postgresql::postgresql_password($owner, $database['password']),
    comment  => "Of ${owner}",
    encoding => pick($database['charset'], 'UTF8'),
  }

  pick($database['readers'], []).each |$index, $reader| {
    $role = "${reader}_${title}"
    postgresql::server::role { $role:
      password_hash    => postgresql::postgresql_password($role, "${reader}-${database['password']}"),
      connection_limit => '20',
    }
    postgresql::server::database_grant { "${role} reads ${title}":
      privilege => 'CONNECT',
      db        => $title,
      role      => $role,
    }
  }

  pick($database['extensions'], []).each |$extension| {
    postgresql::server::extension { "${extension} of ${title}":
      extension => $extension,
      database  => $title,
    }
  }

  pick($database['hosts'], []).each |$index, $host| {
    postgresql::server::pg_hba_rule { "${owner} of ${title} from ${host}":
      type        => 'host',
      database    => $title,
      user        => $owner,
      address     => "${host}/32",
      auth_method => 'md5',
      order       => 200 + $index,
    }
  }

  profile::database::backup { "postgresql-${title}":
    frequency => pick($database['backup'], 'daily'),
    command   => "/usr/bin/pg_dump -Fc ${title}",
  }
}
