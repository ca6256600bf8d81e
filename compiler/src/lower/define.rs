//! Bodies and definitions: classes, defined types, functions, nodes, type aliases, templates, lambdas.

use super::Lowering;
use super::body::Body;
use super::shape::{OWN_NAMES, shape};
use super::typedef::TypeNames;
use crate::ast::{Definition, Expr, ExprKind, HostMatch, Lambda, Param, Span};
use bunraku_vm::unit::DefKind;
use bunraku_vm::unit::HostMatch as Host;
use bunraku_vm::unit::shape::Shape;
use bunraku_vm::unit::writer::{ChunkKind, DefSpec, ParamSpec};
use std::rc::Rc;

impl Lowering<'_> {
    /// Lowers a body to chunk `number`. `shapes` are the scopes around it, its own last.
    pub(super) fn body_chunk(
        &mut self,
        number: u32,
        kind: ChunkKind,
        shapes: Vec<Rc<Shape>>,
        body: &Expr<'_>,
        params: &[Param<'_>],
    ) {
        self.callable_chunk(number, kind, shapes, body, params, None);
    }

    fn callable_chunk(
        &mut self,
        number: u32,
        kind: ChunkKind,
        shapes: Vec<Rc<Shape>>,
        body: &Expr<'_>,
        params: &[Param<'_>],
        return_type: Option<&Expr<'_>>,
    ) {
        let params = self.params(params, &shapes);
        let return_chunk = return_type.map(|ty| self.expression_chunk(ty, vec![]));
        let mut chunk = Body::new(self, kind, shapes);
        let result = chunk.take();
        let unasked = matches!(kind, ChunkKind::Class | ChunkKind::Define | ChunkKind::Node);
        chunk.last(body, result, unasked);
        chunk.finish(number, result, params, return_chunk);
    }

    /// An expression as a chunk of its own: a default value, a parameter's type.
    pub(super) fn expression_chunk(&mut self, expr: &Expr<'_>, shapes: Vec<Rc<Shape>>) -> u32 {
        let number = self.unit.reserve_chunk();
        let mut chunk = Body::new(self, ChunkKind::Expression, shapes);
        let result = chunk.take();
        chunk.expr(expr, result);
        chunk.finish(number, result, vec![], None);
        number
    }

    fn params(&mut self, params: &[Param<'_>], shapes: &[Rc<Shape>]) -> Vec<ParamSpec> {
        let mut specs = Vec::with_capacity(params.len());
        for param in params {
            let slot = shapes.last().and_then(|own| own.slot(param.name)).unwrap_or_default();
            specs.push(ParamSpec {
                name: param.name.to_owned(),
                slot,
                captures_rest: param.captures_rest,
                // A type sees no variable of the body, only top scope.
                type_chunk: param.type_expr.map(|ty| self.expression_chunk(ty, vec![])),
                default_chunk: param.default.map(|value| self.expression_chunk(value, shapes.to_vec())),
                at: self.at(param.span),
            });
        }
        specs
    }

    /// Lowers a lambda written in a body with these scopes; its chunk.
    pub(super) fn lambda(&mut self, lambda: &Lambda<'_>, around: &[Rc<Shape>]) -> u32 {
        let number = self.unit.reserve_chunk();
        let mut shapes = around.to_vec();
        shapes.push(shape(&[], lambda.params, lambda.body));
        self.callable_chunk(
            number,
            ChunkKind::Lambda,
            shapes,
            lambda.body,
            lambda.params,
            lambda.return_type,
        );
        number
    }

    /// Lowers a template to chunk `number`.
    pub(super) fn template(&mut self, number: u32, params: &[Param<'_>], body: &Expr<'_>) {
        let shapes = vec![shape(&[], params, body)];
        self.body_chunk(number, ChunkKind::Template, shapes, body, params);
    }

    /// Lowers one definition of the file.
    pub(super) fn definition(&mut self, expr: &Expr<'_>) {
        match &expr.kind {
            ExprKind::Class { def, parent } => {
                let parent = parent.map(|(name, _)| class_name(name));
                self.define(def, DefKind::Class, ChunkKind::Class, &OWN_NAMES, expr.span, parent, None);
            }
            ExprKind::Define(def) => {
                self.define(def, DefKind::Define, ChunkKind::Define, &OWN_NAMES, expr.span, None, None);
            }
            ExprKind::Function { def, return_type } => {
                self.define(def, DefKind::Function, ChunkKind::Function, &[], expr.span, None, *return_type);
            }
            ExprKind::TypeAlias { name, body, .. } => {
                self.type_definition(name, body, expr.span, &TypeNames::default());
            }
            ExprKind::Node { matches, body, .. } => {
                let chunk = self.unit.reserve_chunk();
                self.body_chunk(chunk, ChunkKind::Node, vec![shape(&[], &[], body)], body, &[]);
                // A node goes by each of its matches.
                self.add_definition(DefKind::Node, String::new(), chunk, expr.span, None, matches.to_vec());
            }
            // Plans need tasks, type mappings the Ruby runtime: the checks have refused both.
            _ => {}
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn define(
        &mut self,
        def: &Definition<'_>,
        kind: DefKind,
        chunk_kind: ChunkKind,
        own_names: &[&str],
        span: Span,
        parent: Option<String>,
        return_type: Option<&Expr<'_>>,
    ) {
        let chunk = self.unit.reserve_chunk();
        let shapes = vec![shape(own_names, def.params, def.body)];
        self.callable_chunk(chunk, chunk_kind, shapes, def.body, def.params, return_type);
        self.add_definition(kind, class_name(def.name), chunk, span, parent, vec![]);
    }

    pub(super) fn add_definition(
        &mut self,
        kind: DefKind,
        name: String,
        chunk: u32,
        span: Span,
        parent: Option<String>,
        matches: Vec<HostMatch<'_>>,
    ) {
        let at = self.at(span);
        let (matches, match_texts) = hosts(&matches);
        self.unit.definition(&DefSpec { kind, name, chunk, parent, matches, match_texts, at });
    }
}

fn hosts(matches: &[HostMatch<'_>]) -> (Vec<Host<'static>>, Vec<String>) {
    let mut kinds = Vec::new();
    let mut texts = Vec::new();
    for host in matches {
        match host {
            HostMatch::Name(name, _) => {
                kinds.push(Host::Name(""));
                texts.push(name.to_lowercase());
            }
            HostMatch::Regex(source, _) => {
                kinds.push(Host::Regex(""));
                texts.push((*source).to_owned());
            }
            HostMatch::Default(_) | HostMatch::Other(_) => kinds.push(Host::Default),
        }
    }
    (kinds, texts)
}

/// A class's name as Puppet keys it: lower case, without leading `::`.
fn class_name(name: &str) -> String {
    name.strip_prefix("::").unwrap_or(name).to_lowercase()
}
