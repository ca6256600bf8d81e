//! Making authorities, and keys with certificates.

use super::{Which, fail, say};
use bunraku::files::read;
use bunraku_authority::init::{self, Wanted};
use bunraku_authority::times;
use clap::Args;
use std::path::{Path, PathBuf};

/// Bytes of a file that is imported, at most.
const MAX_FILE: u64 = 64 << 20;

/// Make an authority that signs itself, and this machine's certificate by it.
#[derive(Args)]
pub struct Init {
    /// What the authority is called [default: the setting ca_name, "Puppet CA: CERTNAME"].
    #[arg(long, value_name = "NAME")]
    ca_name: Option<String>,
    #[command(flatten)]
    own: Own,
    #[command(flatten)]
    which: Which,
}

/// Make an authority of a certificate, its key and revocation lists, and this machine's certificate by it.
#[derive(Args)]
pub struct Import {
    /// The authority's key.
    #[arg(long, value_name = "FILE")]
    private_key: PathBuf,
    /// Its certificate, and those of the authorities above it.
    #[arg(long, value_name = "FILE")]
    cert_bundle: PathBuf,
    /// Revocation lists of the authorities above it; its own may be among them.
    #[arg(long, value_name = "FILE")]
    crl_chain: PathBuf,
    #[command(flatten)]
    own: Own,
    #[command(flatten)]
    which: Which,
}

/// This machine's certificate.
#[derive(Args)]
struct Own {
    /// Name of this machine's certificate [default: the setting certname].
    #[arg(long, value_name = "NAME")]
    certname: Option<String>,
    /// Other names in it: DNS:name, IP:address [default: the setting dns_alt_names, or puppet].
    #[arg(long, value_name = "NAME[,NAME]")]
    subject_alt_names: Option<String>,
}

/// Make keys and signed certificates for nodes, into the folders of this machine's own.
#[derive(Args)]
pub struct Generate {
    /// Names of the nodes.
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', required = true)]
    certname: Vec<String>,
    /// Other names in their certificates: DNS:name, IP:address.
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',')]
    subject_alt_names: Vec<String>,
    /// The certificates may ask a server's authority to sign and revoke.
    #[arg(long)]
    ca_client: bool,
    /// For how long the certificates are good: a number, and y, d, h, m or s behind it [default: the setting ca_ttl].
    #[arg(long, value_name = "TTL", value_parser = times::to_live)]
    ttl: Option<u64>,
    #[command(flatten)]
    which: Which,
}

impl Own {
    fn settings(&self) -> [(&'static str, Option<String>); 2] {
        [("certname", self.certname.clone()), ("dns_alt_names", self.subject_alt_names.clone())]
    }
}

pub fn init(arguments: &Init) -> Result<u8, String> {
    let [certname, names] = arguments.own.settings();
    let settings = arguments.which.settings(&[("ca_name", arguments.ca_name.clone()), certname, names])?;
    init::new(&settings).map_err(|fault| fault.to_string())?;
    say(&format!("Generation succeeded. Find your files in {}", settings.layout.folder.display()))?;
    Ok(0)
}

pub fn import(arguments: &Import) -> Result<u8, String> {
    let settings = arguments.which.settings(&arguments.own.settings())?;
    let read = |path: &Path| {
        read::given(path, MAX_FILE).map_err(|_| format!("Could not read file '{}'", path.display()))
    };
    let bundle = read(&arguments.cert_bundle)?;
    let (key, lists) = (read(&arguments.private_key)?, read(&arguments.crl_chain)?);
    init::import(&settings, &bundle, &key, &lists).map_err(|fault| fault.to_string())?;
    say(&format!("Import succeeded. Find your files in {}", settings.layout.folder.display()))?;
    Ok(0)
}

pub fn generate(arguments: &Generate) -> Result<u8, String> {
    let authority = arguments.which.open()?;
    let wanted = Wanted {
        names: arguments.subject_alt_names.clone(),
        administers: arguments.ca_client,
        to_live: arguments.ttl,
    };
    let mut status = 0;
    for name in &arguments.certname {
        match init::generate(&authority, name, &wanted) {
            Ok(written) => {
                for (what, path) in written {
                    say(&format!("Successfully saved {what} for {name} to {}", path.display()))?;
                }
            }
            Err(fault) => {
                fail(&fault.to_string());
                status = 1;
            }
        }
    }
    Ok(status)
}
