//! A directory that is asked: bound as the settings say, then searched.

use super::wire::{self, Link};
use super::{Server, Settings};
use bunraku_process::Limits;
use ldap3::asn1::StructureTag;
use ldap3::result::LdapError;
use ldap3::{LdapConn, LdapConnSettings, LdapResult, Scope, StdStream};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// An entry: its name, and its attributes as the server has ordered them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Distinguished name.
    pub dn: String,
    /// Values by name, in the server's spelling.
    pub attributes: Vec<(String, Vec<Vec<u8>>)>,
}

/// What a search found.
pub struct Found {
    /// Entries, in the server's order.
    pub entries: Vec<Entry>,
    /// Other servers that have more.
    pub elsewhere: Vec<String>,
}

/// A connection.
pub struct Directory {
    connection: LdapConn,
    fault: Receiver<String>,
    limits: Limits,
}

impl Directory {
    /// Connects and binds.
    ///
    /// # Errors
    /// When the server can't be reached or does not let us in. No error has the password in it.
    pub fn open(server: &Server, settings: &Settings, limits: Limits) -> Result<Directory, String> {
        let failed = |error: String| format!("Could not connect to LDAP: {error}");
        let Link { near, fault } = wire::open(server, limits, Instant::now() + limits.time)
            .map_err(|error| failed(error.to_string()))?;
        let stream = LdapConnSettings::new().set_std_stream(StdStream::Unix(near));
        let connection = LdapConn::with_settings(stream, "ldapi:///");
        let connection = connection.map_err(|error| failed(error.to_string()))?;
        let mut directory = Directory { connection, fault, limits };
        // The way itself ends at the limit, but where the system looks for the server's address.
        directory.connection.with_timeout(limits.time + Duration::from_secs(1));
        let (user, password) = match settings.user.as_str() {
            "" => ("", ""),
            user => (user, settings.password.as_str()),
        };
        let bound = directory.connection.simple_bind(user, password);
        let bound = bound.map_err(|error| directory.failed(&error))?;
        if bound.rc != 0 {
            return Err(failed(refused(&bound)));
        }
        Ok(directory)
    }

    /// The entries below `base` that a filter fits, with some of their attributes, or all.
    ///
    /// # Errors
    /// When there is no answer, or it is a refusal.
    pub fn search(&mut self, base: &str, filter: &str, attributes: &[String]) -> Result<Found, String> {
        self.connection.with_timeout(self.limits.time + Duration::from_secs(1));
        let answer = self.connection.search(base, Scope::Subtree, filter, attributes);
        let answer = match answer {
            Err(LdapError::FilterParsing) => {
                return Err(format!("LDAP Search failed: '{filter}' is no filter (setting ldapstring)"));
            }
            answer => answer.map_err(|error| self.failed(&error))?,
        };
        if answer.1.rc != 0 {
            return Err(format!("LDAP Search failed: {}", refused(&answer.1)));
        }
        let entries = answer.0.into_iter().map(|entry| read(entry.0));
        let entries = entries.collect::<Option<_>>().ok_or("LDAP Search failed: an entry can't be read")?;
        Ok(Found { entries, elsewhere: answer.1.refs })
    }

    /// Why there was no answer: what the way to the server says goes before what its end looks like from here.
    fn failed(&self, error: &LdapError) -> String {
        match (self.fault.try_recv(), error) {
            (Ok(fault), _) => fault,
            (Err(_), LdapError::Timeout { .. }) => format!("LDAP Search failed: {}", wire::late(self.limits)),
            (Err(_), error) => format!("LDAP Search failed: {error}"),
        }
    }
}

/// The server's words for why it does not do what it was asked.
fn refused(result: &LdapResult) -> String {
    let whole = result.to_string();
    // The crate's form is `rc=49 (invalidCredentials), dn: "", text: ""`.
    let code = whole.split_once("), ").map_or(whole.as_str(), |(code, _)| code);
    let code = code.rsplit_once('(').map_or(code, |(_, name)| name);
    let refers = match result.refs.as_slice() {
        [] => String::new(),
        addresses => format!(" to {}, and referrals are not followed", addresses.join(", ").escape_debug()),
    };
    let text = match result.text.as_str() {
        "" => String::new(),
        text => format!(": {}", text.escape_debug()),
    };
    format!("the server says {code} ({}){refers}{text}", result.rc)
}

/// An entry as the server has sent it.
fn read(entry: StructureTag) -> Option<Entry> {
    let mut parts = entry.expect_constructed()?.into_iter();
    let dn = String::from_utf8(parts.next()?.expect_primitive()?).ok()?;
    let mut attributes = Vec::new();
    for attribute in parts.next()?.expect_constructed()? {
        let mut parts = attribute.expect_constructed()?.into_iter();
        let name = String::from_utf8(parts.next()?.expect_primitive()?).ok()?;
        let values = parts.next()?.expect_constructed()?.into_iter();
        attributes.push((name, values.map(StructureTag::expect_primitive).collect::<Option<_>>()?));
    }
    Some(Entry { dn, attributes })
}
