//! Calls: methods, functions of Puppet's and of the template's own, arguments and blocks; texts and insertions, which
//! are calls in the program.

use crate::erb::scan::{INSERT, TEXT};
use crate::lower::literals;
use crate::lower::origins::ValueOrigin;
use crate::lower::{Lower, parts};
use crate::method::Method;
use crate::methods;
use crate::tree::{AssignTarget, Block, BlockBody, Expr, MethodCall};
use crate::value::Class;
use bunraku_stdlib::module::Api;
use std::collections::HashMap;
use tree_sitter::Node as Syntax;

/// What `new` of a class makes without arguments.
fn empty(class: &Expr) -> Option<Expr> {
    match class {
        Expr::Class(Class::Hash) => Some(Expr::Hash(Box::default())),
        Expr::Class(Class::Array) => Some(Expr::Array(Box::default())),
        Expr::Class(Class::String) => Some(Expr::Fresh(Box::new(Expr::String("".into())))),
        _ => None,
    }
}

impl Lower<'_> {
    pub(crate) fn call(&mut self, node: Syntax<'_>) -> Expr {
        let field = |name| node.child_by_field_name(name);
        let Some(method) = field("method") else { return self.unsupported(node, "a call without a name") };
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
                    self.unsupported(node, format!("a call of {name}, which is a local"))
                }
                _ => self.function(node, name, &list, field("block")),
            };
        }
        let Some(receiver) = field("receiver") else { return Expr::Nil };
        let operator = field("operator").map_or(".", |operator| self.source(operator));
        if operator == "::" {
            return self.unsupported(node, format!("the constant {}", self.source(node)));
        }
        let on = self.node(receiver);
        if let Expr::Scope = on
            && let Some(name) = name.strip_prefix("function_")
        {
            return self.puppet_function(node, name, &list, Api::Old);
        }
        if matches!(on, Expr::Scope) && name == "call_function" {
            return match list.split_first() {
                Some((first, rest)) if first.kind() == "string" => {
                    let name = literals::plain(self.source(*first)).unwrap_or_default().to_owned();
                    self.puppet_function(node, &name, rest, Api::New)
                }
                _ => self.unsupported(node, "scope.call_function"),
            };
        }
        if let [value] = &list[..]
            && let Some(call) = self.library_call(receiver, name, *value)
        {
            return call;
        }
        if name == "new"
            && list.is_empty()
            && field("block").is_none()
            && let Some(empty) = empty(&on)
        {
            return empty;
        }
        let found = match &on {
            Expr::Scope => methods::of_scope(name),
            _ => Method::by_name(name).filter(|method| !method.is_function()),
        };
        let Some(method) = found else {
            // The arguments may declare locals.
            self.arguments(&list, field("block"));
            return self.unsupported(node, format!("the method {name}"));
        };
        if method.changes() {
            self.origins.change(self.origin(&on));
        }
        let Some((args, block)) = self.arguments(&list, field("block")) else {
            return self.unsupported(node, format!("arguments of {name}"));
        };
        let (on, method) = with_index(on, method, &args, block.as_ref());
        Expr::Call(Box::new(MethodCall { receiver: Some(on), method, args, block, safe: operator == "&." }))
    }

    /// A call of Ruby's own library that is known, where the template loads it.
    fn library_call(&mut self, receiver: Syntax<'_>, name: &str, value: Syntax<'_>) -> Option<Expr> {
        let (method, loaded) = match (self.source(receiver), name) {
            ("IPAddr", "new") => (Method::ToAddress, "require 'ipaddr'"),
            ("Base64", "strict_encode64") => (Method::Base64, "require 'base64'"),
            _ => return None,
        };
        if !self.program.source.contains(loaded) {
            return None;
        }
        // The receiver was no reason to ask.
        self.reasons.pop();
        let args = [self.node(value)].into();
        Some(Expr::Call(Box::new(MethodCall { receiver: None, method, args, block: None, safe: false })))
    }

    /// `scope.function_x([…])`, `scope.call_function('x', …)`.
    pub(crate) fn puppet_function(
        &mut self,
        node: Syntax<'_>,
        name: &str,
        args: &[Syntax<'_>],
        api: Api,
    ) -> Expr {
        let args = self.nodes(args);
        let Some(method) = methods::of_puppet(name, api) else {
            return self.unsupported(node, format!("the function {name}()"));
        };
        // Both take the arguments as one array; `call_function` takes one value as itself as well.
        let [list] = &*args else { return self.unsupported(node, format!("arguments of {name}()")) };
        if api == Api::Old && !matches!(list, Expr::Array(_)) {
            return self.unsupported(node, format!("arguments of {name}()"));
        }
        let args = Box::new([Expr::String(name.into())]).into_iter().chain(args).collect();
        Expr::Call(Box::new(MethodCall { receiver: None, method, args, block: None, safe: false }))
    }

    /// A call of something without a receiver.
    pub(crate) fn function(
        &mut self,
        node: Syntax<'_>,
        name: &str,
        list: &[Syntax<'_>],
        block: Option<Syntax<'_>>,
    ) -> Expr {
        let own = self.names_of_methods.iter().rev().find(|(known, _)| known == name).map(|(_, n)| *n);
        if let (Some(number), None) = (own, block) {
            if list.iter().any(|arg| matches!(arg.kind(), "pair" | "block_argument" | "hash_splat_argument"))
            {
                return self.unsupported(node, format!("arguments of {name}"));
            }
            return Expr::CallOwn(number, self.nodes(list));
        }
        if name == "require" {
            // These files change nothing that is rendered natively.
            let known = |arg: &Syntax<'_>| {
                literals::plain(self.source(*arg)).is_some_and(|name| REQUIRED.contains(&name))
            };
            return match list {
                [one] if known(one) => Expr::Nil,
                _ => self.unsupported(node, "`require`"),
            };
        }
        let found = Method::by_name(name).filter(|method| method.is_function());
        let lowered = self.arguments(list, block);
        match (found, lowered) {
            (Some(method), Some((args, block))) => {
                Expr::Call(Box::new(MethodCall { receiver: None, method, args, block, safe: false }))
            }
            (None, _) => self.unsupported(node, format!("the method {name}")),
            (_, None) => self.unsupported(node, format!("arguments of {name}")),
        }
    }

    pub(crate) fn arguments(
        &mut self,
        list: &[Syntax<'_>],
        block: Option<Syntax<'_>>,
    ) -> Option<(Box<[Expr]>, Option<Block>)> {
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
            args.push(Expr::Hash(pairs.into()));
        }
        let block = match block {
            Some(block) => Some(Block::Body(self.block(block)?)),
            None => passed,
        };
        Some((args.into(), block))
    }

    pub(crate) fn splat(&mut self, node: Syntax<'_>) -> Expr {
        match parts(node)[..] {
            [value] => Expr::Splat(Box::new(self.node(value))),
            _ => self.unsupported(node, "a splat"),
        }
    }

    pub(crate) fn passed_block(&mut self, node: Syntax<'_>) -> Option<Block> {
        let [value] = parts(node)[..] else { return None };
        let name = self.source(value).strip_prefix(':')?;
        Method::by_name(name).filter(|method| !method.is_function()).map(Block::Method)
    }

    pub(crate) fn block(&mut self, node: Syntax<'_>) -> Option<BlockBody> {
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
        Some(BlockBody { params: targets, spreads, own: (first, self.slots), body })
    }

    pub(crate) fn params(&mut self, list: Syntax<'_>) -> Option<Box<[AssignTarget]>> {
        let mut targets = Vec::new();
        for part in parts(list) {
            targets.push(match part.kind() {
                "identifier" => AssignTarget::Local(self.parameter(part)),
                "destructured_parameter" => AssignTarget::Many(self.params(part)?),
                "splat_parameter" => {
                    let name = part.child_by_field_name("name");
                    AssignTarget::Rest(name.map(|name| self.parameter(name)))
                }
                _ => return None,
            });
        }
        Some(targets.into())
    }

    fn parameter(&mut self, name: Syntax<'_>) -> u32 {
        let slot = self.declare_here(self.source(name));
        self.origins.give(slot, ValueOrigin::Unknown);
        slot
    }

    /// `def`: sees no locals of the template, and has no text, for that is a local, too.
    pub(crate) fn define(&mut self, node: Syntax<'_>) -> Expr {
        let field = |name| node.child_by_field_name(name);
        let (Some(name), Some(body)) = (field("name"), field("body")) else {
            return self.unsupported(node, "`def`");
        };
        let inner = self.source(body);
        if self.in_method || name.kind() != "identifier" || inner.contains(TEXT) || inner.contains(INSERT) {
            return self.unsupported(node, "`def`");
        }
        let first = self.slots;
        let scopes = std::mem::replace(&mut self.scopes, vec![HashMap::new()]);
        let (blocks, loops) = (std::mem::take(&mut self.blocks), std::mem::take(&mut self.loops));
        self.in_method = true;
        let params = field("parameters").map_or(Some(Box::default()), |list| self.params(list));
        let plain = params.filter(|all| all.iter().all(|one| matches!(one, AssignTarget::Local(_))));
        // A method may call itself.
        let number = self.methods.len();
        self.names_of_methods.push((self.source(name).to_owned(), number as u32));
        self.methods.push(BlockBody { params: Box::default(), spreads: false, own: (0, 0), body: Expr::Nil });
        let lowered = self.node(body);
        self.in_method = false;
        self.scopes = scopes;
        (self.blocks, self.loops) = (blocks, loops);
        match plain {
            Some(params) => {
                let own = (first, self.slots);
                self.methods[number] = BlockBody { params, spreads: false, own, body: lowered };
                Expr::Define(number as u32)
            }
            None => {
                self.names_of_methods.pop();
                self.unsupported(node, "`def`")
            }
        }
    }

    pub(crate) fn text(&mut self, node: Syntax<'_>, list: &[Syntax<'_>]) -> Expr {
        let number = list.first().and_then(|number| self.source(*number).parse::<usize>().ok());
        match number.and_then(|number| self.program.texts.get(number)) {
            Some(text) => {
                self.texts += 1;
                Expr::Text(text.as_str().into())
            }
            None => self.unsupported(node, "its syntax"),
        }
    }

    /// `<%= … %>`: the argument must be what stands in the tag and nothing else.
    pub(crate) fn insert(&mut self, node: Syntax<'_>, list: &[Syntax<'_>]) -> Expr {
        let [call] = list else { return self.unsupported(node, "its syntax") };
        let receiver = call.child_by_field_name("receiver");
        let whole = self.source(*call).starts_with('(') && self.source(*call).ends_with(").to_s");
        match receiver {
            Some(inner)
                if whole
                    && inner.kind() == "parenthesized_statements"
                    && inner.end_byte() + ".to_s".len() == call.end_byte() =>
            {
                let value = self.statements(inner);
                Expr::Insert(Box::new(value))
            }
            _ => self.unsupported(node, "its syntax"),
        }
    }
}

/// What Ruby comes with and templates load.
const REQUIRED: &[&str] =
    &["json", "yaml", "erb", "set", "date", "time", "uri", "base64", "shellwords", "digest", "ipaddr"];

/// `x.map.with_index { |a, n| … }` and `x.each_with_index.map { |a, n| … }`, which go by way of an enumerator.
fn with_index(on: Expr, method: Method, args: &[Expr], block: Option<&Block>) -> (Expr, Method) {
    let two = matches!(block, Some(Block::Body(body)) if body.params.len() == 2);
    match on {
        Expr::Call(inner)
            if two && args.is_empty() && inner.block.is_none() && inner.args.is_empty() && !inner.safe =>
        {
            let MethodCall { receiver, method: first, args, block, safe } = *inner;
            match (first, method, receiver) {
                (Method::Map, Method::EachWithIndex | Method::WithIndex, Some(on))
                | (Method::EachWithIndex, Method::Map, Some(on)) => (on, Method::MapWithIndex),
                (Method::Each, Method::WithIndex, Some(on)) => (on, Method::EachWithIndex),
                (first, method, receiver) => {
                    (Expr::Call(Box::new(MethodCall { receiver, method: first, args, block, safe })), method)
                }
            }
        }
        on => (on, method),
    }
}
