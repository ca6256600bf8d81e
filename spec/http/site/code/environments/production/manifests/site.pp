node 'web01.example.com' {
  include site
}
node 'fails.example.com' {
  fail('this node fails')
}
node 'strange.example.com' {
  include nowhere
}
node 'exports.example.com' {
  @@notify { 'exported': }
  @notify { 'virtual': }
  notify { 'real': }
}
node default {
  notify { "default for ${trusted['certname']}": message => $trusted['authenticated'] }
}
