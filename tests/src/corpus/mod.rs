//! The corpus: every class of Debian's Puppet module packages, compiled for three machines.
//!
//! [`fetch`] downloads the packages, [`classes`] lists what they hold, [`goldens`] asks the
//! oracle, [`run`] asks Bunraku and compares. `tests/corpus/README.md` tells the commands.

pub mod check;
pub mod classes;
pub mod fetch;
pub mod goldens;
pub mod run;
pub mod throughput;
pub mod upgrade;

use serde_json::{Value, json};

use crate::paths;

/// The machines each class is compiled for.
pub const MACHINES: [&str; 3] = ["debian12", "redhat9", "redhat8"];

/// The facts of a machine, with those that an agent adds about itself.
pub fn facts(machine: &str) -> std::io::Result<Value> {
    let path = paths::root().join("tests/facts").join(format!("{machine}.json"));
    let mut facts: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    facts["clientversion"] = json!("7.23.0");
    facts["clientcert"] = json!("node1.example.com");
    facts["clientnoop"] = json!(false);
    Ok(facts)
}

/// Writes the facts that jobs name by path.
pub fn write_facts() -> std::io::Result<()> {
    let dir = paths::cache().join("facts");
    std::fs::create_dir_all(&dir)?;
    for machine in MACHINES {
        let path = dir.join(format!("{machine}.json"));
        let text = facts(machine)?.to_string();
        if std::fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            std::fs::write(path, text)?;
        }
    }
    Ok(())
}

/// The job that compiles one class for one machine.
///
/// The settings are Puppet 7's own defaults: with Puppet 8's, a third of these modules, written
/// for Puppet 5 to 7, would stop at their first unknown variable.
pub fn job(class: &str, machine: &str) -> Value {
    json!({
        "id": class,
        "code": format!("include {class}\n"),
        "modulepath": paths::modules(),
        "node": "node1.example.com",
        "facts": paths::cache().join("facts").join(format!("{machine}.json")),
        "server_facts": {"serverversion": "7.23.0", "servername": "localhost", "serverip": "127.0.0.1"},
        "settings": {"strict": "warning", "strict_variables": false},
        "want": ["catalog"],
    })
}
