//! A template as far as it could be lowered, and how its renderings have gone. Shared by all compiles.

use crate::encoded;
use crate::lower;
use crate::tree::{Program, Unsupported};
use std::sync::atomic::{AtomicU32, Ordering};

/// A template as far as it could be lowered, and how it has gone since.
pub struct Lowered {
    template: Result<Program, Unsupported>,
    /// How often it has been rendered natively.
    rendered: AtomicU32,
    /// How often its rendering has turned out to need Ruby.
    asked: AtomicU32,
}

/// How often a template may turn out to need Ruby, beyond those times it did not, before Ruby is asked at once.
const TRIES: u32 = 4;

impl From<Result<Program, Unsupported>> for Lowered {
    fn from(template: Result<Program, Unsupported>) -> Lowered {
        Lowered { template, rendered: AtomicU32::new(0), asked: AtomicU32::new(0) }
    }
}

impl Lowered {
    /// The variant that a template's part of an archive has.
    pub const TEMPLATE: u32 = 0;
    /// That of a file of Ruby.
    pub const RUBY: u32 = 1;

    /// Lowers the text of a template.
    pub fn new(text: &[u8]) -> Lowered {
        Lowered::from(match std::str::from_utf8(text) {
            Ok(text) => lower::lower(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(_) => Err(Unsupported { line: 1, what: "its encoding".to_owned() }),
        })
    }

    /// Lowers a file of Ruby.
    pub fn of_ruby(text: &[u8]) -> Lowered {
        Lowered::from(match std::str::from_utf8(text) {
            Ok(text) => lower::lower_file(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(_) => Err(Unsupported { line: 1, what: "its encoding".to_owned() }),
        })
    }

    /// The program; why Ruby has to run it, where it could not be lowered.
    pub(crate) fn program(&self) -> Result<&Program, String> {
        self.template.as_ref().map_err(Unsupported::to_string)
    }

    /// The bytes that stand for it in an archive; none for a template beyond the bounds of their form.
    pub fn encode(&self) -> Option<Vec<u8>> {
        encoded::encode(&self.template)
    }

    /// What some bytes stand for; none if they are damaged.
    pub fn decode(bytes: &[u8]) -> Option<Lowered> {
        encoded::decode(bytes).map(Lowered::from)
    }

    /// The tree as text, for people; or why there is none.
    pub fn shown(&self) -> String {
        match &self.template {
            Ok(program) => format!("{program:#?}\n"),
            Err(reason) => format!("left to Ruby: {reason}\n"),
        }
    }

    /// Whether it could be lowered at all.
    pub fn is_lowered(&self) -> bool {
        self.template.is_ok()
    }

    /// Why it may need Ruby: everything in it that is not known, in order; empty where Ruby is not needed but for
    /// errors and unusual values.
    pub fn reasons(&self) -> &[Unsupported] {
        match &self.template {
            Ok(template) => &template.reasons,
            Err(reason) => std::slice::from_ref(reason),
        }
    }

    /// Why Ruby has to render it.
    pub(crate) fn reason(&self) -> String {
        match &self.template {
            Ok(_) => "it has needed Ruby before".to_owned(),
            Err(reason) => reason.to_string(),
        }
    }

    /// The template; none where it could not be lowered, or has needed Ruby so often that trying does not pay.
    pub(crate) fn template(&self) -> Option<&Program> {
        let (rendered, asked) = (self.rendered.load(Ordering::Relaxed), self.asked.load(Ordering::Relaxed));
        self.template.as_ref().ok().filter(|_| asked < rendered.saturating_add(TRIES))
    }

    /// Counts a rendering that needed no Ruby.
    pub(crate) fn count_rendered(&self) {
        self.rendered.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a rendering that has turned out to need Ruby.
    pub(crate) fn count_for_ruby(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }
}
