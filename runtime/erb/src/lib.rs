//! ERB templates without Ruby: what most of them contain is rendered here, in microseconds, and Ruby renders the rest.
//!
//! [`scan`] takes a template's tags apart; [`lower`], with [`calls`], [`operators`] and [`literals`], turns it, parsed
//! as the one Ruby program it is, into the tree that [`eval`] renders with the methods in [`methods`]; [`origins`]
//! says what it may change in place; [`value`], [`text`] and [`compare`] are Ruby's values, and [`encoded`] is how the tree
//! lies in archives.
//!
//! Two things are kept apart: what is not known of the *template* shows when it is lowered, what is not known of the
//! *values* when it is rendered. Either way nothing has been seen of it outside, and the Ruby worker renders the
//! template from its begin, with its own messages and limits. So what is here may be left out freely, but never wrong.

mod budget;
mod calls;
mod changes;
mod compare;
mod encoded;
mod engine;
mod eval;
mod literals;
mod lower;
mod methods;
mod operators;
mod origins;
mod scan;
mod text;
mod tree;
mod value;
mod world;

pub use changes::{Replay, ReplayOf};
pub use engine::{KeptTemplates, Templating, name_of};
pub use eval::Rendered;
pub use tree::Unsupported;
pub use world::{TemplateWorld, WorkerState};

use bunraku_files::memo::{Contract, FileMemo, SessionFiles};
use bunraku_files::read;
use bunraku_files::recent::Recent;
use bunraku_files::tree::Tree;
use bunraku_vm::archive::ArchiveFault;
use bunraku_vm::archive::layout::Section;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use tree::Template;

/// A template as far as it could be lowered, and how it has gone since.
pub struct Lowered {
    template: Result<Template, Unsupported>,
    rendered: AtomicU32,
    asked: AtomicU32,
}

/// How often a template may turn out to need Ruby, beyond those times it did not, before Ruby is asked at once.
const TRIES: u32 = 4;

impl From<Result<Template, Unsupported>> for Lowered {
    fn from(template: Result<Template, Unsupported>) -> Lowered {
        Lowered { template, rendered: AtomicU32::new(0), asked: AtomicU32::new(0) }
    }
}

impl Lowered {
    /// Lowers the text of a template.
    pub fn new(text: &[u8]) -> Lowered {
        Lowered::from(match std::str::from_utf8(text) {
            Ok(text) => lower::lower(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(_) => Err(Unsupported { line: 1, what: "its encoding".to_owned() }),
        })
    }

    /// The bytes that stand for it in an archive; none for a template beyond the bounds of their form.
    pub fn encode(&self) -> Option<Vec<u8>> {
        encoded::encode(&self.template)
    }

    /// What some bytes stand for; none if they are damaged.
    pub fn decode(bytes: &[u8]) -> Option<Lowered> {
        encoded::decode(bytes).map(Lowered::from)
    }

    /// Why it may need Ruby: everything in it that is not known, in order; empty where Ruby is not needed but for
    /// errors and unusual values.
    pub fn reasons(&self) -> &[Unsupported] {
        match &self.template {
            Ok(template) => &template.reasons,
            Err(reason) => std::slice::from_ref(reason),
        }
    }

    /// Why it is Ruby's.
    fn reason(&self) -> String {
        match &self.template {
            Ok(_) => "it has needed Ruby before".to_owned(),
            Err(reason) => reason.to_string(),
        }
    }

    /// The template, unless it is Ruby's by now.
    fn template(&self) -> Option<&Template> {
        let (rendered, asked) = (self.rendered.load(Ordering::Relaxed), self.asked.load(Ordering::Relaxed));
        self.template.as_ref().ok().filter(|_| asked < rendered.saturating_add(TRIES))
    }
}

/// Templates of all snapshots of a session: files until they change, and texts.
pub struct SessionTemplates {
    files: Arc<SessionFiles<Arc<Lowered>, 1>>,
    /// Templates given as text. Key: the text. Bound: [`MOST_TEXTS`]. Never stale. Test: `tests/tests/erb.rs`.
    texts: Mutex<Recent<Box<str>, Arc<Lowered>>>,
}

impl Default for SessionTemplates {
    fn default() -> Self {
        SessionTemplates { files: Arc::default(), texts: Mutex::new(Recent::new(MOST_TEXTS)) }
    }
}

/// How many templates given as text are kept.
const MOST_TEXTS: usize = 1000;

const TEMPLATES: Contract = Contract {
    holds: "ERB templates, lowered",
    key: "path",
    bound: "the templates of the tree; of others and for the next snapshot, 50,000",
    stale: "size or time of the file differ",
    test: "tests/tests/erb.rs: a_template_that_changes_is_read_again",
};

/// What a snapshot keeps of ERB templates.
pub struct Templates {
    files: FileMemo<Arc<Lowered>, 1>,
    session: Arc<SessionTemplates>,
}

impl Templates {
    /// Nothing lowered yet but what `session` has of other snapshots.
    pub fn new(session: Arc<SessionTemplates>) -> Templates {
        Templates { files: FileMemo::new(&TEMPLATES, session.files.clone()), session }
    }

    /// A file's template; none where it can't be read.
    fn file(&self, tree: &Tree, path: &Path) -> Option<Arc<Lowered>> {
        let archived = || {
            let lowered = tree.archived(path, |opened, entry| {
                let Some(part) = opened.archive().part_in(entry, Section::Templates)? else {
                    return Ok(None);
                };
                let lowered = Lowered::decode(opened.archive().part_bytes(&part)?);
                lowered.map(Some).ok_or(ArchiveFault::Cold(Section::Templates))
            });
            lowered.map(Arc::new)
        };
        let make = || {
            // A frozen archive may hold no texts: then Ruby would read the file, too.
            let text = tree.read(path).or_else(|_| read::regular(path, read::MAX_FILE)).map_err(|_| ())?;
            Ok(Arc::new(Lowered::new(&text)))
        };
        self.files.get((tree, path, 0), archived, |_| (), make).ok()
    }

    fn text(&self, text: &str) -> Arc<Lowered> {
        let texts = &self.session.texts;
        if let Some(kept) = texts.lock().ok().and_then(|mut texts| texts.get(text).cloned()) {
            return kept;
        }
        let lowered = Arc::new(Lowered::new(text.as_bytes()));
        if let Ok(mut texts) = texts.lock() {
            texts.insert(text.into(), lowered.clone());
        }
        lowered
    }
}
