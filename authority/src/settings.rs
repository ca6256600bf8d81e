//! What an authority may do: Puppet's settings, and Puppet Server's `ca.conf`.

use crate::autosign::Autosign;
use crate::directory::Layout;
use crate::keys::Kind;
use crate::requests::Allowed;
use crate::times;
use bunraku::files::read;
use bunraku::{Configuration, Data};
use std::path::{Path, PathBuf};

/// Bytes of `ca.conf`, at most.
const MAX_CONF: u64 = 1 << 20;
/// For how long a renewed certificate is good if nothing is said: 90 days, as Puppet Server has it.
const RENEWED: u64 = 90 * times::DAY;

/// What is in force.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where its files are.
    pub layout: Layout,
    /// What a new authority is called: `ca_name`.
    pub name: String,
    /// For how many seconds certificates are good: `ca_ttl`.
    pub to_live: u64,
    /// Bits of a new authority's key: `keylength`.
    pub bits: usize,
    /// Keys of this machine and others: `key_type`, `named_curve`, `keylength`.
    pub keys: Kind,
    /// Which requests are signed at once: `autosign`.
    pub autosign: Autosign,
    /// Whether a node that has a certificate may send another request: `allow_duplicate_certs`.
    pub duplicates: bool,
    /// What requests may ask for.
    pub allowed: Allowed,
    /// For how many seconds a renewed certificate is good, if nodes may renew theirs: `allow-auto-renewal`.
    pub renewal: Option<u64>,
    /// The certificate and keys of this machine.
    pub own: Own,
}

/// Where this machine has its own files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// Its name: `certname`.
    pub name: String,
    /// Its other names: `dns_alt_names`.
    pub names: Vec<String>,
    /// `certdir`
    pub certificates: PathBuf,
    /// `privatekeydir`
    pub private_keys: PathBuf,
    /// `publickeydir`
    pub public_keys: PathBuf,
    /// `hostcert`
    pub certificate: PathBuf,
    /// `hostprivkey`
    pub private_key: PathBuf,
    /// `hostpubkey`
    pub public_key: PathBuf,
    /// `localcacert`
    pub authorities: PathBuf,
    /// `hostcrl`
    pub lists: PathBuf,
    /// `csr_attributes`
    pub attributes: PathBuf,
    /// `ssldir`
    pub folder: PathBuf,
}

impl Settings {
    /// Reads them; `conf` is Puppet Server's `ca.conf`, that beside `cadir` (`../conf.d/ca.conf`) if none is named.
    ///
    /// # Errors
    /// What can't be read, is not known, or is not supported, by name.
    pub fn read(configuration: &Configuration, conf: Option<&Path>) -> Result<Settings, String> {
        let layout = Layout::of(configuration)?;
        let text = |name: &str| Ok::<_, String>(configuration.get(name)?.text);
        let path = |name: &str| text(name).map(PathBuf::from);
        let whole = |name: &str| {
            text(name)?.parse::<u64>().map_err(|_| format!("The setting {name} is no whole number"))
        };
        let names = text("dns_alt_names")?;
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        let bits = usize::try_from(whole("keylength")?).unwrap_or(usize::MAX);
        let own = Own {
            name: text("certname")?,
            names: names.collect(),
            certificates: path("certdir")?,
            private_keys: path("privatekeydir")?,
            public_keys: path("publickeydir")?,
            certificate: path("hostcert")?,
            private_key: path("hostprivkey")?,
            public_key: path("hostpubkey")?,
            authorities: path("localcacert")?,
            lists: path("hostcrl")?,
            attributes: path("csr_attributes")?,
            folder: path("ssldir")?,
        };
        let beside = layout.folder.parent().map(|folder| folder.join("conf.d/ca.conf"));
        let file = conf.map(Path::to_path_buf).or_else(|| beside.filter(|file| file.is_file()));
        let conf = file.map_or_else(|| Ok(Conf::default()), |file| Conf::read(&file))?;
        let to_live = match conf.to_live {
            Some(seconds) => seconds,
            None => whole("ca_ttl")?,
        };
        if to_live > times::LONGEST || to_live == 0 {
            return Err(format!("Config setting ca_ttl must have a value below {}", times::LONGEST));
        }
        Ok(Settings {
            layout,
            name: text("ca_name")?,
            to_live,
            bits,
            keys: Kind::of(&text("key_type")?, &text("named_curve")?, bits)?,
            autosign: Autosign::of(&text("autosign")?),
            duplicates: configuration.get("allow_duplicate_certs")?.value == Data::Boolean(true),
            allowed: conf.allowed,
            renewal: conf.renews.then_some(conf.renewed_for.unwrap_or(RENEWED)),
            own,
        })
    }
}

/// What `ca.conf` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Conf {
    allowed: Allowed,
    renews: bool,
    renewed_for: Option<u64>,
    /// For how many seconds certificates are good: it goes before Puppet's setting.
    to_live: Option<u64>,
}

impl Conf {
    fn read(file: &Path) -> Result<Conf, String> {
        let told = |why: String| format!("{}: {why}", file.display());
        let text = read::regular_text(file, MAX_CONF).map_err(|error| told(error.to_string()))?;
        Conf::parse(&text).map_err(told)
    }

    fn parse(text: &str) -> Result<Conf, String> {
        let mut conf = Conf::default();
        let whole = Data::from_hocon(text)?;
        let Some(Data::Map(all)) = whole.get("certificate-authority") else { return Ok(conf) };
        for (key, value) in all {
            let boolean = || match value {
                Data::Boolean(value) => Ok(*value),
                _ => Err(format!("certificate-authority.{key} is neither true nor false")),
            };
            let seconds = || match value {
                Data::Integer(seconds) => times::to_live(&seconds.to_string()),
                other => times::to_live(other.as_str().unwrap_or_default()),
            };
            match key.as_str() {
                "allow-subject-alt-names" => conf.allowed.names = boolean()?,
                "allow-authorization-extensions" => conf.allowed.authorization = boolean()?,
                "allow-auto-renewal" => conf.renews = boolean()?,
                "auto-renewal-cert-ttl" => conf.renewed_for = Some(seconds()?),
                "ca-ttl" => conf.to_live = Some(seconds()?),
                "enable-infra-crl" => {
                    if boolean()? {
                        return Err("certificate-authority.enable-infra-crl is not supported".to_owned());
                    }
                }
                _ => return Err(format!("certificate-authority.{key} is not known")),
            }
        }
        Ok(conf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puppet_servers_file_is_read() {
        assert_eq!(Conf::parse("").unwrap(), Conf::default());
        let text = "certificate-authority: { allow-subject-alt-names: true, enable-infra-crl: false,\n\
                    allow-auto-renewal: true, auto-renewal-cert-ttl: 30d, ca-ttl: \"2y\" }";
        let conf = Conf::parse(text).unwrap();
        assert!(conf.allowed.names && !conf.allowed.authorization && conf.renews);
        assert_eq!(conf.renewed_for, Some(30 * times::DAY));
        assert_eq!(conf.to_live, Some(730 * times::DAY));
        for (wrong, why) in [
            ("enable-infra-crl: true", "certificate-authority.enable-infra-crl is not supported"),
            ("allow-anything: true", "certificate-authority.allow-anything is not known"),
            (
                "allow-subject-alt-names: 1",
                "certificate-authority.allow-subject-alt-names is neither true nor false",
            ),
        ] {
            assert_eq!(Conf::parse(&format!("certificate-authority: {{ {wrong} }}")).unwrap_err(), why);
        }
    }
}
