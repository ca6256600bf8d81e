//! Resource expressions, defaults, overrides and collectors: the lists of attributes under construction, and what
//! the evaluator checks before the catalog hears of them.

use crate::cause::Cause;
use crate::error::{Blame, Eval, Flow};
use crate::format::interpolate::to_interpolated;
use crate::host::collect::{Collect, CollectorQuery};
use crate::host::declaration::{AttrOp, Attribute, Body, Declaration};
use crate::iterator;
use crate::loaded::{LoadedUnit, broken};
use crate::operand::{CollectorKind, QueryStep, Relation, ResourceOperand};
use crate::pending::OpenBody;
use crate::scope::Scope;
use crate::types::print::print;
use crate::types::ty::Type;
use crate::unit::reader::UnitFault;
use crate::value::{Value, flatten};
use crate::vm::Vm;

impl<'c> Vm<'c> {
    /// `name => value`, `name +> value`
    #[inline(never)]
    pub(super) fn attribute(
        &mut self,
        unit: &'c LoadedUnit<'c>,
        name: u32,
        value: Value<'c>,
        op: AttrOp,
    ) -> Eval<'c, ()> {
        iterator::refuse(self, value)?;
        let name = self.symbols.text(unit.symbol(&self.symbols, name));
        self.add_attribute(name, value, op);
        Ok(())
    }

    /// Adds to the innermost list.
    fn add_attribute(&mut self, name: &'c str, value: Value<'c>, op: AttrOp) {
        let value = Attribute::own_list(self.arena, name, value);
        let spot = self.spot();
        self.pending.attribute(Attribute { name, op, value, at: spot });
    }

    /// `Type { … }`
    #[inline(never)]
    pub(super) fn set_defaults(&mut self, scope: &'c Scope<'c>, ty: Value<'c>) -> Eval<'c, ()> {
        let attributes = self.pending.close(self.arena);
        self.host.set_defaults(self, scope.keep(), ty, attributes).map(drop)
    }

    /// `Type[…] { … }`
    #[inline(never)]
    pub(super) fn override_resources(&mut self, scope: &'c Scope<'c>, resources: Value<'c>) -> Eval<'c, ()> {
        let attributes = self.pending.close(self.arena);
        let site = self.site();
        self.host.override_resources(self, scope.keep(), resources, attributes, site).map(drop)
    }

    /// `left -> right` and its like, `kind` as the instruction has it.
    #[inline(never)]
    pub(super) fn relate(&mut self, kind: u32, left: Value<'c>, right: Value<'c>) -> Eval<'c> {
        let Some(relation) = Relation::from_word(kind) else { return Err(self.broken_operand()) };
        self.host.relate(self, relation, left, right)
    }

    /// `* => hash`
    #[inline(never)]
    pub(super) fn splat_attributes(&mut self, value: Value<'c>) -> Eval<'c, ()> {
        let Value::Hash(hash) = value else {
            let actual = self.type_text(value);
            return Err(Flow::issue("TYPE_MISMATCH", format!("Expected value of type Hash, got {actual}")));
        };
        for (name, value) in hash.entries() {
            iterator::refuse(self, *value)?;
            let name = match name {
                Value::Str(name) => name.as_str(),
                other => self.arena.alloc_str(&to_interpolated(*other)),
            };
            self.add_attribute(name, *value, AttrOp::Set);
        }
        Ok(())
    }

    /// A title is a string that is not empty, `default`, or an array of such.
    #[inline(never)]
    pub(super) fn check_title(&mut self, title: Value<'c>) -> Eval<'c, ()> {
        if title.is_undef() {
            return Err(Flow::issue(
                "MISSING_TITLE",
                "Missing title. The title expression resulted in undef",
            ));
        }
        if matches!(title, Value::Str(text) if !text.is_empty()) {
            return Ok(());
        }
        let mut flat = Vec::new();
        flatten(&[title], &mut flat);
        for (index, title) in flat.iter().enumerate() {
            match title {
                Value::Default => {}
                Value::Str(text) if !text.is_empty() => {}
                Value::Str(_) => {
                    let message = format!(
                        "Empty string title at {index}. Title strings must have a length greater than zero."
                    );
                    return Err(Flow::issue("EMPTY_STRING_TITLE_AT", message));
                }
                Value::Undef => {
                    let message = format!(
                        "Missing title at index {index}. The title expression resulted in an undef title"
                    );
                    return Err(Flow::issue("MISSING_TITLE_AT", message));
                }
                other => {
                    let actual = self.type_text(*other);
                    let message =
                        format!("Illegal title type at index {index}. Expected String, got {actual}");
                    return Err(Flow::issue("ILLEGAL_TITLE_TYPE_AT", message));
                }
            }
        }
        Ok(())
    }

    /// Closes the innermost list as a body.
    #[inline(never)]
    pub(super) fn close_body(&mut self, title: Value<'c>) {
        let attributes = self.pending.close(self.arena);
        let titles = match title {
            Value::Array(_) => {
                let mut flat = Vec::new();
                flatten(&[title], &mut flat);
                self.arena.alloc_slice_copy(&flat)
            }
            one => self.arena.alloc_slice_copy(&[one]),
        };
        self.pending.bodies.push(OpenBody { titles, attributes });
    }

    /// The last `count` bodies as resources of a type: titles that differ, defaults of the `default` body merged.
    #[inline(never)]
    pub(super) fn declare_resources(
        &mut self,
        scope: &'c Scope<'c>,
        ty: Value<'c>,
        operand: usize,
        count: usize,
    ) -> Eval<'c> {
        let at = self.site();
        let Some(operand) = ResourceOperand::from_word(operand as u32) else {
            return Err(self.broken_operand());
        };
        if operand.unnamed {
            return Err(illegal_type(self.type_text(ty)));
        }
        let type_name = self.resource_type_name(ty)?;
        let start = self.pending.bodies.len().saturating_sub(count);
        let open = &self.pending.bodies[start..];
        // One title has nothing to be like.
        let alone = matches!(open, [OpenBody { titles: [_], .. }]);
        let mut seen: hashbrown::HashSet<&'c str> = hashbrown::HashSet::new();
        let mut defaults: Option<&'c [Attribute<'c>]> = None;
        let bodies = self.arena.alloc_slice_fill_copy(open.len(), Body { titles: &[], attributes: &[] });
        for (open, body) in open.iter().zip(&mut *bodies) {
            let titles = self.arena.alloc_slice_fill_copy(open.titles.len(), "");
            let mut named = 0;
            for title in open.titles {
                match title {
                    Value::Str(text) => {
                        if !alone && !seen.insert(text.as_str()) {
                            return Err(duplicate_title(text));
                        }
                        titles[named] = text.as_str();
                        named += 1;
                    }
                    _ if defaults.is_some() => return Err(duplicate_title("default")),
                    _ => defaults = Some(open.attributes),
                }
            }
            if let Some(name) = Attribute::set_twice(open.attributes) {
                // Puppet's own spelling.
                let message = format!("The attribute '{name}' has already been set");
                let flow = Flow::issue("DUPLICATE_ATTRIBUE", message);
                return Err(flow.because(Cause::Duplicate));
            }
            *body = Body { titles: &titles[..named], attributes: open.attributes };
        }
        self.pending.bodies.truncate(start);
        if let Some(defaults) = defaults {
            for body in &mut *bodies {
                body.attributes = self.merge_defaults(defaults, body.attributes);
            }
        }
        let references = !operand.unused;
        let declaration = Declaration { form: operand.form, type_name, bodies, at, references };
        self.host.declare(self, scope, &declaration)
    }

    /// Attributes of a `default` body, each replaced in its place by the body's own, the others behind.
    fn merge_defaults(&self, defaults: &'c [Attribute<'c>], own: &'c [Attribute<'c>]) -> &'c [Attribute<'c>] {
        if std::ptr::eq(defaults, own) {
            return own;
        }
        let find = |name| own.iter().find(|a| a.name == name);
        let kept = defaults.iter().map(|d| *find(d.name).unwrap_or(d));
        let added = own.iter().filter(|a| !defaults.iter().any(|d| d.name == a.name)).copied();
        self.arena.alloc_slice_copy(&kept.chain(added).collect::<Vec<_>>())
    }

    /// Name of the type a resource expression names, in lower case.
    fn resource_type_name(&mut self, ty: Value<'c>) -> Eval<'c, &'c str> {
        match ty {
            Value::Str(name) => Ok(name.as_str()),
            Value::Type(Type::Class(None)) => Ok("class"),
            Value::Type(Type::Resource { type_name: Some(name), title: None, .. }) => {
                Ok(self.arena.alloc_str(&name.to_lowercase()))
            }
            Value::Type(other) => Err(illegal_type(print(other))),
            other => Err(illegal_type(self.type_text(other))),
        }
    }

    /// Registers a collector; the type stands in the first register, the query's values behind it.
    #[inline(never)]
    pub(super) fn collect(
        &mut self,
        unit: &'c LoadedUnit<'c>,
        scope: &'c Scope<'c>,
        at: usize,
        kind: usize,
        list: u32,
    ) -> Eval<'c> {
        let Some(kind) = CollectorKind::from_word(kind as u32) else { return Err(self.broken_operand()) };
        let ty = self.registers[at];
        let attributes = self.pending.close(self.arena);
        let mut stack: Vec<CollectorQuery<'c>> = Vec::new();
        for triple in unit.unit.list(list).unwrap_or_default().chunks_exact(3) {
            let value = || (unit.name(triple[1]), self.registers[at + 1 + triple[2] as usize]);
            let Some(step) = QueryStep::from_word(triple[0]) else { return Err(self.broken_operand()) };
            let query = match step {
                QueryStep::Eq => CollectorQuery::Eq(value().0, value().1),
                QueryStep::NotEq => CollectorQuery::NotEq(value().0, value().1),
                QueryStep::Lone => CollectorQuery::Lone(value().1),
                QueryStep::And | QueryStep::Or => {
                    let (Some(right), Some(left)) = (stack.pop(), stack.pop()) else { break };
                    let (left, right) = (&*self.arena.alloc(left), &*self.arena.alloc(right));
                    match step {
                        QueryStep::And => CollectorQuery::And(left, right),
                        _ => CollectorQuery::Or(left, right),
                    }
                }
            };
            stack.push(query);
        }
        let collect = Collect { ty, kind, query: stack.pop(), attributes, at: self.site() };
        self.host.collect(self, scope, &collect)
    }

    /// The error for an operand that the verifier refuses.
    #[cold]
    fn broken_operand(&self) -> Box<Flow<'c>> {
        let frame = self.frames.last();
        let fault = frame.map_or(UnitFault::Operand(0, 0), |frame| {
            UnitFault::Operand(frame.linked.code.chunk.number, frame.pc)
        });
        broken(frame.and_then(|frame| frame.linked.unit.file), fault)
    }
}

#[cold]
fn duplicate_title<'c>(title: &str) -> Box<Flow<'c>> {
    let message = format!("The title '{title}' has already been used in this resource expression");
    Flow::issue("DUPLICATE_TITLE", message).because(Cause::Duplicate)
}

/// The error for something that resources cannot be declared of.
#[cold]
fn illegal_type<'c>(actual: String) -> Box<Flow<'c>> {
    Flow::issue_at(
        Blame::Left,
        "ILLEGAL_RESOURCE_TYPE",
        format!(
            "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {actual}"
        ),
    )
}
