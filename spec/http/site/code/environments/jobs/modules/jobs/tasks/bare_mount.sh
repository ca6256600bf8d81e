echo bare_mount
