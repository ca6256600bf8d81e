# Which machine is what. Defaults that hold everywhere come first.

File {
  backup => false,
}

Exec {
  path => ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'],
}

# A module of the set still looks for this at top scope.
$modules = lookup('rsyslog_modules', Array[String], 'unique', [])

node /^lb\d+\.example\.com$/ {
  include role::loadbalancer
}

node /^web\d+\.example\.com$/ {
  include role::webserver
}

node /^db\d+\.example\.com$/ {
  include role::database
}

node /^ctl\d+\.example\.com$/ {
  include role::controller
}

node /^app\d+\.example\.com$/ {
  include role::application
}

node default {
  fail("Nobody has said what ${trusted['certname']} is")
}
