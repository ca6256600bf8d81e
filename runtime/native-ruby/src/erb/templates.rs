//! Lowered templates kept for the compiles to come: those of files with the snapshot, those given as text with the
//! session.

use crate::erb::lowered::Lowered;
use bunraku_files::memo::{Contract, FileMemo, SessionFiles};
use bunraku_files::recent::Recent;
use bunraku_files::tree::Tree;
use bunraku_vm::archive::ArchiveFault;
use bunraku_vm::archive::layout::Section;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Templates of all snapshots of a session: files until they change, and texts.
pub struct SessionTemplates {
    files: Arc<SessionFiles<Arc<Lowered>, 2>>,
    /// Templates given as text. Key: the text. Bound: [`MOST_TEXTS`]. Never stale. Test: `tests/tests/erb.rs`.
    texts: Mutex<Recent<Box<str>, Arc<Lowered>>>,
}

impl Default for SessionTemplates {
    fn default() -> Self {
        SessionTemplates { files: Arc::default(), texts: Mutex::new(Recent::new(MOST_TEXTS)) }
    }
}

impl SessionTemplates {
    /// Those of a session whose environments stay as they are first seen.
    pub fn settled() -> SessionTemplates {
        SessionTemplates { files: SessionFiles::settled().into(), ..SessionTemplates::default() }
    }
}

/// How many templates given as text are kept.
const MOST_TEXTS: usize = 1000;

const TEMPLATES: Contract = Contract {
    holds: "ERB templates and files of Ruby, lowered",
    key: "path, and which of the two",
    bound: "the templates and files of Ruby of the tree; of others, for the next snapshot, and for other archives, 50,000",
    stale: "the file is another one, or its size or times differ; of an archive, name or content",
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

/// What a snapshot keeps of ERB templates.
pub struct Templates {
    files: FileMemo<Arc<Lowered>, 2>,
    session: Arc<SessionTemplates>,
}

impl Templates {
    /// Nothing lowered yet but what `session` has of other snapshots.
    pub fn new(session: Arc<SessionTemplates>) -> Templates {
        let files = FileMemo::new(&TEMPLATES, session.files.clone()).placeless(|_| true);
        Templates { files, session }
    }

    /// A file's template; none where it can't be read.
    pub(crate) fn file(&self, tree: &Tree, path: &Path) -> Option<Arc<Lowered>> {
        self.lowered(tree, path, Lowered::TEMPLATE, Lowered::new)
    }

    /// A file of Ruby; none where it can't be read.
    pub(crate) fn ruby(&self, tree: &Tree, path: &Path) -> Option<Arc<Lowered>> {
        self.lowered(tree, path, Lowered::RUBY, Lowered::of_ruby)
    }

    fn lowered(
        &self,
        tree: &Tree,
        path: &Path,
        variant: u32,
        lower: fn(&[u8]) -> Lowered,
    ) -> Option<Arc<Lowered>> {
        let archived = || {
            let lowered = tree.archived(path, |opened, entry| {
                let Some(part) = opened.archive().part_in(entry, Section::Templates)? else {
                    return Ok(None);
                };
                if part.variant != variant {
                    return Ok(None);
                }
                let lowered = Lowered::decode(opened.archive().part_bytes(&part)?);
                lowered.map(Some).ok_or(ArchiveFault::Cold(Section::Templates))
            });
            lowered.map(Arc::new)
        };
        let make = || {
            // A frozen archive may hold no texts: then Ruby would read the file, too.
            let text = tree.read(path).or_else(|_| tree.read_source(path)).map_err(|_| ())?;
            Ok(Arc::new(lower(&text)))
        };
        self.files.get((tree, path, variant as usize), archived, |_| (), make).ok()
    }

    /// The template of a text: from the tree's archive, where that has it.
    pub(crate) fn text(&self, tree: &Tree, text: &str) -> Arc<Lowered> {
        let texts = &self.session.texts;
        if let Some(kept) = texts.lock().ok().and_then(|mut texts| texts.get(text).cloned()) {
            return kept;
        }
        let archived = tree.made_of(text, Section::Templates, |opened, part| {
            Lowered::decode(opened.archive().part_bytes(&part)?).ok_or(ArchiveFault::Cold(Section::Templates))
        });
        let lowered = Arc::new(archived.unwrap_or_else(|| Lowered::new(text.as_bytes())));
        if let Ok(mut texts) = texts.lock() {
            texts.insert(text.into(), lowered.clone());
        }
        lowered
    }
}
