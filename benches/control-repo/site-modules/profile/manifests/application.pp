# One application.
define profile::application (
  Integer[1] $number,
) {
  $version = "1.${number}.0"
  $artefact = archive::parse_artifactory_url(
    "https://store.example.com/artifactory/releases/org/example/${name}/${version}/${name}-${version}.war"
  )
  $download = assemble_nexus_url('https://nexus.example.com', {
    'g' => 'org.example', 'a' => $name, 'v' => $version, 'r' => 'releases & more',
  })
  $file = staging_parse("https://store.example.com/releases/${name}-${version}.tar.gz")
  $stem = staging_parse("https://store.example.com/releases/${name}-${version}.tar.gz", 'basename', '.tar.gz')
  $connection = os_database_connection({
    'dialect' => 'mysql+pymysql', 'host' => '10.0.0.5', 'database' => $name,
    'username' => "${name}_user", 'password' => "p@ss/${number}", 'charset' => 'utf8',
  })
  $bus = os_transport_url({
    'transport' => 'rabbit',
    'hosts'     => ['10.0.0.7', '10.0.0.8', '10.0.0.9'],
    'port'      => '5672', 'username' => $name, 'password' => "secret${number}", 'virtual_host' => $name,
  })
  $address = normalize_ip_for_uri("fd00::${number}")
  $grants = postgresql::postgresql_acls_to_resources_hash(
    ["host ${name} ${name}_user 10.0.0.${number}/32 md5", "local ${name} all peer"], $name, 10
  )
  $quoted = postgresql::postgresql_escape("it's ${name}")
  $digest = mongodb_password("${name}_user", "secret${number}")
  $login = mysql::password("secret${number}")
  $options = mysql::strip_hash({ 'mysqld' => { 'port' => 3306 + $number, 'empty' => '' }, 'client' => { 'user' => '' } })
  $processes = collectd_convert_processes([$name, { 'name' => "${name}-worker", 'regex' => "${name}.*" }])
  $labels = mco_array_to_string([$name, $number, $version])
  $flavours = to_array_of_json_strings([{ 'name' => $name, 'cores' => $number }, { 'name' => 'spare' }])
  $json = convert_to_json_string(["name:${name}", "number:${number}"])
  $mask = range_to_mask("0-${$number % 4},8")
  $subnets = ipv6_normalize_dnsmasq_ip_subnets([
    { 'ip_range' => "fd00:${number}::10,fd00:${number}::20", 'netmask' => 'ffff:ffff:ffff:ffff::', 'gateway' => "fd00:${number}::1" },
    { 'ip_range' => "10.${number}.0.10,10.${number}.0.20", 'netmask' => '255.255.255.0', 'gateway' => "10.${number}.0.1" },
  ])
  $greeting = translate('%{name} is number %{number}', { 'name' => $name, 'number' => $number })
  $has_owner = scope_defaults('file', 'backup')
  validate_network_vlan_ranges(["physnet1:${number}:${$number + 100}", 'physnet2'])

  file { "/srv/${name}":
    ensure => directory,
  }
  file { "/srv/${name}/application.yaml":
    content => template('profile/applications/application.yaml.erb'),
  }
  file { "/srv/${name}/environment":
    content => template('profile/applications/environment.erb'),
  }
  archive { "/srv/${name}/${file}":
    source => $download,
  }
  $processes.each |$process, $settings| {
    collectd::plugin::processes::process { $process: }
  }
  inifile::create_ini_settings(
    { $name => { 'version' => $version, 'address' => $address, 'connection' => $connection } },
    { 'path' => "/srv/${name}/application.ini" }
  )
}
