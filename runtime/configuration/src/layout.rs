//! Where Puppet's folders are if nobody says: of Debian's packages, and of Puppet's and OpenVox' own; of the machine (for
//! root), and of a user.
//! Source: `puppet config print` of Debian's 7.23.0, as root and as a user; the packages' documentation.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// A way in which packages lay Puppet out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Packages {
    /// Debian's: `/etc/puppet`.
    #[default]
    Debian,
    /// Puppet's and OpenVox' own: `/etc/puppetlabs/puppet`.
    Vendor,
}

/// Whose folders they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Owner {
    /// The machine's: Puppet runs as root.
    #[default]
    Machine,
    /// A user's, by the path of the home.
    User(String),
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Layout {
    /// Who made the packages.
    pub packages: Packages,
    /// Whose folders.
    pub owner: Owner,
}

impl Layout {
    /// That of this machine and this user: of Puppet's own packages where their folder is there, else Debian's.
    pub fn of_this_machine() -> Layout {
        let home = std::env::var("HOME").unwrap_or_default();
        Layout::of(if is_root() || home.is_empty() { Owner::Machine } else { Owner::User(home) })
    }

    /// That of this machine for a service, whichever user it runs as: a unit runs as a user who has no configuration, and Puppet
    /// Server, too, reads the machine's.
    pub fn of_service() -> Layout {
        Layout::of(Owner::Machine)
    }

    fn of(owner: Owner) -> Layout {
        let here = |packages| {
            let layout = Layout { packages, owner: owner.clone() };
            layout.folder("confdir").is_some_and(|folder| Path::new(&folder).is_dir())
        };
        let packages = match here(Packages::Vendor) || !here(Packages::Debian) {
            true => Packages::Vendor,
            false => Packages::Debian,
        };
        Layout { packages, owner }
    }

    /// The folder that a setting names if nobody says otherwise; none for settings that a table has.
    pub fn folder(&self, setting: &str) -> Option<String> {
        let (debian, user) = (self.packages == Packages::Debian, &self.owner);
        let pick = |of_debian: &str, of_vendor: &str| {
            let path = if debian { of_debian } else { of_vendor };
            Some(match (path.strip_prefix('~'), user) {
                (Some(rest), Owner::User(home)) => format!("{home}{rest}"),
                _ => path.to_owned(),
            })
        };
        match (setting, user) {
            ("confdir", Owner::Machine) => pick("/etc/puppet", "/etc/puppetlabs/puppet"),
            ("confdir", _) => pick("~/.puppet/etc", "~/.puppetlabs/etc/puppet"),
            ("codedir", Owner::Machine) => pick("/etc/puppet/code", "/etc/puppetlabs/code"),
            ("codedir", _) => pick("~/.puppet/code", "~/.puppetlabs/etc/code"),
            ("vardir", Owner::Machine) => pick("/var/cache/puppet", "/opt/puppetlabs/puppet/cache"),
            ("vardir", _) => pick("~/.puppet/cache", "~/.puppetlabs/opt/puppet/cache"),
            ("publicdir", Owner::Machine) => {
                pick("/var/cache/puppet/public", "/opt/puppetlabs/puppet/public")
            }
            ("publicdir", _) => pick("~/.puppet/cache/public", "~/.puppetlabs/opt/puppet/public"),
            ("rundir", Owner::Machine) => pick("/run/puppet", "/var/run/puppetlabs"),
            ("rundir", _) => pick("~/.puppet/var/run", "~/.puppetlabs/var/run"),
            ("logdir", Owner::Machine) => pick("/var/log/puppet", "/var/log/puppetlabs/puppet"),
            ("logdir", _) => pick("~/.puppet/var/log", "~/.puppetlabs/var/log"),
            ("ssldir", Owner::Machine) => pick("/var/lib/puppet/ssl", "$confdir/ssl"),
            ("cadir", _) => pick("/etc/puppet/puppetserver/ca", "/etc/puppetlabs/puppetserver/ca"),
            ("basemodulepath", _) => pick(
                "$codedir/modules:/usr/share/puppet/modules",
                "$codedir/modules:/opt/puppetlabs/puppet/modules",
            ),
            ("vendormoduledir", _) => {
                pick("/usr/share/puppet/vendor_modules", "/opt/puppetlabs/puppet/vendor_modules")
            }
            _ => None,
        }
    }
}

/// Whether this process may do what root may.
fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    return false;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_folders_of_their_own() {
        let debian = Layout::default();
        assert_eq!(debian.folder("confdir").as_deref(), Some("/etc/puppet"));
        assert_eq!(debian.folder("ssldir").as_deref(), Some("/var/lib/puppet/ssl"));
        assert_eq!(debian.folder("statedir"), None);
        let user = Layout { packages: Packages::Vendor, owner: Owner::User("/home/a".to_owned()) };
        assert_eq!(user.folder("confdir").as_deref(), Some("/home/a/.puppetlabs/etc/puppet"));
        assert_eq!(user.folder("ssldir"), None);
    }
}
