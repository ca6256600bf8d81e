//! Values of Puppet's settings that code can read as `$settings::…`: those of a Puppet 7 server run as root.

/// Name and value; `true`, `false` and numbers are what they look like.
pub const DEFAULTS: &[(&str, &str)] = &[
    ("autosign", "/etc/puppet/autosign.conf"),
    ("basemodulepath", "/etc/puppet/code/modules:/usr/share/puppet/modules"),
    ("ca_server", "puppet"),
    ("codedir", "/etc/puppet/code"),
    ("confdir", "/etc/puppet"),
    ("environmentpath", "/etc/puppet/code/environments"),
    ("hostcert", "/var/lib/puppet/ssl/certs/localhost.pem"),
    ("hostprivkey", "/var/lib/puppet/ssl/private_keys/localhost.pem"),
    ("localcacert", "/var/lib/puppet/ssl/certs/ca.pem"),
    ("logdir", "/var/log/puppet"),
    ("manifest", ""),
    ("masterport", "8140"),
    ("modulepath", ""),
    ("node_terminus", "plain"),
    ("noop", "false"),
    ("report_server", "puppet"),
    ("rundir", "/run/puppet"),
    ("server", "puppet"),
    ("serverport", "8140"),
    ("ssldir", "/var/lib/puppet/ssl"),
    ("statedir", "/var/lib/puppet/state"),
    ("storeconfigs", "false"),
    ("strict", "error"),
    ("tasks", "false"),
    ("vardir", "/var/lib/puppet"),
];

/// A setting's value; empty for what is none.
pub fn default_of(name: &str) -> &'static str {
    DEFAULTS.iter().find(|(other, _)| *other == name).map_or("", |(_, value)| value)
}
