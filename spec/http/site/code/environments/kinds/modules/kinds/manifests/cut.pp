class kinds::cut {
