echo no_slash
