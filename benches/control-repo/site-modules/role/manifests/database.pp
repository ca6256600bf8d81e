# Holds the databases of all applications.
class role::database {
  contain profile::base
  contain profile::database::mysql
  contain profile::database::postgresql

  Class['profile::base'] -> Class['profile::database::mysql', 'profile::database::postgresql']
}
