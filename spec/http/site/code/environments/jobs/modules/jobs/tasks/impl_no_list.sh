echo impl_no_list
