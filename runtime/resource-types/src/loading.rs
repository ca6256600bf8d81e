//! Whether the file of a type can be loaded, with all that is loaded for it: what it requires, then the providers of its
//! name, in all modules. A file that raises keeps the type from being used, so each place is noted where one may: what
//! does not parse, what requires a file that is not seen, what calls a method that Puppet has not. Whether it does raise,
//! and with what words, only Ruby can tell. Code that is run later, or under a condition, raises nothing here.

use super::Library;
use super::ruby::source::{Code, Source};
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DoubtKind {
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
/// How deep statements are followed.
const DEPTH: u32 = 64;

/// Looks through the file of a type in Ruby, and through its providers'.
pub(super) fn loading(stem: &str, source: &str, library: &dyn Library) -> Loading {
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
    walk.file(&format!("lib/puppet/type/{stem}.rb"), source);
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

/// Where a statement stands.
#[derive(Clone, Copy)]
struct At<'a> {
    file: &'a str,
    /// Whether `self` is the module Puppet.
    in_puppet: bool,
    /// Whether a LoadError or SyntaxError is rescued.
    scripts_rescued: bool,
    /// Whether other errors are.
    others_rescued: bool,
    /// Whether the autoloader itself loads the file.
    is_loaded: bool,
    depth: u32,
}

/// Methods whose block is run at once.
const RUN_AT_ONCE: &[&str] = &[
    "newtype",
    "provide",
    "newparam",
    "newproperty",
    "ensurable",
    "class_eval",
    "class_exec",
    "module_eval",
    "instance_eval",
];

impl Walk<'_> {
    fn file(&mut self, file: &str, text: &str) {
        self.files += 1;
        if self.files > MOST_FILES {
            return;
        }
        let Some(source) = Source::parse(text) else { return };
        let is_loaded =
            self.names.last().is_some_and(|name| file.strip_suffix(".rb") == Some(&format!("lib/{name}")));
        let (scripts_rescued, others_rescued) = (false, false);
        let at = At { file, in_puppet: false, scripts_rescued, others_rescued, is_loaded, depth: 0 };
        // What is no UTF-8 has been replaced: where Ruby minds, it is no syntax.
        if source.root().node.has_error() || text.contains(char::REPLACEMENT_CHARACTER) {
            self.doubt(at, DoubtKind::Syntax, String::new(), 1);
        }
        self.looks_elsewhere |= ["$LOAD_PATH", "$:", "$-I"].iter().any(|name| text.contains(name));
        self.statements(source.root(), at);
    }

    fn doubt(&mut self, at: At<'_>, kind: DoubtKind, text: String, line: usize) {
        self.loading.doubts.push(Doubt {
            loading: self.names.clone(),
            file: at.file.to_owned(),
            kind,
            text,
            line: u32::try_from(line).unwrap_or(u32::MAX),
        });
    }

    /// The statements of a body, with what rescues them.
    fn statements(&mut self, body: Code<'_>, at: At<'_>) {
        let mut at = At { depth: at.depth + 1, ..at };
        if at.depth > DEPTH {
            return;
        }
        let children = body.children();
        for rescue in children.iter().filter(|child| child.node.kind() == "rescue") {
            match rescue.field("exceptions").map(Code::text) {
                None => at.others_rescued = true,
                Some(named) => {
                    let any = ["LoadError", "ScriptError", "SyntaxError", "Exception", "*"];
                    at.scripts_rescued |= any.iter().any(|name| named.contains(name));
                    at.others_rescued |= named != "LoadError";
                }
            }
        }
        children.into_iter().for_each(|child| self.statement(child, at));
    }

    fn body(&mut self, code: Code<'_>, at: At<'_>) {
        if let Some(body) = code.field("body") {
            self.statements(body, at);
        }
    }

    fn statement(&mut self, code: Code<'_>, at: At<'_>) {
        match code.node.kind() {
            "module" | "class" => {
                let name = code.field("name").map_or("", Code::text).trim_start_matches("::");
                let in_puppet = code.node.kind() == "module" && name == "Puppet";
                self.body(code, At { in_puppet, ..at });
            }
            "begin" | "body_statement" | "parenthesized_statements" => self.statements(code, at),
            "rescue_modifier" => self.body_of_modifier(code, at),
            "assignment" => {
                if let Some(right) = code.field("right") {
                    self.statement(right, at);
                }
            }
            "call" => self.call(code, at),
            _ => {}
        }
    }

    /// `… rescue …`, which rescues no LoadError.
    fn body_of_modifier(&mut self, code: Code<'_>, at: At<'_>) {
        if let Some(body) = code.field("body") {
            self.statement(body, At { others_rescued: true, depth: at.depth + 1, ..at });
        }
    }

    fn call(&mut self, code: Code<'_>, at: At<'_>) {
        let at = At { depth: at.depth + 1, ..at };
        let method = code.field("method").map_or("", Code::text);
        let receiver = code.field("receiver");
        if at.depth > DEPTH {
            return;
        }
        if let Some(receiver) = receiver.filter(|receiver| receiver.node.kind() == "call") {
            self.call(receiver, at);
        }
        self.arguments(code, at);
        if let Some(name) = receiver.and_then(sought_type)
            && !self.is_type(name)
            && !at.others_rescued
            && at.is_loaded
            && !code.text().contains("&.")
        {
            let line = code.field("method").map_or(0, Code::line);
            self.doubt(at, DoubtKind::NoType, self.type_under_way(), line);
        }
        match (method, receiver.map(Code::text)) {
            ("require" | "require_relative", None) if !at.scripts_rescued => self.require(code, method, at),
            ("newtype", None) if at.in_puppet && !at.others_rescued => {
                self.doubt(at, DoubtKind::NewType, String::new(), code.line());
            }
            ("newtype", Some("Puppet" | "::Puppet")) if !at.others_rescued => {
                self.doubt(at, DoubtKind::NewType, String::new(), code.line());
            }
            ("raise" | "fail", None) if !at.others_rescued && at.is_loaded => {
                self.doubt(at, DoubtKind::Raise, self.type_under_way(), code.line());
            }
            _ if RUN_AT_ONCE.contains(&method) => {
                if let Some(block) = code.field("block") {
                    self.body(block, At { in_puppet: false, ..at });
                }
                if method == "newtype" {
                    let list = code.field("arguments").map_or(Vec::new(), Code::children);
                    let name =
                        list.first().map(|name| name.text().trim_matches([':', '\'', '"']).to_lowercase());
                    self.make(&name.unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    /// What is called while arguments are put together.
    fn arguments(&mut self, code: Code<'_>, at: At<'_>) {
        for argument in code.field("arguments").map_or(Vec::new(), Code::children) {
            let value = if argument.node.kind() == "pair" { argument.field("value") } else { Some(argument) };
            if let Some(call) = value.filter(|value| value.node.kind() == "call") {
                self.call(call, at);
            }
        }
    }

    /// A type has been made: its providers are loaded.
    fn make(&mut self, name: &str) {
        if name.is_empty() || self.made.iter().any(|made| made == name) {
            return;
        }
        self.made.push(name.to_owned());
        for (file, text) in self.library.providers(name) {
            let path = file.strip_prefix("lib/").unwrap_or(&file);
            let path = path.strip_suffix(".rb").unwrap_or(path).to_owned();
            self.names.push(path.clone());
            self.file(&file, &text);
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
        let Some(text) = self.library.text_at(&file) else { return false };
        self.types.push(name.clone());
        self.names.push(path);
        self.file(&format!("{file}.rb"), &text);
        self.make(&name);
        self.names.pop();
        true
    }

    /// The file of the type that is being loaded: the worker runs it first.
    fn type_under_way(&self) -> String {
        let name = self.names.iter().rev().find(|name| name.starts_with("puppet/type/"));
        name.map_or(String::new(), |name| format!("lib/{name}.rb"))
    }

    fn require(&mut self, code: Code<'_>, method: &str, at: At<'_>) {
        let Some(list) = code.field("arguments") else { return };
        let [argument] = list.children()[..] else { return };
        let line = code.line();
        let literal = literal(argument);
        let Some(name) = literal else {
            let text = argument.text();
            if method == "require" && (text.contains("__FILE__") || text.contains("__dir__")) {
                let found = own_place(argument, at.file);
                if !found.is_some_and(|path| self.required(&path, at.file)) {
                    self.doubt(at, DoubtKind::Computed, text.to_owned(), line);
                }
            }
            return;
        };
        let name = name.strip_suffix(".rb").unwrap_or(&name).to_owned();
        if method == "require_relative" {
            let folder = at.file.rsplit_once('/').map_or("", |(folder, _)| folder);
            if !joined(folder, &name).is_some_and(|path| self.required(&path, at.file)) {
                self.doubt(at, DoubtKind::Relative, name, line);
            }
        } else if !name.starts_with(['/', '~', '.'])
            && !self.library.is_known(&name)
            && !self.required(&format!("lib/{name}"), at.file)
            && !self.looks_elsewhere
        {
            self.doubt(at, DoubtKind::Require, name, line);
        }
    }

    /// Looks through a file that is required, by its path below a module's folder without `.rb`; whether it is there.
    fn required(&mut self, path: &str, from: &str) -> bool {
        let Some(name) = path.strip_prefix("lib/") else { return false };
        if self.loading.required.iter().any(|known| known == name) {
            // What was not there then has its doubt.
            return true;
        }
        self.loading.required.push(name.to_owned());
        let Some(text) = self.library.text_at(path) else { return false };
        let file = format!("{path}.rb");
        if file != from {
            self.file(&file, &text);
        }
        true
    }
}

/// The name in `Puppet::Type.type(:name)`.
fn sought_type(code: Code<'_>) -> Option<&str> {
    let is_one = code.node.kind() == "call"
        && code.field("method")?.text() == "type"
        && matches!(code.field("receiver")?.text(), "Puppet::Type" | "::Puppet::Type");
    let [name] = code.field("arguments").filter(|_| is_one)?.children()[..] else { return None };
    match name.node.kind() {
        "simple_symbol" => name.text().strip_prefix(':'),
        "string" if !name.text().contains("#{") => Some(name.text().trim_matches(['\'', '"'])),
        _ => None,
    }
}

/// What a literal string says.
fn literal(code: Code<'_>) -> Option<String> {
    if code.node.kind() != "string" {
        return None;
    }
    let parts = code.children();
    if parts.iter().any(|part| part.node.kind() != "string_content") {
        return None;
    }
    Some(parts.into_iter().map(Code::text).collect())
}

/// The path below a module's folder that code puts together from `__FILE__` or `__dir__` and literals, as far as that is
/// done in the usual ways.
fn own_place(code: Code<'_>, file: &str) -> Option<String> {
    let mut pieces = Vec::new();
    let mut pending = vec![code];
    while let Some(code) = pending.pop() {
        match code.node.kind() {
            "string_content" => pieces.push(code.text()),
            "interpolation" => return None,
            "constant" if !matches!(code.text(), "File" | "Pathname") => return None,
            _ => pending.extend(code.children().into_iter().rev()),
        }
    }
    let text = code.text();
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let start = match (text.matches("dirname").count(), text.contains("__dir__")) {
        (1, false) | (0, true) => folder,
        (0, false) => file,
        _ => return None,
    };
    let path = joined(start, &pieces.join("/"))?;
    Some(path.strip_suffix(".rb").map_or(path.clone(), str::to_owned))
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
