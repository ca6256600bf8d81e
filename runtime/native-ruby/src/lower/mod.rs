//! From a template's program, parsed, to the tree that is rendered. Whatever is not known here, and whatever Ruby might
//! read otherwise than the grammar does, becomes an `ForRuby`.

mod calls;
mod conditions;
mod definitions;
mod exits;
mod labels;
pub(crate) mod literals;
mod loops;
mod matches;
mod operators;
pub(crate) mod origins;
mod rescue;
mod spaced;
mod spaces;

pub(crate) use calls::KNOWN_WITHOUT_RECEIVER;

use crate::erb::scan::TEXT;
use crate::method::Method;
use crate::tree::{Case, Expr, InstanceVariable, MethodBody, MethodCall, Program, Unsupported};
use crate::value::Class;
use origins::Origins;
use std::collections::{HashMap, HashSet};
use tree_sitter::Node as Syntax;

/// Deeper nesting is left to Ruby.
const DEEPEST: usize = 250;
/// Larger templates and files are.
const LARGEST: usize = 1 << 20;

/// What is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceKind {
    Template,
    /// A file of Ruby: of functions, or one that these load.
    File,
}

/// Lowers a template; the reason where Ruby has to render it in any case.
pub(crate) fn lower(text: &str) -> Result<Program, Unsupported> {
    if text.len() > LARGEST {
        return Err(whole("its size"));
    }
    let program = crate::erb::scan::scan(text).map_err(whole)?;
    let lowered = lower_program(&program.source, &program.texts, SourceKind::Template)?;
    let (texts, lowered) = lowered;
    // Each text has to be met once, or be in a comment: the grammar may take it for something else.
    if lowered.reasons.is_empty() && texts != program.texts.len() {
        return Err(whole("its syntax"));
    }
    Ok(lowered)
}

/// Lowers a file of Ruby; the reason where Ruby has to run it in any case.
pub(crate) fn lower_file(text: &str) -> Result<Program, Unsupported> {
    if text.len() > LARGEST {
        return Err(whole("its size"));
    }
    if text.lines().any(|line| line == "__END__") {
        return Err(whole("`__END__`"));
    }
    lower_program(text, &[], SourceKind::File).map(|(_, program)| program)
}

fn whole(what: &str) -> Unsupported {
    Unsupported { line: 1, what: what.to_owned() }
}

/// Lowers a program; gives the number of texts that were met, too.
fn lower_program(source: &str, texts: &[String], kind: SourceKind) -> Result<(usize, Program), Unsupported> {
    // Ruby reads both ends of a line as one, within strings, too.
    let unix = source.contains("\r\n").then(|| source.replace("\r\n", "\n"));
    let source = unix.as_deref().unwrap_or(source);
    let mut parsed = bunraku_ruby_syntax::parse(source).ok_or_else(|| whole("its syntax"))?;
    let mut spaced = String::new();
    if let Some(fault) = first_fault(parsed.root_node()) {
        let line = line_of(fault);
        let read = spaces::with_space(source)
            .ok_or_else(|| Unsupported { line, what: "syntax that is not understood".to_owned() })?;
        (spaced, parsed) = read;
    }
    let source = if spaced.is_empty() { source } else { &spaced };
    let root = parsed.root_node();
    let mut lower = Lower {
        source,
        texts,
        kind,
        heredocs: literals::heredocs(root),
        known: HashSet::new(),
        frame: LoweredFrame::default(),
        slots: 0,
        blocks: 0,
        variables: Vec::new(),
        reasons: Vec::new(),
        depth: 0,
        texts_met: 0,
        groups: false,
        origins: Origins::default(),
        methods: Vec::new(),
        defines: false,
        nests: false,
        requires: false,
        loads_shellwords: false,
        freezes: false,
    };
    if kind == SourceKind::File {
        lower.freezes = freezes_strings(source);
        lower.known = definitions::names(root, source);
    }
    let body = lower.statements(root);
    lower.slots = lower.slots.max(lower.frame.slots);
    let commented = if texts.is_empty() { 0 } else { commented(root, source) };
    let program = Program {
        body,
        slots: lower.slots as usize,
        variables: lower.variables,
        reasons: lower.reasons,
        groups: lower.groups,
        methods: lower.methods,
        defines: lower.defines,
        lends: lower.origins.lends(),
        size: texts.iter().map(String::len).sum(),
    };
    Ok((lower.texts_met + commented, program))
}

/// Whether the comments before the first statement have `frozen_string_literal: true`.
fn freezes_strings(source: &str) -> bool {
    let before = source.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with('#'));
    before.filter_map(|line| line.split_once(':')).any(|(name, value)| {
        let name = name.rsplit(['#', ' ', ';']).next().unwrap_or_default().replace('-', "_");
        name.eq_ignore_ascii_case("frozen_string_literal")
            && value
                .split([' ', ';', '-'])
                .find(|word| !word.is_empty())
                .is_some_and(|word| word.eq_ignore_ascii_case("true"))
    })
}

/// The first place that the grammar does not cover.
fn first_fault(root: Syntax<'_>) -> Option<Syntax<'_>> {
    if !root.has_error() {
        return None;
    }
    let mut at = root;
    loop {
        let mut cursor = at.walk();
        let child = at.children(&mut cursor).find(|child| child.has_error() || child.is_missing());
        match child {
            Some(child) if !child.is_error() && !child.is_missing() => at = child,
            Some(child) => return Some(child),
            None => return Some(at),
        }
    }
}

/// How many texts stand in comments.
fn commented(root: Syntax<'_>, source: &str) -> usize {
    let mut count = 0;
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        if node.kind() == "comment" {
            count += source.get(node.byte_range()).unwrap_or_default().matches(TEXT).count();
        }
        let mut cursor = node.walk();
        pending.extend(node.children(&mut cursor));
    }
    count
}

/// Line in the template: as in the program.
fn line_of(node: Syntax<'_>) -> usize {
    node.start_position().row + 1
}

/// The parts of a node, comments and the texts of heredocs left out.
pub(crate) fn parts<'t>(node: Syntax<'t>) -> Vec<Syntax<'t>> {
    let mut cursor = node.walk();
    let none = |child: &Syntax<'t>| matches!(child.kind(), "comment" | "heredoc_body");
    node.named_children(&mut cursor).filter(|child| !none(child)).collect()
}

pub(crate) struct Lower<'p> {
    pub(crate) source: &'p str,
    pub(crate) texts: &'p [String],
    pub(crate) kind: SourceKind,
    /// The text of each heredoc, by where it begins.
    pub(crate) heredocs: HashMap<usize, Syntax<'p>>,
    /// Names of methods that a file defines, in whatever class.
    pub(crate) known: HashSet<String>,
    pub(crate) frame: LoweredFrame,
    /// Most slots that any frame has.
    pub(crate) slots: u32,
    /// How many blocks there have been.
    pub(crate) blocks: usize,
    pub(crate) variables: Vec<InstanceVariable>,
    pub(crate) reasons: Vec<Unsupported>,
    pub(crate) depth: usize,
    pub(crate) texts_met: usize,
    pub(crate) groups: bool,
    pub(crate) origins: Origins,
    pub(crate) methods: Vec<MethodBody>,
    /// Whether there is any `def`.
    pub(crate) defines: bool,
    /// Whether it renders another template so far.
    pub(crate) nests: bool,
    /// Whether it has required other files than Ruby's so far.
    pub(crate) requires: bool,
    /// Whether it has required `shellwords` so far, whatever its branches.
    pub(crate) loads_shellwords: bool,
    /// Whether a comment at the begin freezes all literal strings: Ruby refuses to change them.
    pub(crate) freezes: bool,
}

/// What belongs to the method, or the body of a module, that is being lowered: locals of others are not seen.
pub(crate) struct LoweredFrame {
    pub scopes: Vec<HashMap<String, u32>>,
    pub slots: u32,
    /// First slots and numbers of the blocks around.
    pub blocks: Vec<(u32, usize)>,
    /// How many loops are around within the innermost block.
    pub loops: usize,
    /// Slots that the blocks around have used so far, of whichever block.
    pub used: Vec<Vec<u32>>,
    pub in_method: bool,
    /// The name of the module or class whose body it is.
    pub module: Option<String>,
    /// Within a lambda, which `return` leaves.
    pub in_lambda: bool,
    /// Within the body of a function of the 3.x interface.
    pub in_old_function: bool,
}

impl Default for LoweredFrame {
    fn default() -> Self {
        LoweredFrame {
            scopes: vec![HashMap::new()],
            slots: 0,
            blocks: Vec::new(),
            loops: 0,
            used: Vec::new(),
            in_method: false,
            module: None,
            in_lambda: false,
            in_old_function: false,
        }
    }
}

impl<'p> Lower<'p> {
    pub(crate) fn source(&self, node: Syntax<'_>) -> &'p str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// What sends the template to Ruby when it is reached.
    pub(crate) fn unsupported(&mut self, node: Syntax<'_>, what: impl Into<String>) -> Expr {
        self.reasons.push(Unsupported { line: line_of(node), what: what.into() });
        Expr::Unsupported((self.reasons.len() - 1) as u32)
    }

    /// The slot of a local, which is used now.
    pub(crate) fn local(&mut self, name: &str) -> Option<u32> {
        let slot = self.frame.scopes.iter().rev().find_map(|scope| scope.get(name).copied())?;
        if let Some(used) = self.frame.used.last_mut() {
            used.push(slot);
        }
        Some(slot)
    }

    pub(crate) fn declare(&mut self, name: &str) -> u32 {
        if let Some(slot) = self.local(name) {
            return slot;
        }
        self.declare_here(name)
    }

    pub(crate) fn declare_here(&mut self, name: &str) -> u32 {
        let slot = self.frame.slots;
        self.frame.slots += 1;
        if let Some(scope) = self.frame.scopes.last_mut() {
            scope.insert(name.to_owned(), slot);
        }
        slot
    }

    pub(crate) fn variable(&mut self, name: &str) -> u32 {
        let name = name.trim_start_matches('@');
        let place = self.variables.iter().position(|known| *known.name.text == *name);
        place.unwrap_or_else(|| {
            self.variables.push(InstanceVariable::new(name));
            self.variables.len() - 1
        }) as u32
    }

    /// The statements that are a node's parts.
    pub(crate) fn statements(&mut self, node: Syntax<'_>) -> Expr {
        let mut all = Vec::new();
        let parts = parts(node);
        if parts.iter().any(|part| matches!(part.kind(), "rescue" | "ensure")) {
            return self.rescued(&parts);
        }
        for part in parts {
            if matches!(part.kind(), "else" | "uninterpreted") {
                return self.unsupported(part, format!("`{}`", part.kind()));
            }
            if part.kind() != "empty_statement" {
                all.push(self.node(part));
            }
        }
        match all.len() {
            0 => Expr::Nil,
            1 => all.pop().unwrap_or(Expr::Nil),
            _ => Expr::Sequence(all.into()),
        }
    }

    pub(crate) fn optional(&mut self, node: Option<Syntax<'_>>) -> Expr {
        node.map_or(Expr::Nil, |node| self.node(node))
    }

    /// The condition of a branch or loop.
    pub(crate) fn condition(&mut self, node: Syntax<'_>) -> Expr {
        match node.child_by_field_name("condition") {
            Some(condition) => self.truth(condition),
            None => Expr::Nil,
        }
    }

    /// What is asked for its truth: a regular expression there matches the line read last, a range is a switch.
    pub(crate) fn truth(&mut self, node: Syntax<'_>) -> Expr {
        let mut inner = node;
        while let ("parenthesized_statements", [only]) = (inner.kind(), &parts(inner)[..]) {
            inner = *only;
        }
        match inner.kind() {
            "regex" | "range" => self.unsupported(inner, "a pattern as a condition"),
            _ => self.node(node),
        }
    }

    pub(crate) fn nodes(&mut self, nodes: &[Syntax<'_>]) -> Box<[Expr]> {
        nodes.iter().map(|node| self.node(*node)).collect()
    }

    /// A name that is a local's or a method's.
    pub(crate) fn word(&mut self, node: Syntax<'_>, name: &str) -> Expr {
        match self.local(name) {
            Some(slot) => Expr::Local(slot),
            None if name == "scope" && self.kind == SourceKind::Template => Expr::Scope,
            None => self.function(node, name, &[], None),
        }
    }

    /// An expression or statement.
    pub(crate) fn node(&mut self, node: Syntax<'_>) -> Expr {
        if self.depth >= DEEPEST {
            return self.unsupported(node, "nesting");
        }
        self.depth += 1;
        let lowered = self.any(node);
        self.depth -= 1;
        lowered
    }

    pub(crate) fn any(&mut self, node: Syntax<'_>) -> Expr {
        let text = self.source(node);
        match node.kind() {
            "nil" => Expr::Nil,
            "true" => Expr::Bool(true),
            "false" => Expr::Bool(false),
            "integer" | "float" | "string" | "chained_string" | "simple_symbol" | "delimited_symbol"
            | "string_array" | "symbol_array" | "regex" | "character" | "array" | "hash" | "range"
            | "heredoc_beginning" => self.literal(node),
            "identifier" => self.word(node, text),
            "instance_variable" if !text.starts_with("@__") => Expr::Variable(self.variable(text)),
            "constant" | "scope_resolution" => self.constant(node),
            "self" if self.kind == SourceKind::File => Expr::Itself,
            "begin" => self.statements(node),
            "rescue_modifier" => self.rescue_modifier(node),
            "method" | "singleton_method" => self.define(node),
            "module" | "class" => self.module(node),
            "singleton_class" => self.singleton_class(node),
            "alias" => self.alias(node),
            "lambda" => self.lambda(node, None),
            "yield" => self.yields(node),
            "super" => self.super_call(node, None, None),
            "return" if self.frame.in_method || self.frame.in_lambda || self.kind == SourceKind::File => {
                let value = self.jump_value(node);
                Expr::Return(Box::new(value))
            }
            "parenthesized_statements" | "then" | "else" | "do" | "block_body" | "body_statement" => {
                self.statements(node)
            }
            "if" | "elsif" | "unless" | "conditional" => self.conditional(node),
            "if_modifier" | "unless_modifier" => self.conditional_behind(node),
            "while" | "until" => {
                let condition = self.condition(node);
                self.frame.loops += 1;
                let body = self.optional(node.child_by_field_name("body"));
                self.frame.loops -= 1;
                Expr::While(Box::new((condition, body)), node.kind() == "while")
            }
            "while_modifier" | "until_modifier" => self.loop_modifier(node),
            "for" => self.for_each(node),
            "case" => self.case(node),
            "binary" => self.binary(node),
            "unary" => self.unary(node),
            "assignment" => self.assignment(node),
            "operator_assignment" => self.operator_assignment(node),
            "call" => self.call(node),
            "element_reference" => self.element(node),
            "next" if !self.frame.blocks.is_empty() && self.frame.loops == 0 => {
                let value = self.jump_value(node);
                Expr::Next(Box::new(value))
            }
            // The body of a function is that of a method, which `break` leaves as `return` does.
            "break"
                if self.frame.in_old_function && self.frame.blocks.len() == 1 && self.frame.loops == 0 =>
            {
                let value = self.jump_value(node);
                Expr::Return(Box::new(value))
            }
            "break" if self.frame.loops > 0 || !self.frame.blocks.is_empty() => {
                let block = match self.frame.loops {
                    0 => self.frame.blocks.last().map_or(0, |(_, number)| *number),
                    _ => 0,
                };
                let value = self.jump_value(node);
                Expr::Break(Box::new(value), block)
            }
            "global_variable" if matches!(text.as_bytes(), [b'$', b'1'..=b'9']) => {
                self.groups = true;
                Expr::Group(usize::from(text.as_bytes()[1] - b'0'))
            }
            "global_variable" if text == "$&" => {
                self.groups = true;
                Expr::Group(0)
            }
            "global_variable" if matches!(text, "$~" | "$`" | "$'") => {
                self.groups = true;
                let all = call_self(Method::LastMatch, Vec::new());
                let method = match text {
                    "$~" => return all,
                    "$`" => Method::PreMatch,
                    _ => Method::PostMatch,
                };
                Expr::Call(Box::new(MethodCall { safe: true, ..MethodCall::of(Some(all), method) }))
            }
            "global_variable" if is_plain_global(text) => {
                call_self(Method::Global, vec![Expr::String(text.into())])
            }
            "global_variable" => self.unsupported(node, format!("the variable {text}")),
            kind => {
                let kind = kind.replace('_', " ");
                self.unsupported(node, format!("`{kind}`"))
            }
        }
    }

    /// The name of a class, module or other constant.
    fn constant(&mut self, node: Syntax<'_>) -> Expr {
        let text = self.source(node);
        let path = text.strip_prefix("::").unwrap_or(text);
        let plain = path.split("::").all(|part| {
            part.starts_with(|c: char| c.is_ascii_uppercase())
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        });
        if self.kind == SourceKind::Template {
            let is_there = |class: &Class| {
                plain && (class.is_always_there() || *class == Class::Shellwords && self.loads_shellwords)
            };
            return match Class::by_name(path).filter(is_there) {
                Some(class) => Expr::Class(class),
                None if ALWAYS_THERE.contains(&path) => Expr::Constant(text.into()),
                None if plain && self.requires && is_of_no_wrapper(path) => Expr::Constant(text.into()),
                None => self.unsupported(node, format!("the constant {text}")),
            };
        }
        match plain {
            true => Expr::Constant(text.into()),
            false => self.unsupported(node, format!("the constant {text}")),
        }
    }

    pub(crate) fn jump_value(&mut self, node: Syntax<'_>) -> Expr {
        match parts(node).first().map(|list| parts(*list)) {
            None => Expr::Nil,
            Some(values) => match values[..] {
                [value] if !matches!(value.kind(), "pair" | "splat_argument") => self.node(value),
                _ => self.unsupported(node, "a jump with several values"),
            },
        }
    }

    pub(crate) fn case(&mut self, node: Syntax<'_>) -> Expr {
        let subject = node.child_by_field_name("value").map(|value| self.node(value));
        let mut branches = Vec::new();
        let mut otherwise = Expr::Nil;
        for part in parts(node) {
            match part.kind() {
                "when" => {
                    let mut cursor = part.walk();
                    let patterns: Vec<_> = part.children_by_field_name("pattern", &mut cursor).collect();
                    let patterns = patterns
                        .into_iter()
                        .map(|pattern| match parts(pattern)[..] {
                            [value] if value.kind() == "splat_argument" => self.splat(value),
                            [value] => self.node(value),
                            _ => self.unsupported(pattern, "a pattern"),
                        })
                        .collect();
                    let body = self.optional(part.child_by_field_name("body"));
                    branches.push((patterns, body));
                }
                "else" => otherwise = self.statements(part),
                _ => {}
            }
        }
        Expr::Case(Box::new(Case { subject, branches: branches.into(), otherwise }))
    }
}

/// Classes of the prelude that Puppet itself has loaded.
const ALWAYS_THERE: &[&str] =
    &["Gem::Version", "SemanticPuppet::Version", "SemanticPuppet::VersionRange", "Set", "StringIO"];

/// Whether Puppet's own class for templates finds no constant of such a name in itself, in Puppet 7, 8 and 9: these all have one
/// word and begin neither so nor with an underscore in them, but for those in capitals.
fn is_of_no_wrapper(path: &str) -> bool {
    let first = path.split("::").next().unwrap_or_default();
    first.starts_with("Puppet") && first != "Puppet"
        || first.contains('_') && first.bytes().any(|b| b.is_ascii_lowercase())
}

/// A call with these arguments.
pub(crate) fn call(receiver: Expr, method: Method, args: Vec<Expr>) -> Expr {
    Expr::Call(Box::new(MethodCall { args: args.into(), ..MethodCall::of(Some(receiver), method) }))
}

/// A call of a function, or of a method of `self`, with these arguments.
pub(crate) fn call_self(method: Method, args: Vec<Expr>) -> Expr {
    Expr::Call(Box::new(MethodCall { args: args.into(), ..MethodCall::of(None, method) }))
}

/// Whether Ruby gives a global variable of that name no meaning of its own.
fn is_plain_global(name: &str) -> bool {
    const OF_RUBY: [&str; 3] = ["$stdin", "$stdout", "$stderr"];
    let rest = name.strip_prefix('$').unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_lowercase())
        && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !OF_RUBY.contains(&name)
}

/// A call with one argument.
pub(crate) fn operation(left: Expr, method: Method, right: Expr) -> Expr {
    call(left, method, vec![right])
}
