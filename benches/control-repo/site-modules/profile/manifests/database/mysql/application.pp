# The database of an application, its owner and its readers, each from all of its hosts.
define profile::database::mysql::application (
  Profile::Database $database,
) {
  $hosts = pick($database['hosts'], ['localhost'])
  $password = $database['password']

  mysql_database { $title:
    ensure  => present,
    charset => pick($database['charset'], 'utf8mb4'),
    collate => "${pick($database['charset'], 'utf8mb4')}_general_ci",
    require => Class['mysql::server'],
  }

  $hosts.each |$host| {
    mysql_user { "${database['owner']}@${host}":
      ensure        => present,
      password_hash => mysql::password($password),
      require       => Class['mysql::server'],
    }
    mysql_grant { "${database['owner']}@${host}/${title}.*":
      ensure     => present,
      options    => ['GRANT'],
      privileges => ['ALL'],
      table      => "${title}.*",
      user       => "${database['owner']}@${host}",
      require    => [Mysql_user["${database['owner']}@${host}"], Mysql_database[$title]],
    }
    pick($database['readers'], []).each |$reader| {
      $user = "${reader}_${title[0, 8]}@${host}"
      mysql_user { $user:
        password_hash => mysql::password("${reader}-${password}"),
      }
      -> mysql_grant { "${user}/${title}.*":
        privileges => ['SELECT'],
        table      => "${title}.*",
        user       => $user,
      }
    }
  }

  profile::database::backup { "mysql-${title}":
    frequency => pick($database['backup'], 'daily'),
    command   => "/usr/bin/mysqldump --single-transaction ${title}",
  }
}
