echo whole_mount
