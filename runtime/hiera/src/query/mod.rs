//! `puppet lookup`: a look-up after a compile, its value or its explanation as text.

pub(crate) mod lines;
pub mod origin;
pub mod render;

use crate::explain::{Explain, Explaining};
use crate::query::origin::{Origin, Place};
use crate::query::render::Form;
use crate::state::Lookups;
use bunraku_vm::error::{Eval, Flow, Stage};
use bunraku_vm::host::Lookup;
use bunraku_vm::types::{self, mismatch};
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;
use serde::Deserialize;

/// What is asked; the fields are the options of `puppet lookup`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Query {
    /// Keys, of which the first that is found counts.
    pub keys: Vec<String>,
    /// Name of the merge strategy.
    pub merge: Option<String>,
    /// `--knock-out-prefix`
    pub knock_out_prefix: Option<String>,
    /// `--sort-merged-arrays`
    pub sort_merged_arrays: bool,
    /// `--merge-hash-arrays`
    pub merge_hash_arrays: bool,
    /// Value where none is found.
    pub default: Option<String>,
    /// Type that the value must have.
    #[serde(rename = "type")]
    pub value_type: Option<String>,
    /// `--explain`
    pub explain: bool,
    /// `--explain-options`
    pub explain_options: bool,
    /// Where each leaf of the value came from, in place of the value; Puppet has no such option.
    pub origin: bool,
    /// `s`, `json`, `yaml`; text for explanations and origins and YAML for values by default.
    pub render_as: Option<String>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What is printed, its last line feed included.
    pub text: String,
    /// Whether a value was found, or an explanation given.
    pub found: bool,
    /// What went wrong, where it is more than that there is no value. Puppet's command tells it in explanations only.
    pub error: Option<String>,
}

/// How the error begins that there is no value.
const NOT_FOUND: &str = "Function lookup() did not find a value for";

/// The key that is asked for where nobody names one.
const NO_KEY: &str = "__global__";

impl Query {
    /// The form of the output.
    ///
    /// # Errors
    /// Puppet's, for options that can't be.
    pub fn form(&self) -> Result<Form, String> {
        const HELP: &str = "Run 'puppet lookup --help' for more details";
        let deep_only = self.sort_merged_arrays || self.merge_hash_arrays || self.knock_out_prefix.is_some();
        if deep_only && self.merge.as_deref() != Some("deep") {
            return Err(format!(
                "The options --knock-out-prefix, --sort-merged-arrays, and --merge-hash-arrays are only available \
                 with '--merge deep'\n{HELP}"
            ));
        }
        if let Some(merge) = &self.merge
            && !matches!(merge.as_str(), "first" | "unique" | "hash" | "deep")
        {
            return Err(format!(
                "The --merge option only accepts 'first', 'hash', 'unique', or 'deep'\n{HELP}"
            ));
        }
        if self.origin && (self.explain || self.explain_options) {
            return Err(
                "The option --origin can not be combined with --explain or --explain-options".to_owned()
            );
        }
        if self.keys.is_empty() && (self.explain || !self.explain_options) {
            return Err("No keys were given to lookup.".to_owned());
        }
        let is_explained = self.explain || self.explain_options || self.origin;
        match self.render_as.as_deref().map(str::to_lowercase).as_deref() {
            None => Ok(if is_explained { Form::Text } else { Form::Yaml }),
            Some(name @ ("binary" | "msgpack" | "pson" | "console" | "flat" | "dot")) => {
                Err(format!("Rendering as '{name}' is not supported"))
            }
            Some(name) => Form::named(name).ok_or_else(|| format!("Unknown rendering format '{name}'")),
        }
    }
}

impl<'c> Lookups<'_, 'c> {
    /// Answers a query as the variables of top scope stand at the end of the compile.
    ///
    /// # Errors
    /// What is no error of look-ups; those are said in an explanation, and are nothing found otherwise.
    pub fn answer_query(&self, vm: &mut Vm<'c>, query: &Query) -> Eval<'c, Answer> {
        let form = query.form().map_err(Flow::raw)?;
        let explaining = (query.explain || query.explain_options || query.origin)
            .then(|| Explaining::begin(self.arena, query.explain_options && !query.explain));
        let explainer = explaining.as_ref().map(Explaining::explainer);
        self.state.explain.set(Explain(explainer));
        let found = self.value_of(vm, query);
        self.state.explain.set(Explain::default());
        let mut error = None;
        let found = match found {
            Ok(found) => Some(found),
            Err(flow) => match &*flow {
                Flow::Fault(fault) if fault.stage == Stage::Formed => {
                    let text = fault.diagnostic.to_string();
                    error = Some(text.clone()).filter(|text| !text.starts_with(NOT_FOUND));
                    Explain(explainer).text(|| text);
                    None
                }
                _ => return Err(flow),
            },
        };
        let text = match (explainer, found) {
            (Some(explainer), Some((key, value))) if query.origin => {
                let origins = match key {
                    Some(key) => self.origins(explainer, key, value),
                    None => vec![Origin { key: query.keys.join(", "), value, places: vec![Place::Default] }],
                };
                match form {
                    Form::Text => origin::to_text(vm, &origins),
                    form => render::render(form, &origin::to_data(&origins)),
                }
            }
            (_, None) if query.origin => return Ok(Answer { error, ..Answer::default() }),
            (Some(explainer), _) if form == Form::Text => {
                let text = explainer.to_text();
                // `puts` ends even nothing with a line feed.
                if text.is_empty() { "\n".to_owned() } else { text }
            }
            (Some(explainer), _) => render::render(form, &explainer.to_data()),
            (None, Some((_, value))) => render::value(form, value).map_err(Flow::raw)?,
            (None, None) => return Ok(Answer { error, ..Answer::default() }),
        };
        Ok(Answer { text, found: true, error: None })
    }

    /// A value and the key that has it; the default is that of none.
    fn value_of<'q>(&self, vm: &mut Vm<'c>, query: &'q Query) -> Eval<'c, (Option<&'q str>, Value<'c>)> {
        let ty = query.value_type.as_deref().map(|text| {
            let text = vm.string(text);
            match text {
                Value::Str(text) => types::parse(vm, &text),
                _ => types::parse(vm, ""),
            }
        });
        let ty = ty.transpose().map_err(|mut flow| {
            if let Flow::Fault(fault) = &mut *flow
                && fault.diagnostic.message.starts_with("Syntax error")
            {
                fault.diagnostic.code = Some("SYNTAX_ERROR");
            }
            flow
        })?;
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
        Err(crate::key::lookup_error(match keys.as_slice() {
            [one] => format!("Function lookup() did not find a value for the name '{one}'"),
            many => {
                let names: Vec<String> = many.iter().map(|name| format!("'{name}'")).collect();
                format!("Function lookup() did not find a value for any of the names [{}]", names.join(", "))
            }
        }))
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
