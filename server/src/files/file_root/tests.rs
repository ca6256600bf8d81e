//! That an archive with all files answers as the disk did when it was built, whatever becomes of the disk.

use super::*;
use crate::environments::Environments;
use crate::exchange::{Failure, Response};
use crate::files::Files;
use crate::files::tests::text;
use crate::testing::get;
use bunraku::archive::{Options, build};
use bunraku::{Compat, Configuration};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

struct World {
    folder: tempfile::TempDir,
    configuration: Configuration,
}

/// Requests, each a route and what follows.
const ASKED: [&str; 21] = [
    "file_metadata/modules/a/text",
    "file_metadata/modules/a/text?checksum_type=md5",
    "file_metadata/modules/a/text?checksum_type=md5lite",
    "file_metadata/modules/a/text?checksum_type=sha512",
    "file_metadata/modules/a/text?checksum_type=none",
    "file_metadata/modules/a/text?source_permissions=use",
    "file_metadata/modules/a/deep/script?source_permissions=use",
    "file_metadata/modules/a/./deep//script",
    "file_metadata/modules/a/link",
    "file_metadata/modules/a/link?links=follow",
    "file_metadata/modules/a/nowhere",
    "file_metadata/modules/a/nowhere?links=follow",
    "file_metadata/modules/a/absent",
    "file_metadata/modules/none/text",
    "file_metadata/modules/b/text",
    "file_metadatas/modules/a?recurse=true",
    "file_metadatas/modules/a?recurse=true&links=follow&checksum_type=md5&ignore=nowhere",
    "file_metadatas/modules/a?recurse=true&recurselimit=1&ignore=te*",
    "file_metadatas/modules/a/text?recurse=true",
    "file_metadatas/plugins?recurse=true&links=follow",
    "file_metadatas/pluginfacts?recurse=true&source_permissions=use&ignore=.git",
];

/// Paths whose content is asked for.
const READ: [&str; 8] = [
    "modules/a/text",
    "modules/a/deep",
    "modules/a/link",
    "modules/a/folder-link/script",
    "modules/a/absent",
    "plugins/facter/one.rb",
    "plugins/two.rb",
    "modules/a/key.pem",
];

const KEY: &str = "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\n-----END RSA PRIVATE KEY-----\n";

fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().display().to_string();
    let of_root = |(name, below): (&str, &str)| (name.to_owned(), format!("{root}{below}"));
    // Modules of the machine are none of ours.
    let given =
        [("confdir", ""), ("codedir", ""), ("vardir", ""), ("basemodulepath", "/modules")].map(of_root);
    let configuration = Configuration::read(Compat::V8, &given).unwrap();
    let world = World { folder, configuration };
    let files = [
        ("environments/production/environment.conf", "", 0o644),
        ("environments/production/modules/a/files/text", "text of a\n", 0o640),
        ("environments/production/modules/a/files/deep/script", "#!/bin/sh\n", 0o755),
        ("environments/production/modules/a/files/key.pem", KEY, 0o600),
        ("environments/production/modules/a/lib/facter/one.rb", "1", 0o644),
        ("environments/production/modules/a/facts.d/one.txt", "one=1\n", 0o744),
        ("environments/production/modules/b/lib/two.rb", "2", 0o644),
        ("environments/production/modules/b/metadata.json", "{}", 0o644),
        // Of a folder of modules for all environments.
        ("modules/b/files/text", "text of another b\n", 0o644),
        ("modules/b/lib/two.rb", "not this", 0o644),
        ("modules/c/lib/two.rb", "nor this", 0o644),
        ("modules/c/lib/three.rb", "3", 0o644),
    ];
    files.iter().for_each(|(path, content, mode)| world.write(path, content, *mode));
    let a = world.path("environments/production/modules/a/files");
    symlink("text", a.join("link")).unwrap();
    symlink("deep", a.join("folder-link")).unwrap();
    symlink("/no/where", a.join("nowhere")).unwrap();
    world
}

impl World {
    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, content: &str, mode: u32) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn served(&self, archives: Option<PathBuf>) -> Files {
        let environments = Environments::new(self.configuration.clone()).with_archives(archives);
        Files::new(Arc::new(environments), &self.path("fileserver.conf")).unwrap()
    }

    /// Builds an archive and puts it in force.
    fn deploy(&self, version: &str, embed: bool) {
        let folder = self.path("archives/production");
        fs::create_dir_all(&folder).unwrap();
        let directory = Some(self.path("environments/production"));
        let options = Options { directory, embed, ..Options::default() };
        let options = self.configuration.archive_options(options, Some("production")).unwrap();
        build(&options, &folder.join(version), &|_| ()).unwrap();
        symlink(version, folder.join("new")).unwrap();
        fs::rename(folder.join("new"), folder.join("current")).unwrap();
    }

    /// What is answered to all requests, without the times of folders.
    fn answers(&self, files: &Files) -> Vec<String> {
        let asked = ASKED.iter().map(|asked| {
            let (route, _) = asked.split_once('/').unwrap();
            let answer = ask(files, asked);
            let answer = answer.unwrap_or_else(|failure| format!("{} {}", failure.status, failure.message));
            let times = answer.split("{ctime}").map(|part| part.get(25..).filter(|_| part.starts_with("20")));
            let times = times.zip(answer.split("{ctime}")).map(|(cut, whole)| cut.unwrap_or(whole));
            format!("{route} {}", times.collect::<Vec<_>>().join("{ctime}"))
        });
        let read = READ.iter().map(|path| {
            let answer = ask(files, &format!("file_content/{path}"));
            answer.unwrap_or_else(|failure| format!("{} {}", failure.status, failure.message))
        });
        asked.chain(read).collect()
    }
}

fn ask(files: &Files, asked: &str) -> Result<String, Failure> {
    let (path, query) = asked.split_once('?').unwrap_or((asked, ""));
    let (route, rest) = path.split_once('/').unwrap();
    let request = get(&format!("/puppet/v3/{path}?environment=production&{query}"));
    let answer: Response = match route {
        "file_metadata" => files.metadata(&request, rest),
        "file_metadatas" => files.metadatas(&request, rest),
        _ => files.content(&request, rest),
    }?;
    Ok(text(answer))
}

#[test]
fn an_archive_with_all_files_answers_as_the_disk_did() {
    let world = world();
    let archives = Some(world.path("archives"));
    let on_disk = world.answers(&world.served(None));
    world.deploy("1.bnr", true);
    let archived = world.served(archives.clone());
    for ((asked, disk), archive) in ASKED.iter().chain(&READ).zip(&on_disk).zip(world.answers(&archived)) {
        assert_eq!(*disk, archive, "{asked}");
    }
    assert!(on_disk.iter().any(|answer| answer.contains("\"destination\":\"/no/where\"")));
    assert!(on_disk.iter().any(|answer| answer.contains("\"mode\":493")));
    let absent = ["a/absent", "a/nowhere", "a/nowhere?links=follow", "none/text", "b/text"];
    for (asked, answer) in ASKED.iter().zip(&on_disk) {
        let is_absent = absent.iter().any(|end| asked.ends_with(end)) && !asked.contains("metadatas");
        assert_eq!(answer.contains(" 404 ") || answer.contains(" 500 "), is_absent, "{asked}: {answer}");
    }
    // Whatever becomes of the disk.
    let (production, key) = (world.path("environments/production"), "modules/a/files/key.pem");
    for name in ["a/files/text", "a/files/deep", "a/lib", "a/facts.d", "b"] {
        let path = production.join("modules").join(name);
        fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path)).unwrap();
    }
    fs::remove_dir_all(world.path("modules")).unwrap();
    let of_archive = world.answers(&archived);
    assert_eq!(on_disk, of_archive);
    // A private key is never in an archive: it is read where it lies, as long as it is the same.
    assert_eq!(of_archive.last().unwrap(), KEY);
    fs::write(production.join(key), "another").unwrap();
    let refused = ask(&archived, "file_content/modules/a/key.pem").unwrap_err();
    assert_eq!(refused.status, 500);
    assert!(refused.message.ends_with("it is not in the archive, and not as it was when that was built"));
    // What is deployed next is told of at once.
    world.write("environments/production/modules/a/files/text", "changed\n", 0o644);
    world.write("environments/production/modules/a/lib/four.rb", "4", 0o644);
    world.deploy("2.bnr", true);
    let after = world.served(archives);
    assert_eq!(ask(&after, "file_content/modules/a/text").unwrap(), "changed\n");
    assert!(ask(&after, "file_metadatas/plugins?recurse=true").unwrap().contains("four.rb"));
    assert!(!ask(&archived, "file_metadatas/plugins?recurse=true").unwrap().contains("four.rb"));
}

#[test]
fn an_archive_without_the_files_leaves_them_to_the_disk() {
    let world = world();
    world.deploy("1.bnr", false);
    let files = world.served(Some(world.path("archives")));
    assert_eq!(ask(&files, "file_content/modules/a/text").unwrap(), "text of a\n");
    world.write("environments/production/modules/a/files/text", "changed\n", 0o644);
    assert_eq!(ask(&files, "file_content/modules/a/text").unwrap(), "changed\n");
}

#[test]
fn a_damaged_archive_is_an_error_and_not_an_absence() {
    let world = world();
    world.deploy("1.bnr", true);
    let archive = world.path("archives/production/1.bnr");
    let mut bytes = fs::read(&archive).unwrap();
    let at = bytes.windows(10).position(|part| part == b"text of a\n").unwrap();
    bytes[at] = b'T';
    fs::remove_file(&archive).unwrap();
    fs::write(&archive, &bytes).unwrap();
    let files = world.served(Some(world.path("archives")));
    let failure = ask(&files, "file_content/modules/a/text").unwrap_err();
    assert_eq!(failure.status, 500);
    assert!(failure.message.contains("is damaged"), "{}", failure.message);
}
