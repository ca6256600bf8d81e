Facter.add(:other) { setcode { 2 } }
