//! What the user of a server may not read or write, and folders that are not there: it is said before anybody asks, with whose the
//! file is and who the server is.

use bunraku_tests::bunraku;
use bunraku_tests::ca::{Site, site};
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The user `nobody`, who may do nothing.
const NOBODY: u32 = 65534;

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("modes can be set");
}

/// All below a folder, and itself.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_path_buf()];
    for entry in fs::read_dir(folder).expect("it can be read") {
        let path = entry.expect("an entry").path();
        match path.is_dir() && !path.is_symlink() {
            true => all.extend(below(&path)),
            false => all.push(path),
        }
    }
    all
}

/// Status, and all that is said, by `nobody`.
fn run(program: &Path, site: &Site, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(program);
    command.args(arguments).arg("--confdir").arg(site.folder()).current_dir("/");
    let output = command.uid(NOBODY).gid(NOBODY).stdin(Stdio::null()).output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn whose_a_file_is_that_the_servers_user_may_not_have_is_said() {
    if !nix::unistd::geteuid().is_root() {
        println!(
            "SKIPPED whose_a_file_is_that_the_servers_user_may_not_have_is_said: only root becomes another user"
        );
        return;
    }
    let site = site("");
    // All is for others to read, but for what each step takes away.
    below(site.folder()).iter().for_each(|path| mode(path, if path.is_dir() { 0o755 } else { 0o644 }));
    let program = site.folder().join("bunraku");
    fs::copy(bunraku::binary().expect("it builds"), &program).expect("files can be copied");
    mode(&program, 0o755);
    let check = ["server", "--check", "--ca"];
    let who = "and this is run by nobody, of the group ";

    let cadir = site.cadir();
    let (status, said) = run(&program, &site, &check);
    assert_eq!(status, Some(0), "{said}");
    let unwritable =
        format!("Warning: The authority is in {0}, and this user can't write {0}", cadir.display());
    assert!(said.contains(&unwritable) && said.contains("(mode 0755)") && said.contains(who), "{said}");
    assert!(said.contains("nothing is signed or revoked"), "{said}");

    // Readable and writable by its group alone, but for the inventory.
    below(&cadir).iter().for_each(|path| {
        chown(path, None, Some(NOBODY)).expect("root may");
        mode(path, if path.is_dir() { 0o770 } else { 0o640 });
    });
    let (status, said) = run(&program, &site, &check);
    assert!(status == Some(0) && said.contains("can't write") && said.contains("inventory.txt"), "{said}");
    mode(&cadir.join("inventory.txt"), 0o660);
    let (status, said) = run(&program, &site, &check);
    assert!(
        status == Some(0) && !said.contains("can't write /tmp") && !said.contains("nothing is signed"),
        "{said}"
    );

    // An authority that is there and may not be looked at is not one that is not there.
    mode(&cadir, 0o700);
    for arguments in [&check[..], &["ca", "list"], &["node", "clean", "a.example.com"]] {
        let (status, said) = run(&program, &site, arguments);
        assert_ne!(status, Some(0), "{arguments:?}: {said}");
        assert!(said.contains("can't be read: Permission denied"), "{arguments:?}: {said}");
        assert!(said.contains("(mode 0700)") && said.contains(who), "{arguments:?}: {said}");
        assert!(!said.contains("ca init"), "{arguments:?}: {said}");
    }

    let authorities = site.folder().join("ssl/certs/ca.pem");
    mode(&authorities, 0o640);
    for arguments in [&["server", "--check"][..], &["server", "--port", "0"]] {
        let (status, said) = run(&program, &site, arguments);
        assert_eq!(status, Some(1), "{arguments:?}: {said}");
        let whose = format!("{} belongs to root:root (mode 0640), {who}", authorities.display());
        assert!(
            said.contains("The setting localcacert names") && said.contains(&whose),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn folders_that_are_named_for_a_server_are_there() {
    let site = site("");
    let folder = site.folder().display().to_string();
    for command in
        [&["server", "--check"][..], &["server"], &["node", "clean", "a"], &["node", "deactivate", "a"]]
    {
        for (option, more) in [
            ("--confdir", &[][..]),
            ("--codedir", &["--confdir", &folder]),
            ("--environmentpath", &["--confdir", &folder]),
        ] {
            let mut bunraku = Command::new(bunraku::binary().expect("it builds"));
            let output = bunraku.args(command).args(more).args([option, "/nonexistent"]).output();
            let output = output.expect("it runs");
            let said = String::from_utf8_lossy(&output.stderr);
            let wanted = format!("Error: {option} /nonexistent: there is no such file or folder\n");
            assert_eq!((output.status.code(), &*said), (Some(1), &*wanted), "{command:?}");
        }
    }
    let mut bunraku = Command::new(bunraku::binary().expect("it builds"));
    bunraku.args(["server", "--check", "--confdir", &folder, "--environmentpath", "$codedir/environments"]);
    let output = bunraku.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
