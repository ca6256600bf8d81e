//! What loading a file of Ruby does, as far as it can be read and may raise: the file is parsed for that once, however many
//! types load it. Code that is run later, or under a condition, is left out, and so is what the file rescues.

use crate::ruby::source::{Code, Source};

/// What loading a file does.
#[derive(Debug, Default)]
pub struct Steps {
    /// Whether its syntax is not understood.
    pub(super) is_faulty: bool,
    /// Whether it changes where Ruby looks for files.
    pub(super) looks_elsewhere: bool,
    /// In the order in which Ruby comes to them.
    pub(super) all: Vec<Step>,
}

/// One thing it does.
#[derive(Debug)]
pub(super) struct Step {
    /// Where.
    pub line: usize,
    /// What.
    pub kind: StepKind,
}

/// What it is.
#[derive(Debug)]
pub(super) enum StepKind {
    /// `require 'name'`, the name without `.rb`.
    Require(String),
    /// `require_relative 'name'`, likewise.
    Relative(String),
    /// `require` of what code puts together from the file's own place.
    Computed { code: String, place: Option<OwnPlace> },
    /// `newtype` as a method of the module Puppet.
    NewTypeOfPuppet,
    /// `raise` or `fail`; in any case, or where there is no type of a name: `raise '…' if Puppet::Type.type(:name).nil?`.
    Raise { without: Option<String> },
    /// `Puppet::Type.type(:name)`; whether a method of what it gives is called, which raises where there is no such type.
    Type { name: String, raises: bool },
    /// `newtype :name`, whose providers are loaded.
    Make(String),
}

/// A path that is put together from a file's own.
#[derive(Debug)]
pub(super) struct OwnPlace {
    /// Whether it begins with the file's folder rather than with the file.
    pub of_folder: bool,
    /// What comes behind that.
    pub below: String,
}

/// How deep statements are followed.
const DEPTH: u32 = 64;

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

/// Where a statement stands.
#[derive(Clone, Copy, Default)]
struct At {
    /// Whether `self` is the module Puppet.
    in_puppet: bool,
    /// Whether a LoadError or SyntaxError is rescued.
    scripts_rescued: bool,
    /// Whether other errors are.
    others_rescued: bool,
    depth: u32,
}

impl Steps {
    /// Reads the text of a file; nothing is known of one that is too large, or takes too long, to be one that people wrote.
    pub fn of(text: &str) -> Steps {
        Source::parse(text).map_or(Steps::default(), |source| Steps::of_source(&source))
    }

    /// The same of a file that has been parsed.
    pub(crate) fn of_source(source: &Source) -> Steps {
        let root = source.root();
        let text = root.text();
        let mut steps = Steps {
            // What is no UTF-8 has been replaced: where Ruby minds, it is no syntax.
            is_faulty: root.node.has_error() || text.contains(char::REPLACEMENT_CHARACTER),
            looks_elsewhere: ["$LOAD_PATH", "$:", "$-I"].iter().any(|name| text.contains(name)),
            all: Vec::new(),
        };
        steps.statements(root, At::default());
        steps
    }

    fn add(&mut self, line: usize, kind: StepKind) {
        self.all.push(Step { line, kind });
    }

    /// The statements of a body, with what rescues them.
    fn statements(&mut self, body: Code<'_>, at: At) {
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

    fn body(&mut self, code: Code<'_>, at: At) {
        if let Some(body) = code.field("body") {
            self.statements(body, at);
        }
    }

    fn statement(&mut self, code: Code<'_>, at: At) {
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
            "if" | "if_modifier" | "unless" | "unless_modifier" if !at.others_rescued => self.condition(code),
            _ => {}
        }
    }

    /// Code under a condition: whether it raises where a type is missing.
    fn condition(&mut self, code: Code<'_>) {
        let Some(name) = missing_type(code) else { return };
        let statements = match code.field("consequence") {
            Some(then) => then.children(),
            None => code.field("body").into_iter().collect(),
        };
        let raises = |statement: &Code<'_>| {
            statement.field("receiver").is_none()
                && matches!(statement.field("method").map(Code::text), Some("raise" | "fail"))
        };
        if let Some(statement) = statements.into_iter().find(raises) {
            self.add(statement.line(), StepKind::Raise { without: Some(name.to_owned()) });
        }
    }

    /// `… rescue …`, which rescues no LoadError.
    fn body_of_modifier(&mut self, code: Code<'_>, at: At) {
        if let Some(body) = code.field("body") {
            self.statement(body, At { others_rescued: true, depth: at.depth + 1, ..at });
        }
    }

    fn call(&mut self, code: Code<'_>, at: At) {
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
        if let Some(name) = receiver.and_then(sought_type) {
            let raises = !at.others_rescued && !code.text().contains("&.");
            let line = code.field("method").map_or(0, Code::line);
            self.add(line, StepKind::Type { name: name.to_owned(), raises });
        }
        match (method, receiver.map(Code::text)) {
            ("require" | "require_relative", None) if !at.scripts_rescued => self.require(code, method),
            ("newtype", None) if at.in_puppet && !at.others_rescued => {
                self.add(code.line(), StepKind::NewTypeOfPuppet);
            }
            ("newtype", Some("Puppet" | "::Puppet")) if !at.others_rescued => {
                self.add(code.line(), StepKind::NewTypeOfPuppet);
            }
            ("raise" | "fail", None) if !at.others_rescued => {
                self.add(code.line(), StepKind::Raise { without: None });
            }
            _ if RUN_AT_ONCE.contains(&method) => self.run_at_once(code, method, at),
            _ => {}
        }
    }

    fn run_at_once(&mut self, code: Code<'_>, method: &str, at: At) {
        if let Some(block) = code.field("block") {
            self.body(block, At { in_puppet: false, ..at });
        }
        if method == "newtype" {
            let list = code.field("arguments").map_or(Vec::new(), Code::children);
            let name = list.first().map(|name| name.text().trim_matches([':', '\'', '"']).to_lowercase());
            self.add(code.line(), StepKind::Make(name.unwrap_or_default()));
        }
    }

    /// What is called while arguments are put together.
    fn arguments(&mut self, code: Code<'_>, at: At) {
        for argument in code.field("arguments").map_or(Vec::new(), Code::children) {
            let value = if argument.node.kind() == "pair" { argument.field("value") } else { Some(argument) };
            if let Some(call) = value.filter(|value| value.node.kind() == "call") {
                self.call(call, at);
            }
        }
    }

    fn require(&mut self, code: Code<'_>, method: &str) {
        let Some(list) = code.field("arguments") else { return };
        let [argument] = list.children()[..] else { return };
        let kind = match literal(argument) {
            Some(name) => {
                let name = name.strip_suffix(".rb").map_or(name.clone(), str::to_owned);
                if method == "require" { StepKind::Require(name) } else { StepKind::Relative(name) }
            }
            None => {
                let text = argument.text();
                if method != "require" || !text.contains("__FILE__") && !text.contains("__dir__") {
                    return;
                }
                StepKind::Computed { code: text.to_owned(), place: own_place(argument) }
            }
        };
        self.add(code.line(), kind);
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

/// The name of the type that has to be missing for a condition to hold: `if Puppet::Type.type(:name).nil?`, `unless
/// Puppet::Type.type(:name)` and the like.
fn missing_type(code: Code<'_>) -> Option<&str> {
    let condition = code.field("condition")?;
    if code.node.kind().starts_with("unless") {
        return sought_type(condition);
    }
    match condition.node.kind() {
        "call" if condition.field("method")?.text() == "nil?" => sought_type(condition.field("receiver")?),
        "unary" if matches!(condition.field("operator")?.text(), "!" | "not") => {
            sought_type(condition.field("operand")?)
        }
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

/// Whether what stands in a text is followed by the rest of a path.
fn is_followed_by_slash(code: Code<'_>) -> bool {
    code.next().is_some_and(|next| next.node.kind() == "string_content" && next.text().starts_with('/'))
}

/// The path that code puts together from `__FILE__` or `__dir__` and literals, as far as that is done in the usual ways.
fn own_place(code: Code<'_>) -> Option<OwnPlace> {
    let mut pieces = Vec::new();
    let mut pending = vec![code];
    while let Some(code) = pending.pop() {
        match code.node.kind() {
            "string_content" => pieces.push(code.text()),
            // `"#{__dir__}/…"`
            "interpolation" if !pieces.is_empty() || !is_followed_by_slash(code) => return None,
            "constant" if !matches!(code.text(), "File" | "Pathname") => return None,
            _ => pending.extend(code.children().into_iter().rev()),
        }
    }
    let text = code.text();
    let of_folder = match (text.matches("dirname").count(), text.contains("__dir__")) {
        (1, false) | (0, true) => true,
        (0, false) => false,
        _ => return None,
    };
    Some(OwnPlace { of_folder, below: pieces.join("/") })
}
