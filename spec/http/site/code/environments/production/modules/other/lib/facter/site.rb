Facter.add(:site) { setcode { 3 } }
