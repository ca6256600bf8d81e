//! Trees and the cache of them.

use super::*;
use std::fs;

fn how(cache: &Path) -> Preparation {
    Preparation {
        cache: Some(Arc::new(Cache::open(cache, cache::BOUND).expect("a cache"))),
        bootstrap: None,
        modules: Vec::new(),
        compat: Compat::default(),
        archives: false,
        limits: Limits::default(),
        does_without: false,
    }
}

#[test]
fn an_entry_is_made_once_and_a_failed_one_is_made_again() {
    let work = tempfile::tempdir().expect("a folder");
    let cache = Cache::open(work.path(), cache::BOUND).expect("a cache");
    let failed = cache.folder("trees", "a", |folder| {
        fs::write(folder.join("half"), "x").expect("it can be written");
        Err("no".to_owned())
    });
    assert_eq!(failed, Err("no".to_owned()));
    let make = |folder: &Path| fs::write(folder.join("whole"), "x").map_err(|error| error.to_string());
    let folder = cache.folder("trees", "a", make).expect("it is made");
    assert!(folder.join("whole").exists() && !folder.join("half").exists());
    let again = cache.folder("trees", "a", |_| panic!("it is there")).expect("it is there");
    assert_eq!(again, folder);
    let left = fs::read_dir(work.path().join("unfinished")).expect("a folder").count();
    assert_eq!(left, 0);
}

#[test]
fn two_runs_make_the_same_entry_at_once() {
    let work = tempfile::tempdir().expect("a folder");
    let caches = [(); 4].map(|()| Cache::open(work.path(), cache::BOUND).expect("a cache"));
    std::thread::scope(|scope| {
        for cache in &caches {
            scope.spawn(|| {
                let folder = cache.folder("trees", "a", |folder| {
                    fs::write(folder.join("one"), "x").map_err(|error| error.to_string())?;
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    fs::write(folder.join("two"), "x").map_err(|error| error.to_string())
                });
                let folder = folder.expect("it is made");
                assert!(folder.join("one").exists() && folder.join("two").exists());
            });
        }
    });
}

#[test]
fn what_was_used_longest_ago_goes_unless_somebody_uses_it() {
    let work = tempfile::tempdir().expect("a folder");
    let make =
        |folder: &Path| fs::write(folder.join("file"), vec![b'x'; 1000]).map_err(|error| error.to_string());
    let held = Cache::open(work.path(), 2500).expect("a cache");
    let first = held.folder("trees", "first", make).expect("it is made");
    let path = |key: &str| work.path().join("trees").join(key);
    for key in ["a", "b", "c"] {
        // Each by a run of its own, which has ended when the next begins.
        Cache::open(work.path(), 2500)
            .and_then(|cache| cache.folder("trees", key, make))
            .expect("it is made");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(first.exists() && path("c").exists());
    assert!(!path("a").exists() && !path("b").exists());
}

#[test]
fn what_is_no_tree_is_an_error_that_names_it() {
    let work = tempfile::tempdir().expect("a folder");
    let how = how(work.path());
    let error = |text: &str| open(text, &how).expect_err("no tree");
    assert!(error("/no/such/tree").contains("/no/such/tree"));
    assert!(error("git:no-such-version").contains("git:no-such-version"));
    assert!(error("git:").contains("names no version"));
    let without = Preparation { cache: None, ..how.clone() };
    assert!(open("git:HEAD", &without).expect_err("no cache").contains("--cache"));
}

#[test]
fn a_puppetfile_names_its_modules_as_their_folders_are_called() {
    let work = tempfile::tempdir().expect("a folder");
    let text = "forge 'https://x'\nmoduledir 'modules'\nmod 'puppetlabs-ntp', '1'\nmod 'a/b', :latest\n  mod \"own\",\n    \
                :git => 'x'\nmod('c-d')\n# mod 'no'\nmodel 'x'\nmod x\n";
    fs::write(work.path().join("Puppetfile"), text).expect("it can be written");
    let names: Vec<String> = in_puppetfile(work.path()).expect("it is read").into_iter().collect();
    assert_eq!(names, ["b", "d", "ntp", "own"]);
    assert_eq!(unfetched(work.path()), Some(work.path().join("modules")));
}
