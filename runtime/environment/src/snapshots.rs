//! The snapshots of a session's environments, and its archives. Here, and nowhere else, it is decided whether a compile
//! gets the snapshot that the one before had, or a new one, which shares what was made of files that have not changed.
//! Compiles that still run on the old one are not disturbed: it goes when the last of them has ended.

use crate::archive::COMPILER;
use crate::snapshot::{EnvironmentSpec, SessionMade, Snapshot};
use bunraku_files::archive::OpenArchive;
use bunraku_files::recent::{self, Recent};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// See the module. How much it keeps is said in [`bunraku_files::recent`].
pub struct Snapshots {
    made: SessionMade,
    current: Mutex<Recent<EnvironmentSpec, Kept>>,
    archives: Mutex<Recent<PathBuf, Arc<OpenArchive>>>,
    is_fixed: bool,
}

/// A snapshot, and when it was last asked for.
#[derive(Clone)]
struct Kept {
    snapshot: Arc<Snapshot>,
    used: Instant,
}

impl Kept {
    /// Whether it is the environment as it is now, or as it may count as being by the timeout of its code.
    fn is_current(&self, spec: &EnvironmentSpec) -> bool {
        match self.used.elapsed() < spec.code_timeout {
            true => self.snapshot.is_current_but_for_code(),
            false => self.snapshot.is_current(),
        }
    }
}

impl Default for Snapshots {
    fn default() -> Self {
        Snapshots {
            made: SessionMade::default(),
            current: Mutex::new(Recent::new(recent::ENVIRONMENTS)),
            archives: Mutex::new(Recent::new(recent::ARCHIVES)),
            is_fixed: false,
        }
    }
}

impl Snapshots {
    /// The same, whose environments stay as they are first seen: nobody looks again whether their files have changed. To be said
    /// before anything is compiled, for what was made until then is made again.
    pub fn with_fixed_environments(self) -> Snapshots {
        Snapshots { is_fixed: true, made: SessionMade::settled(), ..self }
    }

    /// The environment that is asked for, as it is now.
    ///
    /// # Errors
    /// As [`Snapshot::open`]; when its archive can't be opened.
    pub fn current(&self, spec: EnvironmentSpec) -> Result<Arc<Snapshot>, String> {
        let kept = self.current.lock().ok().and_then(|mut all| {
            let kept = all.get_mut(&spec)?;
            Some(Kept {
                snapshot: kept.snapshot.clone(),
                used: std::mem::replace(&mut kept.used, Instant::now()),
            })
        });
        if let Some(kept) = &kept
            && (self.is_fixed || kept.is_current(&spec))
        {
            return Ok(kept.snapshot.clone());
        }
        let archive = spec.archive.as_deref().map(|path| self.archive(path)).transpose()?;
        if let (Some(kept), Some(archive)) = (kept, &archive)
            && kept.snapshot.tree().is_renewed_by(archive)
        {
            return Ok(kept.snapshot);
        }
        let snapshot = Arc::new(Snapshot::open(&spec, archive, &self.made)?);
        if let Ok(mut all) = self.current.lock() {
            all.insert(spec, Kept { snapshot: snapshot.clone(), used: Instant::now() });
        }
        Ok(snapshot)
    }

    /// Lets go of the environments of a name, or of all: they are read anew when they are next asked for, whatever the timeout of
    /// their code.
    pub fn forget(&self, name: Option<&str>) {
        if let Ok(mut all) = self.current.lock() {
            all.retain(|spec| name.is_some_and(|name| spec.name.as_deref() != Some(name)));
        }
    }

    /// Whether no snapshot is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many snapshots are kept.
    pub fn len(&self) -> usize {
        self.current.lock().map_or(0, |all| all.len())
    }

    /// Has all archives write down which sources were found unchanged: the process is about to end.
    pub fn remember(&self) {
        if let Ok(all) = self.archives.lock() {
            all.values().for_each(|opened| opened.remember(true));
        }
    }

    /// Lends an archive: whoever names its path gets it, whatever lies there.
    pub fn add_archive(&self, opened: Arc<OpenArchive>) {
        if let Ok(mut all) = self.archives.lock() {
            all.insert(opened.path.clone(), opened);
        }
    }

    /// The archive of a file: opened once, until another takes its place.
    fn archive(&self, path: &Path) -> Result<Arc<OpenArchive>, String> {
        let kept = self.archives.lock().ok().and_then(|mut all| all.get(path).cloned());
        if let Some(kept) = kept.filter(|kept| kept.is_current()) {
            return Ok(kept);
        }
        let opened = OpenArchive::open(path, &COMPILER)?;
        if let Ok(mut all) = self.archives.lock() {
            all.insert(path.to_path_buf(), opened.clone());
        }
        Ok(opened)
    }
}
