//! Whole processes: from the shell to the catalog, ours from source and from an archive, and Puppet's.

use crate::results::number;
use bunraku_tests::used::{Used, used};
use bunraku_tests::{bunraku, control_repo};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

/// What Puppet's own command needs: an environment by name, facts in its format.
fn prepare(work: &Path) -> std::io::Result<()> {
    let environments = work.join("environments");
    std::fs::create_dir_all(&environments)?;
    std::os::unix::fs::symlink(control_repo::root(), environments.join("production"))?;
    let facts = work.join("var/yaml/facts");
    std::fs::create_dir_all(&facts)?;
    for node in control_repo::NODES {
        let values: Value = serde_json::from_str(&std::fs::read_to_string(control_repo::facts(node))?)?;
        // JSON is YAML.
        let file =
            format!("--- !ruby/object:Puppet::Node::Facts\n{}\n", json!({"name": node, "values": values}));
        std::fs::write(facts.join(format!("{node}.yaml")), file)?;
    }
    Ok(())
}

/// The arguments that name the control repo.
fn environment() -> [String; 4] {
    let [own, modules] = control_repo::modulepath();
    let modulepath = format!("{}:{}", own.display(), modules.display());
    let repo = control_repo::root().to_string_lossy().into_owned();
    ["--environment".to_owned(), repo, "--modulepath".to_owned(), modulepath]
}

/// An archive of the control repo, with all files in it: its path, within a folder.
///
/// # Errors
/// When the command can't be run.
pub fn archive(binary: &Path, work: &Path) -> Result<PathBuf, String> {
    let archive = work.join("cold.bnr");
    // Files with errors are recorded, and that is said by a status.
    let _ = std::process::Command::new(binary)
        .args(["build", "--embed", "-o", text(&archive)])
        .args(environment())
        .output()
        .map_err(|error| error.to_string())?;
    Ok(archive)
}

/// The arguments with which the command compiles a machine of the control repo: from source, or from an archive that is taken as it is.
pub fn arguments(node: &str, archive: Option<&Path>) -> Vec<String> {
    let facts = control_repo::facts(node);
    let compile = ["compile", node, "--environment_name", "production", "--facts", text(&facts)];
    let lenient = ["--strict", "warning", "--no-strict_variables", "-o", "/dev/null"];
    let archived = archive.map(|archive| ["--archive", text(archive), "--frozen"]);
    let given = [&compile[..], &lenient, archived.as_ref().map_or(&[][..], |given| &given[..])].concat();
    given.into_iter().map(str::to_owned).chain(environment()).collect()
}

fn strs(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

/// The table.
///
/// # Errors
/// When a command fails.
pub fn report(work: &Path, rounds: usize) -> Result<String, String> {
    prepare(work).map_err(|error| error.to_string())?;
    let binary = bunraku::binary()?;
    let [_, modules] = control_repo::modulepath();
    let archive = archive(&binary, work)?;
    let mut out = String::from(
        "### The control repo's machines, whole processes\n\nThe best of some runs; files in the page cache. Memory is the \
         greatest of the process itself; *with Ruby* that of its largest process, which with us is the Ruby worker.\n\n\
         | machine | | time | ratio | memory | with Ruby |\n| --- | --- | ---: | ---: | ---: | ---: |\n",
    );
    let puppet_rounds = rounds.div_ceil(3);
    for node in control_repo::NODES {
        let (vardir, confdir, environments) =
            (work.join("var"), work.join("conf"), work.join("environments"));
        let puppet = [
            "catalog",
            "compile",
            node,
            "--environmentpath",
            text(&environments),
            "--environment",
            "production",
            "--basemodulepath",
            text(&modules),
            "--facts_terminus",
            "yaml",
            "--strict",
            "warning",
            "--vardir",
            text(&vardir),
            "--confdir",
            text(&confdir),
        ];
        let theirs = used(puppet_rounds, Path::new("puppet"), &puppet)?;
        let rows = [
            ("Puppet 7.23", theirs),
            ("Bunraku from source", used(rounds, &binary, &strs(&arguments(node, None)))?),
            (
                "Bunraku from archive, `--frozen`",
                used(rounds, &binary, &strs(&arguments(node, Some(&archive))))?,
            ),
        ];
        add_rows(&mut out, node, &rows);
    }
    small(work, rounds, &binary, &mut out)?;
    look_up(work, rounds, &binary, &archive, &mut out)?;
    Ok(out)
}

/// Rows of the table about one thing; the first is Puppet's, and the ratios are to it.
fn add_rows(out: &mut String, what: &str, rows: &[(&str, Used)]) {
    let theirs = rows.first().map_or(f64::NAN, |(_, used)| used.seconds);
    for (name, used) in rows {
        let row = format!(
            "| {what} | {name} | {} ms | {:.0} | {:.0} MiB | {:.0} MiB |",
            number(used.seconds * 1e3),
            theirs / used.seconds,
            used.own_mib,
            used.mib
        );
        eprintln!("{row}");
        let _ = writeln!(out, "{row}");
    }
}

/// One key of the control repo, through its thirteen layers.
fn look_up(
    work: &Path,
    rounds: usize,
    binary: &Path,
    archive: &Path,
    out: &mut String,
) -> Result<(), String> {
    const KEY: &str = "profile::base::clock::servers";
    let node = control_repo::NODES[0];
    let facts = control_repo::facts(node);
    let common = ["lookup", KEY, "--node", node, "--facts", text(&facts)];
    let from = environment();
    let source = [&common[..], &["--environment_name", "production"], &strs(&from)].concat();
    let archived = [&source[..], &["--archive", text(archive), "--frozen"]].concat();
    let [_, modules] = control_repo::modulepath();
    let (vardir, confdir, environments) = (work.join("var"), work.join("conf"), work.join("environments"));
    let world = [
        "--environmentpath",
        text(&environments),
        "--environment",
        "production",
        "--basemodulepath",
        text(&modules),
        "--vardir",
        text(&vardir),
        "--confdir",
        text(&confdir),
    ];
    let theirs = used(rounds.div_ceil(3), Path::new("puppet"), &[&common[..], &world].concat())?;
    let rows = [
        ("`puppet lookup`", theirs),
        ("`bunraku lookup`", used(rounds, binary, &source)?),
        ("`bunraku lookup`, `--frozen`", used(rounds, binary, &archived)?),
    ];
    add_rows(out, &format!("one key of {node}"), &rows);
    Ok(())
}

/// 700 resources that need no Ruby.
fn small(work: &Path, rounds: usize, binary: &Path, out: &mut String) -> Result<(), String> {
    let environment = work.join("plain");
    let failed = |error: std::io::Error| error.to_string();
    for folder in ["manifests", "modules/app/manifests"] {
        std::fs::create_dir_all(environment.join(folder)).map_err(failed)?;
    }
    let define = "define app::instance(Integer $port, String $owner = 'app') {\n\
                  file { \"/srv/${title}\": ensure => directory, owner => $owner }\n\
                  file { \"/srv/${title}/port\": content => \"${port}\\n\", require => File[\"/srv/${title}\"] }\n\
                  exec { \"/usr/bin/tidy ${title}\": refreshonly => true }\n}\n";
    std::fs::write(environment.join("modules/app/manifests/instance.pp"), define).map_err(failed)?;
    let site = "Integer[1, 175].each |$i| { app::instance { \"i${i}\": port => 8000 + $i } }\n";
    std::fs::write(environment.join("manifests/site.pp"), site).map_err(failed)?;
    let archive = work.join("plain.bnr");
    let built = std::process::Command::new(binary)
        .args(["build", "-o", text(&archive), "--environment", text(&environment)])
        .output()
        .map_err(failed)?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let archived = ["compile", "--archive", text(&archive), "--frozen", "-o", "/dev/null"];
    let modules = environment.join("modules");
    let (manifest, var, conf) = (environment.join("manifests"), work.join("var"), work.join("conf"));
    let puppet = [
        "catalog",
        "compile",
        "localhost",
        "--modulepath",
        text(&modules),
        "--manifest",
        text(&manifest),
        "--facts_terminus",
        "memory",
        "--vardir",
        text(&var),
        "--confdir",
        text(&conf),
    ];
    let theirs = used(rounds.div_ceil(3), Path::new("puppet"), &puppet)?;
    let ours = used(rounds, binary, &archived)?;
    let rows = [("Puppet 7.23", theirs), ("Bunraku from archive, `--frozen`", ours)];
    add_rows(out, "703 resources without Ruby", &rows);
    Ok(())
}
