class deep(Integer $x) { }
