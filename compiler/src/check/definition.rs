//! Definitions: where they may stand, what they and their parameters may be called.

use super::Checker;
use super::names::is_definition;
use super::walk::Around;
use crate::ast::{Definition, Expr, ExprKind, Param};
use crate::label::{a_an, a_an_uc, label};
use hashbrown::HashSet;

impl<'a> Checker<'_, '_> {
    /// A class or a defined type.
    pub(super) fn class(&mut self, expr: &Expr<'a>, def: &Definition<'a>, around: Around) {
        self.named(expr, def, around);
        self.no_captures_rest(def.params, || a_an(expr));
        self.unique_params(def.params);
        self.no_built_in_params(expr, def.params);
        self.no_idem_last(expr, def.body);
        if matches!(expr.kind, ExprKind::Class { .. }) {
            self.literal_types(def.params);
        }
    }

    pub(super) fn function(
        &mut self,
        expr: &Expr<'a>,
        def: &Definition<'a>,
        return_type: Option<&Expr<'a>>,
        around: Around,
    ) {
        self.named(expr, def, around);
        self.return_type(&a_an(expr), return_type);
        self.unique_params(def.params);
    }

    pub(super) fn template_params(&mut self, params: &[Param<'a>]) {
        self.no_captures_rest(params, || "an Epp Template".to_owned());
        self.unique_params(params);
    }

    fn named(&mut self, expr: &Expr<'a>, def: &Definition<'a>, around: Around) {
        self.top_level(expr, around);
        if !is_definition(def.name) {
            self.unacceptable_name(expr, def.name);
        }
        self.file_namespace(expr, def.name);
        self.not_reserved_type(expr, def.name);
        self.not_future_reserved(expr, def.name);
    }

    /// Definitions stand at top level or in classes; functions and types only in the file itself.
    pub(super) fn top_level(&mut self, expr: &Expr<'a>, around: Around) {
        let absolute = matches!(
            expr.kind,
            ExprKind::Function { .. } | ExprKind::TypeAlias { .. } | ExprKind::TypeDefinition { .. }
        );
        match around {
            Around::Block { .. } if absolute => self.report.error(
                "NOT_ABSOLUTE_TOP_LEVEL",
                expr.span,
                format!("{} may only appear at toplevel", a_an_uc(expr)),
            ),
            Around::Program | Around::Class | Around::ProgramBlock | Around::Block { top: true } => {}
            Around::Block { top: false } | Around::Inner => self.report.error(
                "NOT_TOP_LEVEL",
                expr.span,
                "Classes, definitions, and nodes may only appear at toplevel or inside other classes",
            ),
        }
    }

    pub(super) fn unacceptable_name(&mut self, expr: &Expr<'a>, name: &str) {
        self.report.error(
            "ILLEGAL_DEFINITION_NAME",
            expr.span,
            format!("Unacceptable name. The name '{name}' is unacceptable as the name of {}", a_an(expr)),
        );
    }

    pub(super) fn not_reserved_type(&mut self, expr: &Expr<'a>, name: &str) {
        if is_reserved_type(name) {
            self.report.error(
                "RESERVED_TYPE_NAME",
                expr.span,
                format!(
                    "The name: '{name}' is already defined by Puppet and can not be used as the name of {}.",
                    a_an(expr)
                ),
            );
        }
    }

    /// A name that a later Puppet may need for itself.
    pub(super) fn not_future_reserved(&mut self, expr: &Expr<'a>, name: &str) {
        if name == "plan" {
            self.report.warning(
                "FUTURE_RESERVED_WORD",
                expr.span,
                format!("Use of future reserved word: '{name}'"),
            );
        }
    }

    pub(super) fn return_type(&mut self, container: &str, return_type: Option<&Expr<'a>>) {
        if let Some(return_type) = return_type {
            self.type_reference(container, return_type);
        }
    }

    /// Needs a type, with or without arguments.
    pub(super) fn type_reference(&mut self, container: &str, expr: &Expr<'a>) {
        let name = match expr.kind {
            ExprKind::Access { left, .. } => left,
            _ => expr,
        };
        match name.kind {
            ExprKind::TypeName(name) => self.not_future_reserved(expr, &name.to_lowercase()),
            _ => self.report.error(
                "ILLEGAL_EXPRESSION",
                expr.span,
                format!(
                    "Illegal expression. {} is unacceptable as a type reference in {container}",
                    a_an_uc(expr)
                ),
            ),
        }
    }

    /// Only the last parameter of a lambda takes the rest.
    pub(super) fn captures_rest_last(&mut self, params: &[Param<'a>]) {
        let Some((_, others)) = params.split_last() else { return };
        for param in others.iter().filter(|param| param.captures_rest) {
            self.report.error(
                "CAPTURES_REST_NOT_LAST",
                param.span,
                format!("Parameter ${} is not last, and has 'captures rest'", param.name),
            );
        }
    }

    fn no_captures_rest(&mut self, params: &[Param<'a>], container: impl Fn() -> String) {
        for param in params.iter().filter(|param| param.captures_rest) {
            self.report.error(
                "CAPTURES_REST_NOT_SUPPORTED",
                param.span,
                format!("Parameter ${} has 'captures rest' - not supported in {}", param.name, container()),
            );
        }
    }

    fn unique_params(&mut self, params: &[Param<'a>]) {
        let mut seen = HashSet::with_capacity(if params.len() > SMALL { params.len() } else { 0 });
        for (at, param) in params.iter().enumerate() {
            let new = if params.len() > SMALL {
                seen.insert(param.name)
            } else {
                params[..at].iter().all(|other| other.name != param.name)
            };
            if !new {
                self.report.error(
                    "DUPLICATE_PARAMETER",
                    param.span,
                    format!(
                        "The parameter '{}' is declared more than once in the parameter list",
                        param.name
                    ),
                );
            }
        }
    }

    fn no_built_in_params(&mut self, container: &Expr<'a>, params: &[Param<'a>]) {
        for param in params.iter().filter(|param| matches!(param.name, "name" | "title")) {
            self.report.error(
                "RESERVED_PARAMETER",
                param.span,
                format!(
                    "The parameter ${} redefines a built in parameter in the {}",
                    param.name,
                    label(container)
                ),
            );
        }
    }
}

/// Lists up to this length are searched one by one.
pub(super) const SMALL: usize = 8;

fn is_reserved_type(name: &str) -> bool {
    matches!(
        name,
        "type"
            | "any"
            | "unit"
            | "scalar"
            | "boolean"
            | "numeric"
            | "integer"
            | "float"
            | "collection"
            | "array"
            | "hash"
            | "tuple"
            | "struct"
            | "variant"
            | "optional"
            | "enum"
            | "regexp"
            | "pattern"
            | "runtime"
            | "init"
            | "object"
            | "sensitive"
            | "semver"
            | "semverrange"
            | "string"
            | "timestamp"
            | "timespan"
            | "typeset"
    )
}
