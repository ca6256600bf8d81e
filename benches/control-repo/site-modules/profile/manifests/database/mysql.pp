# MySQL and the databases in it.
class profile::database::mysql (
  Hash[String[1], Profile::Database] $databases,
  Hash[String, Hash]                 $options,
  Variant[Sensitive[String], String] $root_password,
) {
  $memory = $facts['memory']['system']['total_bytes'] / 1048576
  class { 'mysql::server':
    root_password           => $root_password,
    remove_default_accounts => true,
    restart                 => false,
    override_options        => deep_merge($options, {
      'mysqld' => { 'innodb_buffer_pool_size' => "${$memory / 2}M" },
    }),
  }
  include mysql::client

  $databases.each |$name, $database| {
    profile::database::mysql::application { $name:
      database => $database,
    }
  }
}
