class site::second inherits site {
  site::thing { 'one': }
}
define site::thing (Enum['a', 'b'] $kind = 'a') {
  notify { $kind: }
}
