//! What is known of a node before its code runs: [`facts`], and node terms from external node classifiers ([`enc`]) or
//! an LDAP directory ([`ldap`]); trusted data from outside ([`trusted_external`]).

pub mod enc;
pub mod facts;
pub mod ldap;
pub mod legacy_facts;
pub mod trusted_external;
