# Log files that are rotated as it is done at this site.
define profile::rotated (
  Variant[Stdlib::Absolutepath, Array[Stdlib::Absolutepath]] $path,
  Integer[1]                                                 $rotate  = 7,
  Enum['day', 'week', 'month']                               $every   = 'day',
  Optional[String]                                           $reload  = undef,
  String                                                     $owner   = 'root',
) {
  $after = $reload ? {
    undef   => {},
    default => { 'postrotate' => "/usr/sbin/service ${reload} reload > /dev/null" },
  }
  logrotate::rule { $title:
    path          => [$path].flatten.join(' '),
    rotate        => "${rotate}",
    rotate_every  => $every,
    compress      => true,
    delaycompress => true,
    missingok     => true,
    ifempty       => false,
    create        => true,
    create_mode   => '0640',
    create_owner  => $owner,
    create_group  => 'adm',
    *             => $after,
  }
}
