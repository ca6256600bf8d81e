notify { "in ${environment}": }
