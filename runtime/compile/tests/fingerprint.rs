//! The compiler's fingerprint covers all that shapes an archive: a change to any package that has a part in it, or to the
//! lock file, and the archive is refused.

use bunraku_environment::archive::build::{self, Options};
use bunraku_environment::archive::{COMPILER, OpenArchive};
use tempfile::TempDir;

include!("../../environment/fingerprint.rs");

#[test]
fn a_change_to_any_part_of_the_compiler_refuses_its_archives() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = sources(&root, "runtime/environment").expect("the manifests can be read");
    assert_eq!(fingerprint(&root, &files), *COMPILER);
    let hocon = files.iter().any(|file| file.ends_with("hocon/mod.rs"));
    assert!(hocon && files.contains(&PathBuf::from("Cargo.lock")), "{files:?}");

    let work = TempDir::new().expect("a folder can be made");
    let environment = work.path().join("environment");
    std::fs::create_dir_all(environment.join("manifests")).expect("folders can be made");
    std::fs::write(environment.join("manifests/site.pp"), "notice('x')").expect("files can be written");
    let archive = work.path().join("a.bnr");
    let options = Options { directory: Some(environment), ..Options::default() };
    build::build(&options, &archive, &|_| ()).expect("it builds");
    assert!(OpenArchive::open(&archive, &COMPILER).is_ok());

    let copy = work.path().join("copy");
    for file in &files {
        let to = copy.join(file);
        std::fs::create_dir_all(to.parent().expect("a file has a folder")).expect("folders can be made");
        std::fs::copy(root.join(file), to).expect("files can be copied");
    }
    // One file of each package, and the lock file.
    let package = |file: &PathBuf| file.iter().take_while(|part| *part != "src").collect::<PathBuf>();
    let mut changed: Vec<&PathBuf> = files.iter().collect();
    changed.dedup_by_key(|file| package(file));
    assert!(changed.len() > 10, "{changed:?}");
    for file in changed {
        let path = copy.join(file);
        let before = std::fs::read(&path).expect("it can be read");
        std::fs::write(&path, [before.as_slice(), b"\n"].concat()).expect("it can be written");
        let other = fingerprint(&copy, &files);
        let refused = OpenArchive::open(&archive, &other).err().unwrap_or_default();
        assert!(refused.contains("another"), "{}: {refused}", file.display());
        std::fs::write(&path, before).expect("it can be written");
    }
    assert_eq!(fingerprint(&copy, &files), *COMPILER);
}
