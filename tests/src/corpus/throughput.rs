//! How fast `check` is, beside real Puppet on the same files.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::classes;
use crate::{bunraku, oracle, paths};

/// Runs both over every manifest and template of the corpus and prints what they say of themselves.
pub fn measure() -> Result<(), String> {
    let files: Vec<PathBuf> = classes::sources(&["pp", "epp"])
        .into_iter()
        .map(|(module, file)| paths::modules().join(module).join(file))
        .collect();
    for threads in ["1", "2"] {
        let output = Command::new(bunraku::binary()?)
            .args(["check", "--stats", "--threads", threads])
            .args(&files)
            .output()
            .map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stderr);
        println!("Bunraku: {}", said.lines().last().unwrap_or_default());
    }
    if !oracle::installed() {
        println!("SKIPPED Puppet: not installed");
        return Ok(());
    }
    let mut ruby = Command::new("ruby")
        .arg(paths::root().join("tests/oracle/throughput.rb"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let names: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
    let mut input = ruby.stdin.take().ok_or("no stdin")?;
    input.write_all(names.as_bytes()).map_err(|error| error.to_string())?;
    drop(input);
    let output = ruby.wait_with_output().map_err(|error| error.to_string())?;
    print!("Puppet:  {}", String::from_utf8_lossy(&output.stdout));
    Ok(())
}
