//! What is known of a node before its code runs: [`facts`], and node terms from external node classifiers ([`enc`]) or
//! an LDAP directory ([`ldap`]); what is stored of a node ([`stored`]); trusted data from outside ([`trusted_external`]).
//! YAML is read by [`psych`]'s rules.

pub mod changes;
pub mod enc;
pub mod facts;
pub mod ldap;
pub mod legacy_facts;
mod psych;
pub mod stored;
pub mod trusted_external;
