//! The control repo of `benches/control-repo`: what is measured, and held against real Puppet, on work as users know
//! it. Its modules are those of the corpus, so without that there are no jobs.
//!
//! `tests/goldens/control-repo.tsv` has one line a node, as those of the corpus ([`crate::corpus::goldens`]).

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::canonical::Places;
use crate::corpus::goldens::Golden;
use crate::paths;

/// Its machines: of about 450, 800, 1,200, 1,400 and 3,400 resources.
pub const NODES: [&str; 5] =
    ["lb01.example.com", "web01.example.com", "db01.example.com", "app01.example.com", "ctl01.example.com"];

/// Where it is.
pub fn root() -> PathBuf {
    paths::root().join("benches").join("control-repo")
}

/// The facts of a node.
pub fn facts(node: &str) -> PathBuf {
    root().join("facts").join(format!("{node}.json"))
}

/// Its own modules, then the corpus's.
pub fn modulepath() -> [PathBuf; 2] {
    [root().join("site-modules"), paths::modules()]
}

/// The job that compiles a node. The settings are Puppet 7's own defaults, since the modules are of its time.
pub fn job(node: &str) -> Value {
    json!({
        "id": node,
        "environment": root(),
        "environment_name": "production",
        "modulepath": modulepath(),
        "node": node,
        "facts": facts(node),
        "settings": {"strict": "warning", "strict_variables": false},
    })
}

/// Names for the paths of this machine.
pub fn places() -> Places {
    Places::new(vec![
        (root().display().to_string(), "{repo}"),
        (paths::modules().display().to_string(), "{modules}"),
    ])
}

/// The committed golden of each node.
pub fn goldens() -> Vec<Golden> {
    let text = std::fs::read_to_string(goldens_path()).unwrap_or_default();
    let all: Vec<(String, Golden)> = text.lines().filter_map(Golden::parse).collect();
    let of = |node: &&str| all.iter().find(|(name, _)| name == node).map(|(_, golden)| golden.clone());
    NODES.iter().filter_map(of).collect()
}

/// Writes the goldens of normalised results, in the nodes' order.
pub fn write_goldens(results: &[Value]) -> std::io::Result<()> {
    let lines = NODES.iter().zip(results).map(|(node, result)| Golden::of(result).line(node));
    std::fs::write(goldens_path(), lines.collect::<String>())
}

fn goldens_path() -> PathBuf {
    paths::root().join("tests").join("goldens").join("control-repo.tsv")
}
