//! A worker without rights, for Ruby of people one does not trust: it reads its Ruby's own files and the folders that are named,
//! writes nothing, and has no network; nobody's environment variables, no user's rights over other processes.
//!
//! Landlock says what may be read, and no code that runs under it can lift it again; a filter of system calls (`sandbox/calls.rs`) refuses
//! what Landlock knows nothing of; a user and a network namespace of its own, which `unshare` of util-linux makes, leave it without a
//! network. Where one of the three is not to be had, there is no worker. What it writes to its error stream is handed on as text
//! (`sandbox/error_stream.rs`). Source: Linux' documentation of Landlock, `landlock(7)`, `seccomp(2)`, `unshare(1)`.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod error_stream;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What a worker without rights may read besides its Ruby.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Files and folders.
    pub readable: Vec<PathBuf>,
}

/// How many processes and threads it may have.
pub(crate) const PROCESSES: u32 = 64;

/// Where Ruby, its libraries and the programs of the system lie, as far as they are there.
#[cfg(target_os = "linux")]
const SYSTEM: [&str; 11] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/dev/urandom",
    "/dev/zero",
];

/// Starts a worker that may read what `sandbox` says.
///
/// # Errors
/// What of the system is missing, or what went wrong, in words behind "no Ruby can be confined: ".
#[cfg(target_os = "linux")]
pub(crate) fn spawn(program: &Path, arguments: &Command, sandbox: &Sandbox) -> Result<Child, String> {
    let program = found(program).ok_or_else(|| format!("no Ruby was found ('{}')", program.display()))?;
    let unshare = found(Path::new("unshare")).ok_or("there is no unshare, of util-linux, here")?;
    let mut command = Command::new(unshare);
    command.args(["--user", "--net", "--ipc", "--"]).arg(&program).args(arguments.get_args());
    command.env_clear().env("PATH", "/usr/bin:/bin").env("LANG", "C.UTF-8");
    for (name, value) in arguments.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // None of its streams is the terminal.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).current_dir("/");
    // A thread that has restricted itself stays so, and so do the processes that it starts; this one ends with its start.
    let started = std::thread::scope(|scope| {
        let start = || {
            restrict(&program, sandbox)?;
            calls::refuse()?;
            command.spawn().map_err(|error| error.to_string())
        };
        scope.spawn(start).join()
    });
    let mut child = started.unwrap_or_else(|_| Err("its start failed".to_owned()))?;
    if let Some(stream) = child.stderr.take() {
        error_stream::hand_on(stream);
    }
    Ok(child)
}

/// Where a program lies that may be named without a folder.
#[cfg(target_os = "linux")]
fn found(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Takes from this thread what the worker is not to have.
#[cfg(target_os = "linux")]
fn restrict(program: &Path, sandbox: &Sandbox) -> Result<(), String> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetStatus, Scope, path_beneath_rules,
    };
    let own = program.canonicalize().ok().and_then(|file| Some(file.parent()?.parent()?.to_owned()));
    let readable = SYSTEM.iter().map(PathBuf::from).chain(own).chain(sandbox.readable.iter().cloned());
    let readable: Vec<PathBuf> = readable.filter(|path| path.exists()).collect();
    let first = AccessFs::from_all(ABI::V1);
    let latest = AccessFs::from_all(ABI::V5);
    let rules = || {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(first)?
            // What later kernels can refuse besides; the network is not there anyway.
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(latest)?
            .handle_access(AccessNet::from_all(ABI::V4))?
            .scope(Scope::from_all(ABI::V6))?
            .create()?
            .add_rules(path_beneath_rules(&readable, AccessFs::from_read(ABI::V5)))?
            .add_rules(path_beneath_rules(["/dev/null"], latest))?
            .restrict_self()
    };
    let status =
        rules().map_err(|error: landlock::RulesetError| format!("Landlock is not to be had: {error}"))?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err("this kernel has no Landlock".to_owned()),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

/// There is none elsewhere.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub(crate) fn spawn(_: &Path, _: &Command, _: &Sandbox) -> Result<Child, String> {
    Err("that takes Landlock, of Linux".to_owned())
}
