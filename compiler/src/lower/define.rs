//! Bodies and definitions: classes, defined types, functions, nodes, type aliases, templates, lambdas.

use super::Lowering;
use super::body::BodyLowering;
use super::expr::ResultUse;
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
        self.callable_chunk(number, kind, shapes, Callable { params, body, return_type: None });
    }

    fn callable_chunk(
        &mut self,
        number: u32,
        kind: ChunkKind,
        shapes: Vec<Rc<Shape>>,
        callable: Callable<'_, '_>,
    ) {
        let Callable { params, body, return_type } = callable;
        let params = self.params(params, &shapes);
        let return_chunk = return_type.map(|ty| self.unnoted(|low| low.expression_chunk(ty, vec![])));
        let mut chunk = BodyLowering::new(self, kind, shapes);
        let result = chunk.take();
        let value = match kind {
            ChunkKind::Class | ChunkKind::Define | ChunkKind::Node => ResultUse::Unused,
            _ => ResultUse::Used,
        };
        chunk.last(body, result, value);
        chunk.finish(number, result, params, return_chunk);
    }

    /// An expression as a chunk of its own: a default value, a parameter's type.
    pub(super) fn expression_chunk(&mut self, expr: &Expr<'_>, shapes: Vec<Rc<Shape>>) -> u32 {
        let number = self.unit.reserve_chunk();
        let mut chunk = BodyLowering::new(self, ChunkKind::Expression, shapes);
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
                type_chunk: param.type_expr.map(|ty| self.unnoted(|low| low.expression_chunk(ty, vec![]))),
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
        let Lambda { params, body, return_type, .. } = *lambda;
        self.callable_chunk(number, ChunkKind::Lambda, shapes, Callable { params, body, return_type });
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
                let chunk = self.define(def, ChunkKind::Class, &OWN_NAMES, None);
                let spec = DefSpec { parent, ..self.named(DefKind::Class, def.name, chunk, expr.span) };
                self.unit.definition(&spec);
            }
            ExprKind::Define(def) => {
                let chunk = self.define(def, ChunkKind::Define, &OWN_NAMES, None);
                let spec = self.named(DefKind::Define, def.name, chunk, expr.span);
                self.unit.definition(&spec);
            }
            ExprKind::Function { def, return_type } => {
                let chunk = self.define(def, ChunkKind::Function, &[], *return_type);
                let spec = self.named(DefKind::Function, def.name, chunk, expr.span);
                self.unit.definition(&spec);
            }
            ExprKind::TypeAlias { name, body, .. } => {
                self.unnoted(|low| low.type_definition(name, body, expr.span, &TypeNames::default()));
            }
            ExprKind::Node { matches, body, .. } => {
                let chunk = self.unit.reserve_chunk();
                self.body_chunk(chunk, ChunkKind::Node, vec![shape(&[], &[], body)], body, &[]);
                // A node goes by each of its matches.
                let (matches, match_texts) = hosts(matches);
                let spec = self.named(DefKind::Node, "", chunk, expr.span);
                self.unit.definition(&DefSpec { matches, match_texts, ..spec });
            }
            // Plans need tasks, type mappings the Ruby runtime: the checks have refused both.
            _ => {}
        }
    }

    /// Lowers the body of a definition, whose scope has `own_names` beside what is declared in it; its chunk.
    fn define(
        &mut self,
        def: &Definition<'_>,
        kind: ChunkKind,
        own_names: &[&str],
        return_type: Option<&Expr<'_>>,
    ) -> u32 {
        let chunk = self.unit.reserve_chunk();
        let shapes = vec![shape(own_names, def.params, def.body)];
        let callable = Callable { params: def.params, body: def.body, return_type };
        self.callable_chunk(chunk, kind, shapes, callable);
        chunk
    }

    /// A definition with a name, as units have it; without parent.
    fn named(&mut self, kind: DefKind, name: &str, chunk: u32, span: Span) -> DefSpec {
        let at = self.at(span);
        let name = class_name(name);
        DefSpec { kind, name, chunk, parent: None, matches: Vec::new(), match_texts: Vec::new(), at }
    }
}

/// Something that is called: its parameters, its body, and the type of its result, where that is declared.
struct Callable<'e, 'a> {
    params: &'e [Param<'a>],
    body: &'e Expr<'a>,
    return_type: Option<&'e Expr<'a>>,
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
