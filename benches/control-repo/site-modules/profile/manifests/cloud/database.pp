# The database of all services; theirs are made by their own modules.
class profile::cloud::database (
  Variant[Sensitive[String], String] $root_password,
  Hash[String, Hash]                 $options = {},
) {
  class { 'mysql::server':
    root_password    => $root_password,
    restart          => true,
    override_options => $options,
  }
}
