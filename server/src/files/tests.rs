//! What is asked of files, without connections. That the answers are Puppet's, `tests/tests/served.rs` says.

use super::*;
use crate::testing::get;
use bunraku::{Compat, Configuration};
use std::time::{Duration, Instant};

struct World {
    folder: tempfile::TempDir,
    files: Files,
}

fn world(environment_conf: &str) -> World {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    std::fs::create_dir_all(at("environments/production/modules")).unwrap();
    std::fs::write(at("environments/production/environment.conf"), environment_conf).unwrap();
    let root = folder.path().display().to_string();
    let of_root = |(name, below): (&str, &str)| (name.to_owned(), format!("{root}{below}"));
    // Modules of the machine are none of ours.
    let given =
        [("confdir", ""), ("codedir", ""), ("vardir", ""), ("basemodulepath", "/modules")].map(of_root);
    let configuration = Configuration::read(Compat::V7, &given).unwrap();
    let environments = Arc::new(Environments::new(configuration));
    let files = Files::new(environments, &at("fileserver.conf")).unwrap();
    World { folder, files }
}

impl World {
    fn write(&self, path: &str, content: &str) -> PathBuf {
        let path = self.folder.path().join("environments/production/modules").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    fn metadatas(&self, rest: &str, query: &str) -> Result<String, Failure> {
        let request =
            get(&format!("/puppet/v3/file_metadatas/{rest}?environment=production&recurse=true{query}"));
        self.files.metadatas(&request, rest).map(text)
    }

    fn content(&self, rest: &str) -> Result<String, Failure> {
        let request = get(&format!("/puppet/v3/file_content/{rest}?environment=production"));
        self.files.content(&request, rest).map(text)
    }
}

pub(super) fn text(response: Response) -> String {
    let mut text = String::new();
    response.body.reader().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn lists_follow_the_disk_unless_environments_are_kept() {
    for (conf, follows) in [("", true), ("environment_timeout = unlimited\n", false)] {
        let world = world(conf);
        world.write("a/lib/one.rb", "1");
        let before = world.metadatas("plugins", "").unwrap();
        world.write("a/lib/two.rb", "2");
        let after = world.metadatas("plugins", "").unwrap();
        assert_eq!(after.contains("two.rb"), follows);
        assert_eq!(before != after, follows);
        world.files.forget();
        assert!(world.metadatas("plugins", "").unwrap().contains("two.rb"));
    }
}

#[test]
fn a_module_without_usable_metadata_is_not_there_until_it_is_mended() {
    let world = world("");
    world.write("a/lib/one.rb", "1");
    world.write("a/metadata.json", "{\"name\":\"x-a\"}");
    assert!(!world.metadatas("plugins", "").unwrap().contains("one.rb"));
    assert_eq!(world.content("plugins/one.rb").unwrap_err().status, 404);
    world.write("a/metadata.json", "{}");
    assert!(world.metadatas("plugins", "").unwrap().contains("one.rb"));
    assert_eq!(world.content("plugins/one.rb").unwrap(), "1");
}

#[test]
fn what_would_block_or_never_end_is_refused() {
    let world = world("");
    let file = world.write("a/files/d/file", "x");
    let folder = file.parent().unwrap();
    let fifo = folder.join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    for (name, target) in [("to_fifo", "fifo"), ("to_zero", "/dev/zero"), ("self", "."), ("again", ".")] {
        std::os::unix::fs::symlink(target, folder.join(name)).unwrap();
    }
    let error = world.content("modules/a/d/fifo").unwrap_err();
    assert!(error.message.ends_with("it is a FIFO, not a regular file"), "{}", error.message);
    let error = world.content("modules/a/d/to_zero").unwrap_err();
    assert!(error.message.ends_with("it is a device, not a regular file"), "{}", error.message);
    let listed = world.metadatas("modules/a/d", "").unwrap();
    assert!(listed.contains(r#"{"type":"none","value":"{none}"},"type":"fifo""#), "{listed}");
    assert!(listed.contains(r#""relative_path":"to_fifo","#));
    // Followed, the links lead in circles; there is an end to that.
    let started = Instant::now();
    let error = world.metadatas("modules/a/d", "&links=follow").unwrap_err();
    assert_eq!(error.status, 500);
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn static_files_are_those_of_modules_only() {
    let world = world("");
    let of = |rest: &str, query: &str| {
        let request = get(&format!("/puppet/v3/static_file_content/{rest}?{query}"));
        world.files.static_content(&request, rest).map(|response| response.status.as_u16())
    };
    let all = "environment=production&code_id=a";
    for (rest, query, status) in [
        ("modules/a/files/f", "environment=production", 400),
        ("", all, 400),
        ("modules/a/files/f", "environment=a-b&code_id=a", 400),
        ("modules/a/files/f", "environment=production&code_id=a/b", 400),
        ("modules/a/manifests/f", all, 403),
        ("modules/a/files", all, 403),
        ("modules/a/files/../../b", all, 403),
        ("/a/files/b", all, 403),
    ] {
        assert_eq!(of(rest, query).unwrap(), status, "{rest} {query}");
    }
    assert_eq!(of("modules/a/files/f", all).unwrap_err().status, 500);
}

#[test]
fn versions_of_files_may_come_from_a_program() {
    let world = world("");
    let files = world.files.with_content_command(Some("/bin/echo".into()));
    let rest = "modules/a/files/f";
    let request = get(&format!("/puppet/v3/static_file_content/{rest}?environment=production&code_id=1"));
    assert_eq!(text(files.static_content(&request, rest).unwrap()), format!("production 1 {rest}\n"));
}

#[test]
fn many_plugins_are_listed_quickly() {
    let world = world("");
    for number in 0..850 {
        world.write(&format!("m{}/lib/puppet/p{}/f{number}.rb", number % 85, number % 7), "content");
    }
    std::thread::sleep(Duration::from_millis(3100));
    let all = world.metadatas("plugins", "&ignore=.svn&ignore=CVS&links=follow&max_files=-1").unwrap();
    let warm = Instant::now();
    assert_eq!(world.metadatas("plugins", "&ignore=.svn&ignore=CVS&links=follow&max_files=-1").unwrap(), all);
    assert_eq!(all.matches("\"type\":\"file\"").count(), 850);
    assert!(warm.elapsed() < Duration::from_millis(200), "{:?}", warm.elapsed());
}
