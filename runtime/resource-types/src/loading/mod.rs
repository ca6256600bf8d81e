//! Whether the file of a type can be loaded, with all that is loaded for it: what it requires, then the providers of its
//! name, in all modules. A file that raises keeps the type from being used, so each place is noted where one may: what
//! does not parse, what requires a file that is not seen, what calls a method that Puppet has not. Whether it does raise,
//! and with what words, only Ruby can tell. Code that is run later, or under a condition, raises nothing here.

mod steps;

use super::Library;
use serde::{Deserialize, Serialize};
pub use steps::Steps;
use steps::{OwnPlace, Step, StepKind};

/// A place that may raise while a type is loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// What the autoloader is loading there, outermost first: `puppet/type/x`, then perhaps `puppet/provider/x/y`.
    pub loading: Vec<String>,
    /// The file, below its module's folder.
    pub file: String,
    /// What it does.
    pub kind: DoubtKind,
    /// What is required: a name, or code that yields one.
    pub text: String,
    /// Where.
    pub line: u32,
}

/// What may raise.
///
/// All but the first are seen in what loading does; the first where it is read what the type declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DoubtKind {
    /// What Puppet's own classes refuse in the block of a type or of an attribute: a word that they don't have, an attribute
    /// twice, a name that no class can have.
    Declared,
    /// The syntax of the file.
    Syntax,
    /// `require 'name'`.
    Require,
    /// `require_relative 'name'`.
    Relative,
    /// `require` of what code puts together from the file's own place.
    Computed,
    /// `newtype` as a method of the module Puppet.
    NewType,
    /// `raise`, in a file that the autoloader loads itself.
    Raise,
    /// A method of what `Puppet::Type.type` gives, which is nil where there is no such type.
    NoType,
}

impl Doubt {
    /// What it is that may raise, in words.
    pub fn reason(&self) -> String {
        let what = match self.kind {
            DoubtKind::Declared => format!("Puppet's types refuse '{}'", self.text),
            DoubtKind::Syntax => "its syntax is not understood".to_owned(),
            DoubtKind::Require => format!("it requires '{}', which no module has", self.text),
            DoubtKind::Relative | DoubtKind::Computed => {
                format!("it requires {}, which is not in its module", self.text)
            }
            DoubtKind::NewType => "it calls newtype of the module Puppet".to_owned(),
            DoubtKind::Raise => "it calls raise".to_owned(),
            DoubtKind::NoType => "it calls a method of a type that there is not".to_owned(),
        };
        format!("{} may not load (line {}): {what}", self.file, self.line)
    }
}

impl DoubtKind {
    /// What the worker calls it.
    pub fn name(self) -> &'static str {
        match self {
            DoubtKind::Declared => "declared",
            DoubtKind::Syntax => "syntax",
            DoubtKind::Require => "require",
            DoubtKind::Relative => "relative",
            DoubtKind::Computed => "computed",
            DoubtKind::NewType => "newtype",
            DoubtKind::Raise => "raise",
            DoubtKind::NoType => "notype",
        }
    }
}

/// Why a type can't be loaded, as Puppet says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadFailure {
    /// Each autoloader's words, innermost first: all are logged, the last is the error.
    pub messages: Vec<String>,
    /// Whether the type is there all the same once that has been said: its own file was run to the end.
    pub is_defined: bool,
}

impl LoadFailure {
    /// The failure of what a doubt is of, by the exception's message.
    pub fn of(doubt: &Doubt, detail: &str) -> LoadFailure {
        let mut messages: Vec<String> = Vec::new();
        for name in doubt.loading.iter().rev() {
            let detail = messages.last().map_or(detail, String::as_str);
            messages.push(format!("Could not autoload {name}: {detail}"));
        }
        let provider =
            |name: &String| Some(name.strip_prefix("puppet/provider/")?.split_once('/')?.0.to_owned());
        let of = doubt.loading.get(1).and_then(provider);
        let own = doubt.loading.first().and_then(|name| name.strip_prefix("puppet/type/"));
        LoadFailure { messages, is_defined: of.is_some() && of.as_deref() == own }
    }

    /// The failure of a type's own file.
    pub(crate) fn of_type(name: &str, detail: &str) -> LoadFailure {
        let message = format!("Could not autoload puppet/type/{name}: {detail}");
        LoadFailure { messages: vec![message], is_defined: false }
    }
}

/// What loading a type comes to, as far as it can be read.
#[derive(Default)]
pub(super) struct Loading {
    /// In the order in which Ruby comes to them.
    pub doubts: Vec<Doubt>,
    /// Files below `lib` that were required, without `.rb`, whether they are there or not.
    pub required: Vec<String>,
    /// The files of providers, below a module's folder.
    pub providers: Vec<String>,
}

/// How many files are looked through for one type.
const MOST_FILES: usize = 256;

/// Looks through what loading the file of a type does, and its providers'.
pub(super) fn loading(stem: &str, steps: Steps, library: &dyn Library) -> Loading {
    let own = stem.to_lowercase();
    let mut walk = Walk {
        library,
        loading: Loading::default(),
        names: vec![format!("puppet/type/{own}")],
        types: vec![own.clone()],
        made: Vec::new(),
        own,
        files: 0,
        looks_elsewhere: false,
    };
    walk.file(&format!("lib/puppet/type/{stem}.rb"), &steps);
    walk.make(&walk.own.clone());
    walk.loading
}

struct Walk<'l> {
    library: &'l dyn Library,
    loading: Loading,
    /// What the autoloader is loading.
    names: Vec<String>,
    /// The type it is about.
    own: String,
    /// Types whose files have been looked through.
    types: Vec<String>,
    /// Types that have been made, with their providers.
    made: Vec<String>,
    files: usize,
    /// Whether code changes where Ruby looks for files.
    looks_elsewhere: bool,
}

impl Walk<'_> {
    fn file(&mut self, file: &str, steps: &Steps) {
        self.files += 1;
        if self.files > MOST_FILES {
            return;
        }
        // Whether the autoloader itself loads it.
        let is_loaded =
            self.names.last().is_some_and(|name| file.strip_suffix(".rb") == Some(&format!("lib/{name}")));
        if steps.is_faulty {
            self.doubt((file, 1), DoubtKind::Syntax, String::new());
        }
        self.looks_elsewhere |= steps.looks_elsewhere;
        steps.all.iter().for_each(|step| self.step(step, file, is_loaded));
    }

    fn doubt(&mut self, (file, line): (&str, usize), kind: DoubtKind, text: String) {
        self.loading.doubts.push(Doubt {
            loading: self.names.clone(),
            file: file.to_owned(),
            kind,
            text,
            line: u32::try_from(line).unwrap_or(u32::MAX),
        });
    }

    fn step(&mut self, step: &Step, file: &str, is_loaded: bool) {
        let at = (file, step.line);
        match &step.kind {
            StepKind::Require(name) => {
                if !name.starts_with(['/', '~', '.'])
                    && !self.library.is_known(name)
                    && !self.required(&format!("lib/{name}"), file)
                    && !self.looks_elsewhere
                {
                    self.doubt(at, DoubtKind::Require, name.clone());
                }
            }
            StepKind::Relative(name) => {
                if !joined(folder(file), name).is_some_and(|path| self.required(&path, file)) {
                    self.doubt(at, DoubtKind::Relative, name.clone());
                }
            }
            StepKind::Computed { code, place } => {
                let found = place.as_ref().and_then(|place| place.seen_from(file));
                if !found.is_some_and(|path| self.required(&path, file)) {
                    self.doubt(at, DoubtKind::Computed, code.clone());
                }
            }
            StepKind::NewTypeOfPuppet => self.doubt(at, DoubtKind::NewType, String::new()),
            StepKind::Raise { without } => {
                if is_loaded && without.as_ref().is_none_or(|name| !self.is_type(name)) {
                    self.doubt(at, DoubtKind::Raise, self.type_under_way());
                }
            }
            StepKind::Type { name, raises } => {
                if !self.is_type(name) && *raises && is_loaded {
                    self.doubt(at, DoubtKind::NoType, self.type_under_way());
                }
            }
            StepKind::Make(name) => self.make(name),
        }
    }

    /// A type has been made: its providers are loaded.
    fn make(&mut self, name: &str) {
        if name.is_empty() || self.made.iter().any(|made| made == name) {
            return;
        }
        self.made.push(name.to_owned());
        for file in self.library.providers(name) {
            let place = file.strip_suffix(".rb").unwrap_or(&file);
            let Some(steps) = self.library.steps_at(place) else { continue };
            let path = place.strip_prefix("lib/").unwrap_or(place).to_owned();
            self.names.push(path.clone());
            self.file(&file, &steps);
            self.names.pop();
            match name == self.own {
                true => self.loading.providers.push(file),
                false => self.loading.required.push(path),
            }
        }
    }

    /// Whether there is a type of a name; its file is looked through where that has not been.
    fn is_type(&mut self, name: &str) -> bool {
        let name = name.to_lowercase();
        if self.types.contains(&name) || super::is_builtin(&name) {
            return true;
        }
        let path = format!("puppet/type/{name}");
        if !self.loading.required.contains(&path) {
            self.loading.required.push(path.clone());
        }
        let file = format!("lib/{path}");
        let Some(steps) = self.library.steps_at(&file) else { return false };
        self.types.push(name.clone());
        self.names.push(path);
        self.file(&format!("{file}.rb"), &steps);
        self.make(&name);
        self.names.pop();
        true
    }

    /// The file of the type that is being loaded: the worker runs it first.
    fn type_under_way(&self) -> String {
        let name = self.names.iter().rev().find(|name| name.starts_with("puppet/type/"));
        name.map_or(String::new(), |name| format!("lib/{name}.rb"))
    }

    /// Looks through a file that is required, by its path below a module's folder without `.rb`; whether it is there.
    fn required(&mut self, path: &str, from: &str) -> bool {
        let Some(name) = path.strip_prefix("lib/") else { return false };
        if self.loading.required.iter().any(|known| known == name) {
            // What was not there then has its doubt.
            return true;
        }
        self.loading.required.push(name.to_owned());
        let Some(steps) = self.library.steps_at(path) else { return false };
        let file = format!("{path}.rb");
        if file != from {
            self.file(&file, &steps);
        }
        true
    }
}

impl OwnPlace {
    /// The path below a module's folder, without `.rb`, for the file that it stands in.
    fn seen_from(&self, file: &str) -> Option<String> {
        let path = joined(if self.of_folder { folder(file) } else { file }, &self.below)?;
        Some(path.strip_suffix(".rb").map_or(path.clone(), str::to_owned))
    }
}

fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path seen from a folder; none where it leaves the module.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
