//! The parts of a file in an archive: what they say, and their way in and out. Nothing of the machine that built
//! it is in them: where a message names its own file, [`SELF`] stands for the path.

use crate::issue_code::issue_code;
use bumpalo::Bump;
use bunraku_compiler::check::{CheckOptions, Location, Strict, check};
use bunraku_compiler::source::decode;
use bunraku_compiler::{LineIndex, ParseLimits, SourceFile, SourceKind, lower, parse};
use bunraku_files::archive::SELF;
use bunraku_vm::cause::Cause;
use bunraku_vm::compat::Compat;
use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
use serde::{Deserialize, Serialize};

/// The levels of `strict`, in the order of their findings.
pub const STRICT: [Strict; 3] = [Strict::Off, Strict::Warning, Strict::Error];

/// Warnings and errors of a file, for each level of `strict`. Bytecode does not depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings(pub [Vec<Finding>; 3]);

/// A diagnostic as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    severity: u8,
    message: String,
    inner: Vec<Finding>,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    length: u32,
    code: Option<String>,
    help: Option<String>,
}

/// What stands for [`Cause::StackTooDeep`]: such errors have no code of Puppet's.
const STACK_TOO_DEEP: &str = "STACK_TOO_DEEP";

const SEVERITIES: [Severity; 8] = [
    Severity::Debug,
    Severity::Info,
    Severity::Notice,
    Severity::Warning,
    Severity::Err,
    Severity::Alert,
    Severity::Emerg,
    Severity::Crit,
];

impl Finding {
    fn of(diagnostic: &Diagnostic) -> Finding {
        let Diagnostic { severity, message, place, length, code, cause, inner, stack: _, help, unnamed: _ } =
            diagnostic;
        // The one cause that a check of source text has, and that others decide by, goes where codes go.
        let code = if *cause == Cause::StackTooDeep { Some(STACK_TOO_DEEP) } else { *code };
        Finding {
            severity: *severity as u8,
            message: message.clone(),
            inner: inner.iter().map(Finding::of).collect(),
            file: place.file.as_deref().map(str::to_owned),
            line: place.line,
            column: place.column,
            length: *length,
            code: code.map(str::to_owned),
            help: help.clone(),
        }
    }

    /// The diagnostic, of the file at `path`.
    fn at(&self, path: &str) -> Diagnostic {
        let here = |text: &str| text.replace(SELF, path);
        let mut diagnostic = Diagnostic::error(here(&self.message));
        diagnostic.severity = SEVERITIES.get(usize::from(self.severity)).copied().unwrap_or(Severity::Err);
        diagnostic.place = Place {
            file: self.file.as_deref().map(|f| here(f).into()),
            line: self.line,
            column: self.column,
        };
        diagnostic.length = self.length;
        diagnostic.inner = self.inner.iter().map(|inner| inner.at(path)).collect();
        match self.code.as_deref() {
            Some(STACK_TOO_DEEP) => diagnostic.cause = Cause::StackTooDeep,
            code => diagnostic.code = code.and_then(issue_code),
        }
        diagnostic.help = self.help.as_deref().map(here);
        diagnostic
    }
}

impl Findings {
    fn set(&mut self, level: usize, found: &[Diagnostic]) {
        self.0[level] = found.iter().map(Finding::of).collect();
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }

    /// What was found at a level, in the file at `path`.
    pub fn at(&self, strict: Strict, path: &str) -> Vec<Diagnostic> {
        let level = STRICT.iter().position(|level| *level == strict).unwrap_or_default();
        self.0[level].iter().map(|finding| finding.at(path)).collect()
    }
}

/// What a manifest or template comes to: its unit, if it has one at any level, and what was found.
#[derive(Default)]
pub struct Made {
    /// The words of the unit.
    pub unit: Option<Vec<u32>>,
    /// Warnings and errors.
    pub findings: Findings,
}

/// Compiles a file for all levels of `strict`: the same as `crate::units::compile` at each of them.
pub fn compile(bytes: &[u8], kind: SourceKind, location: Location<'_>, compat: Compat) -> Made {
    let mut made = Made::default();
    let text = match decode(Some(SELF), bytes) {
        Ok(text) => text,
        Err(fault) => {
            (0..3).for_each(|level| made.findings.set(level, std::slice::from_ref(&*fault)));
            return made;
        }
    };
    let source = SourceFile { path: Some(SELF), text, kind };
    let arena = Bump::new();
    let parsed = match parse(&arena, &source, &ParseLimits::default()) {
        Ok(parsed) => parsed,
        Err(found) => {
            (0..3).for_each(|level| made.findings.set(level, &found));
            return made;
        }
    };
    let mut lowered = None;
    for (level, strict) in STRICT.into_iter().enumerate() {
        let checked = check(&parsed.program, &source, &CheckOptions { strict, compat, location });
        let found = parsed.warnings.iter().cloned().chain(checked);
        let (errors, mut found): (Vec<_>, Vec<_>) = found.partition(|d| d.severity >= Severity::Err);
        if errors.is_empty() {
            let lowered = lowered.get_or_insert_with(|| {
                lower::lower(&parsed.program, text, &LineIndex::new(text), source.path)
            });
            if let Err(fault) = lowered {
                found = vec![(**fault).clone()];
            }
        }
        found.extend(errors);
        made.findings.set(level, &found);
    }
    made.unit = lowered.and_then(Result::ok);
    made
}
