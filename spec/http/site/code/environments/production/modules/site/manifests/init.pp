# A class with parameters of several kinds.
class site (
  String $message = 'hello',
  Integer[1, 10] $count = 2,
  Array[String] $list = ['a', "b${count}"],
  Optional[Hash] $hash = undef,
  $untyped = $facts['os']['family'],
) {
  notify { 'message': message => "${message} from ${trusted['certname']}", }
  notify { 'role': message => String($trusted['extensions']) }
  file { '/tmp/bunraku-served.txt':
    ensure => file,
    source => 'puppet:///modules/site/a.txt',
  }
  file { '/tmp/bunraku-served':
    ensure  => directory,
    recurse => true,
    source  => 'puppet:///modules/site/dir',
  }
  notify { 'secret': message => Sensitive('secret') }
}
