# Runs applications that are deployed from stores of artefacts.
class role::application {
  contain profile::base
  contain profile::applications

  Class['profile::base'] -> Class['profile::applications']
}
