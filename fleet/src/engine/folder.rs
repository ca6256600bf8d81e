//! A folder that all machines see, as the place of an [index](super::index).

use super::index::Place;
use bunraku::files::read;
use bunraku::files::write::{self, Access};
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes that an object may have: an archive with all its files.
const LARGEST: u64 = 16 << 30;
/// Nobody else reads facts and catalogs.
const MODE: u32 = 0o600;

/// See the module.
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Opens a folder, which is made if it is not there.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn open(root: &Path) -> Result<Folder, String> {
        let failed = |error: io::Error| format!("Could not use the folder {}: {error}", root.display());
        fs::create_dir_all(root).map_err(failed)?;
        Ok(Folder { root: std::path::absolute(root).map_err(failed)? })
    }

    fn written(&self, path: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), String> {
        let path = self.root.join(path);
        let written = fs::create_dir_all(path.parent().unwrap_or(&self.root)).and_then(|()| write(&path));
        written.map_err(|error| format!("Could not write {}: {error}", path.display()))
    }
}

impl Place for Folder {
    fn name(&self, path: &str) -> String {
        self.root.join(path).display().to_string()
    }

    fn get(&self, path: &str) -> Result<Vec<u8>, String> {
        let path = self.root.join(path);
        read::regular(&path, LARGEST).map_err(|error| format!("Could not read {}: {error}", path.display()))
    }

    fn has(&self, path: &str) -> Result<bool, String> {
        let path = self.root.join(path);
        path.try_exists().map_err(|error| format!("Could not read {}: {error}", path.display()))
    }

    fn holds(&self, path: &str, bytes: &[u8]) -> bool {
        self.get(path).is_ok_and(|kept| kept == bytes)
    }

    fn put(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        self.written(path, |path| write::replace(path, bytes, Access::Exactly(MODE)))
    }

    fn put_new(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        self.written(path, |path| {
            let chance = RandomState::new().hash_one(path);
            let unfinished = path.with_file_name(format!(".unfinished-{}-{chance:016x}", std::process::id()));
            let written = write::replace(&unfinished, bytes, Access::Exactly(MODE))
                .and_then(|()| fs::hard_link(&unfinished, path));
            let removed = fs::remove_file(&unfinished);
            match written {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                Err(error) => Err(error),
                Ok(()) => removed,
            }
        })
    }

    fn names(&self, folder: &str) -> Result<Vec<String>, String> {
        let folder = self.root.join(folder);
        let failed = |error: io::Error| format!("Could not list {}: {error}", folder.display());
        let listed = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            listed => listed.map_err(failed)?,
        };
        let mut names = Vec::new();
        for entry in listed {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            // What is being written.
            if !name.starts_with('.') {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn pause(&self) -> Duration {
        Duration::from_millis(200)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::index::{Index, split};
    use crate::engine::job::{Want, build};
    use crate::engine::plan::Plan;
    use crate::engine::shard::Part;
    use crate::engine::{Engine, FORMAT, Hash, Taken};

    fn index(root: &Path) -> Index {
        Index::new(Box::new(Folder::open(root).expect("it can be made")))
    }

    fn run(index: &Index, shards: usize) -> (Hash, Plan) {
        let hash = index.keep(b"x").expect("it can be written");
        let shards = (0..shards).map(|_| Part { facts: hash.clone(), nodes: 1 }).collect();
        let (from, rules, lent) = (hash.clone(), hash.clone(), hash);
        let plan = Plan {
            format: FORMAT,
            fingerprint: build(),
            from,
            to: None,
            rules,
            lent,
            want: Want::Outcome,
            shards,
            report: serde_json::Value::Null,
        };
        let run = index.keep(&plan.encode()).expect("it can be written");
        index.publish(&plan.jobs(&run)).expect("it can be published");
        (run, plan)
    }

    #[test]
    fn objects_are_what_they_were_or_are_not_there() {
        let work = tempfile::tempdir().expect("a folder");
        let index = index(work.path());
        let hash = index.keep(b"text").expect("it can be written");
        assert_eq!(index.fetch(&hash).as_deref(), Ok(&b"text"[..]));
        let object = work.path().join("objects").join(&hash.as_str()[..2]).join(hash.as_str());
        fs::write(object, "test").expect("it can be written");
        assert!(index.fetch(&hash).expect_err("damaged").contains("is damaged"));
        index.keep(b"text").expect("it is written anew");
        assert_eq!(index.fetch(&hash).as_deref(), Ok(&b"text"[..]));
        assert!(index.fetch(&Hash::of(b"other")).is_err());
    }

    #[test]
    fn each_shard_is_taken_until_it_has_a_result_and_the_first_one_stands() {
        let work = tempfile::tempdir().expect("a folder");
        let [one, other] = [(); 2].map(|()| index(work.path()));
        let (run, plan) = run(&one, 3);
        assert_eq!(other.plan(&run), Ok(plan));
        let take = |index: &Index| match index.take() {
            Ok(Taken::Job(ticket, job)) => Some((ticket, job)),
            _ => None,
        };
        // Two that know nothing of each other may do the same.
        let (mine, yours): (Vec<_>, Vec<_>) =
            (0..3).map(|_| (take(&one).expect("a job"), take(&other).expect("a job"))).unzip();
        assert!(matches!(one.take(), Ok(Taken::Nothing)));
        for (ticket, job) in &mine {
            one.done(*ticket, job, job.shard.as_bytes()).expect("it can be written");
        }
        for (ticket, job) in &yours {
            other.done(*ticket, job, b"later").expect("it is there");
        }
        assert!(matches!((one.take(), other.take()), (Ok(Taken::Over), Ok(Taken::Over))));
        let results = other.results(&run, Duration::ZERO).expect("they can be read");
        assert_eq!(results, ["0", "1", "2"].map(|name| (name.to_owned(), name.as_bytes().to_vec())));
        assert_eq!(other.results(&run, Duration::ZERO), Ok(Vec::new()));
        let name = one.name(&run);
        assert_eq!(split(&name), Some((work.path().to_str().expect("it is text"), run.clone())));
        assert_eq!(split(&format!("runs/{run}/")), Some((".", run)));
        assert_eq!(split(&work.path().display().to_string()), None);
        assert_eq!(fs::read_dir(work.path().join("runs")).expect("it can be listed").count(), 1);
    }
}
