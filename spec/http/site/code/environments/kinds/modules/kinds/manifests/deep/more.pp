class kinds::deep::more { }
