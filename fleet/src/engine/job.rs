//! Jobs: what is to be done with the nodes of a shard, by the hashes of all that it takes.

use bunraku::archive::fingerprint;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::{Display, Formatter};
use std::str::FromStr;

/// The version of these forms. Another one is refused.
pub const FORMAT: u32 = 3;

/// The SHA-256 of an object, which it is known by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hash(String);

impl Hash {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(hex(&Sha256::digest(bytes)))
    }

    /// In hexadecimal.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The bytes, which have to have this hash.
    ///
    /// # Errors
    /// When they have another.
    pub fn checked(&self, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        match Hash::of(&bytes) == *self {
            true => Ok(bytes),
            false => Err(format!("Object {self} is damaged: its hash is another one")),
        }
    }
}

impl Display for Hash {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Hash {
    type Err = String;

    fn from_str(text: &str) -> Result<Hash, String> {
        let is_one = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_one.then(|| Hash(text.to_owned())).ok_or_else(|| format!("{text} is no SHA-256 in hexadecimal"))
    }
}

impl TryFrom<String> for Hash {
    type Error = String;

    fn try_from(text: String) -> Result<Hash, String> {
        text.parse()
    }
}

impl From<Hash> for String {
    fn from(hash: Hash) -> String {
        hash.0
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What tells builds of Bunraku apart: archives of one are nothing to another.
pub fn build() -> String {
    hex(fingerprint())
}

/// What is wanted of each node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Want {
    /// How its two catalogs differ.
    Differences,
    /// Whether it compiles.
    Outcome,
    /// The same, and its catalog.
    Catalogs,
    /// Its catalog and what is logged meanwhile, as one compile prints them.
    Printed,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// [`FORMAT`].
    pub format: u32,
    /// [`build`] of who has published it.
    pub fingerprint: String,
    /// The plan that it is of.
    pub run: Hash,
    /// Which part: a number, and behind dots the halves that it was cut into.
    pub shard: String,
    /// The archive of the tree as it is.
    pub from: Hash,
    /// That of the tree as it is to be, where there are two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Hash>,
    /// The nodes.
    pub facts: Hash,
    /// What of two catalogs is compared.
    pub rules: Hash,
    /// What is lent of the coordinator's disk.
    pub lent: Hash,
    /// What is wanted.
    pub want: Want,
}

impl Job {
    /// As text.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// A job of a text.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_json(text: &[u8]) -> Result<Job, String> {
        serde_json::from_slice(text).map_err(|error| format!("This is no job: {error}"))
    }

    /// Refuses what another build has published.
    ///
    /// # Errors
    /// Says which.
    pub fn check(&self) -> Result<(), String> {
        is_own(self.format, &self.fingerprint).map_err(|whose| format!("Shard {} {whose}", self.shard))
    }
}

/// Refuses what was written by another build.
///
/// # Errors
/// Says whose it is.
pub(crate) fn is_own(format: u32, fingerprint: &str) -> Result<(), String> {
    if format != FORMAT {
        return Err(format!("is of format {format}, and this Bunraku knows {FORMAT}"));
    }
    match fingerprint == build() {
        true => Ok(()),
        false => Err(format!("is of another build of Bunraku: {fingerprint}, and this is {}", build())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_read_back_and_those_of_others_are_refused() {
        let hash = Hash::of(b"x");
        let job = Job {
            format: FORMAT,
            fingerprint: build(),
            run: hash.clone(),
            shard: "7.0".to_owned(),
            from: hash.clone(),
            to: None,
            facts: hash.clone(),
            rules: hash.clone(),
            lent: hash,
            want: Want::Outcome,
        };
        assert_eq!(Job::from_json(job.to_json().as_bytes()), Ok(job.clone()));
        assert_eq!(job.check(), Ok(()));
        let other = Job { fingerprint: "ab".to_owned(), ..job.clone() };
        assert!(other.check().expect_err("another build").contains("another build of Bunraku: ab"));
        let other = Job { format: 9, ..job.clone() };
        assert!(other.check().expect_err("another form").contains("format 9"));
        for wrong in ["", "{}", "[]", &job.to_json().replace("7.0", "7.0\",\"x\":\"")] {
            assert!(Job::from_json(wrong.as_bytes()).is_err(), "{wrong}");
        }
        for wrong in [
            "",
            "ab",
            &"g".repeat(64),
            &"A".repeat(64),
            "../../../../../../../../../../../../../../../../../../../../../etc/x",
        ] {
            assert!(wrong.parse::<Hash>().is_err(), "{wrong}");
        }
    }
}
