class unsized(Integer[5, 1] $x = 2) { }
