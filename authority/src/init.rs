//! A new authority: one that signs itself, as Puppet Server makes it when it first starts, or from keys and certificates that are
//! given; with the certificate of this machine, which may administer it. And keys with certificates for others.

use crate::authority::{Authority, issue, put_lists};
use crate::certificates::{Issuer, is_signed_by};
use crate::csr_attributes;
use crate::directory::{self, FOLDER, Layout, PRIVATE, PUBLIC};
use crate::extensions;
use crate::fault::Fault;
use crate::issued;
use crate::keys::{self, Key, Kind, Pair};
use crate::lists::Lists;
use crate::names;
use crate::oids;
use crate::pem;
use crate::settings::{Own, Settings};
use crate::times;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use x509_cert::ext::Extension;

/// Makes an authority that signs itself.
///
/// # Errors
/// When there is one, or files of this machine's certificate; when a file can't be written.
pub fn new(settings: &Settings) -> Result<(), Fault> {
    check_nothing_is_there(settings)?;
    let pair = keys::generate(Kind::Rsa(settings.bits))?;
    let issuer = Issuer::of_itself(&settings.name, Key::read(pair.private.as_bytes())?, 1, settings.to_live)?;
    let lists = Lists::new(&issuer)?;
    let inventory = issued::line(&issuer.certificate);
    make(settings, &issuer, &lists, &pair.private, &inventory, 2)
}

/// Makes an authority of a certificate with those above it, its key, and the revocation lists of all of them.
///
/// # Errors
/// When they do not fit together, or as of [`new`].
pub fn import(settings: &Settings, bundle: &[u8], key: &[u8], lists: &[u8]) -> Result<(), Fault> {
    check_nothing_is_there(settings)?;
    let issuer = Issuer::read(bundle, key)?;
    check_chain(&issuer)?;
    let mut lists = Lists::read(lists)?;
    lists.check(&issuer)?;
    lists.complete(&issuer)?;
    let tbs = &issuer.certificate.tbs_certificate;
    // An authority that has signed itself has given its own number.
    let first = match tbs.issuer == tbs.subject {
        true => {
            issued::serial(&issuer.certificate).filter(|serial| *serial < 1 << 32).map_or(1, |own| own + 1)
        }
        false => 1,
    };
    let key = std::str::from_utf8(key).map_err(|_| Fault::Failed("the key is no text".to_owned()))?;
    make(settings, &issuer, &lists, key, "", first)
}

/// Writes it all, and this machine's certificate.
fn make(
    settings: &Settings,
    issuer: &Issuer,
    lists: &Lists,
    key: &str,
    inventory: &str,
    first: u64,
) -> Result<(), Fault> {
    let layout = &settings.layout;
    let own = &settings.own;
    let private = own_key(settings)?;
    // What there is already says whose all of it is to be.
    let owner = [&layout.folder, &own.folder].into_iter().find_map(|folder| std::fs::metadata(folder).ok());
    let owner = owner.map(|found| (found.uid(), found.gid()));
    for (folder, mode) in [
        (&layout.folder, FOLDER),
        (&own.folder, 0o771),
        (&own.certificates, 0o755),
        (&own.public_keys, 0o755),
        (&own.private_keys, 0o750),
    ] {
        directory::make(folder, mode, owner)?;
    }
    layout.complete()?;
    let _held = layout.lock()?;
    let mut bundle = String::new();
    for certificate in &issuer.bundle {
        bundle.push_str(&pem::text(pem::CERTIFICATE, certificate)?);
    }
    layout.write(&layout.key, key, PRIVATE)?;
    layout.write(&layout.public_key, &issuer.key.public_text()?, PUBLIC)?;
    layout.write(&layout.certificate, &bundle, PUBLIC)?;
    layout.write(&layout.infra("infra_crl.pem"), &lists.text()?, PUBLIC)?;
    layout.write(&layout.infra("infra_inventory.txt"), "", PUBLIC)?;
    layout.write(&layout.infra("infra_serials"), "", PUBLIC)?;
    layout.write(&layout.inventory, inventory, PUBLIC)?;
    layout.write(&layout.serial, &issued::number(first), PUBLIC)?;
    put_lists(settings, lists)?;
    layout.write(&own.authorities, &bundle, PUBLIC)?;
    let public = Key::read(private.private.as_bytes())?.public().clone();
    let extensions = own_extensions(own)?;
    let certificate = issue(layout, issuer, &own.name, public, extensions, settings.to_live)?;
    layout.write(&own.private_key, &private.private, PRIVATE)?;
    layout.write(&own.public_key, &private.public, PUBLIC)?;
    layout.write(&own.certificate, &pem::text(pem::CERTIFICATE, &certificate)?, PUBLIC)
}

/// This machine's keys: those that it has, or new ones.
fn own_key(settings: &Settings) -> Result<Pair, Fault> {
    let own = &settings.own;
    let [private, public] = [&own.private_key, &own.public_key].map(|file| directory::bytes_if_there(file));
    let told = |found: &Path, missing: &Path| {
        let (found, missing) = (found.display(), missing.display());
        Fault::Refused(format!("Found the key '{found}', but '{missing}' is missing"))
    };
    let text = |bytes| String::from_utf8(bytes).map_err(|_| Fault::Failed("a key is no text".to_owned()));
    match (private?, public?) {
        (Some(private), Some(public)) => Ok(Pair { private: text(private)?, public: text(public)? }),
        (None, None) => keys::generate(settings.keys),
        (Some(_), None) => Err(told(&own.private_key, &own.public_key)),
        (None, Some(_)) => Err(told(&own.public_key, &own.private_key)),
    }
}

/// What this machine's certificate says: its names (`puppet` is one if none are configured), that it may administer the authority,
/// and what `csr_attributes.yaml` asks for.
fn own_extensions(own: &Own) -> Result<Vec<Extension>, Fault> {
    names::check(&own.name, &own.name)?;
    let default = ["puppet".to_owned()];
    let names: &[String] = if own.names.is_empty() { &default } else { &own.names };
    let names = names.iter().chain([&own.name]).map(String::as_str);
    let mut all = asked_for(own)?;
    all.push(extensions::of_text(oids::CLI_AUTH, "true")?);
    all.push(extensions::alternative_names(names)?);
    Ok(all)
}

/// What `csr_attributes.yaml` asks for, but to administer the authority.
fn asked_for(own: &Own) -> Result<Vec<Extension>, Fault> {
    let mut all = csr_attributes::requested(&own.attributes)?;
    all.retain(|one| one.extn_id != oids::CLI_AUTH);
    Ok(all)
}

fn check_nothing_is_there(settings: &Settings) -> Result<(), Fault> {
    let (layout, own) = (&settings.layout, &settings.own);
    let mut files: Vec<PathBuf> = layout.required().map(Path::to_path_buf).into();
    files.extend([layout.public_key.clone(), layout.signed(&own.name)]);
    files.extend([&own.certificate, &own.authorities, &own.lists].map(Clone::clone));
    let there: Vec<String> = files
        .iter()
        .filter(|file| file.exists())
        .map(|file| format!("Existing file at '{}'", file.display()))
        .collect();
    match there.is_empty() {
        true => Ok(()),
        false => Err(Fault::Refused(format!(
            "{}\nRemove them first if there is to be a new authority. All certificates that the old one has signed are worth \
             nothing then.",
            there.join("\n")
        ))),
    }
}

/// Each certificate is an authority's, in date, and signed by one of the others or itself.
fn check_chain(issuer: &Issuer) -> Result<(), Fault> {
    let wrong = |why: &str| Fault::Refused(format!("Leaf certificate could not be validated: {why}"));
    let now = times::now();
    let at = |time: &x509_cert::time::Time| time.to_unix_duration().as_secs();
    for one in &issuer.bundle {
        let tbs = &one.tbs_certificate;
        let constraints = tbs.extensions.iter().flatten().find(|one| one.extn_id == oids::CONSTRAINTS);
        let is_authority = constraints.is_some_and(|one| {
            use x509_cert::der::Decode;
            use x509_cert::ext::pkix::BasicConstraints;
            BasicConstraints::from_der(one.extn_value.as_bytes()).is_ok_and(|constraints| constraints.ca)
        });
        if !is_authority {
            return Err(wrong("a certificate of the bundle is no authority's"));
        }
        if now < at(&tbs.validity.not_before) || now > at(&tbs.validity.not_after) {
            return Err(wrong("a certificate of the bundle is out of date"));
        }
        let by_one = issuer.bundle.iter().any(|above| {
            let above = &above.tbs_certificate;
            above.subject == tbs.issuer && is_signed_by(one, &above.subject_public_key_info)
        });
        if !by_one {
            return Err(wrong("the bundle does not have who signed a certificate of it"));
        }
    }
    Ok(())
}

/// What somebody else's certificate is to say.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Its other names.
    pub names: Vec<String>,
    /// Whether it may administer the authority.
    pub administers: bool,
    /// For how many seconds it is good; `ca_ttl` where nothing is said.
    pub to_live: Option<u64>,
}

/// Makes keys and a certificate for a name; what was written, by what it is.
///
/// # Errors
/// When the name is none, or has files already; when one can't be written.
pub fn generate(
    authority: &Authority,
    name: &str,
    wanted: &Wanted,
) -> Result<[(&'static str, PathBuf); 3], Fault> {
    names::check(name, name)?;
    let settings = authority.settings();
    let (layout, own): (&Layout, &Own) = (&settings.layout, &settings.own);
    let file = |folder: &Path| folder.join(format!("{name}.pem"));
    let [private, public, signed] =
        [&own.private_keys, &own.public_keys, &own.certificates].map(|one| file(one));
    let there: Vec<String> = [&signed, &private, &public, &layout.signed(name), &layout.request(name)]
        .into_iter()
        .filter(|file| file.exists())
        .map(|file| format!("Existing file at '{}'", file.display()))
        .collect();
    if !there.is_empty() {
        let message =
            format!("{}\nRemove them first if {name} is to get a new certificate.", there.join("\n"));
        return Err(Fault::Refused(message));
    }
    for (folder, mode) in [(&own.certificates, 0o755), (&own.public_keys, 0o755), (&own.private_keys, 0o750)]
    {
        let owner = std::fs::metadata(&layout.folder).ok().map(|found| (found.uid(), found.gid()));
        directory::make(folder, mode, owner)?;
    }
    let pair = keys::generate(settings.keys)?;
    let own_name = format!("DNS:{name}");
    let names = wanted.names.iter().map(String::as_str).chain([own_name.as_str()]);
    let mut more = asked_for(own)?;
    if wanted.administers {
        more.push(extensions::of_text(oids::CLI_AUTH, "true")?);
    }
    more.push(extensions::alternative_names(names)?);
    let key = Key::read(pair.private.as_bytes())?.public().clone();
    let held = authority.lock()?;
    let certificate = authority.issue(&held, name, key, more, wanted.to_live.unwrap_or(settings.to_live))?;
    layout.write(&private, &pair.private, PRIVATE)?;
    layout.write(&public, &pair.public, PUBLIC)?;
    layout.write(&signed, &pem::text(pem::CERTIFICATE, &certificate)?, PUBLIC)?;
    Ok([("private key", private), ("public key", public), ("certificate", signed)])
}
