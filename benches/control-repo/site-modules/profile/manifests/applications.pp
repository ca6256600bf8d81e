# Applications, each with its unit, its configuration and what it is told of its surroundings. Names, addresses and settings
# are made by functions that modules write in Ruby.
class profile::applications (
  Integer[1] $count = 60,
) {
  include profile::applications::watched
  include profile::applications::named

  Integer[1, $count].each |$n| {
    profile::application { "app${n}":
      number => $n,
    }
  }
}
