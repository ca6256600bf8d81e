echo no_array
