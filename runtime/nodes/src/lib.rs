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

/// What is said of a node that a classifier or a directory has nothing of. Source: Puppet 7.23.
pub fn unknown_node(node: &str) -> String {
    format!("Could not find node '{node}'; cannot compile")
}

/// What a compile says where a classifier or a directory ended in the error `why`, which may be that it has nothing of the node. Source:
/// Puppet 7.23.
pub fn search_failed(node: &str, why: &str) -> String {
    match why == unknown_node(node) {
        true => why.to_owned(),
        false => format!("Failed when searching for node {node}: {why}"),
    }
}
