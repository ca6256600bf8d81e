echo no_mount
