//! Which files are private keys: their content is never put into an archive, which is handed to others. Those of eyaml
//! are read from the disk when they are needed.

use std::ffi::OsStr;
use std::path::Path;

/// Folders and files that GnuPG keeps its keys in.
const GNUPG: [&str; 3] = ["secring.gpg", "private-keys-v1.d", ".gnupg"];

/// Whether the file holds a private key: in the text form of OpenSSL, OpenSSH and PGP, or as GnuPG keeps them. Ruby
/// code may speak of keys.
pub(crate) fn is_private(path: &Path, bytes: &[u8]) -> bool {
    if path.iter().any(|part| GNUPG.iter().any(|name| part == OsStr::new(name))) {
        return true;
    }
    let is_ruby = path.extension().is_some_and(|extension| extension == "rb");
    !is_ruby && bytes.split(|byte| *byte == b'\n').any(begins)
}

/// Whether a line is the first of a private key: `-----BEGIN RSA PRIVATE KEY-----` and its like.
fn begins(line: &[u8]) -> bool {
    let Some(what) = line.trim_ascii_start().strip_prefix(b"-----BEGIN ") else { return false };
    let what = String::from_utf8_lossy(what.get(..64).unwrap_or(what));
    what.contains("PRIVATE KEY-----") || what.starts_with("PGP PRIVATE KEY")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_their_first_line() {
        let is = |path: &str, text: &str| is_private(Path::new(path), text.as_bytes());
        for kind in ["", "RSA ", "EC ", "ENCRYPTED ", "OPENSSH "] {
            assert!(is("keys/x.pem", &format!("# a key\r\n-----BEGIN {kind}PRIVATE KEY-----\r\nMII")));
        }
        assert!(is("x.asc", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n"));
        assert!(is("data/.gnupg/private-keys-v1.d/A.key", "(21:protected-private-key"));
        assert!(!is("x.pem", "-----BEGIN CERTIFICATE-----\n-----BEGIN PUBLIC KEY-----\n"));
        assert!(!is("x.rb", "  -----BEGIN RSA PRIVATE KEY-----\n"));
    }
}
