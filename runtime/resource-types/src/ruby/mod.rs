//! What a type's Ruby source declares: name variables, parameters, properties, title patterns. The source is parsed
//! and never run. Loops over literals, methods of the type's own and modules of its module are followed; where that
//! does not do, the type says so in [`ResourceType::unreadable`] and no claim is made about which attributes exist.

mod api;
mod modules;
mod refused;
pub(crate) mod source;
mod value;

use super::titles::{Pattern, Titles};
use super::{Doubt, DoubtKind, Library, LoadFailure, Presence, ResourceType};
pub use refused::WORDS;
use source::{Code, Program, Source};
use value::{Evaluator, Scope, Value};

/// Words that declare attributes: what is not understood and has none of them may be passed over.
const DECLARING: &[&str] =
    &["newparam", "newproperty", "ensurable", "isnamevar", "create_parameters", "title_patterns"];

/// How many files one type may draw in.
const MOST_FILES: usize = 64;

/// The type that `source`, the file `stem.rb` under `lib/puppet/type`, declares. `library` gives the text of a file
/// below a module's `lib`, by its path without `.rb`.
pub(super) fn declared(stem: &str, source: Option<Source>, library: &dyn Library) -> ResourceType {
    let name = stem.to_lowercase();
    let mut files = Vec::new();
    let mut requires = Vec::new();
    let mut pending: Vec<String> = Vec::new();
    if let Some(first) = source {
        pending = first.requires();
        files.push(first);
    }
    pending.reverse();
    while let Some(path) = pending.pop() {
        if requires.contains(&path) || files.len() >= MOST_FILES {
            continue;
        }
        let file = library.text(&path).and_then(|text| Source::parse(&text));
        requires.push(path);
        if let Some(file) = file {
            pending.extend(file.requires().into_iter().rev());
            files.push(file);
        }
    }
    let program = Program::new(&files);
    let mut reader = Reader {
        evaluator: Evaluator::new(&program),
        namevars: Vec::new(),
        parameters: Vec::new(),
        properties: Vec::new(),
        methods: Vec::new(),
        extended: Vec::new(),
        titles: None,
        isomorphic: true,
        unreadable: None,
        refused: None,
        takes_any_word: false,
        failure: None,
        presence: Presence::Present,
        depth: 0,
    };
    match files.first().and_then(|file| declaration(file.root(), &name)) {
        Some(Declaration::Type(block)) => {
            let mut scope = Scope { module: "Puppet".to_owned(), ..Scope::default() };
            reader.block(block, &mut scope);
        }
        Some(Declaration::Api(call)) => api::read(&mut reader, call, &name),
        None => reader.declares_other(files.first().map_or(Presence::Present, |file| without(file.root()))),
    }
    let refused = reader.refused.take();
    let mut ty = reader.finish(name);
    ty.doubts.extend(refused.map(|(line, text)| Doubt {
        loading: vec![format!("puppet/type/{}", ty.name)],
        file: format!("lib/puppet/type/{stem}.rb"),
        kind: DoubtKind::Declared,
        text,
        line: u32::try_from(line).unwrap_or(u32::MAX),
    }));
    ty.requires = requires;
    ty
}

/// What makes a type.
enum Declaration<'t> {
    /// The block of `newtype`.
    Type(Code<'t>),
    /// The call of `Puppet::ResourceApi.register_type`.
    Api(Code<'t>),
}

fn declaration<'t>(root: Code<'t>, name: &str) -> Option<Declaration<'t>> {
    let mut pending = vec![root];
    while let Some(code) = pending.pop() {
        let method = code.field("method").filter(|_| code.node.kind() == "call");
        let first = || {
            let argument = code.field("arguments")?.children().into_iter().next()?;
            Some(argument.text().trim_matches([':', '\'', '"']).to_lowercase())
        };
        match method.map(Code::text) {
            Some("newtype") if first().is_none_or(|given| given == name) => {
                return code.field("block").map(Declaration::Type);
            }
            Some("register_type") => return Some(Declaration::Api(code)),
            _ => pending.extend(code.children().into_iter().rev()),
        }
    }
    None
}

/// Whether a file without a declaration of its type makes the type all the same: one without any code does not, and one that
/// declares another hardly does. Other code may do so in its own way.
fn without(root: Code<'_>) -> Presence {
    if root.children().is_empty() {
        return Presence::Absent;
    }
    let mut pending = vec![root];
    while let Some(code) = pending.pop() {
        let is_newtype = code.field("method").is_some_and(|method| method.text() == "newtype");
        let name = || code.field("arguments").and_then(|list| list.children().first().copied());
        let is_named = |name: Code<'_>| matches!(name.node.kind(), "simple_symbol" | "string");
        if is_newtype && name().is_some_and(is_named) {
            return Presence::Doubted;
        }
        pending.extend(code.children());
    }
    Presence::Present
}

/// What has been read of a type so far.
struct Reader<'p, 't> {
    evaluator: Evaluator<'p, 't>,
    namevars: Vec<String>,
    parameters: Vec<String>,
    properties: Vec<String>,
    /// Instance methods it defines.
    methods: Vec<&'t str>,
    /// Modules whose methods are its own.
    extended: Vec<String>,
    titles: Option<Vec<Pattern>>,
    isomorphic: bool,
    unreadable: Option<String>,
    /// What Puppet's own classes refuse first, and in which line.
    refused: Option<(usize, String)>,
    /// Whether it may have methods that are not seen.
    takes_any_word: bool,
    /// Why it can't be loaded.
    failure: Option<String>,
    presence: Presence,
    /// How deep in blocks and methods.
    depth: u32,
}

/// How deep that may be.
const DEPTH: u32 = 32;

impl<'t> Reader<'_, 't> {
    fn finish(mut self, name: String) -> ResourceType {
        if ["exists?", "create", "destroy"].iter().all(|method| self.methods.contains(method)) {
            self.property("ensure");
        }
        // Puppet takes a parameter of that name for one that identifies, whatever is said of it.
        let order = |name: &String| self.parameters.iter().position(|p| p == name);
        let mut namevars = std::mem::take(&mut self.namevars);
        if self.parameters.iter().any(|p| p == "name") {
            namevars.push("name".to_owned());
        }
        namevars.sort_by_key(|name| order(name));
        namevars.dedup();
        let titles = match (self.titles, namevars.len()) {
            (Some(patterns), _) => Titles::Patterns(patterns),
            // As in Puppet, nothing fits the titles of a type that nothing identifies.
            (None, 0) if self.unreadable.is_none() => Titles::Patterns(Vec::new()),
            (None, 0 | 1) => Titles::Whole,
            (None, _) => {
                let why = "it has several name variables and no title patterns";
                self.unreadable.get_or_insert_with(|| why.to_owned());
                Titles::Whole
            }
        };
        let failure = self.failure.map(|detail| LoadFailure::of_type(&name, &detail));
        let attributes = self.properties.iter().chain(&self.parameters).cloned().collect();
        ResourceType {
            name,
            namevars,
            isomorphic: self.isomorphic,
            attributes: self.unreadable.is_none().then_some(attributes),
            titles,
            unreadable: self.unreadable,
            requires: Vec::new(),
            providers: Vec::new(),
            doubts: Vec::new(),
            failure,
            presence: self.presence,
        }
    }

    /// The file has no code that declares the type.
    fn declares_other(&mut self, presence: Presence) {
        self.unreadable = Some("its file declares no such type".to_owned());
        self.presence = presence;
    }

    fn property(&mut self, name: &str) {
        if !self.properties.iter().any(|p| p == name) {
            self.properties.push(name.to_owned());
        }
    }

    fn give_up(&mut self, code: Code<'t>, why: &str) {
        self.unreadable.get_or_insert_with(|| format!("{why} in line {}", code.line()));
    }

    /// The statements of a block or method.
    fn block(&mut self, block: Code<'t>, scope: &mut Scope) {
        if let Some(body) = block.field("body") {
            self.statements(body, scope);
        }
    }

    fn statements(&mut self, body: Code<'t>, scope: &mut Scope) {
        for statement in body.children() {
            if !self.evaluator.step() {
                return self.give_up(statement, "it is too much to read");
            }
            self.statement(statement, scope);
        }
    }

    fn statement(&mut self, code: Code<'t>, scope: &mut Scope) {
        if self.depth >= DEPTH {
            return self.give_up(code, "it is too much to read");
        }
        self.depth += 1;
        self.one(code, scope);
        self.depth -= 1;
    }

    fn one(&mut self, code: Code<'t>, scope: &mut Scope) {
        match code.node.kind() {
            "identifier" => self.word(code, code.text(), Vec::new(), None, scope),
            "call" => self.call(code, scope),
            "assignment" => self.assignment(code, scope),
            "method" => self.methods.extend(code.field("name").map(Code::text)),
            "singleton_method" => self.singleton(code, scope),
            "singleton_class" => self.statements_if_any(code, scope),
            "body_statement" | "begin" | "parenthesized_statements" => self.statements(code, scope),
            "class" | "module" | "string" | "simple_symbol" | "empty_statement" => {}
            kind if code.mentions(DECLARING) => {
                let why = match kind {
                    "if" | "unless" | "if_modifier" | "unless_modifier" | "case" | "conditional" => {
                        "attributes depend on a condition"
                    }
                    "for" | "while" | "until" => "attributes are declared in a loop",
                    _ => "attributes are declared in a way that is not understood",
                };
                self.give_up(code, why);
            }
            _ => {}
        }
    }

    /// `class << self`: methods of the type.
    fn statements_if_any(&mut self, code: Code<'t>, scope: &mut Scope) {
        let methods = code.field("body").map_or_else(Vec::new, Code::children);
        for method in methods.into_iter().filter(|m| m.node.kind() == "method") {
            self.singleton(method, scope);
        }
    }

    fn assignment(&mut self, code: Code<'t>, scope: &mut Scope) {
        let (Some(left), Some(right)) = (code.field("left"), code.field("right")) else { return };
        if left.text() == "@isomorphic" {
            self.isomorphic = right.text() != "false";
        }
        match right.node.kind() {
            // `param = newparam(…)`
            "call" if right.mentions(DECLARING) => self.statement(right, scope),
            _ => {
                self.evaluator.value(code, scope);
            }
        }
    }

    /// A method of the type itself.
    fn singleton(&mut self, code: Code<'t>, scope: &Scope) {
        self.method_of_type(code, code.field("name").map_or("", Code::text), scope);
    }

    /// A method of the type itself, by its name and what has its body.
    fn method_of_type(&mut self, code: Code<'t>, name: &str, scope: &Scope) {
        let Some(body) = code.field("body") else { return };
        match name {
            "title_patterns" => {
                let mut inner = Scope { module: scope.module.clone(), ..Scope::default() };
                match patterns(&self.evaluator.value(body, &mut inner)) {
                    Some(patterns) => self.titles = Some(patterns),
                    None => self.give_up(code, "title patterns are computed"),
                }
            }
            "isomorphic?" => self.isomorphic = body.text().trim() != "false",
            _ => {}
        }
    }

    fn call(&mut self, code: Code<'t>, scope: &mut Scope) {
        let Some(method) = code.field("method") else { return };
        let block = code.field("block");
        let arguments = code.field("arguments");
        match code.field("receiver") {
            None => {
                let values = arguments.map_or(Vec::new(), |list| self.evaluator.arguments(list, scope));
                self.word(code, method.text(), values, block, scope);
            }
            Some(receiver) if receiver.text() == "self" => {
                let values = arguments.map_or(Vec::new(), |list| self.evaluator.arguments(list, scope));
                self.word(code, method.text(), values, block, scope);
            }
            Some(receiver)
                if arguments
                    .is_some_and(|list| list.children().first().is_some_and(|a| a.text() == "self")) =>
            {
                self.handed(code, receiver, method.text());
            }
            Some(receiver) => match (method.text(), block) {
                ("each" | "each_pair" | "map" | "each_key", Some(block)) if code.mentions(DECLARING) => {
                    let list = self.evaluator.value(receiver, scope);
                    self.repeat(code, list, method.text(), block, scope);
                }
                // `ensurable.defaultto :present`, `newparam(:x) do … end.isnamevar`
                _ if receiver.mentions(DECLARING) => self.statement(receiver, scope),
                _ if code.mentions(DECLARING) => {
                    self.give_up(code, "attributes are declared in a way that is not understood");
                }
                _ => {}
            },
        }
    }

    fn repeat(&mut self, code: Code<'t>, list: Value, method: &str, block: Code<'t>, scope: &mut Scope) {
        let items: Vec<Vec<Value>> = match (list, method) {
            (Value::Array(items), "each" | "map") => items.into_iter().map(|item| vec![item]).collect(),
            (Value::Hash(pairs), "each_key") => pairs.into_iter().map(|(key, _)| vec![key]).collect(),
            (Value::Hash(pairs), _) => pairs.into_iter().map(|(key, value)| vec![key, value]).collect(),
            _ => return self.give_up(code, "attributes are declared in a loop over what only Ruby knows"),
        };
        for item in items {
            let mut inner = scope.clone();
            self.evaluator.bind(block, item, &mut inner);
            self.block(block, &mut inner);
        }
    }

    /// A call without a receiver.
    fn word(
        &mut self,
        code: Code<'t>,
        word: &str,
        arguments: Vec<Value>,
        block: Option<Code<'t>>,
        scope: &mut Scope,
    ) {
        match word {
            "newparam" | "newproperty" => {
                // Puppet makes the names of the classes for them lower case.
                let Some(name) = arguments.first().and_then(Value::name).map(str::to_lowercase) else {
                    return self.give_up(code, "an attribute's name is computed");
                };
                let declared = if word == "newparam" { &self.parameters } else { &self.properties };
                let is_there = declared.contains(&name);
                self.expect_attribute(code, word, &name, is_there);
                if let Some(block) = block {
                    self.attribute_block(code, word, block, scope);
                }
                let flagged = arguments.get(1).and_then(|options| options.get("namevar"));
                if word == "newproperty" {
                    return self.property(&name);
                }
                if flagged.is_some_and(|flag| flag.truth() == Some(true)) || block.is_some_and(is_namevar) {
                    self.namevars.push(name.clone());
                }
                if !self.parameters.contains(&name) {
                    self.parameters.push(name);
                }
            }
            "ensurable" => {
                let is_there = self.properties.iter().any(|name| name == "ensure");
                self.expect_attribute(code, word, "ensure", is_there);
                if let Some(block) = block {
                    self.attribute_block(code, word, block, scope);
                }
                self.property("ensure");
            }
            "define_singleton_method" => match (arguments.first().and_then(Value::name), block) {
                (Some(name), Some(block)) => self.method_of_type(block, name, scope),
                _ => self.give_up(code, "a method's name is computed"),
            },
            "extend" | "include" => self.mix_in(code, word),
            "class_eval" | "instance_eval" | "class_exec" => match block {
                Some(block) => self.block(block, scope),
                None => self.kept_block(code, scope),
            },
            _ => self.own_method(code, word, arguments, scope),
        }
    }

    /// `instance_eval(&CONSTANT)`, of a constant that is a block.
    fn kept_block(&mut self, code: Code<'t>, scope: &Scope) {
        let arguments = code.field("arguments").map_or(Vec::new(), Code::children);
        let name = match arguments[..] {
            [argument] if argument.node.kind() == "block_argument" => argument.children().first().copied(),
            _ => None,
        };
        let is_constant = |name: &Code<'_>| matches!(name.node.kind(), "constant" | "scope_resolution");
        let found = name.filter(is_constant);
        match found.and_then(|name| self.evaluator.program.block(name.text(), &scope.module)) {
            Some((block, module)) => self.block(block, &mut Scope { module, ..Scope::default() }),
            None => self.give_up(code, "code is put together as text"),
        }
    }

    /// A method of the type's own or of a module it is extended by; of others it is known only whether they may
    /// declare something.
    fn own_method(&mut self, code: Code<'t>, word: &str, arguments: Vec<Value>, scope: &mut Scope) {
        let homes = self.extended.iter().map(String::as_str).chain([scope.module.as_str()]);
        let found = homes.filter_map(|module| self.evaluator.program.method(module, word)).next();
        let Some((method, module)) = found else {
            if DECLARING.contains(&word) {
                self.give_up(code, &format!("'{word}' is defined where it can't be read"));
            }
            return self.unknown_word(code, word, scope);
        };
        if !method.mentions(DECLARING) {
            return;
        }
        let mut inner = Scope { module, ..Scope::default() };
        self.evaluator.bind(method, arguments, &mut inner);
        self.block(method, &mut inner);
    }
}

/// Whether a parameter's block says `isnamevar`.
fn is_namevar(block: Code<'_>) -> bool {
    let Some(body) = block.field("body") else { return false };
    body.children().into_iter().any(|statement| {
        let method = statement.field("method").unwrap_or(statement);
        statement.field("receiver").is_none() && method.text() == "isnamevar"
    })
}

/// Title patterns as Puppet's interface has them: pairs of an expression and a list of names, each with the block its
/// text goes through.
fn patterns(value: &Value) -> Option<Vec<Pattern>> {
    let Value::Array(all) = value else { return None };
    let one = |pattern: &Value| {
        let Value::Array(parts) = pattern else { return None };
        let [Value::Regex(regex), Value::Array(names)] = parts.as_slice() else { return None };
        let name = |entry: &Value| match entry {
            Value::Array(entry) => match entry.as_slice() {
                [name] | [name, Value::Identity] => name.name().map(str::to_owned),
                _ => None,
            },
            _ => None,
        };
        Some(Pattern { regex: regex.clone(), attributes: names.iter().map(name).collect::<Option<_>>()? })
    };
    all.iter().map(one).collect()
}

#[cfg(test)]
mod tests;
