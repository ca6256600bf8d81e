//! The rules of a site that has none of its own: who may ask what is what Puppet Server's package says.

use super::{Access, Entry, Path, Rule, Rules};
use fancy_regex::Regex;

/// Who may.
enum Who {
    /// The node that the path names.
    Itself,
    /// Any node.
    Nodes,
    /// Anyone, certificate or not.
    Anyone,
    /// Those whose certificate says that they administrate the authority.
    Administrators,
    /// Nobody.
    Nobody,
}

/// Whether the path is a pattern or a begin, the path, methods, who may, and what the rule is called.
const ALL: &[(bool, &str, &[&str], Who, &str)] = &[
    (true, "^/puppet/v3/catalog/([^/]+)$", &["get", "post"], Who::Itself, "v3 catalog from agents"),
    (true, "^/puppet/v4/catalog/?$", &["post"], Who::Nobody, "v4 catalog for services"),
    (false, "/puppet-ca/v1/certificate/", &["get"], Who::Anyone, "certificate"),
    (false, "/puppet-ca/v1/certificate_revocation_list/ca", &["get"], Who::Anyone, "crl"),
    (false, "/puppet-ca/v1/certificate_request", &["get", "put"], Who::Anyone, "csr"),
    (true, "^/puppet-ca/v1/certificate_renewal/?$", &["post"], Who::Nodes, "certificate renewal"),
    (
        false,
        "/puppet-ca/v1/certificate_status",
        &["get", "put", "delete"],
        Who::Administrators,
        "certificate status",
    ),
    (true, "^/puppet-ca/v1/certificate_revocation_list$", &["put"], Who::Administrators, "crl update"),
    (false, "/puppet-ca/v1/certificate_statuses", &["get"], Who::Administrators, "certificate statuses"),
    (false, "/puppet-ca/v1/expirations", &["get"], Who::Nodes, "CA cert and CRL expirations"),
    (false, "/puppet-ca/v1/clean", &["put"], Who::Administrators, "certificate clean"),
    (false, "/puppet-ca/v1/sign", &["post"], Who::Administrators, "certificate sign"),
    (false, "/puppet/v3/environments", &["get"], Who::Nodes, "environments"),
    (false, "/puppet/v3/file_bucket_file", &["get", "head", "post", "put"], Who::Nodes, "file bucket file"),
    (false, "/puppet/v3/file_content", &["get", "post"], Who::Nodes, "file content"),
    (false, "/puppet/v3/file_metadata", &["get", "post"], Who::Nodes, "file metadata"),
    (true, "^/puppet/v3/node/([^/]+)$", &["get"], Who::Itself, "node"),
    (true, "^/puppet/v3/report/([^/]+)$", &["put"], Who::Itself, "report"),
    (true, "^/puppet/v3/facts/([^/]+)$", &["put"], Who::Itself, "facts"),
    (false, "/puppet/v3/static_file_content", &["get"], Who::Nodes, "static file content"),
    (false, "/puppet/v3/tasks", &["get"], Who::Nodes, "tasks information"),
    (false, "/status/v1/services", &["get"], Who::Anyone, "status services"),
    (false, "/status/v1/simple", &["get"], Who::Anyone, "status simple"),
];

/// All of them; what none of them is for is denied.
pub fn rules() -> Rules {
    let one = |(is_pattern, path, methods, who, name): &(bool, &str, &[&str], Who, &str)| {
        let path = match is_pattern {
            true => Path::Pattern(Regex::new(path).expect("the pattern above is one")),
            false => Path::Prefix((*path).to_owned()),
        };
        let administers = || Entry::Extensions {
            certname: None,
            extensions: vec![("pp_cli_auth".into(), vec!["true".into()])],
        };
        let of = |allow| Access::Of { deny: Vec::new(), allow };
        let access = match who {
            Who::Anyone => Access::Anyone,
            Who::Itself => of(vec![Entry::Name("$1".to_owned())]),
            Who::Nodes => of(vec![Entry::Any]),
            Who::Administrators => of(vec![administers()]),
            Who::Nobody => of(Vec::new()),
        };
        let methods = methods.iter().map(|method| (*method).to_owned()).collect();
        let name = format!("puppetlabs {name}");
        Rule { name, order: 500, path, methods, query: Vec::new(), access }
    };
    Rules { rules: Rules::sorted(ALL.iter().map(one).collect()), names_by_headers: false }
}
