echo slash
