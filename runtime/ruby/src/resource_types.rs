//! Resource types whose parameters are made by code (in a loop, say): Ruby runs their files, and says what they declare.

use super::protocol::Request;
use super::talk::RequestArgument;
use super::{Talk, subject, text};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};

/// A place in the files of a resource type that may raise when it is run.
pub struct Place {
    /// What it does, in the worker's words.
    pub kind: &'static str,
    /// The file.
    pub file: PathBuf,
    /// What is required there.
    pub text: String,
    /// Where in the file.
    pub line: u32,
}

/// What Ruby says of a resource type.
pub struct ResourceTypeTold {
    /// Attributes that identify a resource.
    pub namevars: Vec<String>,
    /// Every parameter and property.
    pub attributes: Vec<String>,
    /// Whether two resources may not share their name variables' values.
    pub isomorphic: bool,
    /// How titles are taken apart, if the type says: expressions, and the attributes that their groups stand for.
    pub patterns: Option<Vec<(String, Vec<String>)>>,
    /// Files that were loaded: what is told holds as long as they stay as they are.
    pub loaded: Vec<PathBuf>,
}

impl<'c> Talk<'_, 'c> {
    /// What the file of a resource type declares, as Ruby that runs it says; none where it makes no such type.
    ///
    /// # Errors
    /// Those of the file.
    pub fn resource_type(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        file: &Path,
    ) -> Eval<'c, Option<ResourceTypeTold>> {
        self.world.refuse_irregular(file)?;
        let subject = subject("resource type", name, file);
        let arguments = [vm.string(&text(file)), vm.string(name)].map(RequestArgument::Value);
        let parts = match self.request(vm, &subject, Request::LoadResourceType, &arguments)? {
            Value::Undef => return Ok(None),
            Value::Array(parts) => parts,
            _ => return Err(malformed(&subject)),
        };
        let [namevars, attributes, Value::Bool(isomorphic), patterns, loaded] = parts.items() else {
            return Err(malformed(&subject));
        };
        Ok(Some(ResourceTypeTold {
            namevars: texts(*namevars),
            attributes: texts(*attributes),
            isomorphic: *isomorphic,
            patterns: patterns_of(*patterns),
            loaded: texts(*loaded).into_iter().map(PathBuf::from).collect(),
        }))
    }

    /// The number of the first of some places that raises, and the message of what it raises.
    ///
    /// # Errors
    /// Where Ruby can't be asked.
    pub fn raised_in_loading(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        places: &[Place],
    ) -> Eval<'c, Option<(usize, String)>> {
        let Some(first) = places.first() else { return Ok(None) };
        for place in places {
            self.world.refuse_irregular(&place.file)?;
        }
        let subject = subject("resource type", name, &first.file);
        let told = places.iter().map(|place| {
            let parts = [vm.string(place.kind), vm.string(&text(&place.file)), vm.string(&place.text)];
            vm.array(&[&parts[..], &[Value::Int(place.line.into())]].concat())
        });
        let told: Vec<Value<'c>> = told.collect();
        let arguments = [RequestArgument::Value(vm.array(&told))];
        match self.request(vm, &subject, Request::CheckLoading, &arguments)? {
            Value::Undef => Ok(None),
            Value::Array(parts) => match parts.items() {
                [Value::Int(number), Value::Str(message)] => {
                    let number = usize::try_from(*number).ok().filter(|number| *number < places.len());
                    let number = number.ok_or_else(|| malformed(&subject))?;
                    Ok(Some((number, message.as_str().to_owned())))
                }
                _ => Err(malformed(&subject)),
            },
            _ => Err(malformed(&subject)),
        }
    }
}

fn texts(list: Value<'_>) -> Vec<String> {
    let Value::Array(items) = list else { return Vec::new() };
    items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

fn patterns_of(list: Value<'_>) -> Option<Vec<(String, Vec<String>)>> {
    let Value::Array(patterns) = list else { return None };
    let pattern = |pattern: &Value<'_>| match pattern {
        Value::Array(parts) => {
            Some((parts.items().first()?.as_str()?.to_owned(), texts(*parts.items().get(1)?)))
        }
        _ => None,
    };
    Some(patterns.iter().filter_map(pattern).collect())
}

fn malformed<'c>(subject: &str) -> Box<Flow<'c>> {
    Flow::raw(format!("{subject}: its Ruby worker gave no description"))
}
