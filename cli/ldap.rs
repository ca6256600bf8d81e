//! The arguments that say which LDAP directory is asked for a node (`--node_terminus ldap`), by the names of Puppet's
//! settings.

use bunraku::files::read;
use bunraku::{Data, LdapSecurity as Security, LdapServer as Server, LdapSettings, Settings};
use clap::Args;
use std::path::{Path, PathBuf};

/// Bytes that a file with a password may hold.
const MAX_PASSWORD: u64 = 64 << 10;

/// An LDAP directory.
#[derive(Args, Clone)]
pub struct Ldap {
    /// The server [default: ldap].
    #[arg(long, value_name = "HOST")]
    ldapserver: Option<String>,
    /// Its port.
    #[arg(long, value_name = "PORT", default_value_t = 389)]
    ldapport: u16,
    /// TLS from the beginning; needs --localcacert.
    #[arg(long, overrides_with = "no_ldapssl")]
    pub ldapssl: bool,
    /// No TLS from the beginning; this is the default.
    #[arg(long = "no-ldapssl", overrides_with = "ldapssl")]
    no_ldapssl: bool,
    /// TLS on a connection that begins plain (StartTLS); needs --localcacert.
    #[arg(long, overrides_with = "no_ldaptls")]
    pub ldaptls: bool,
    /// None of that; this is the default.
    #[arg(long = "no-ldaptls", overrides_with = "ldaptls")]
    no_ldaptls: bool,
    /// Distinguished name below which nodes are [default: empty].
    #[arg(long, value_name = "DN")]
    ldapbase: Option<String>,
    /// Distinguished name to bind as [default: as nobody].
    #[arg(long, value_name = "DN")]
    ldapuser: Option<String>,
    /// Its password. Other users of this machine can see it while the command runs.
    #[arg(long, value_name = "PASSWORD", requires = "ldapuser", conflicts_with = "ldappassword_file")]
    ldappassword: Option<String>,
    /// File that holds it.
    #[arg(long = "ldappassword-file", value_name = "FILE", requires = "ldapuser")]
    ldappassword_file: Option<PathBuf>,
    /// Filter that finds a node, with %s for its name [default: (&(objectclass=puppetClient)(cn=%s))].
    #[arg(long, value_name = "FILTER")]
    ldapstring: Option<String>,
    /// Attributes that hold classes [default: puppetclass].
    #[arg(long, value_name = "NAME[,NAME…]")]
    ldapclassattrs: Option<String>,
    /// Attribute that names the parent; empty for none [default: parentnode].
    #[arg(long, value_name = "NAME")]
    ldapparentattr: Option<String>,
    /// Attributes that become variables [default: all].
    #[arg(long, value_name = "NAME[,NAME…]")]
    ldapattrs: Option<String>,
    /// Attributes that hold variables as `name=value` [default: puppetvar].
    #[arg(long, value_name = "NAME[,NAME…]")]
    ldapstackedattrs: Option<String>,
}

impl Ldap {
    /// The server, with the file of the authorities that sign it.
    pub fn server(&self, authorities: Option<&Path>) -> Server {
        let authorities = || authorities.map(Path::to_path_buf);
        // Puppet's order, if both are asked for.
        let security = match (self.ldaptls, self.ldapssl) {
            (true, _) => Security::StartTls(authorities()),
            (false, true) => Security::Tls(authorities()),
            (false, false) => Security::None,
        };
        Server { host: given("ldapserver", &self.ldapserver), port: self.ldapport, security }
    }

    /// What is asked of it.
    ///
    /// # Errors
    /// When the file with the password can't be read.
    pub fn settings(&self) -> Result<LdapSettings, String> {
        let password = match &self.ldappassword_file {
            Some(file) => read::given_text(file, MAX_PASSWORD)
                .map(|text| text.trim_end_matches(['\r', '\n']).to_owned())
                .map_err(|error| format!("Could not read {}: {error}", file.display()))?,
            None => given("ldappassword", &self.ldappassword),
        };
        Ok(LdapSettings {
            base: given("ldapbase", &self.ldapbase),
            user: given("ldapuser", &self.ldapuser),
            password,
            filter: given("ldapstring", &self.ldapstring),
            class_attributes: given("ldapclassattrs", &self.ldapclassattrs),
            parent_attribute: given("ldapparentattr", &self.ldapparentattr),
            attributes: given("ldapattrs", &self.ldapattrs),
            stacked_attributes: given("ldapstackedattrs", &self.ldapstackedattrs),
        })
    }

    /// What was given, for code that reads settings; but the password, which no catalog should hold.
    ///
    /// # Errors
    /// When the settings do not take it.
    pub fn tell(&self, settings: &mut Settings) -> Result<(), String> {
        let texts = [
            ("ldapserver", &self.ldapserver),
            ("ldapbase", &self.ldapbase),
            ("ldapuser", &self.ldapuser),
            ("ldapstring", &self.ldapstring),
            ("ldapclassattrs", &self.ldapclassattrs),
            ("ldapparentattr", &self.ldapparentattr),
            ("ldapattrs", &self.ldapattrs),
            ("ldapstackedattrs", &self.ldapstackedattrs),
        ];
        for (name, value) in texts {
            if let Some(text) = value {
                settings.set(name, &text.as_str().into())?;
            }
        }
        settings.set("ldapport", &Data::Integer(self.ldapport.into()))?;
        settings.set("ldapssl", &self.ldapssl.into())?;
        settings.set("ldaptls", &self.ldaptls.into())
    }
}

fn given(name: &str, value: &Option<String>) -> String {
    value.clone().unwrap_or_else(|| Settings::default_of(name).to_owned())
}
