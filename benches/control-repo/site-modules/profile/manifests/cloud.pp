# The controller of a cloud: its services and what they lean on.
#
# @param services the classes of each service, in the order in which they are declared
class profile::cloud (
  Hash[String[1], Array[String[1], 1]]  $services,
  Hash[String[1], Profile::Endpoint]    $endpoints,
  Hash[String, Hash]                    $options  = {},
) {
  include profile::cloud::queue
  include profile::cloud::database
  include profile::cloud::front

  $services.each |$name, $classes| {
    profile::cloud::service { $name:
      classes  => $classes,
      endpoint => $endpoints[$name],
      options  => pick($options[$name], {}),
    }
  }

  include profile::cloud::tenants

  Class['profile::cloud::queue', 'profile::cloud::database'] -> Profile::Cloud::Service <| |>
}
