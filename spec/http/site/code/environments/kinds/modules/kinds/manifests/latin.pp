class kinds::latin { notice("ä") }
