# Who has a share of the cloud.
class profile::cloud::tenants (
  Hash[String[1], Hash] $tenants,
  Hash[String[1], Hash] $flavors = {},
) {
  $flavors.each |$name, $flavor| {
    nova_flavor { $name:
      ensure => present,
      *      => $flavor,
    }
  }
  $tenants.each |$name, $tenant| {
    @profile::cloud::tenant { $name:
      * => $tenant,
    }
  }
  # Those that are asleep stay virtual.
  Profile::Cloud::Tenant <| state == 'awake' |>
  Profile::Cloud::Tenant <| tag == 'important' |> {
    factor => 4,
  }
}
