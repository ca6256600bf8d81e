not puppet at all {
