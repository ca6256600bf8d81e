//! The last changes of a real site, one after the other: `cargo run --profile dist -p bunraku-tests --bin replay -- GIT_DIR PRIVATE_GIT_DIR`, of clones of
//! wikimedia/operations-puppet and wikimedia/labs-private. For each commit nodes are compiled from what was before and what came of it:
//! whoever changes has to be among those that the change is said to touch, and a diff of these alone has to say what the diff of all says.
//! Where code of the site runs in a Ruby worker, its nodes count as touched by every change: so it is also counted who would be said to be
//! touched by what is known to have been read, and whoever changes without being among them is named.
//!
//! The nodes are a handful of the site's, with facts made up of those in `tests/facts`. Nothing of the site is kept here; without the
//! clones this says so and ends with status 3.

use bunraku_tests::{bunraku, paths};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

const USAGE: &str = "usage: replay GIT_DIR PRIVATE_GIT_DIR [COMMITS]";
/// What a change of nodes lies in.
const FOLDERS: [&str; 3] = ["manifests", "modules", "hieradata"];
/// The nodes: certname, whose facts, address.
const NODES: [(&str, &str, &str); 13] = [
    ("logstash1026.eqiad.wmnet", "debian11", "10.64.0.13"),
    ("acmechief1002.eqiad.wmnet", "debian12", "10.64.0.10"),
    ("aqs1022.eqiad.wmnet", "debian11", "10.64.0.11"),
    ("ganeti7001.magru.wmnet", "debian12", "10.140.0.10"),
    ("mw2335.codfw.wmnet", "debian11", "10.192.0.14"),
    ("sessionstore2004.codfw.wmnet", "debian11", "10.192.0.15"),
    ("kafka-main1006.eqiad.wmnet", "debian12", "10.64.0.16"),
    ("kubernetes1005.eqiad.wmnet", "debian11", "10.64.0.17"),
    ("mc1037.eqiad.wmnet", "debian11", "10.64.0.18"),
    ("people1004.eqiad.wmnet", "debian12", "10.64.0.19"),
    ("phab1004.eqiad.wmnet", "debian11", "10.64.0.20"),
    ("thanos-fe1001.eqiad.wmnet", "debian12", "10.64.0.21"),
    ("wdqs1012.eqiad.wmnet", "debian11", "10.64.0.22"),
];
/// A secret that the site's code reads, in the place of one that an older version of the private data does not have.
const SECRET: (&str, &str) = ("private/modules/secret/secrets/keyholder/scap.pub", "ssh-rsa AAAA made up\n");
/// Where what stands in the place of the site's functions lies.
const NEW_FUNCTIONS: &str = "instead/vendor_modules/dnsquery/lib/puppet/functions/dnsquery";
const OLD_FUNCTIONS: &str = "instead/modules/wmflib/lib/puppet/parser/functions";
/// What functions that ask a name server answer.
const NAME_SERVICE: [(&str, &str); 6] = [
    ("a", "['10.64.0.99']"),
    ("aaaa", "['2620:0:861:1::99']"),
    ("lookup", "['10.64.0.99', '2620:0:861:1::99']"),
    ("ptr", "['name.example.com']"),
    ("rlookup", "'name.example.com'"),
    ("srv", "[{'priority' => 1, 'weight' => 1, 'port' => 2380, 'target' => 'name.example.com'}]"),
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
    /// Those of them that have read something that the change makes otherwise, whatever else may have read anything.
    known: BTreeSet<String>,
    /// Nodes whose catalog, or failure, is another one.
    changed: BTreeSet<String>,
    /// Nodes that fail from both sides: nothing is found out by them.
    failing: usize,
    /// Whether both diffs say the same.
    is_same: bool,
    /// How long it took to find out whom the change touches, the diff of all nodes, and that of those who are touched.
    took: [Duration; 3],
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
    let (mut touched, mut known, mut changed, mut missed, mut unknown, mut failing) = (0, 0, 0, 0, 0, 0);
    let mut took = [Duration::ZERO; 3];
    for commit in &all {
        let counts = site.commit(commit)?;
        let not_said: Vec<_> = counts.changed.difference(&counts.touched).collect();
        let not_known: Vec<_> = counts.changed.difference(&counts.known).collect();
        let names = |what: &str, names: &[&String]| match names {
            [] => String::new(),
            _ => format!(" {what} {names:?}"),
        };
        println!(
            "{} touched {}, by what is known {}, changed {}{}{}{}",
            &commit[..12],
            counts.touched.len(),
            counts.known.len(),
            counts.changed.len(),
            names("MISSED", &not_said),
            names("by what is not known", &not_known),
            if counts.is_same { "" } else { " THE TWO DIFFS DIFFER" }
        );
        touched += counts.touched.len();
        known += counts.known.len();
        changed += counts.changed.len();
        missed += not_said.len();
        unknown += not_known.len();
        failing = failing.max(counts.failing);
        wrong += usize::from(!not_said.is_empty() || !counts.is_same);
        took.iter_mut().zip(counts.took).for_each(|(all, one)| *all += one);
    }
    println!(
        "{} commits, {} nodes: {touched} touched, {known} by what is known, {changed} changed, {missed} missed, {unknown} by what is not known, \
         {wrong} commits wrong, up to {failing} nodes fail as it is; {:.0} s",
        all.len(),
        NODES.len(),
        started.elapsed().as_secs_f64()
    );
    let [affected, whole, some] = took.map(|took| took.as_secs_f64() / all.len().max(1) as f64);
    println!(
        "a commit: affected {affected:.2} s, then the diff of all {whole:.2} s, then that of the touched {some:.2} s"
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
        let (secret, text) = SECRET;
        if !at(secret).exists() {
            at(secret).parent().map_or(Ok(()), fs::create_dir_all).map_err(|error| error.to_string())?;
            write(secret, text.to_owned())?;
        }
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
        let mut timed = |number: usize, command: &[&str]| {
            let started = Instant::now();
            let said = self.run(command, commit);
            counts.took[number] = started.elapsed();
            said
        };
        let answer = timed(0, &["affected", "--format=json"])?;
        let all = timed(1, &["diff", "--format=jsonl", "--all"])?;
        let some = timed(2, &["diff", "--format=jsonl"])?;
        let answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
        for part in ["nodes", "failed"] {
            for (name, reasons) in answer[part].as_object().into_iter().flatten() {
                counts.touched.insert(name.clone());
                if reasons.as_array().is_none_or(|all| all.iter().any(|reason| reason["kind"] != "unknown")) {
                    counts.known.insert(name.clone());
                }
            }
        }
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
