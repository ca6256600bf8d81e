//! Names of nodes: which of them name files, and which may be in a certificate. Source: Puppet Server 7.9.5, whose words these are.

use crate::fault::Fault;

/// Bytes of a name, at most: with `.pem` behind it, it is the name of a file.
const LONGEST: usize = 250;

/// Whether a name is one that nodes have: letters in lower case, digits, `.`, `_`, `-`; not `..` nor empty. No other name is ever
/// a part of a path.
pub fn is_certname(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-');
    !name.is_empty()
        && name.len() <= 255
        && name.chars().all(plain)
        && !name.starts_with('.')
        && !name.contains("..")
}

/// Holds the name that a request is sent by against the one that stands in it.
///
/// # Errors
/// Why they don't fit, or why that is no name for a certificate.
pub fn check(asked: &str, subject: &str) -> Result<(), Fault> {
    if asked != subject {
        let message = format!("Instance name \"{subject}\" does not match requested key \"{asked}\"");
        return Err(Fault::Refused(message));
    }
    if asked.to_lowercase() != asked {
        return Err(Fault::Refused("Certificate names must be lower case.".to_owned()));
    }
    if subject.contains('*') {
        let message = format!("Subject contains a wildcard, which is not allowed: {subject}");
        return Err(Fault::Refused(message));
    }
    let begins = subject.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let part = |part: &str| !part.is_empty() && !part.ends_with('-') && part.chars().all(letters);
    let parts = subject.trim_end_matches('.').split('.').all(part);
    match begins && parts && subject.len() <= LONGEST && is_certname(subject) {
        true => Ok(()),
        false => Err(Fault::Refused("Subject hostname format is invalid".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_nodes_are_plain() {
        for name in ["web01.example.com", "a", "a_b-c.1"] {
            assert!(is_certname(name), "{name}");
        }
        let long = "a".repeat(256);
        for name in ["", "..", "a..b", ".a", "a/b", "WEB01", "a b", "a\0", "ü", "*", long.as_str()] {
            assert!(!is_certname(name), "{name}");
        }
    }

    #[test]
    fn names_in_certificates_are_narrower() {
        for name in ["web01.example.com", "_a", "0.-a", "a.b_c", "foo."] {
            assert_eq!(check(name, name), Ok(()), "{name}");
        }
        let long = "a".repeat(251);
        for name in
            ["", "-a", "a-", "a-.b", "a..b", ".a", "a/b", "a b", "ü", "a*", "..", "WEB", long.as_str()]
        {
            assert!(check(name, name).is_err(), "{name}");
        }
        let told = |asked: &str, subject: &str| check(asked, subject).unwrap_err().to_string();
        assert_eq!(told("a", "b"), "Instance name \"b\" does not match requested key \"a\"");
        assert_eq!(told("UP", "UP"), "Certificate names must be lower case.");
        assert_eq!(told("*.a", "*.a"), "Subject contains a wildcard, which is not allowed: *.a");
    }
}
