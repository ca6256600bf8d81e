//! The last changes of a real site, one after the other: `cargo run --release -p bunraku-tests --bin replay -- GIT_DIR PRIVATE_GIT_DIR`, of clones of
//! wikimedia/operations-puppet and wikimedia/labs-private. For each commit nodes are compiled from what was before and what came of it:
//! whoever changes has to be among those that the change is said to touch, and a diff of these alone has to say what the diff of all says.
//!
//! The nodes are a handful of the site's, with facts made up of those in `tests/facts`. Nothing of the site is kept here; without the
//! clones this says so and ends with status 3.

use bunraku_tests::{bunraku, paths};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "usage: replay GIT_DIR PRIVATE_GIT_DIR [COMMITS]";
/// What a change of nodes lies in.
const FOLDERS: [&str; 3] = ["manifests", "modules", "hieradata"];
/// The nodes: certname, whose facts, address.
const NODES: [(&str, &str, &str); 7] = [
    ("logstash1026.eqiad.wmnet", "debian11", "10.64.0.13"),
    ("acmechief1002.eqiad.wmnet", "debian12", "10.64.0.10"),
    ("aqs1022.eqiad.wmnet", "debian11", "10.64.0.11"),
    ("es2021.codfw.wmnet", "debian12", "10.192.0.12"),
    ("ganeti7001.magru.wmnet", "debian12", "10.140.0.10"),
    ("mw2335.codfw.wmnet", "debian11", "10.192.0.14"),
    ("sessionstore2004.codfw.wmnet", "debian11", "10.192.0.15"),
];
/// Where what stands in the place of the site's functions lies.
const NEW_FUNCTIONS: &str = "instead/vendor_modules/dnsquery/lib/puppet/functions/dnsquery";
const OLD_FUNCTIONS: &str = "instead/modules/wmflib/lib/puppet/parser/functions";
/// What functions that ask a name server answer.
const NAME_SERVICE: [(&str, &str); 5] = [
    ("a", "['10.64.0.99']"),
    ("aaaa", "['2620:0:861:1::99']"),
    ("lookup", "['10.64.0.99', '2620:0:861:1::99']"),
    ("ptr", "['name.example.com']"),
    ("rlookup", "'name.example.com'"),
];
/// Status where there is nothing to replay.
const NONE: u8 = 3;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (clones, commits) = match &args[..] {
        [site, private] => ([site, private], Ok(100)),
        [site, private, count] => ([site, private], count.parse()),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let Ok(commits) = commits else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    if let Some(missing) = clones.iter().find(|clone| git(clone, &["rev-parse", "HEAD"]).is_err()) {
        eprintln!("SKIPPED replay: {missing} is no clone with a version to begin with");
        return ExitCode::from(NONE);
    }
    match replay(clones[0], clones[1], commits) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("replay: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Output of a `git` command in a clone.
fn git(clone: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").arg("--git-dir").arg(clone).args(arguments).output();
    let output = output.map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// What is needed besides the site's own tree.
struct Site {
    work: tempfile::TempDir,
    clone: PathBuf,
    program: PathBuf,
    bootstrap: String,
}

/// What came of a commit.
#[derive(Default)]
struct Counts {
    /// Nodes that the change is said to touch, those of which it is not known by name.
    touched: BTreeSet<String>,
    /// Nodes whose catalog, or failure, is another one.
    changed: BTreeSet<String>,
    /// Nodes that fail from both sides: nothing is found out by them.
    failing: usize,
    /// Whether both diffs say the same.
    is_same: bool,
}

/// Replays so many commits; how many went wrong.
fn replay(clone: &str, private: &str, commits: usize) -> Result<usize, String> {
    let site = Site::new(clone, private)?;
    let mut list = vec!["rev-list".to_owned(), "--no-merges".to_owned(), format!("--max-count={commits}")];
    list.extend(["HEAD", "--"].iter().chain(&FOLDERS).map(|&word| word.to_owned()));
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let text = git(clone, &list)?;
    let all: Vec<&str> = text.lines().rev().collect();
    let (started, mut wrong) = (Instant::now(), 0);
    let (mut touched, mut changed, mut missed, mut failing) = (0, 0, 0, 0);
    for commit in &all {
        let counts = site.commit(commit)?;
        let not_said: Vec<_> = counts.changed.difference(&counts.touched).collect();
        println!(
            "{} touched {} changed {}{}{}",
            &commit[..12],
            counts.touched.len(),
            counts.changed.len(),
            if not_said.is_empty() { String::new() } else { format!(" MISSED {not_said:?}") },
            if counts.is_same { "" } else { " THE TWO DIFFS DIFFER" }
        );
        touched += counts.touched.len();
        changed += counts.changed.len();
        missed += not_said.len();
        failing = failing.max(counts.failing);
        wrong += usize::from(!not_said.is_empty() || !counts.is_same);
    }
    println!(
        "{} commits, {} nodes: {touched} touched, {changed} changed, {missed} missed, {wrong} commits wrong, up to {failing} nodes fail as it is; {:.0} s",
        all.len(),
        NODES.len(),
        started.elapsed().as_secs_f64()
    );
    Ok(wrong)
}

impl Site {
    fn new(clone: &str, private: &str) -> Result<Site, String> {
        let work = tempfile::tempdir().map_err(|error| error.to_string())?;
        let at = |name: &str| work.path().join(name);
        let own = ["private", "facts", "inventory/hosts"].into_iter();
        for folder in own.chain([NEW_FUNCTIONS, OLD_FUNCTIONS]) {
            fs::create_dir_all(at(folder)).map_err(|error| error.to_string())?;
        }
        let index = at("index").display().to_string();
        for step in [&["read-tree", "HEAD"][..], &["checkout-index", "--all"]] {
            let mut command = Command::new("git");
            command.arg("--git-dir").arg(private).arg("--work-tree").arg(at("private")).args(step);
            let status = command.env("GIT_INDEX_FILE", &index).current_dir(at("private")).status();
            if !status.is_ok_and(|status| status.success()) {
                return Err(format!("{private} can't be checked out"));
            }
        }
        let write = |name: &str, text: String| fs::write(at(name), text).map_err(|error| error.to_string());
        // The site's data lies beside its code; here each version has its own. What prints the version runs `git`.
        write("instead/hiera.yaml", hiera(work.path()))?;
        let private_modules = at("private/modules");
        let path =
            format!("modulepath = modules:vendor_modules:core_modules:{}\n", private_modules.display());
        write("instead/environment.conf", path)?;
        // There is no network: a name server would be waited for, and each name has an address made up here.
        for (name, answer) in NAME_SERVICE {
            write(&format!("{NEW_FUNCTIONS}/{name}.rb"), function(name, answer))?;
        }
        let old = "Puppet::Parser::Functions.newfunction(:ipresolve, :type => :rvalue, :arity => -2) do |given|\n  \
                   given[1].to_s == '6' ? '2620:0:861:1::99' : '10.64.0.99'\nend\n";
        write(&format!("{OLD_FUNCTIONS}/ipresolve.rb"), old.to_owned())?;
        write("inventory/common.yaml", "{}\n".to_owned())?;
        for (node, base, address) in NODES {
            write(&format!("facts/{node}.json"), facts(node, base, address)?.to_string())?;
            let (host, site) = node.split_once('.').ok_or("a node's name has a domain")?;
            let location = json!({"site": site.split('.').next(), "row": "row a", "rack": "A1"});
            let found = json!({"profile::netbox::host::status": "active", "profile::netbox::host::location": location});
            write(&format!("inventory/hosts/{host}.yaml"), found.to_string())?;
        }
        let bootstrap = format!("cp -r {}/. .", at("instead").display());
        let clone = fs::canonicalize(clone).map_err(|error| error.to_string())?;
        Ok(Site { work, clone, program: bunraku::binary()?, bootstrap })
    }

    fn run(&self, command: &[&str], commit: &str) -> Result<String, String> {
        let mut process = Command::new(&self.program);
        process.args(command).current_dir(&self.clone).arg("--bootstrap").arg(&self.bootstrap);
        process
            .args(["--no-config", "--compat", "7", "--cache-size", "3000", "--cache"])
            .arg(self.work.path().join("cache"));
        process.arg("--factpath").arg(self.work.path().join("facts"));
        process.args([format!("--from=git:{commit}^"), format!("--to=git:{commit}")]);
        let output = process.output().map_err(|error| error.to_string())?;
        match output.stdout.is_empty() {
            true => Err(format!("{command:?} of {commit}: {}", String::from_utf8_lossy(&output.stderr))),
            false => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        }
    }

    fn commit(&self, commit: &str) -> Result<Counts, String> {
        let mut counts = Counts::default();
        let answer = self.run(&["affected", "--format=json"], commit)?;
        let answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
        for part in ["nodes", "failed"] {
            counts
                .touched
                .extend(answer[part].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
        }
        let (all, some) = (
            self.run(&["diff", "--format=jsonl", "--all"], commit)?,
            self.run(&["diff", "--format=jsonl"], commit)?,
        );
        counts.is_same = all == some;
        for line in all.lines() {
            let node: Value = serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
            match node["state"].as_str() {
                Some("same") => {}
                Some("failed before") => counts.failing += 1,
                _ => _ = counts.changed.insert(node["node"].as_str().unwrap_or_default().to_owned()),
            }
        }
        Ok(counts)
    }
}

/// The code of a function that answers so, whatever it is given.
fn function(name: &str, answer: &str) -> String {
    format!(
        "Puppet::Functions.create_function(:'dnsquery::{name}') do\n  dispatch :answer do\n    repeated_param 'Any', :given\n    \
         optional_block_param\n  end\n  def answer(*given)\n    {answer}\n  end\nend\n"
    )
}

/// The site's hierarchy, with its private data and its inventory where they lie here.
fn hiera(work: &Path) -> String {
    let (private, inventory) = (work.join("private/hieradata"), work.join("inventory"));
    let roles = ["role/%{::site}/%{::_role}.yaml", "role/common/%{::_role}.yaml"];
    let expands =
        |name: &str, path: &str| json!({"name": name, "lookup_key": "wmflib::expand_path", "path": path});
    let of = |mut level: Value, folder: &Path| {
        level["datadir"] = json!(folder);
        level
    };
    let host = |name: &str| json!({"name": name, "path": "hosts/%{::hostname}.yaml"});
    let levels = [
        of(host("private node"), &private),
        host("node"),
        of(host("inventory of nodes"), &inventory),
        json!({"name": "regex", "lookup_key": "wmflib::regex_data", "path": "regex.yaml", "options": {"node": "%{::fqdn}"}}),
        json!({"name": "role", "paths": roles}),
        of(json!({"name": "private role", "paths": roles}), &private),
        of(expands("private site", "%{::site}"), &private),
        expands("site", "%{::site}"),
        of(json!({"name": "inventory", "path": "common.yaml"}), &inventory),
        expands("common", "common"),
        of(expands("private common", "common"), &private),
    ];
    let defaults = json!({"datadir": "hieradata", "data_hash": "yaml_data"});
    json!({"version": 5, "defaults": defaults, "hierarchy": levels}).to_string()
}

/// Facts of a node of the site: those of a machine, and what the site's own facts say.
fn facts(node: &str, base: &str, address: &str) -> Result<Value, String> {
    let file = paths::root().join("tests/facts").join(format!("{base}.json"));
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut facts: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let (host, domain) = node.split_once('.').ok_or("a node's name has a domain")?;
    let text = |name: &str| facts["networking"][name].as_str().unwrap_or_default().to_owned();
    let (ip, interface) = (text("ip"), text("primary"));
    facts =
        serde_json::from_str(&facts.to_string().replace(&ip, address)).map_err(|error| error.to_string())?;
    let six = "2620:0:861:101:10:64:0:10";
    let named = [("hostname", host), ("fqdn", node), ("domain", domain)];
    for (name, value) in named.into_iter().chain([("ip6", six)]) {
        facts["networking"][name] = json!(value);
    }
    let ssl = "/var/lib/puppet/ssl";
    let own = json!({
        "clientcert": node, "ipaddress": address, "ipaddress6": six, "interface_primary": interface,
        "puppet_config_dir": "/etc/puppet",
        "puppet_config": {
            "main": {"ssldir": ssl, "vardir": "/var/lib/puppet", "server": "puppet"}, "agent": {"ssldir": ssl}, "master": {},
            "ssldir": ssl, "localcacert": format!("{ssl}/certs/ca.pem"), "hostcert": format!("{ssl}/certs/x.pem"),
            "hostpubkey": format!("{ssl}/public_keys/x.pem"), "hostprivkey": format!("{ssl}/private_keys/x.pem"),
        },
        "wmflib": {"is_container": false}, "net_driver": {&interface: {"driver": "bnxt_en", "speed": 1000, "firmware_version": "1"}},
        "numa": {"nodes": [0], "device_to_node": {&interface: [0]}, "device_to_htset": {&interface: [[0, 1]]}},
        "block_devices": [], "default_routes": {"ipv4": "10.64.0.1", "ipv6": "fe80::1"},
        "lldp": {"parent": "asw", "neighbors": ["asw"]}, "raid_mgmt_tools": [], "has_ipmi": false, "ipmi_chassis": {},
        "physicalcorecount": 4, "disk_type": {"sda": "ssd"}, "lsbdistcodename": "bookworm", "swift_disks": {"accounts": [], "container": [], "objects": []},
        "ceph_disks": {"disks": []}, "cpu_details": {"model": "x"}, "kernel_details": {}, "uniqueid": "007f0101", "clientversion": "7.23.0",
        "manufacturer": "Dell", "productname": "PowerEdge", "cpu_flags": ["pcid", "aes"], "cpu_model": {"vendor": "x"}, "root_home": "/root",
        "firmware_idrac": {}, "ipmi_lan": {}, "cpu_scaling_governor": "x", "postgres_replica_initialised": true, "spark_version": "3.1",
    });
    let all = facts.as_object_mut().ok_or("facts are an object")?;
    all.extend(own.as_object().cloned().unwrap_or_default());
    all.extend(named.map(|(name, value)| (name.to_owned(), json!(value))));
    Ok(facts)
}
