//! Numbers of what certificates hold, and Puppet's names of its own. Source: Puppet 7.23.0's table, and Puppet Server 7.9.5's.

use der::asn1::ObjectIdentifier;

/// Common names.
pub const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
/// A certificate's comment.
pub const COMMENT: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.113730.1.13");
/// Alternative names.
pub const ALTERNATIVE_NAMES: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");
/// The identifier of a key.
pub const SUBJECT_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.14");
/// The identifier of the issuer's key.
pub const AUTHORITY_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.35");
/// Whether it is an authority's.
pub const CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
/// What the key is for.
pub const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");
/// What the certificate is for.
pub const EXTENDED_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37");
/// Servers' certificates.
pub const FOR_SERVERS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
/// Clients' certificates.
pub const FOR_CLIENTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2");
/// The number of a list of revoked certificates.
pub const LIST_NUMBER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.20");
/// Why a certificate is revoked.
pub const REASON: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.21");
/// A list that only says what has changed.
pub const DELTA: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.27");
/// The attribute of requests that has the extensions that are asked for.
pub const REQUESTED: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.14");
/// Whoever has it administers the authority.
pub const CLI_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.34380.1.3.39");

/// Puppet's extensions are below this number: registered ones (`1.`), a site's own (`2.`), those for authorisation (`3.`).
pub const PUPPETS: &str = "1.3.6.1.4.1.34380.1.";

/// Those that have names, by their number below Puppet's.
pub const NAMES: [(&str, &str); 30] = [
    ("1.1", "pp_uuid"),
    ("1.2", "pp_instance_id"),
    ("1.3", "pp_image_name"),
    ("1.4", "pp_preshared_key"),
    ("1.5", "pp_cost_center"),
    ("1.6", "pp_product"),
    ("1.7", "pp_project"),
    ("1.8", "pp_application"),
    ("1.9", "pp_service"),
    ("1.10", "pp_employee"),
    ("1.11", "pp_created_by"),
    ("1.12", "pp_environment"),
    ("1.13", "pp_role"),
    ("1.14", "pp_software_version"),
    ("1.15", "pp_department"),
    ("1.16", "pp_cluster"),
    ("1.17", "pp_provisioner"),
    ("1.18", "pp_region"),
    ("1.19", "pp_datacenter"),
    ("1.20", "pp_zone"),
    ("1.21", "pp_network"),
    ("1.22", "pp_securitypolicy"),
    ("1.23", "pp_cloudplatform"),
    ("1.24", "pp_apptier"),
    ("1.25", "pp_hostname"),
    ("1.26", "pp_owner"),
    ("3.1", "pp_authorization"),
    ("3.2", "pp_auth_auto_renew"),
    ("3.13", "pp_auth_role"),
    ("3.39", "pp_cli_auth"),
];

/// The name of one of Puppet's extensions.
pub fn name(number: &str) -> Option<&'static str> {
    let below = number.strip_prefix(PUPPETS)?;
    NAMES.iter().find(|(known, _)| *known == below).map(|(_, name)| *name)
}

/// The number that a name stands for; a number stands for itself.
pub fn number(name: &str) -> Option<ObjectIdentifier> {
    let named = NAMES.iter().find(|(_, known)| *known == name);
    let number = named.map_or_else(|| name.to_owned(), |(below, _)| format!("{PUPPETS}{below}"));
    ObjectIdentifier::new(&number).ok()
}

/// Whether an extension is one of Puppet's branch: `1`, `2` or `3`.
pub fn is_of(number: &ObjectIdentifier, branch: char) -> bool {
    let number = number.to_string();
    let below = number.strip_prefix(PUPPETS).and_then(|below| below.strip_prefix(branch));
    below.is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_numbers() {
        assert_eq!(name("1.3.6.1.4.1.34380.1.3.39"), Some("pp_cli_auth"));
        assert_eq!(number("pp_cli_auth"), Some(CLI_AUTH));
        assert_eq!(number("1.2.3").map(|number| number.to_string()), Some("1.2.3".to_owned()));
        assert_eq!(number("pp_nothing"), None);
        assert!(is_of(&CLI_AUTH, '3') && !is_of(&CLI_AUTH, '1') && !is_of(&COMMENT, '3'));
    }
}
