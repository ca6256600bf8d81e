//! The library from outside: a program that is no part of the workspace builds against it, without what the command
//! needs, and gets catalogs as values, logs, causes, look-ups, and functions with state.

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const SITE: &str = "
node 'web01.example.com' {
  file { '/etc/motd': content => lookup('motd') }
  site::note(\"${facts['role']} of ${tier}\")
  warning('done')
}
node 'bad.example.com' { site::note('') }
node 'unknown.example.com' { notice($nowhere) }
";

const SAID: &str = "\
web01.example.com: warning: done
web01.example.com: 5 resources, 4 edges
web01.example.com: File[/etc/motd] welcome
web01.example.com: motd is --- welcome
bad.example.com: ";

/// Builds everything once more: left to `.ci/nightly`.
#[test]
#[ignore = "builds everything once more: .ci/nightly"]
fn a_program_outside_of_the_workspace_embeds_it() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (program, root) = (here.join("embedding"), here.join(".."));
    let work = TempDir::new().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        let file = work.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a file has a folder")).expect("folders can be made");
        std::fs::write(file, text).expect("files can be written");
    };
    write("manifests/site.pp", SITE);
    write("hiera.yaml", "version: 5\n");
    write("data/common.yaml", "motd: welcome\n");
    // What the workspace was built with: nothing has to be fetched.
    std::fs::copy(root.join("Cargo.lock"), program.join("Cargo.lock")).expect("files can be copied");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = Command::new(cargo)
        .args(["run", "--quiet", "--offline", "--manifest-path"])
        .arg(program.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(root.join("target/embedding"))
        .arg("--")
        .arg(work.path())
        .args(["web01.example.com", "bad.example.com", "unknown.example.com"])
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo can be run");
    let (said, errors) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(said.starts_with(SAID), "{said}{errors}");
    for wanted in [
        "'site::note' parameter 'text' expects a String[1] value, got String",
        "Unknown variable",
        "noted: web of test",
    ] {
        assert!(said.contains(wanted), "no '{wanted}': {said}{errors}");
    }
}
