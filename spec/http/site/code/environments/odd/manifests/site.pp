class odd(Integer[1 + 1] $computed = 2, String[$a] $variable = 'x', Integer[1, 2, 3] $three = 1) { }
