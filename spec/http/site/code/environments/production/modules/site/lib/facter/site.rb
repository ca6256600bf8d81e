Facter.add(:site) { setcode { 1 } }
