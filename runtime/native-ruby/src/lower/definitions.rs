//! What defines: methods, modules, classes; blocks and lambdas; and their parameters.

use super::exits::{self, Exit};
use super::origins::ValueOrigin;
use super::{Lower, LoweredFrame, SourceKind, line_of, parts};
use crate::erb::scan::{INSERT, TEXT};
use crate::lower::calls::Given;
use crate::method::Method;
use crate::tree::{AssignTarget, BlockBody, Captures, Expr, Keyword, MethodBody, MethodCall, Params};
use std::collections::{HashMap, HashSet};
use tree_sitter::Node as Syntax;

/// Names of the methods that a program defines, in whatever class.
pub(crate) fn names(root: Syntax<'_>, source: &str) -> HashSet<String> {
    let text = |node: Syntax<'_>| source.get(node.byte_range()).unwrap_or_default();
    let mut names = HashSet::new();
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        match node.kind() {
            "method" | "singleton_method" => {
                names.extend(node.child_by_field_name("name").map(|name| text(name).to_owned()));
            }
            "alias" => names.extend(node.child_by_field_name("name").map(|name| text(name).to_owned())),
            "call" => {
                let method = node.child_by_field_name("method").map(text).unwrap_or_default();
                if method.starts_with("attr_") || method == "alias_method" {
                    for arg in node.child_by_field_name("arguments").map(parts).unwrap_or_default() {
                        names.insert(text(arg).trim_start_matches(':').to_owned());
                    }
                }
            }
            _ => {}
        }
        let mut cursor = node.walk();
        pending.extend(node.children(&mut cursor));
    }
    names
}

/// Parameters of a block: plain ones, or all of them where there are others.
type BlockParams = (Box<[AssignTarget]>, Option<Box<Params>>);

impl Lower<'_> {
    /// Lowers what has locals of its own, apart from those around it.
    fn apart<T>(&mut self, in_method: bool, lower: impl FnOnce(&mut Self) -> T) -> T {
        let frame = LoweredFrame { in_method, ..LoweredFrame::default() };
        let outer = std::mem::replace(&mut self.frame, frame);
        let lowered = lower(self);
        self.slots = self.slots.max(self.frame.slots);
        self.frame = outer;
        lowered
    }

    /// `def`: sees no locals around it. Of a template it has no text, for that is a local, too.
    pub(crate) fn define(&mut self, node: Syntax<'_>) -> Expr {
        // A file of a function of the 3.x interface may have none, reached or not.
        self.defines = true;
        let field = |name| node.child_by_field_name(name);
        let Some(name) = field("name") else { return self.unsupported(node, "`def`") };
        let inner = self.source(node);
        let template = self.kind == SourceKind::Template;
        let plain = matches!(name.kind(), "identifier" | "constant" | "setter" | "operator");
        if !plain || template && (self.frame.in_method || inner.contains(TEXT) || inner.contains(INSERT)) {
            return self.unsupported(node, "`def`");
        }
        let singleton = match field("object") {
            None => false,
            Some(object) if object.kind() == "self" && !template => true,
            // `module A; def A.x`
            Some(object) if self.frame.module.as_deref() == Some(self.source(object)) => true,
            Some(_) => return self.unsupported(node, "`def` of an object"),
        };
        let text = self.source(name).to_owned();
        // A method may call itself.
        self.known.insert(text.clone());
        let (params, body) = self.apart(true, |lower| {
            let params = field("parameters").map_or(Some(Params::default()), |list| lower.full_params(list));
            (params, exits::as_branches(lower.optional(field("body")), Exit::Return))
        });
        let Some(params) = params else { return self.unsupported(node, "parameters of `def`") };
        let named = |part: Syntax<'_>| match part.kind() {
            "identifier" => Some(self.source(part)),
            "optional_parameter" | "splat_parameter" => {
                part.child_by_field_name("name").map(|name| self.source(name))
            }
            _ => None,
        };
        let names = field("parameters").map(parts).unwrap_or_default();
        let names = names.into_iter().filter_map(named).map(Box::from).collect();
        self.methods.push(MethodBody { name: text.into(), params, names, body });
        Expr::Define((self.methods.len() - 1) as u32, singleton)
    }

    /// `module`, `class`
    pub(crate) fn module(&mut self, node: Syntax<'_>) -> Expr {
        let field = |name| node.child_by_field_name(name);
        if self.kind == SourceKind::Template || self.frame.in_method {
            return self.unsupported(node, format!("`{}`", node.kind()));
        }
        let Some(name) = field("name") else { return self.unsupported(node, "a module without a name") };
        let name = self.source(name).to_owned();
        let class = node.kind() == "class";
        let parent = match field("superclass").map(parts).as_deref() {
            None => Expr::Nil,
            Some([parent]) => self.node(*parent),
            Some(_) => return self.unsupported(node, "a class that inherits"),
        };
        let number = self.body_of(name, field("body"));
        Expr::Module(number, class, Box::new(parent))
    }

    /// `class << self`
    pub(crate) fn singleton_class(&mut self, node: Syntax<'_>) -> Expr {
        let of = node.child_by_field_name("value").map(|value| value.kind());
        if self.kind == SourceKind::Template || of != Some("self") {
            return self.unsupported(node, "`class <<`");
        }
        Expr::Singleton(self.body_of(String::new(), node.child_by_field_name("body")))
    }

    /// `alias new old`: what `alias_method :new, :old` is.
    pub(crate) fn alias(&mut self, node: Syntax<'_>) -> Expr {
        let name = |field| {
            let name = node.child_by_field_name(field)?;
            matches!(name.kind(), "identifier" | "constant" | "setter" | "operator")
                .then(|| Expr::Symbol(self.source(name).into()))
        };
        match (name("name"), name("alias"), self.kind) {
            (Some(new), Some(old), SourceKind::File) => Expr::Call(Box::new(MethodCall {
                name: "alias_method".into(),
                args: Box::new([new, old]),
                line: line_of(node),
                ..MethodCall::of(None, Method::Other)
            })),
            _ => self.unsupported(node, "`alias`"),
        }
    }

    fn body_of(&mut self, name: String, body: Option<Syntax<'_>>) -> u32 {
        let body = self.apart(false, |lower| {
            // `module A::B` does not see itself as `B`.
            lower.frame.module = (!name.is_empty() && !name.contains("::")).then(|| name.clone());
            lower.optional(body)
        });
        let (params, names) = (Params::default(), Box::default());
        self.methods.push(MethodBody { name: name.into(), params, names, body });
        (self.methods.len() - 1) as u32
    }

    /// A block, or the body of a lambda.
    pub(crate) fn block(&mut self, node: Syntax<'_>) -> Option<BlockBody> {
        let list = node.child_by_field_name("parameters");
        let block = self.block_with(node, |lower| match list {
            Some(list) => lower.block_params(list),
            None => Some((Box::default(), None)),
        })?;
        // `|a,|` takes the first of an array.
        let comma = list.is_some_and(|list| self.source(list).replace([' ', '|'], "").ends_with(','));
        let spreads = block.params.len() > 1 || comma;
        Some(BlockBody { spreads, ..block })
    }

    /// A block whose parameters `params` lowers and whose code is the body of `node`.
    fn block_with(
        &mut self,
        node: Syntax<'_>,
        params: impl FnOnce(&mut Self) -> Option<BlockParams>,
    ) -> Option<BlockBody> {
        let first = self.frame.slots;
        self.blocks += 1;
        let number = self.blocks;
        self.frame.scopes.push(HashMap::new());
        self.frame.used.push(Vec::new());
        let loops = std::mem::take(&mut self.frame.loops);
        let outer = self.frame.in_old_function;
        self.frame.in_old_function |= self.frame.blocks.is_empty() && self.is_body_of_old_function(node);
        self.frame.blocks.push((first, number));
        let params = params(self);
        let mut body = exits::as_branches(self.optional(node.child_by_field_name("body")), Exit::Next);
        if self.frame.in_old_function && !outer {
            body = exits::as_branches(body, Exit::Return);
        }
        self.frame.blocks.pop();
        self.frame.in_old_function = outer;
        self.frame.loops = loops;
        self.frame.scopes.pop();
        let captures = self.captured(first);
        let (params, full) = params?;
        let own = (first, self.frame.slots);
        Some(BlockBody { params, spreads: false, full, own, number, captures, body })
    }

    /// Whether it is the block of `newfunction`.
    fn is_body_of_old_function(&self, block: Syntax<'_>) -> bool {
        let call = block.parent().filter(|call| call.kind() == "call");
        let method = call.and_then(|call| call.child_by_field_name("method"));
        method.is_some_and(|method| self.source(method) == "newfunction")
    }

    /// Which locals from around it the block that ends here has used. What it has used its block has, too.
    fn captured(&mut self, first: u32) -> Captures {
        let used: Vec<u32> = self.frame.used.pop().unwrap_or_default();
        let around: Vec<u32> = used.into_iter().filter(|slot| *slot < first).collect();
        // The body of a function of the 3.x interface is a block that is entered once in its frame, as a method's body is.
        let bodies = usize::from(self.frame.in_old_function);
        let outermost = self.frame.blocks.get(bodies).map(|(first, _)| *first);
        let captures = match outermost {
            _ if around.is_empty() => Captures::Nothing,
            Some(outermost) if around.iter().any(|slot| *slot >= outermost) => Captures::Block,
            _ => Captures::Method,
        };
        if let Some(outer) = self.frame.used.last_mut() {
            outer.extend(around);
        }
        captures
    }

    /// `->(…) { … }`, and `lambda { |…| … }`, whose block has the parameters. One that uses locals of a block around it is
    /// Ruby's: they would be those of another round when it is called.
    pub(crate) fn lambda(&mut self, node: Syntax<'_>, block: Option<Syntax<'_>>) -> Expr {
        let body = block.or_else(|| node.child_by_field_name("body"));
        let Some(body) = body else { return self.unsupported(node, "`lambda`") };
        let list = block.unwrap_or(node).child_by_field_name("parameters");
        let params = |lower: &mut Self| {
            let full = list.map_or(Some(Params::default()), |list| lower.full_params(list))?;
            Some((Box::default(), Some(Box::new(full))))
        };
        let outer = std::mem::replace(&mut self.frame.in_lambda, true);
        let lowered = self.block_with(body, params);
        self.frame.in_lambda = outer;
        match lowered {
            Some(block) if block.captures != Captures::Block => Expr::Lambda(Box::new(block)),
            Some(_) => self.unsupported(node, "a lambda that uses what is a block's"),
            None => self.unsupported(node, "parameters of a lambda"),
        }
    }

    fn block_params(&mut self, list: Syntax<'_>) -> Option<BlockParams> {
        let simple = |part: &Syntax<'_>| {
            matches!(part.kind(), "identifier" | "destructured_parameter" | "splat_parameter")
        };
        let has_locals = list.child_by_field_name("locals").is_some();
        if !has_locals && parts(list).iter().all(simple) {
            return Some((self.params(list)?, None));
        }
        Some((Box::default(), Some(Box::new(self.full_params(list)?))))
    }

    pub(crate) fn params(&mut self, list: Syntax<'_>) -> Option<Box<[AssignTarget]>> {
        parts(list).into_iter().map(|part| self.param(part)).collect()
    }

    fn param(&mut self, part: Syntax<'_>) -> Option<AssignTarget> {
        Some(match part.kind() {
            "identifier" => AssignTarget::Local(self.parameter(part)),
            "destructured_parameter" => AssignTarget::Many(self.params(part)?),
            "splat_parameter" => {
                let name = part.child_by_field_name("name");
                AssignTarget::Rest(name.map(|name| self.parameter(name)))
            }
            _ => return None,
        })
    }

    /// Parameters of all kinds.
    fn full_params(&mut self, list: Syntax<'_>) -> Option<Params> {
        let mut params = Params::default();
        let (mut required, mut after) = (Vec::new(), Vec::new());
        let (mut optional, mut keywords) = (Vec::new(), Vec::new());
        let mut cursor = list.walk();
        let locals: Vec<_> = list.children_by_field_name("locals", &mut cursor).collect();
        for part in parts(list).into_iter().filter(|part| !locals.contains(part)) {
            let name = part.child_by_field_name("name");
            let behind = params.rest.is_some() || !optional.is_empty();
            match part.kind() {
                "identifier" | "destructured_parameter" if behind => after.push(self.param(part)?),
                "identifier" | "destructured_parameter" => required.push(self.param(part)?),
                "splat_parameter" => params.rest = Some(self.param(part)?),
                "optional_parameter" => {
                    let value = self.node(part.child_by_field_name("value")?);
                    optional.push((AssignTarget::Local(self.parameter(name?)), value));
                }
                "keyword_parameter" => {
                    let default = part.child_by_field_name("value").map(|value| self.node(value));
                    let target = AssignTarget::Local(self.parameter(name?));
                    keywords.push(Keyword { name: self.source(name?).into(), target, default });
                }
                "hash_splat_parameter" => {
                    let slot = name.map(|name| self.parameter(name));
                    params.keyword_rest = Some(AssignTarget::Rest(slot));
                }
                "block_parameter" => params.block = Some(AssignTarget::Local(self.parameter(name?))),
                _ => return None,
            }
        }
        // `|a; b|`: names of its own, which nothing is given to.
        for name in locals {
            self.parameter(name);
        }
        params.required = required.into();
        params.optional = optional.into();
        params.after = after.into();
        params.keywords = keywords.into();
        Some(params)
    }

    fn parameter(&mut self, name: Syntax<'_>) -> u32 {
        let slot = self.declare_here(self.source(name));
        self.origins.give(slot, ValueOrigin::Unknown);
        slot
    }

    pub(crate) fn yields(&mut self, node: Syntax<'_>) -> Expr {
        let list = parts(node).first().map(|list| parts(*list)).unwrap_or_default();
        match self.arguments(&list, None) {
            Some(Given { args, .. }) if self.kind == SourceKind::File => Expr::Yield(args),
            _ => self.unsupported(node, "`yield`"),
        }
    }

    pub(crate) fn super_call(
        &mut self,
        node: Syntax<'_>,
        list: Option<Syntax<'_>>,
        block: Option<Syntax<'_>>,
    ) -> Expr {
        let given = self.arguments(&list.map(parts).unwrap_or_default(), block);
        match given {
            Some(Given { args, keywords: false, block: None }) if self.kind == SourceKind::File => {
                Expr::Super(list.map(|_| args))
            }
            _ => self.unsupported(node, "`super`"),
        }
    }
}
