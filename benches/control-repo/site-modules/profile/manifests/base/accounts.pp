# Everybody is known; who may in here is realised.
class profile::base::accounts (
  Hash[Pattern[/\A[a-z][a-z0-9]*\z/], Profile::Person]  $people,
  Hash[String, Integer]                                 $groups,
  Array[String]                                         $admit,
  Array[String]                                         $gone = [],
) {
  $groups.each |$name, $gid| {
    @group { $name:
      ensure => present,
      gid    => $gid,
      tag    => 'people',
    }
  }

  $people.each |$name, $person| {
    @profile::account { $name:
      * => $person,
    }
  }

  $admit.each |$group| {
    Group <| title == $group |>
    Profile::Account <| groups == $group |>
  }
  realize(Group['everybody'])

  $gone.each |$name| {
    user { $name:
      ensure => absent,
    }
  }
}
