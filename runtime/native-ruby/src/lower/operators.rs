//! Operators and assignments.

use super::origins::ValueOrigin;
use super::{Lower, SourceKind, call, call_self, is_plain_global, line_of, operation, parts};
use crate::method::Method;
use crate::tree::{AssignTarget, Expr, MethodCall};
use tree_sitter::Node as Syntax;

/// An element or attribute among several targets.
struct ElementTarget {
    /// What computes what it is of.
    before: Vec<Expr>,
    /// The local that takes its value.
    value: u32,
    /// What sets it.
    set: Expr,
}

impl Lower<'_> {
    pub(crate) fn binary(&mut self, node: Syntax<'_>) -> Expr {
        let field = |name| node.child_by_field_name(name);
        let (Some(left), Some(operator), Some(right)) = (field("left"), field("operator"), field("right"))
        else {
            return self.unsupported(node, "an operator");
        };
        let operator = self.source(operator);
        if operator == "=~" && left.kind() == "regex" && self.source(left).contains("(?") {
            return self.match_into_locals(node, (left, right));
        }
        if operator == "<<"
            && left.kind() == "identifier"
            && let Some(slot) = self.local(self.source(left))
        {
            self.origins.change(ValueOrigin::Local(slot));
            return Expr::AppendLocal(slot, Box::new(self.node(right)));
        }
        if let Some(added) = self.adds_to_load_path(left, operator, &[right]) {
            return added;
        }
        if let Some(known) = self.compares_version(left, operator, right) {
            return Expr::Bool(known);
        }
        let pair = if matches!(operator, "&&" | "and" | "||" | "or") {
            let left = self.truth(left);
            (left, self.truth(right))
        } else {
            let left = self.node(left);
            (left, self.node(right))
        };
        let negate = |method, (left, right)| Expr::Not(Box::new(operation(left, method, right)));
        match operator {
            "&&" | "and" => Expr::And(Box::new(pair)),
            "||" | "or" => Expr::Or(Box::new(pair)),
            "!=" => negate(Method::Equal, pair),
            "!~" => negate(Method::Matches, pair),
            operator => match Method::by_name(operator) {
                Some(method) => {
                    let (left, right) = pair;
                    if method.changes() {
                        self.origins.change(self.origin(&left));
                    }
                    let left = if method.changes_string() { self.fresh_literal(left) } else { left };
                    operation(left, method, right)
                }
                None => self.unsupported(node, format!("the operator {operator}")),
            },
        }
    }

    /// What a comparison of Ruby's version with an old one says: Puppet needs a newer Ruby than that.
    fn compares_version(&self, left: Syntax<'_>, operator: &str, right: Syntax<'_>) -> Option<bool> {
        let plain = |node: Syntax<'_>| {
            let text = self.source(node);
            text.strip_prefix("Gem::Version.new(").and_then(|text| text.strip_suffix(')')).unwrap_or(text)
        };
        let (of, other) = (plain(left), super::literals::plain(plain(right))?);
        let mut numbers = other.split('.').map(str::parse::<u32>);
        let (Some(Ok(major)), minor) = (numbers.next(), numbers.next()) else { return None };
        let minor = minor.and_then(Result::ok).unwrap_or(0);
        if of != "RUBY_VERSION" || (major, minor) > (2, 7) {
            return None;
        }
        match operator {
            ">" | ">=" | "!=" => Some(true),
            "<" | "<=" | "==" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn unary(&mut self, node: Syntax<'_>) -> Expr {
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.source(operator));
        let Some(operand) = node.child_by_field_name("operand") else {
            return self.unsupported(node, "an operator");
        };
        match operator {
            "!" | "not" => Expr::Not(Box::new(self.truth(operand))),
            "-" => match self.node(operand) {
                Expr::Int(n) => Expr::Int(-n),
                Expr::Float(n) => Expr::Float(-n),
                // The frozen one.
                text @ Expr::String(_) => text,
                operand => operation(Expr::Int(0), Method::Minus, operand),
            },
            "defined?" => {
                let mut operand = operand;
                while let ("parenthesized_statements", [inner]) = (operand.kind(), &parts(operand)[..]) {
                    operand = *inner;
                }
                let text = self.source(operand);
                match operand.kind() {
                    "instance_variable" if !text.starts_with("@__") => Expr::IsVariable(self.variable(text)),
                    "identifier" if self.local(text).is_some() => Expr::String("local-variable".into()),
                    "constant" | "scope_resolution" | "call" if self.kind == SourceKind::File => {
                        let named = self.node(operand);
                        Expr::IsDefined(Box::new(named))
                    }
                    // Of an element the receiver is computed, and then asked for the method.
                    "element_reference" => {
                        let named = self.node(operand);
                        Expr::IsDefined(Box::new(named))
                    }
                    _ => self.unsupported(node, format!("`defined?({text})`")),
                }
            }
            "+" => match self.node(operand) {
                text @ (Expr::String(_) | Expr::Join(_)) => Expr::Fresh(Box::new(text)),
                operand => call(operand, Method::UnaryPlus, Vec::new()),
            },
            "~" => call(self.node(operand), Method::BitNot, Vec::new()),
            operator => self.unsupported(node, format!("the operator {operator}")),
        }
    }

    /// What an assignment's left side is lowered to with the value given.
    pub(crate) fn assign(&mut self, left: Syntax<'_>, value: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let text = self.source(left);
        match left.kind() {
            "identifier" => {
                let slot = self.declare(text);
                let value = self.fresh(value);
                self.origins.give(slot, self.origin(&value));
                Expr::SetLocal(slot, Box::new(value))
            }
            "instance_variable" if !text.starts_with("@__") => {
                let variable = self.variable(text);
                let value = self.fresh(value);
                self.origins.store(self.origin(&value));
                Expr::SetVariable(variable, Box::new(value))
            }
            "element_reference" => {
                let Some((object, mut args)) = self.element_parts(left) else {
                    return self.unsupported(left, "an assignment to an element");
                };
                args.push(self.fresh(value));
                self.origins.change(self.origin(&object));
                call(object, Method::SetElement, args)
            }
            "constant" if self.kind == SourceKind::File => {
                let value = value(self);
                Expr::SetConstant(text.into(), Box::new(value))
            }
            "global_variable" if self.kind == SourceKind::Template && is_plain_global(text) => {
                let value = self.fresh(value);
                self.origins.store(self.origin(&value));
                call_self(Method::Global, vec![Expr::String(text.into()), value])
            }
            "call" if self.kind == SourceKind::File || self.sets_part_of_address(left) => {
                self.set_attribute(left, value)
            }
            _ => {
                // Locals declared within exist from here on all the same.
                value(self);
                self.unsupported(left, format!("an assignment to {text}"))
            }
        }
    }

    /// A value that is assigned: a literal string is a new object then, which may be changed in place.
    fn fresh(&mut self, value: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let value = value(self);
        self.fresh_literal(value)
    }

    /// A literal string as a new object, which may be changed in place.
    pub(crate) fn fresh_literal(&self, value: Expr) -> Expr {
        match value {
            literal @ Expr::String(_) if !self.freezes => Expr::Fresh(Box::new(literal)),
            other => other,
        }
    }

    /// Whether it is an attribute as addresses have, which templates set.
    fn sets_part_of_address(&self, left: Syntax<'_>) -> bool {
        let name = left.child_by_field_name("method").map(|method| self.source(method));
        name.is_some_and(|name| ["host", "password", "path", "port", "user"].contains(&name))
    }

    /// `object.name = value`
    fn set_attribute(&mut self, left: Syntax<'_>, value: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let field = |name| left.child_by_field_name(name);
        let (Some(on), Some(method), None) = (field("receiver"), field("method"), field("arguments")) else {
            return self.unsupported(left, "an assignment");
        };
        let name = self.source(method);
        let on = self.node(on);
        let args = [self.fresh(value)].into();
        let name = format!("{name}=").into();
        Expr::Call(Box::new(MethodCall { name, args, ..MethodCall::of(Some(on), Method::Other) }))
    }

    pub(crate) fn assignment(&mut self, node: Syntax<'_>) -> Expr {
        let field = |name| node.child_by_field_name(name);
        let (Some(left), Some(right)) = (field("left"), field("right")) else {
            return self.unsupported(node, "an assignment");
        };
        if left.kind() == "left_assignment_list" {
            // `(a, b) = x` is `a, b = x`.
            let is_bracketed = self.source(left).ends_with(')');
            let left = match parts(left)[..] {
                [one] if is_bracketed && one.kind() == "destructured_left_assignment" => one,
                _ => left,
            };
            let mut elements = Vec::new();
            let Some(targets) = self.targets_or_elements(left, Some(&mut elements)) else {
                return self.unsupported(node, "an assignment to several");
            };
            let value = match right.kind() {
                "right_assignment_list" => Expr::Array(self.items(&parts(right))),
                "splat_argument" => Expr::Array([self.splat(right)].into()),
                _ => self.node(right),
            };
            let assigned = Expr::SetMany(AssignTarget::Many(targets), Box::new(value));
            return self.then_set(elements, assigned);
        }
        if matches!(right.kind(), "right_assignment_list" | "splat_argument") {
            return self.assign(left, |lower| match right.kind() {
                "splat_argument" => Expr::Array([lower.splat(right)].into()),
                _ => Expr::Array(lower.items(&parts(right))),
            });
        }
        self.assign(left, |lower| lower.node(right))
    }

    pub(crate) fn targets(&mut self, list: Syntax<'_>) -> Option<Box<[AssignTarget]>> {
        self.targets_or_elements(list, None)
    }

    /// Several targets. Elements and attributes among them are taken note of: each is a local first.
    fn targets_or_elements(
        &mut self,
        list: Syntax<'_>,
        mut elements: Option<&mut Vec<ElementTarget>>,
    ) -> Option<Box<[AssignTarget]>> {
        let mut targets = Vec::new();
        for part in parts(list) {
            targets.push(match part.kind() {
                "identifier" => {
                    let slot = self.declare(self.source(part));
                    self.origins.give(slot, ValueOrigin::Unknown);
                    AssignTarget::Local(slot)
                }
                "destructured_left_assignment" => AssignTarget::Many(self.targets(part)?),
                "instance_variable" if !self.source(part).starts_with("@__") => {
                    self.origins.store(ValueOrigin::Unknown);
                    AssignTarget::Variable(self.variable(self.source(part)))
                }
                "rest_assignment" => match parts(part)[..] {
                    [] => AssignTarget::Rest(None),
                    [name] if name.kind() == "identifier" => {
                        let slot = self.declare(self.source(name));
                        self.origins.give(slot, ValueOrigin::Unknown);
                        AssignTarget::Rest(Some(slot))
                    }
                    _ => return None,
                },
                "element_reference" | "call" => {
                    let target = self.element_target(part)?;
                    let slot = target.value;
                    elements.as_mut()?.push(target);
                    AssignTarget::Local(slot)
                }
                _ => return None,
            });
        }
        Some(targets.into())
    }

    /// An element, or an attribute, that is one of several targets.
    fn element_target(&mut self, node: Syntax<'_>) -> Option<ElementTarget> {
        let (object, args, method, name) = match node.kind() {
            "call" if self.kind == SourceKind::File => {
                let field = |name| node.child_by_field_name(name);
                let (on, method) = (field("receiver")?, field("method")?);
                let is_plain = field("arguments").is_none() && field("block").is_none();
                let name = is_plain.then(|| format!("{}=", self.source(method)))?;
                (self.node(on), Vec::new(), Method::Other, name)
            }
            "element_reference" => {
                let (object, args) = self.element_parts(node)?;
                (object, args, Method::SetElement, String::new())
            }
            _ => return None,
        };
        if args.iter().any(|arg| matches!(arg, Expr::Splat(_))) {
            return None;
        }
        self.origins.change(self.origin(&object));
        let on = self.hidden();
        let mut before = vec![Expr::SetLocal(on, Box::new(object))];
        let mut given = Vec::new();
        for arg in args {
            let slot = self.hidden();
            before.push(Expr::SetLocal(slot, Box::new(arg)));
            given.push(Expr::Local(slot));
        }
        let value = self.hidden();
        given.push(Expr::Local(value));
        let call = MethodCall {
            name: name.into(),
            args: given.into(),
            line: line_of(node),
            ..MethodCall::of(Some(Expr::Local(on)), method)
        };
        Some(ElementTarget { before, value, set: Expr::Call(Box::new(call)) })
    }

    /// An assignment to several, with the elements among them: what these are of is computed first, and they are set last.
    fn then_set(&mut self, elements: Vec<ElementTarget>, assigned: Expr) -> Expr {
        if elements.is_empty() {
            return assigned;
        }
        let given = self.hidden();
        let (mut all, mut sets) = (Vec::new(), Vec::new());
        for element in elements {
            all.extend(element.before);
            sets.push(element.set);
        }
        all.push(Expr::SetLocal(given, Box::new(assigned)));
        all.extend(sets);
        all.push(Expr::Local(given));
        Expr::Sequence(all.into())
    }

    pub(crate) fn operator_assignment(&mut self, node: Syntax<'_>) -> Expr {
        let field = |name| node.child_by_field_name(name);
        let (Some(left), Some(operator), Some(right)) = (field("left"), field("operator"), field("right"))
        else {
            return self.unsupported(node, "an assignment");
        };
        let operator = self.source(operator).trim_end_matches('=').to_owned();
        let text = self.source(left);
        if left.kind() == "element_reference" {
            // Object and index are computed once.
            let Some((object, args)) = self.element_parts(left) else {
                return self.unsupported(node, "an assignment to an element");
            };
            let Ok([index]) = <[Expr; 1]>::try_from(args) else {
                return self.unsupported(node, "an assignment to an element");
            };
            let (a, b) = (self.hidden(), self.hidden());
            let read = call(Expr::Local(a), Method::Element, vec![Expr::Local(b)]);
            let right = self.node(right);
            self.origins.change(self.origin(&object));
            let write = |value| call(Expr::Local(a), Method::SetElement, vec![Expr::Local(b), value]);
            let set = match &*operator {
                "||" => Expr::Or(Box::new((read, write(right)))),
                "&&" => Expr::And(Box::new((read, write(right)))),
                operator => match Method::by_name(operator) {
                    Some(method) => write(operation(read, method, right)),
                    None => return self.unsupported(node, format!("the operator {operator}=")),
                },
            };
            let keep = |slot, value| Expr::SetLocal(slot, Box::new(value));
            return Expr::Sequence([keep(a, object), keep(b, index), set].into());
        }
        let read = match left.kind() {
            "identifier" => Expr::Local(self.declare(text)),
            "instance_variable" if !text.starts_with("@__") => Expr::Variable(self.variable(text)),
            "global_variable" if self.kind == SourceKind::Template && is_plain_global(text) => {
                call_self(Method::Global, vec![Expr::String(text.into())])
            }
            "call" if self.kind == SourceKind::File => {
                return self.operator_on_attribute(node, (left, right), &operator);
            }
            _ => return self.unsupported(node, format!("an assignment to {text}")),
        };
        match &*operator {
            "||" => {
                let set = self.assign(left, |lower| lower.node(right));
                Expr::Or(Box::new((read, set)))
            }
            "&&" => {
                let set = self.assign(left, |lower| lower.node(right));
                Expr::And(Box::new((read, set)))
            }
            operator => match Method::by_name(operator) {
                Some(method) => self.assign(left, |lower| {
                    let right = lower.node(right);
                    operation(read, method, right)
                }),
                None => self.unsupported(node, format!("the operator {operator}=")),
            },
        }
    }

    /// `object.name += value`
    fn operator_on_attribute(
        &mut self,
        node: Syntax<'_>,
        (left, right): (Syntax<'_>, Syntax<'_>),
        operator: &str,
    ) -> Expr {
        let field = |name| left.child_by_field_name(name);
        let (Some(on), Some(method), None) = (field("receiver"), field("method"), field("arguments")) else {
            return self.unsupported(node, "an assignment");
        };
        let name = self.source(method);
        let object = self.hidden();
        let on = self.node(on);
        let known = Method::by_name(name).filter(|method| !method.is_function()).unwrap_or(Method::Other);
        let read = MethodCall { name: name.into(), ..MethodCall::of(Some(Expr::Local(object)), known) };
        let read = Expr::Call(Box::new(read));
        let right = self.node(right);
        let write = |value| {
            let call = MethodCall::of(Some(Expr::Local(object)), Method::Other);
            Expr::Call(Box::new(MethodCall { name: format!("{name}=").into(), args: [value].into(), ..call }))
        };
        let set = match operator {
            "||" => Expr::Or(Box::new((read, write(right)))),
            "&&" => Expr::And(Box::new((read, write(right)))),
            operator => match Method::by_name(operator) {
                Some(method) => write(operation(read, method, right)),
                None => return self.unsupported(node, format!("the operator {operator}=")),
            },
        };
        Expr::Sequence([Expr::SetLocal(object, Box::new(on)), set].into())
    }

    /// A fresh slot, for a value that the template has no name for.
    pub(crate) fn hidden(&mut self) -> u32 {
        let name = format!(" {}", self.frame.slots);
        self.declare_here(&name)
    }

    pub(crate) fn element_parts(&mut self, node: Syntax<'_>) -> Option<(Expr, Vec<Expr>)> {
        let (object, args) = element_syntax(node)?;
        let object = self.node(object);
        Some((object, self.keys(&args)?))
    }

    /// What stands in brackets behind a value.
    pub(super) fn keys(&mut self, args: &[Syntax<'_>]) -> Option<Vec<Expr>> {
        // Pairs stand at the end and make one hash.
        let first_pair = args.iter().position(|arg| arg.kind() == "pair").unwrap_or(args.len());
        let (args, pairs) = args.split_at(first_pair);
        let mut args = self.items(args).into_vec();
        if !pairs.is_empty() {
            let pairs = pairs.iter().map(|pair| self.pair(*pair)).collect::<Option<Vec<_>>>()?;
            args.push(Expr::Hash(pairs.into()));
        }
        Some(args)
    }

    pub(crate) fn element(&mut self, node: Syntax<'_>) -> Expr {
        // A name in front of a bracket that is no local is a call with an array.
        match self.element_parts(node) {
            Some((object, args)) => key_or_call(object, args),
            None => self.unsupported(node, "an element"),
        }
    }
}

/// What brackets stand behind, and what stands in them; none for forms that are not known.
pub(super) fn element_syntax(node: Syntax<'_>) -> Option<(Syntax<'_>, Vec<Syntax<'_>>)> {
    let mut args = parts(node);
    if args.is_empty() || node.child_by_field_name("block").is_some() {
        return None;
    }
    let object = args.remove(0);
    let is_known = |arg: &Syntax<'_>| !matches!(arg.kind(), "hash_splat_argument" | "block_argument");
    args.iter().all(is_known).then_some((object, args))
}

/// `x[…]`: of what has no brackets of another meaning, at a key that is known.
pub(super) fn key_or_call(object: Expr, mut args: Vec<Expr>) -> Expr {
    let other = match &object {
        Expr::Scope => true,
        Expr::Call(call) => call.method == Method::Variables,
        _ => false,
    };
    match args.pop() {
        Some(Expr::String(key)) if args.is_empty() && !other => Expr::Key(Box::new(object), key),
        last => {
            args.extend(last);
            call(object, Method::Element, args)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lower::lower;

    #[test]
    fn a_key_that_is_known_is_no_call() {
        let is_key = |code: &str| {
            let template = lower(&format!("<%= {code} %>")).expect("it is lowered");
            format!("{:?}", template.body).contains("Key(")
        };
        for code in ["@a['k']", "x = @a; x['k']", "@a[0]['k']", "scope['a']['k']", "{'k' => 1}['k']"] {
            assert!(is_key(code), "{code}");
        }
        for code in ["@a[0]", "@a[@k]", "@a['k', 1]", "scope['k']", "scope.to_hash['k']", "@a[\"#{@k}\"]"] {
            assert!(!is_key(code), "{code}");
        }
    }
}
