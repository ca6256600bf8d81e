# What a check of a service is for the balancer.
function profile::check_options(Profile::Check $check) >> Hash[String, Variant[String, Array[String]]] {
  $check ? {
    'mysql'               => { 'option' => ['mysql-check user monitor'] },
    'redis'               => {
      'option'    => ['tcp-check'],
      'tcp-check' => ['connect', 'send PING\r\n', 'expect string +PONG'],
    },
    /\A(tcp|ssl-hello)\z/ => { 'option' => ["${1}-chk"] },
    default               => {
      'option'     => ["httpchk GET ${check['uri']}"],
      'http-check' => ["expect status ${pick($check['expect'], 200)}"],
    },
  }
}
