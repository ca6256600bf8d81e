//! A site with a change for tests of engines: nodes of all states, some that need what only the coordinator has, and what the commands
//! say of them in one process.

use crate::bunraku;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Both trees, facts, and a file outside of the trees.
pub struct Site {
    work: TempDir,
    program: PathBuf,
}

const MANIFEST: &str = "
node /^web/ { include site::web }
node /^db/ { include site::db }
node /^out/ { notify { 'outside': message => file('OUTSIDE') } }
node /^run/ { notify { 'ran': message => generate('/bin/echo', 'said') } }
node /^ruby/ { notify { 'ruby': message => site::slow('x') } }
node /^bad/ { fail(\"no ${facts['networking']['ip']}\") }
node default { notify { $facts['networking']['ip']: } }
";
const WEB: &str = "
class site::web(Integer $workers = 4) {
  file { '/etc/motd': source => 'puppet:///modules/site/motd' }
  file { '/etc/web.conf': content => epp('site/web.epp', { workers => $workers }) }
  file { '/etc/secret': content => Sensitive(\"s3cret ${workers}\") }
  site::part { $facts['networking']['hostname']: }
}
";
const DB: &str = "class site::db { package { 'postgresql': ensure => 'FOURTEEN' } }\n";
const PART: &str = "define site::part { notify { \"part ${title} ${trusted['certname']}\": } }\n";
/// Ruby that is not run natively.
const SLOW: &str = "Puppet::Functions.create_function(:'site::slow') do
  dispatch(:slow) { param 'String', :x }
  def slow(x)
    ObjectSpace.each_object(Class).count > 0 ? \"ruby #{x}\" : 'none'
  end
end
";

impl Site {
    /// Trees and facts of so many nodes.
    ///
    /// # Panics
    /// When something can't be written.
    pub fn new(nodes: usize) -> Site {
        Site::of_kinds(nodes, &["web", "web", "db", "plain", "plain", "out", "run", "bad", "web", "ruby"])
    }

    /// The same, whose nodes are of some kinds by turns.
    ///
    /// # Panics
    /// When something can't be written.
    pub fn of_kinds(nodes: usize, kinds: &[&str]) -> Site {
        let work = tempfile::tempdir().expect("a folder can be made");
        let site = Site { work, program: bunraku::binary().expect("Bunraku builds") };
        site.write("outside.txt", "from outside\n");
        let outside = site.path("outside.txt").display().to_string();
        for (side, workers, motd) in [("old", "4", "hello\n"), ("new", "8", "hello again\n")] {
            let file = |name: &str, text: &str| site.write(&format!("{side}/{name}"), text);
            file("manifests/site.pp", &MANIFEST.replace("OUTSIDE", &outside));
            file("modules/site/manifests/web.pp", &WEB.replace("= 4", &format!("= {workers}")));
            file("modules/site/manifests/db.pp", DB);
            file("modules/site/manifests/part.pp", PART);
            file("modules/site/files/motd", motd);
            file(
                "modules/site/templates/web.epp",
                "<%- | $workers | -%>\nworkers <%= $workers %> on <%= $trusted['certname'] %>\n",
            );
            file("modules/site/lib/puppet/functions/site/slow.rb", SLOW);
        }
        site.write(
            "new/modules/site/manifests/db.pp",
            "class site::db { fail(\"not on ${trusted['certname']}\") }\n",
        );
        site.write("new/modules/site/lib/puppet/functions/site/slow.rb", &SLOW.replace("ruby #", "Ruby #"));
        for number in 0..nodes {
            let name = format!("{}{number:04}.example.com", kinds[number % kinds.len()]);
            let facts = serde_json::json!({
                "networking": { "hostname": name.split('.').next(), "ip": format!("10.0.{}.{}", number / 200, number % 200) },
            });
            site.write(&format!("facts/{name}.json"), &facts.to_string());
        }
        site
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    /// Something of the site's folder.
    pub fn path(&self, below: &str) -> PathBuf {
        self.work.path().join(below)
    }

    /// Bunraku, with a subcommand.
    pub fn bunraku(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("BUNRAKU_NO_CONFIG", "1");
        command
    }

    /// `bunraku diff` of both trees.
    pub fn diff(&self, more: &[&str]) -> Command {
        let mut command = self.bunraku(&["diff", "--all", "--no-config", "--format", "json"]);
        command.arg("--from").arg(self.path("old")).arg("--to").arg(self.path("new"));
        command.arg("--facts").arg(self.path("facts")).arg("--cache").arg(self.path("cache")).args(more);
        command
    }

    /// `bunraku fleet compile` of a tree.
    pub fn compile(&self, more: &[&str]) -> Command {
        let mut command = self.bunraku(&["fleet", "compile"]);
        command.arg(self.path("new")).args(["--no-config", "--format", "jsonl"]);
        command.arg("--facts").arg(self.path("facts")).arg("--cache").arg(self.path("cache")).args(more);
        command
    }

    /// A worker, which keeps archives in a folder of the site's.
    pub fn worker(&self, on: &str, cache: &str) -> Command {
        let mut command = self.bunraku(&["fleet", "worker", "--cores", "1", "--on", on, "--cache"]);
        command.arg(self.path(cache));
        command
    }
}

/// A site of as many nodes as `ENGINE_SHARDS` says, or of as many as usual, and that number: for a run whose shards are a node each.
///
/// # Panics
/// When something can't be written, or that is no number.
pub fn of_many_shards() -> (Site, usize) {
    let shards = number("ENGINE_SHARDS", 500);
    (
        Site::of_kinds(shards, &["plain", "web", "plain", "bad", "plain", "db", "plain", "plain", "out"]),
        shards,
    )
}

/// How much of something, by a variable, or as usual.
///
/// # Panics
/// When that is no number.
pub fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
}

/// What a command has printed, and its status.
///
/// # Panics
/// When it does not start, or panics.
pub fn output(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(!err.contains("panicked") && !err.contains("Internal error"), "{err}");
    (status.code(), out, err)
}

/// Lines of `fleet compile` without what is of the moment.
pub fn without_times(lines: &str) -> String {
    let one = |line: &str| -> String {
        let mut json: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        json["milliseconds"] = 0.into();
        json.to_string() + "\n"
    };
    lines.lines().map(one).collect()
}

/// The catalogs that a folder keeps, by name of their files, and its index.
///
/// # Panics
/// When it can't be read.
pub fn kept(folder: &Path) -> (Vec<String>, Vec<String>) {
    let mut pending = vec![folder.join("catalogs")];
    let mut names = Vec::new();
    while let Some(path) = pending.pop() {
        match path.is_dir() {
            true => pending
                .extend(fs::read_dir(&path).expect("it can be listed").flatten().map(|entry| entry.path())),
            false => names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned())),
        }
    }
    names.sort();
    let index = fs::read_to_string(folder.join("index.jsonl")).expect("there is an index");
    let node = |line: &str| {
        let json: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
        format!("{} {} {}", json["node"], json["sha256"], json["error"])
    };
    (names, index.lines().map(node).collect())
}
