//! Resources and their attributes.

use super::Checker;
use crate::ast::{AttrOp, Attribute, Expr, ExprKind, ResourceBody, ResourceForm};

/// What attributes belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A resource with a title.
    Body,
    /// Defaults of a type.
    Defaults,
    /// An override.
    Override,
    /// A collector.
    Collector,
}

impl<'a> Checker<'_, '_> {
    pub(super) fn resource(&mut self, expr: &Expr<'a>, form: ResourceForm, type_expr: &Expr<'a>) {
        if form != ResourceForm::Regular && matches!(type_expr.kind, ExprKind::Name("class")) {
            self.report.error("CLASS_NOT_VIRTUALIZABLE", expr.span, "Classes are not virtualizable");
        }
    }

    /// Defaults and overrides cannot be virtual.
    pub(super) fn not_virtual(&mut self, expr: &Expr<'a>, form: ResourceForm) {
        if form != ResourceForm::Regular {
            self.report.error("NOT_VIRTUALIZEABLE", expr.span, "Resource Defaults are not virtualizable");
        }
    }

    /// A body takes the attributes of one hash at most.
    pub(super) fn one_splat(&mut self, body: &ResourceBody<'a>) {
        let splats = body.attributes.iter().filter_map(|attribute| match attribute {
            Attribute::Splat { span, .. } => Some(*span),
            Attribute::Named { .. } => None,
        });
        for span in splats.skip(1) {
            self.report.error(
                "MULTIPLE_ATTRIBUTES_UNFOLD",
                span,
                "Unfolding of attributes from Hash can only be used once per resource body",
            );
        }
    }

    /// Only overrides can append.
    pub(super) fn attribute(&mut self, attribute: &Attribute<'a>, owner: Owner) {
        if let Attribute::Named { span, name, op: AttrOp::Append, .. } = *attribute {
            let owner = match owner {
                Owner::Body => Some("Resource Instance Definition"),
                Owner::Defaults => Some("Resource Defaults Expression"),
                Owner::Override | Owner::Collector => None,
            };
            if let Some(owner) = owner {
                self.report.error(
                    "ILLEGAL_ATTRIBUTE_APPEND",
                    span,
                    format!(
                        "Illegal +> operation on attribute {name}. This operator can not be used in a {owner}"
                    ),
                );
            }
        }
        let (Attribute::Named { value, .. } | Attribute::Splat { value, .. }) = attribute;
        self.rvalue(value);
    }
}
