echo no_list
