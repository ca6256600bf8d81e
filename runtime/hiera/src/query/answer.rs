//! Answering `puppet lookup`: the look-up after a compile, its value, its explanation or its origins as text.

use super::origin::{self, LinesRead, Origin, OriginPlace};
use super::render::{self, OutputFormat};
use super::{Answer, Query};
use crate::explain::{Explain, Explaining};
use crate::fault::lookup_error;
use crate::state::Lookups;
use bunraku_vm::cause::Cause;
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::host::Lookup;
use bunraku_vm::types::{self, Type, mismatch};
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

/// The key that is asked for where nobody names one.
const NO_KEY: &str = "__global__";

impl<'c> Lookups<'_, 'c> {
    /// Answers a query as the variables of top scope stand at the end of the compile.
    ///
    /// # Errors
    /// What is no error of look-ups; those are said in an explanation, and are nothing found otherwise.
    pub fn answer_query(&self, vm: &mut Vm<'c>, query: &Query) -> Eval<'c, Answer> {
        let format = query.format().map_err(Flow::raw)?;
        let explaining = query.extent().map(|extent| Explaining::begin(self.arena, extent));
        let explain = explaining.as_ref().map(Explaining::explain).unwrap_or_default();
        self.state.explain.set(explain);
        let found = self.value_of(vm, query);
        self.state.explain.set(Explain::default());
        let mut error = None;
        let found = match found {
            Ok(found) => Some(found),
            Err(flow) => match &*flow {
                Flow::Fault(fault) if fault.stage == Stage::Formed => {
                    let text = fault.diagnostic.to_string();
                    // That there is no value is no error of the command.
                    error = (fault.diagnostic.cause != Cause::NotFound).then(|| text.clone());
                    explain.text(|| text);
                    None
                }
                _ => return Err(flow),
            },
        };
        let explainer = explaining.as_ref().map(Explaining::explainer);
        let text = match (explainer, found) {
            (Some(explainer), Some((key, value))) if query.origin => {
                let origins = match key {
                    Some(key) => {
                        self.origins(&explainer.given_for(key), &mut LinesRead::default(), key, value)
                    }
                    None => {
                        vec![Origin { key: query.keys.join(", "), value, places: vec![OriginPlace::Default] }]
                    }
                };
                match format {
                    OutputFormat::Text => origin::to_text(vm, &origins),
                    format => render::render(format, &origin::to_data(&origins)),
                }
            }
            (_, None) if query.origin => return Ok(Answer { error, ..Answer::default() }),
            (Some(explainer), _) if format == OutputFormat::Text => {
                let text = explainer.to_text();
                // `puts` ends even nothing with a line feed.
                if text.is_empty() { "\n".to_owned() } else { text }
            }
            (Some(explainer), _) => render::render(format, &explainer.to_data()),
            (None, Some((_, value))) => render::value(format, value).map_err(Flow::raw)?,
            (None, None) => return Ok(Answer { error, ..Answer::default() }),
        };
        Ok(Answer { text, found: true, error: None })
    }

    /// The type that the value must have, if the query names one.
    fn type_of(&self, vm: &mut Vm<'c>, query: &Query) -> Eval<'c, Option<&'c Type<'c>>> {
        let Some(text) = query.value_type.as_deref() else { return Ok(None) };
        types::parse(vm, self.arena.alloc_str(text)).map(Some).map_err(|mut flow| {
            if let Flow::Fault(fault) = &mut *flow
                && fault.diagnostic.cause == Cause::Syntax
            {
                fault.diagnostic.code = Some("SYNTAX_ERROR");
            }
            flow
        })
    }

    /// A value and the key that has it; the default is that of none.
    fn value_of<'q>(&self, vm: &mut Vm<'c>, query: &'q Query) -> Eval<'c, (Option<&'q str>, Value<'c>)> {
        let ty = self.type_of(vm, query)?;
        let checked = |vm: &mut Vm<'c>, subject: &str, value: Value<'c>| -> Eval<'c> {
            if let Some(ty) = ty {
                mismatch::assert_instance(vm, subject, ty, value)?;
            }
            Ok(value)
        };
        let merge = self.merge_of(vm, query);
        let scope = vm.top;
        let keys: Vec<&'q str> = match query.keys.as_slice() {
            [] => vec![NO_KEY],
            keys => keys.iter().map(String::as_str).collect(),
        };
        for key in &keys {
            if let Some(value) = self.look_up(vm, scope, &Lookup { key, merge, ..Lookup::default() })? {
                return Ok((Some(key), checked(vm, "Found value", value)?));
            }
        }
        if let Some(default) = &query.default {
            let default = vm.string(default);
            return Ok((None, checked(vm, "Default value", default)?));
        }
        let message = match keys.as_slice() {
            [one] => format!("Function lookup() did not find a value for the name '{one}'"),
            many => {
                let names: Vec<String> = many.iter().map(|name| format!("'{name}'")).collect();
                format!("Function lookup() did not find a value for any of the names [{}]", names.join(", "))
            }
        };
        Err(lookup_error(message).because(Cause::NotFound))
    }

    fn merge_of(&self, vm: &mut Vm<'c>, query: &Query) -> Option<Value<'c>> {
        let name = query.merge.as_deref()?;
        let mut merge = HashBuilder::new(self.arena);
        merge.insert_str("strategy", vm.string(name));
        if name == "deep" {
            merge.insert_str("sort_merged_arrays", Value::Bool(query.sort_merged_arrays));
            merge.insert_str("merge_hash_arrays", Value::Bool(query.merge_hash_arrays));
            if let Some(prefix) = &query.knock_out_prefix {
                merge.insert_str("knockout_prefix", vm.string(prefix));
            }
        }
        Some(Value::Hash(merge.finish()))
    }
}
