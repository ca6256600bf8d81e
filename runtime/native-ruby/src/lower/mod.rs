//! From a template's program, parsed, to the tree that is rendered. Whatever is not known here, and whatever Ruby might
//! read otherwise than the grammar does, becomes an `ForRuby`.

mod calls;
pub(crate) mod literals;
mod operators;
pub(crate) mod origins;

use crate::erb::scan::{ScannedTemplate, TEXT};
use crate::lower::origins::Origins;
use crate::method::Method;
use crate::tree::{BlockBody, Case, Expr, InstanceVariable, MethodCall, Program, Unsupported};
use crate::value::Class;
use std::collections::HashMap;
use tree_sitter::Node as Syntax;

/// Deeper nesting is left to Ruby.
const DEEPEST: usize = 250;
/// Larger templates are.
const LARGEST: usize = 1 << 20;

/// Lowers a template; the reason where Ruby has to render it in any case.
pub(crate) fn lower(text: &str) -> Result<Program, Unsupported> {
    let whole = |what: &str| Unsupported { line: 1, what: what.to_owned() };
    if text.len() > LARGEST {
        return Err(whole("its size"));
    }
    let program = crate::erb::scan::scan(text).map_err(whole)?;
    let parsed = bunraku_ruby_syntax::parse(&program.source).ok_or_else(|| whole("its syntax"))?;
    let root = parsed.root_node();
    if let Some(fault) = first_fault(root) {
        return Err(Unsupported { line: line_of(fault), what: "syntax that is not understood".to_owned() });
    }
    let mut lower = Lower {
        program: &program,
        scopes: vec![HashMap::new()],
        slots: 0,
        variables: Vec::new(),
        reasons: Vec::new(),
        depth: 0,
        blocks: 0,
        loops: 0,
        texts: 0,
        groups: false,
        origins: Origins::default(),
        methods: Vec::new(),
        names_of_methods: Vec::new(),
        in_method: false,
    };
    let body = lower.statements(root);
    // Each text has to be met once, or be in a comment: the grammar may take it for something else.
    if lower.reasons.is_empty() && lower.texts + commented(root, &program.source) != program.texts.len() {
        return Err(whole("its syntax"));
    }
    Ok(Program {
        body,
        slots: lower.slots as usize,
        variables: lower.variables,
        reasons: lower.reasons,
        groups: lower.groups,
        methods: lower.methods,
        lends: lower.origins.lends(),
        size: program.texts.iter().map(String::len).sum(),
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

/// The parts of a node, comments left out.
pub(crate) fn parts<'t>(node: Syntax<'t>) -> Vec<Syntax<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

pub(crate) struct Lower<'p> {
    pub(crate) program: &'p ScannedTemplate,
    pub(crate) scopes: Vec<HashMap<String, u32>>,
    pub(crate) slots: u32,
    pub(crate) variables: Vec<InstanceVariable>,
    pub(crate) reasons: Vec<Unsupported>,
    pub(crate) depth: usize,
    /// How many blocks, and loops within the innermost one, are around.
    pub(crate) blocks: usize,
    pub(crate) loops: usize,
    pub(crate) texts: usize,
    pub(crate) groups: bool,
    pub(crate) origins: Origins,
    pub(crate) methods: Vec<BlockBody>,
    pub(crate) names_of_methods: Vec<(String, u32)>,
    pub(crate) in_method: bool,
}

impl<'p> Lower<'p> {
    pub(crate) fn source(&self, node: Syntax<'_>) -> &'p str {
        self.program.source.get(node.byte_range()).unwrap_or_default()
    }

    /// What sends the template to Ruby when it is reached.
    pub(crate) fn unsupported(&mut self, node: Syntax<'_>, what: impl Into<String>) -> Expr {
        self.reasons.push(Unsupported { line: line_of(node), what: what.into() });
        Expr::Unsupported((self.reasons.len() - 1) as u32)
    }

    pub(crate) fn local(&self, name: &str) -> Option<u32> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    pub(crate) fn declare(&mut self, name: &str) -> u32 {
        if let Some(slot) = self.local(name) {
            return slot;
        }
        self.declare_here(name)
    }

    pub(crate) fn declare_here(&mut self, name: &str) -> u32 {
        let slot = self.slots;
        self.slots += 1;
        if let Some(scope) = self.scopes.last_mut() {
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
        for part in parts(node) {
            if matches!(part.kind(), "rescue" | "ensure" | "else" | "uninterpreted" | "heredoc_body") {
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
            | "string_array" | "symbol_array" | "regex" | "character" | "array" | "hash" | "range" => {
                self.literal(node)
            }
            "identifier" => match self.local(text) {
                Some(slot) => Expr::Local(slot),
                None if text == "scope" => Expr::Scope,
                None => self.function(node, text, &[], None),
            },
            "instance_variable" if !text.starts_with("@__") => Expr::Variable(self.variable(text)),
            "constant" => match Class::by_name(text) {
                Some(class) => Expr::Class(class),
                None => self.unsupported(node, format!("the constant {text}")),
            },
            "begin" => self.begin(node),
            "method" => self.define(node),
            "return" if self.in_method => {
                let value = self.jump_value(node);
                Expr::Return(Box::new(value))
            }
            "parenthesized_statements" | "then" | "else" | "do" | "block_body" | "body_statement" => {
                self.statements(node)
            }
            "if" | "elsif" | "unless" => {
                let condition = self.condition(node);
                let then = self.optional(node.child_by_field_name("consequence"));
                let other = self.optional(node.child_by_field_name("alternative"));
                match node.kind() {
                    "unless" => Expr::If(Box::new((condition, other, then))),
                    _ => Expr::If(Box::new((condition, then, other))),
                }
            }
            "conditional" => {
                let condition = self.condition(node);
                let then = self.optional(node.child_by_field_name("consequence"));
                let other = self.optional(node.child_by_field_name("alternative"));
                Expr::If(Box::new((condition, then, other)))
            }
            "if_modifier" | "unless_modifier" => {
                // The body stands in front: names it sets are known in the condition.
                let body = self.optional(node.child_by_field_name("body"));
                let condition = self.condition(node);
                match node.kind() {
                    "if_modifier" => Expr::If(Box::new((condition, body, Expr::Nil))),
                    _ => Expr::If(Box::new((condition, Expr::Nil, body))),
                }
            }
            "while" | "until" => {
                let condition = self.condition(node);
                self.loops += 1;
                let body = self.optional(node.child_by_field_name("body"));
                self.loops -= 1;
                Expr::While(Box::new((condition, body)), node.kind() == "while")
            }
            "case" => self.case(node),
            "binary" => self.binary(node),
            "unary" => self.unary(node),
            "assignment" => self.assignment(node),
            "operator_assignment" => self.operator_assignment(node),
            "call" => self.call(node),
            "element_reference" => self.element(node),
            "next" if self.blocks > 0 && self.loops == 0 => {
                let value = self.jump_value(node);
                Expr::Next(Box::new(value))
            }
            "break" if self.blocks > 0 || self.loops > 0 => {
                let value = self.jump_value(node);
                Expr::Break(Box::new(value))
            }
            "scope_resolution" => self.unsupported(node, format!("the constant {text}")),
            "global_variable" if matches!(text.as_bytes(), [b'$', b'1'..=b'9']) => {
                self.groups = true;
                Expr::Group(usize::from(text.as_bytes()[1] - b'0'))
            }
            "global_variable" => self.unsupported(node, format!("the variable {text}")),
            kind => {
                let kind = kind.replace('_', " ");
                self.unsupported(node, format!("`{kind}`"))
            }
        }
    }

    /// `begin`: alone, or with one `rescue` of what is known to be raised.
    pub(crate) fn begin(&mut self, node: Syntax<'_>) -> Expr {
        let all = parts(node);
        let Some((rescue, body)) = all.split_last().filter(|(last, _)| last.kind() == "rescue") else {
            return self.statements(node);
        };
        let classes = rescue.child_by_field_name("exceptions").map(|list| self.source(list));
        let known = classes.is_none_or(|class| matches!(class, "ArgumentError" | "StandardError"));
        let variable = rescue.child_by_field_name("variable").map(|variable| parts(variable));
        let name = match variable.as_deref() {
            None => None,
            Some([name]) if name.kind() == "identifier" => Some(self.source(*name)),
            Some(_) => return self.unsupported(*rescue, "`rescue`"),
        };
        let plain = |part: &Syntax<'_>| !matches!(part.kind(), "rescue" | "ensure" | "else");
        if !known || !body.iter().all(plain) {
            return self.unsupported(*rescue, "`rescue`");
        }
        let body = Expr::Sequence(self.nodes(body));
        let slot = name.map(|name| self.declare(name));
        let handler = self.optional(rescue.child_by_field_name("body"));
        Expr::Rescue(Box::new((body, handler)), slot)
    }

    pub(crate) fn jump_value(&mut self, node: Syntax<'_>) -> Expr {
        match parts(node).first().map(|list| parts(*list)) {
            None => Expr::Nil,
            Some(values) => match values[..] {
                [value] => self.node(value),
                _ => self.unsupported(node, "`next` or `break` with several values"),
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

/// A call with these arguments.
pub(crate) fn call(receiver: Expr, method: Method, args: Vec<Expr>) -> Expr {
    let args = args.into();
    Expr::Call(Box::new(MethodCall { receiver: Some(receiver), method, args, block: None, safe: false }))
}

/// A call with one argument.
pub(crate) fn operation(left: Expr, method: Method, right: Expr) -> Expr {
    call(left, method, vec![right])
}
