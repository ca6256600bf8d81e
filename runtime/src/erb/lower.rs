//! From a template's program, parsed, to the tree that is rendered. Whatever is not known here, and whatever Ruby might
//! read otherwise than the grammar does, becomes an `Ask`.

use super::literals;
use super::methods::{self, Method};
use super::scan::{INSERT, Program, TEXT};
use super::tree::{Block, Body, Call, Case, Node, Reason, Target, Template};
use super::value::Class;
use std::collections::HashMap;
use tree_sitter::Node as Syntax;

/// Deeper nesting is left to Ruby.
const DEEPEST: usize = 150;
/// Larger templates are.
const LARGEST: usize = 1 << 20;

/// Lowers a template; the reason where Ruby has to render it in any case.
pub(super) fn lower(text: &str) -> Result<Template, Reason> {
    let whole = |what: &str| Reason { line: 1, what: what.to_owned() };
    if text.len() > LARGEST {
        return Err(whole("its size"));
    }
    let program = super::scan::scan(text).map_err(whole)?;
    let mut parser = tree_sitter::Parser::new();
    let parsed = parser
        .set_language(&tree_sitter_ruby::LANGUAGE.into())
        .ok()
        .and_then(|()| parser.parse(&program.source, None))
        .ok_or_else(|| whole("its syntax"))?;
    let root = parsed.root_node();
    if let Some(fault) = first_fault(root) {
        return Err(Reason { line: line_of(fault), what: "syntax that is not understood".to_owned() });
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
        changes: false,
        methods: Vec::new(),
        names_of_methods: Vec::new(),
        in_method: false,
    };
    let body = lower.statements(root);
    // Each text has to be met once, or be in a comment: the grammar may take it for something else.
    if lower.reasons.is_empty() && lower.texts + commented(root, &program.source) != program.texts.len() {
        return Err(whole("its syntax"));
    }
    Ok(Template {
        body,
        slots: lower.slots as usize,
        variables: lower.variables,
        reasons: lower.reasons,
        groups: lower.groups,
        methods: lower.methods,
        changes: lower.changes,
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
pub(super) fn parts<'t>(node: Syntax<'t>) -> Vec<Syntax<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

pub(super) struct Lower<'p> {
    program: &'p Program,
    scopes: Vec<HashMap<String, u32>>,
    slots: u32,
    variables: Vec<Box<str>>,
    reasons: Vec<Reason>,
    depth: usize,
    /// How many blocks, and loops within the innermost one, are around.
    blocks: usize,
    loops: usize,
    texts: usize,
    groups: bool,
    changes: bool,
    methods: Vec<Body>,
    names_of_methods: Vec<(String, u32)>,
    in_method: bool,
}

impl<'p> Lower<'p> {
    pub(super) fn source(&self, node: Syntax<'_>) -> &'p str {
        self.program.source.get(node.byte_range()).unwrap_or_default()
    }

    /// What sends the template to Ruby when it is reached.
    pub(super) fn ask(&mut self, node: Syntax<'_>, what: impl Into<String>) -> Node {
        self.reasons.push(Reason { line: line_of(node), what: what.into() });
        Node::Ask((self.reasons.len() - 1) as u32)
    }

    fn local(&self, name: &str) -> Option<u32> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    fn declare(&mut self, name: &str) -> u32 {
        if let Some(slot) = self.local(name) {
            return slot;
        }
        self.declare_here(name)
    }

    fn declare_here(&mut self, name: &str) -> u32 {
        let slot = self.slots;
        self.slots += 1;
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), slot);
        }
        slot
    }

    fn variable(&mut self, name: &str) -> u32 {
        let name = name.trim_start_matches('@');
        let place = self.variables.iter().position(|known| **known == *name);
        place.unwrap_or_else(|| {
            self.variables.push(name.into());
            self.variables.len() - 1
        }) as u32
    }

    /// The statements that are a node's parts.
    fn statements(&mut self, node: Syntax<'_>) -> Node {
        let mut all = Vec::new();
        for part in parts(node) {
            if matches!(part.kind(), "rescue" | "ensure" | "else" | "uninterpreted" | "heredoc_body") {
                return self.ask(part, format!("`{}`", part.kind()));
            }
            if part.kind() != "empty_statement" {
                all.push(self.node(part));
            }
        }
        match all.len() {
            0 => Node::Nil,
            1 => all.pop().unwrap_or(Node::Nil),
            _ => Node::Sequence(all.into()),
        }
    }

    fn optional(&mut self, node: Option<Syntax<'_>>) -> Node {
        node.map_or(Node::Nil, |node| self.node(node))
    }

    /// The condition of a branch or loop.
    fn condition(&mut self, node: Syntax<'_>) -> Node {
        match node.child_by_field_name("condition") {
            Some(condition) => self.truth(condition),
            None => Node::Nil,
        }
    }

    /// What is asked for its truth: a regular expression there matches the line read last, a range is a switch.
    fn truth(&mut self, node: Syntax<'_>) -> Node {
        let mut inner = node;
        while let ("parenthesized_statements", [only]) = (inner.kind(), &parts(inner)[..]) {
            inner = *only;
        }
        match inner.kind() {
            "regex" | "range" => self.ask(inner, "a pattern as a condition"),
            _ => self.node(node),
        }
    }

    fn nodes(&mut self, nodes: &[Syntax<'_>]) -> Box<[Node]> {
        nodes.iter().map(|node| self.node(*node)).collect()
    }

    /// An expression or statement.
    pub(super) fn node(&mut self, node: Syntax<'_>) -> Node {
        if self.depth >= DEEPEST {
            return self.ask(node, "nesting");
        }
        self.depth += 1;
        let lowered = self.any(node);
        self.depth -= 1;
        lowered
    }

    fn any(&mut self, node: Syntax<'_>) -> Node {
        let text = self.source(node);
        match node.kind() {
            "nil" => Node::Nil,
            "true" => Node::Bool(true),
            "false" => Node::Bool(false),
            "integer" | "float" | "string" | "chained_string" | "simple_symbol" | "delimited_symbol"
            | "string_array" | "symbol_array" | "regex" | "character" | "array" | "hash" | "range" => {
                self.literal(node)
            }
            "identifier" => match self.local(text) {
                Some(slot) => Node::Local(slot),
                None if text == "scope" => Node::Scope,
                None => self.function(node, text, &[], None),
            },
            "instance_variable" if !text.starts_with("@__") => Node::Variable(self.variable(text)),
            "constant" => match Class::by_name(text) {
                Some(class) => Node::Class(class),
                None => self.ask(node, format!("the constant {text}")),
            },
            "begin" => self.begin(node),
            "method" => self.define(node),
            "return" if self.in_method => {
                let value = self.jump_value(node);
                Node::Return(Box::new(value))
            }
            "parenthesized_statements" | "then" | "else" | "do" | "block_body" | "body_statement" => {
                self.statements(node)
            }
            "if" | "elsif" | "unless" => {
                let condition = self.condition(node);
                let then = self.optional(node.child_by_field_name("consequence"));
                let other = self.optional(node.child_by_field_name("alternative"));
                match node.kind() {
                    "unless" => Node::If(Box::new((condition, other, then))),
                    _ => Node::If(Box::new((condition, then, other))),
                }
            }
            "conditional" => {
                let condition = self.condition(node);
                let then = self.optional(node.child_by_field_name("consequence"));
                let other = self.optional(node.child_by_field_name("alternative"));
                Node::If(Box::new((condition, then, other)))
            }
            "if_modifier" | "unless_modifier" => {
                // The body stands in front: names it sets are known in the condition.
                let body = self.optional(node.child_by_field_name("body"));
                let condition = self.condition(node);
                match node.kind() {
                    "if_modifier" => Node::If(Box::new((condition, body, Node::Nil))),
                    _ => Node::If(Box::new((condition, Node::Nil, body))),
                }
            }
            "while" | "until" => {
                let condition = self.condition(node);
                self.loops += 1;
                let body = self.optional(node.child_by_field_name("body"));
                self.loops -= 1;
                Node::While(Box::new((condition, body)), node.kind() == "while")
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
                Node::Next(Box::new(value))
            }
            "break" if self.blocks > 0 || self.loops > 0 => {
                let value = self.jump_value(node);
                Node::Break(Box::new(value))
            }
            "scope_resolution" => self.ask(node, format!("the constant {text}")),
            "global_variable" if matches!(text.as_bytes(), [b'$', b'1'..=b'9']) => {
                self.groups = true;
                Node::Group(usize::from(text.as_bytes()[1] - b'0'))
            }
            "global_variable" => self.ask(node, format!("the variable {text}")),
            kind => {
                let kind = kind.replace('_', " ");
                self.ask(node, format!("`{kind}`"))
            }
        }
    }

    /// `begin`: alone, or with one `rescue` of what is known to be raised.
    fn begin(&mut self, node: Syntax<'_>) -> Node {
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
            Some(_) => return self.ask(*rescue, "`rescue`"),
        };
        let plain = |part: &Syntax<'_>| !matches!(part.kind(), "rescue" | "ensure" | "else");
        if !known || !body.iter().all(plain) {
            return self.ask(*rescue, "`rescue`");
        }
        let body = Node::Sequence(self.nodes(body));
        let slot = name.map(|name| self.declare(name));
        let handler = self.optional(rescue.child_by_field_name("body"));
        Node::Rescue(Box::new((body, handler)), slot)
    }

    /// `def`: sees no locals of the template, and has no text, for that is a local, too.
    fn define(&mut self, node: Syntax<'_>) -> Node {
        let field = |name| node.child_by_field_name(name);
        let (Some(name), Some(body)) = (field("name"), field("body")) else {
            return self.ask(node, "`def`");
        };
        let inner = self.source(body);
        if self.in_method || name.kind() != "identifier" || inner.contains(TEXT) || inner.contains(INSERT) {
            return self.ask(node, "`def`");
        }
        let first = self.slots;
        let scopes = std::mem::replace(&mut self.scopes, vec![HashMap::new()]);
        let (blocks, loops) = (std::mem::take(&mut self.blocks), std::mem::take(&mut self.loops));
        self.in_method = true;
        let params = field("parameters").map_or(Some(Box::default()), |list| self.params(list));
        let plain = params.filter(|all| all.iter().all(|one| matches!(one, Target::Local(_))));
        // A method may call itself.
        let number = self.methods.len();
        self.names_of_methods.push((self.source(name).to_owned(), number as u32));
        self.methods.push(Body { params: Box::default(), spreads: false, own: (0, 0), body: Node::Nil });
        let lowered = self.node(body);
        self.in_method = false;
        self.scopes = scopes;
        (self.blocks, self.loops) = (blocks, loops);
        match plain {
            Some(params) => {
                let own = (first, self.slots);
                self.methods[number] = Body { params, spreads: false, own, body: lowered };
                Node::Define(number as u32)
            }
            None => {
                self.names_of_methods.pop();
                self.ask(node, "`def`")
            }
        }
    }

    fn jump_value(&mut self, node: Syntax<'_>) -> Node {
        match parts(node).first().map(|list| parts(*list)) {
            None => Node::Nil,
            Some(values) => match values[..] {
                [value] => self.node(value),
                _ => self.ask(node, "`next` or `break` with several values"),
            },
        }
    }

    fn case(&mut self, node: Syntax<'_>) -> Node {
        let subject = node.child_by_field_name("value").map(|value| self.node(value));
        let mut branches = Vec::new();
        let mut otherwise = Node::Nil;
        for part in parts(node) {
            match part.kind() {
                "when" => {
                    let mut cursor = part.walk();
                    let patterns: Vec<_> = part.children_by_field_name("pattern", &mut cursor).collect();
                    let patterns = patterns
                        .into_iter()
                        .map(|pattern| match parts(pattern)[..] {
                            [value] => self.node(value),
                            _ => self.ask(pattern, "a pattern"),
                        })
                        .collect();
                    let body = self.optional(part.child_by_field_name("body"));
                    branches.push((patterns, body));
                }
                "else" => otherwise = self.statements(part),
                _ => {}
            }
        }
        Node::Case(Box::new(Case { subject, branches: branches.into(), otherwise }))
    }

    fn binary(&mut self, node: Syntax<'_>) -> Node {
        let field = |name| node.child_by_field_name(name);
        let (Some(left), Some(operator), Some(right)) = (field("left"), field("operator"), field("right"))
        else {
            return self.ask(node, "an operator");
        };
        let operator = self.source(operator);
        if matches!(operator, "=~" | "!~") && left.kind() == "regex" && self.source(left).contains("(?<") {
            return self.ask(node, "names of groups");
        }
        if operator == "<<"
            && left.kind() == "identifier"
            && let Some(slot) = self.local(self.source(left))
        {
            self.changes = true;
            return Node::AppendLocal(slot, Box::new(self.node(right)));
        }
        let pair = if matches!(operator, "&&" | "and" | "||" | "or") {
            let left = self.truth(left);
            (left, self.truth(right))
        } else {
            let left = self.node(left);
            (left, self.node(right))
        };
        let negate = |method, (left, right)| Node::Not(Box::new(operation(left, method, right)));
        match operator {
            "&&" | "and" => Node::And(Box::new(pair)),
            "||" | "or" => Node::Or(Box::new(pair)),
            "!=" => negate(Method::Equal, pair),
            "!~" => negate(Method::Matches, pair),
            operator => match Method::by_name(operator) {
                Some(method) => {
                    self.changes |= method.changes();
                    operation(pair.0, method, pair.1)
                }
                None => self.ask(node, format!("the operator {operator}")),
            },
        }
    }

    fn unary(&mut self, node: Syntax<'_>) -> Node {
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.source(operator));
        let Some(operand) = node.child_by_field_name("operand") else { return self.ask(node, "an operator") };
        match operator {
            "!" | "not" => Node::Not(Box::new(self.truth(operand))),
            "-" => match self.node(operand) {
                Node::Int(n) => Node::Int(-n),
                Node::Float(n) => Node::Float(-n),
                operand => operation(Node::Int(0), Method::Minus, operand),
            },
            "defined?" => {
                let mut operand = operand;
                while let ("parenthesized_statements", [inner]) = (operand.kind(), &parts(operand)[..]) {
                    operand = *inner;
                }
                let text = self.source(operand);
                match operand.kind() {
                    "instance_variable" if !text.starts_with("@__") => Node::IsVariable(self.variable(text)),
                    "identifier" if self.local(text).is_some() => Node::String("local-variable".into()),
                    _ => self.ask(node, format!("`defined?({text})`")),
                }
            }
            operator => self.ask(node, format!("the operator {operator}")),
        }
    }

    /// What an assignment's left side is lowered to with the value given.
    fn assign(&mut self, left: Syntax<'_>, value: impl FnOnce(&mut Self) -> Node) -> Node {
        let text = self.source(left);
        match left.kind() {
            "identifier" => {
                let slot = self.declare(text);
                let value = value(self);
                Node::SetLocal(slot, Box::new(fresh(value)))
            }
            "instance_variable" if !text.starts_with("@__") => {
                let variable = self.variable(text);
                let value = value(self);
                Node::SetVariable(variable, Box::new(value))
            }
            "element_reference" => {
                let Some((object, mut args)) = self.element_parts(left) else {
                    return self.ask(left, "an assignment to an element");
                };
                args.push(value(self));
                self.changes = true;
                call(object, Method::SetElement, args)
            }
            _ => {
                // Names set within are known from here on all the same.
                value(self);
                self.ask(left, format!("an assignment to {text}"))
            }
        }
    }

    fn assignment(&mut self, node: Syntax<'_>) -> Node {
        let field = |name| node.child_by_field_name(name);
        let (Some(left), Some(right)) = (field("left"), field("right")) else {
            return self.ask(node, "an assignment");
        };
        if left.kind() == "left_assignment_list" {
            let Some(targets) = self.targets(left) else {
                return self.ask(node, "an assignment to several");
            };
            let value = match right.kind() {
                "right_assignment_list" => Node::Array(self.nodes(&parts(right))),
                _ => self.node(right),
            };
            return Node::SetMany(Target::Many(targets), Box::new(value));
        }
        if matches!(right.kind(), "right_assignment_list" | "splat_argument" | "rescue_modifier") {
            return self.ask(node, "an assignment of several");
        }
        self.assign(left, |lower| lower.node(right))
    }

    fn targets(&mut self, list: Syntax<'_>) -> Option<Box<[Target]>> {
        let mut targets = Vec::new();
        for part in parts(list) {
            targets.push(match part.kind() {
                "identifier" => Target::Local(self.declare(self.source(part))),
                "destructured_left_assignment" => Target::Many(self.targets(part)?),
                _ => return None,
            });
        }
        Some(targets.into())
    }

    fn operator_assignment(&mut self, node: Syntax<'_>) -> Node {
        let field = |name| node.child_by_field_name(name);
        let (Some(left), Some(operator), Some(right)) = (field("left"), field("operator"), field("right"))
        else {
            return self.ask(node, "an assignment");
        };
        let operator = self.source(operator).trim_end_matches('=').to_owned();
        let text = self.source(left);
        if right.kind() == "rescue_modifier" {
            return self.ask(node, "`rescue`");
        }
        if left.kind() == "element_reference" {
            // Object and index are computed once.
            let Some((object, args)) = self.element_parts(left) else {
                return self.ask(node, "an assignment to an element");
            };
            let Ok([index]) = <[Node; 1]>::try_from(args) else {
                return self.ask(node, "an assignment to an element");
            };
            let (a, b) = (self.hidden(), self.hidden());
            let read = call(Node::Local(a), Method::Element, vec![Node::Local(b)]);
            let right = self.node(right);
            self.changes = true;
            let write = |value| call(Node::Local(a), Method::SetElement, vec![Node::Local(b), value]);
            let set = match &*operator {
                "||" => Node::Or(Box::new((read, write(right)))),
                "&&" => Node::And(Box::new((read, write(right)))),
                operator => match Method::by_name(operator) {
                    Some(method) => write(operation(read, method, right)),
                    None => return self.ask(node, format!("the operator {operator}=")),
                },
            };
            let keep = |slot, value| Node::SetLocal(slot, Box::new(value));
            return Node::Sequence([keep(a, object), keep(b, index), set].into());
        }
        let read = match left.kind() {
            "identifier" => Node::Local(self.declare(text)),
            "instance_variable" if !text.starts_with("@__") => Node::Variable(self.variable(text)),
            _ => return self.ask(node, format!("an assignment to {text}")),
        };
        match &*operator {
            "||" => {
                let set = self.assign(left, |lower| lower.node(right));
                Node::Or(Box::new((read, set)))
            }
            "&&" => {
                let set = self.assign(left, |lower| lower.node(right));
                Node::And(Box::new((read, set)))
            }
            operator => match Method::by_name(operator) {
                Some(method) => self.assign(left, |lower| {
                    let right = lower.node(right);
                    operation(read, method, right)
                }),
                None => self.ask(node, format!("the operator {operator}=")),
            },
        }
    }

    /// A slot that no name in the template has.
    fn hidden(&mut self) -> u32 {
        let name = format!(" {}", self.slots);
        self.declare_here(&name)
    }

    fn element_parts(&mut self, node: Syntax<'_>) -> Option<(Node, Vec<Node>)> {
        let all = parts(node);
        let (object, args) = all.split_first()?;
        if node.child_by_field_name("block").is_some()
            || args.iter().any(|arg| matches!(arg.kind(), "pair" | "block_argument" | "splat_argument"))
        {
            return None;
        }
        let object = self.node(*object);
        Some((object, args.iter().map(|arg| self.node(*arg)).collect()))
    }

    fn element(&mut self, node: Syntax<'_>) -> Node {
        // A name in front of a bracket that is no local is a call with an array.
        match self.element_parts(node) {
            Some((object, args)) => call(object, Method::Element, args),
            None => self.ask(node, "an element"),
        }
    }

    fn call(&mut self, node: Syntax<'_>) -> Node {
        let field = |name| node.child_by_field_name(name);
        let Some(method) = field("method") else { return self.ask(node, "a call without a name") };
        let name = self.source(method);
        let list = field("arguments").map(parts).unwrap_or_default();
        if field("receiver").is_none() {
            return match name {
                TEXT => self.text(node, &list),
                INSERT => self.insert(node, &list),
                // `x -1` is no call where `x` is a local.
                _ if self.local(name).is_some()
                    && method.kind() == "identifier"
                    && field("block").is_none() =>
                {
                    self.ask(node, format!("a call of {name}, which is a local"))
                }
                _ => self.function(node, name, &list, field("block")),
            };
        }
        let Some(receiver) = field("receiver") else { return Node::Nil };
        let operator = field("operator").map_or(".", |operator| self.source(operator));
        if operator == "::" {
            return self.ask(node, format!("the constant {}", self.source(node)));
        }
        let on = self.node(receiver);
        if let Node::Scope = on
            && let Some(name) = name.strip_prefix("function_")
        {
            return self.puppet_function(node, name, &list, true);
        }
        if matches!(on, Node::Scope) && name == "call_function" {
            return match list.split_first() {
                Some((first, rest)) if first.kind() == "string" => {
                    let name = literals::plain(self.source(*first)).unwrap_or_default().to_owned();
                    self.puppet_function(node, &name, rest, false)
                }
                _ => self.ask(node, "scope.call_function"),
            };
        }
        let of_ruby = match (self.source(receiver), name) {
            ("IPAddr", "new") => Some((Method::ToAddress, "require 'ipaddr'")),
            ("Base64", "strict_encode64") => Some((Method::Base64, "require 'base64'")),
            _ => None,
        };
        if let (Some((method, loaded)), [value]) = (of_ruby, &list[..])
            && self.program.source.contains(loaded)
        {
            // The receiver was no reason to ask.
            self.reasons.pop();
            let args = [self.node(*value)].into();
            return Node::Call(Box::new(Call { receiver: None, method, args, block: None, safe: false }));
        }
        if name == "new" && list.is_empty() && field("block").is_none() {
            match on {
                Node::Class(Class::Hash) => return Node::Hash(Box::default()),
                Node::Class(Class::Array) => return Node::Array(Box::default()),
                Node::Class(Class::String) => return Node::Fresh(Box::new(Node::String("".into()))),
                _ => {}
            }
        }
        let found = match &on {
            Node::Scope => methods::of_scope(name),
            _ => Method::by_name(name).filter(|method| !method.is_function()),
        };
        let Some(method) = found else {
            // What stands in its arguments may set names.
            self.arguments(node, &list, field("block"));
            return self.ask(node, format!("the method {name}"));
        };
        self.changes |= method.changes();
        let Some((args, block)) = self.arguments(node, &list, field("block")) else {
            return self.ask(node, format!("arguments of {name}"));
        };
        let (on, method) = with_index(on, method, &args, block.as_ref());
        Node::Call(Box::new(Call { receiver: Some(on), method, args, block, safe: operator == "&." }))
    }

    /// `scope.function_x([…])`, `scope.call_function('x', …)`.
    fn puppet_function(&mut self, node: Syntax<'_>, name: &str, args: &[Syntax<'_>], old: bool) -> Node {
        let args = self.nodes(args);
        let Some(method) = methods::of_puppet(name, old) else {
            return self.ask(node, format!("the function {name}()"));
        };
        // Both take the arguments as one array; `call_function` takes one value as itself as well.
        let [list] = &*args else { return self.ask(node, format!("arguments of {name}()")) };
        if old && !matches!(list, Node::Array(_)) {
            return self.ask(node, format!("arguments of {name}()"));
        }
        let args = Box::new([Node::String(name.into())]).into_iter().chain(args).collect();
        Node::Call(Box::new(Call { receiver: None, method, args, block: None, safe: false }))
    }

    /// A call of something without a receiver.
    fn function(
        &mut self,
        node: Syntax<'_>,
        name: &str,
        list: &[Syntax<'_>],
        block: Option<Syntax<'_>>,
    ) -> Node {
        let own = self.names_of_methods.iter().rev().find(|(known, _)| known == name).map(|(_, n)| *n);
        if let (Some(number), None) = (own, block) {
            if list.iter().any(|arg| matches!(arg.kind(), "pair" | "block_argument" | "hash_splat_argument"))
            {
                return self.ask(node, format!("arguments of {name}"));
            }
            return Node::CallOwn(number, self.nodes(list));
        }
        if name == "require" {
            // What it loads changes nothing for what is known here.
            let known = |arg: &Syntax<'_>| {
                literals::plain(self.source(*arg)).is_some_and(|name| REQUIRED.contains(&name))
            };
            return match list {
                [one] if known(one) => Node::Nil,
                _ => self.ask(node, "`require`"),
            };
        }
        let found = Method::by_name(name).filter(|method| method.is_function());
        let lowered = self.arguments(node, list, block);
        match (found, lowered) {
            (Some(method), Some((args, block))) => {
                Node::Call(Box::new(Call { receiver: None, method, args, block, safe: false }))
            }
            (None, _) => self.ask(node, format!("the method {name}")),
            (_, None) => self.ask(node, format!("arguments of {name}")),
        }
    }

    fn arguments(
        &mut self,
        node: Syntax<'_>,
        list: &[Syntax<'_>],
        block: Option<Syntax<'_>>,
    ) -> Option<(Box<[Node]>, Option<Block>)> {
        let _ = node;
        let mut args = Vec::new();
        let mut pairs = Vec::new();
        let mut passed = None;
        for arg in list {
            match arg.kind() {
                "pair" => match self.pair(*arg) {
                    Some(pair) => pairs.push(pair),
                    None => return None,
                },
                "splat_argument" => args.push(self.splat(*arg)),
                "hash_splat_argument" | "forward_argument" => return None,
                "block_argument" => passed = Some(self.passed_block(*arg)?),
                _ => args.push(self.node(*arg)),
            }
        }
        if !pairs.is_empty() {
            args.push(Node::Hash(pairs.into()));
        }
        let block = match block {
            Some(block) => Some(Block::Body(self.block(block)?)),
            None => passed,
        };
        Some((args.into(), block))
    }

    pub(super) fn splat(&mut self, node: Syntax<'_>) -> Node {
        match parts(node)[..] {
            [value] => Node::Splat(Box::new(self.node(value))),
            _ => self.ask(node, "a splat"),
        }
    }

    fn passed_block(&mut self, node: Syntax<'_>) -> Option<Block> {
        let [value] = parts(node)[..] else { return None };
        let name = self.source(value).strip_prefix(':')?;
        Method::by_name(name).filter(|method| !method.is_function()).map(Block::Method)
    }

    fn block(&mut self, node: Syntax<'_>) -> Option<Body> {
        let first = self.slots;
        self.scopes.push(HashMap::new());
        let loops = std::mem::take(&mut self.loops);
        self.blocks += 1;
        let params = node.child_by_field_name("parameters");
        let targets = match params {
            Some(params) if params.child_by_field_name("locals").is_some() => None,
            Some(params) => self.params(params),
            None => Some(Box::default()),
        };
        let body = self.optional(node.child_by_field_name("body"));
        self.blocks -= 1;
        self.loops = loops;
        self.scopes.pop();
        let targets = targets?;
        // `|a,|` takes the first of an array.
        let comma = params.is_some_and(|params| self.source(params).replace([' ', '|'], "").ends_with(','));
        let spreads = targets.len() > 1 || comma;
        Some(Body { params: targets, spreads, own: (first, self.slots), body })
    }

    fn params(&mut self, list: Syntax<'_>) -> Option<Box<[Target]>> {
        let mut targets = Vec::new();
        for part in parts(list) {
            targets.push(match part.kind() {
                "identifier" => Target::Local(self.declare_here(self.source(part))),
                "destructured_parameter" => Target::Many(self.params(part)?),
                "splat_parameter" => {
                    let name = part.child_by_field_name("name");
                    Target::Rest(name.map(|name| self.declare_here(self.source(name))))
                }
                _ => return None,
            });
        }
        Some(targets.into())
    }

    fn text(&mut self, node: Syntax<'_>, list: &[Syntax<'_>]) -> Node {
        let number = list.first().and_then(|number| self.source(*number).parse::<usize>().ok());
        match number.and_then(|number| self.program.texts.get(number)) {
            Some(text) => {
                self.texts += 1;
                Node::Text(text.as_str().into())
            }
            None => self.ask(node, "its syntax"),
        }
    }

    /// `<%= … %>`: the argument must be what stands in the tag and nothing else.
    fn insert(&mut self, node: Syntax<'_>, list: &[Syntax<'_>]) -> Node {
        let [call] = list else { return self.ask(node, "its syntax") };
        let receiver = call.child_by_field_name("receiver");
        let whole = self.source(*call).starts_with('(') && self.source(*call).ends_with(").to_s");
        match receiver {
            Some(inner)
                if whole
                    && inner.kind() == "parenthesized_statements"
                    && inner.end_byte() + ".to_s".len() == call.end_byte() =>
            {
                let value = self.statements(inner);
                Node::Insert(Box::new(value))
            }
            _ => self.ask(node, "its syntax"),
        }
    }
}

/// What Ruby comes with and templates load.
const REQUIRED: &[&str] =
    &["json", "yaml", "erb", "set", "date", "time", "uri", "base64", "shellwords", "digest", "ipaddr"];

fn call(receiver: Node, method: Method, args: Vec<Node>) -> Node {
    let args = args.into();
    Node::Call(Box::new(Call { receiver: Some(receiver), method, args, block: None, safe: false }))
}

/// `x.map.with_index { |a, n| … }` and `x.each_with_index.map { |a, n| … }`, which go by way of an enumerator.
fn with_index(on: Node, method: Method, args: &[Node], block: Option<&Block>) -> (Node, Method) {
    let two = matches!(block, Some(Block::Body(body)) if body.params.len() == 2);
    match on {
        Node::Call(inner)
            if two && args.is_empty() && inner.block.is_none() && inner.args.is_empty() && !inner.safe =>
        {
            let Call { receiver, method: first, args, block, safe } = *inner;
            match (first, method, receiver) {
                (Method::Map, Method::EachWithIndex | Method::WithIndex, Some(on))
                | (Method::EachWithIndex, Method::Map, Some(on)) => (on, Method::MapWithIndex),
                (Method::Each, Method::WithIndex, Some(on)) => (on, Method::EachWithIndex),
                (first, method, receiver) => {
                    (Node::Call(Box::new(Call { receiver, method: first, args, block, safe })), method)
                }
            }
        }
        on => (on, method),
    }
}

fn operation(left: Node, method: Method, right: Node) -> Node {
    call(left, method, vec![right])
}

/// A string that a name is given is that name's own, and may be changed in place.
fn fresh(value: Node) -> Node {
    match value {
        Node::String(_) => Node::Fresh(Box::new(value)),
        other => other,
    }
}
