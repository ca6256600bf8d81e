//! EPP: the output under construction, and calling a template with named parameters.

use crate::error::{Eval, Flow};
use crate::format::interpolate::to_interpolated;
use crate::loaded::reserved;
use crate::output::TemplateOutput;
use crate::scope::{Scope, ScopeKind, ScopeSpec};
use crate::types::mismatch::parameters::{Parameter, describe_parameters};
use crate::unit::ChunkRef;
use crate::value::{Hash, Value};
use crate::vm::Vm;

impl<'c> Vm<'c> {
    #[inline(never)]
    pub(super) fn render_text(&mut self, text: &str) {
        if let Some(output) = self.texts.templates.last_mut() {
            output.text.push_str(text);
        }
    }

    #[inline(never)]
    pub(super) fn render_value(&mut self, value: Value<'c>) {
        let Some(output) = self.texts.templates.last_mut() else { return };
        match value {
            Value::Str(text) => output.text.push_str(&text),
            Value::Sensitive(inner) => {
                output.sensitive = true;
                output.text.push_str(&to_interpolated(*inner));
            }
            other => output.text.push_str(&to_interpolated(other)),
        }
    }

    /// Evaluates an EPP chunk with named parameters in a scope inside `scope`, or inside the top scope and without what has matched: a
    /// string, or a Sensitive one where a Sensitive value was rendered.
    ///
    /// # Errors
    /// Unknown, missing or mistyped parameters; those of evaluating the template.
    pub fn render(
        &mut self,
        template: ChunkRef,
        parameters: Option<Hash<'c>>,
        scope: Option<&'c Scope<'c>>,
    ) -> Eval<'c> {
        let linked = self.link(template)?;
        let module = linked.unit.module;
        let spec = ScopeSpec {
            kind: ScopeKind::Local,
            names: linked.shape,
            parent: Some(scope.unwrap_or(self.top)),
            declared_in: None,
            name: "",
            module,
        };
        let inner = self.new_scope(spec);
        if scope.is_none() {
            inner.as_body();
        }
        // Without declared parameters whatever is given becomes a variable; with them they are enforced.
        let enforced = !linked.params.is_empty() || parameters.is_none();
        let given = parameters.map_or(&[][..], |hash| hash.entries());
        for (name, value) in given {
            let Value::Str(name) = name else { continue };
            let symbol = self.symbols.intern(name);
            if symbol.is_reserved() {
                return Err(Flow::raw(reserved(name)));
            }
            inner.set(symbol, *value);
        }
        if enforced {
            for n in 0..linked.params.len() {
                let param = linked.params[n];
                let slot = &inner.slots[param.slot as usize];
                if slot.get().is_none_or(Value::is_undef) && param.has_default {
                    slot.set(None);
                    let value = self.param_default(template, n, inner, &"lambda")?;
                    slot.set(Some(value));
                }
            }
            self.check_template_parameters(template, inner, given)?;
        }
        self.texts.templates.push(TemplateOutput::default());
        let left = self.enter_body(inner.body());
        let result = self.execute(linked, inner);
        self.leave_body(left);
        let output = self.texts.templates.pop().unwrap_or_default();
        match result {
            Ok(_) => {}
            Err(flow) => match *flow {
                Flow::Next(..) => {}
                _ => return Err(flow),
            },
        }
        let text = self.string(&output.text);
        Ok(if output.sensitive { Value::Sensitive(self.arena.alloc(text)) } else { text })
    }

    fn check_template_parameters(
        &mut self,
        template: ChunkRef,
        scope: &'c Scope<'c>,
        given: &[(Value<'c>, Value<'c>)],
    ) -> Eval<'c, ()> {
        let linked = self.link(template)?;
        let mut values: Vec<(&str, Value<'c>)> = Vec::new();
        for (name, value) in given {
            // What has no value is as if it were not given.
            if let Value::Str(name) = name
                && !value.is_undef()
                && !linked.params.iter().any(|param| param.name == name.as_str())
            {
                values.push((name.as_str(), *value));
            }
        }
        let mut parameters = Vec::new();
        for (n, param) in linked.params.iter().enumerate() {
            let ty = self.param_type(template, n)?;
            parameters.push(Parameter { name: param.name, ty, optional: param.has_default });
            if let Some(value) = scope.slots[param.slot as usize].get() {
                values.push((param.name, value));
            }
        }
        match describe_parameters(self, &"lambda", &parameters, &values)? {
            Some(message) => Err(Flow::raw(message)),
            None => Ok(()),
        }
    }
}
