//! Resource types whose parameters are made by code (in a loop, say): Ruby runs their files, and says what they declare.

use super::talk::subject;
use super::text;
use crate::compile::Compile;
use bunraku_resource_types::{ResourceType, Titles};
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::Path;

impl<'c> Compile<'c> {
    /// Asks Ruby of a type that can't be read, and notes the answer for the environment: where Ruby can't tell either,
    /// the type goes on taking any parameter, and says both reasons.
    pub(crate) fn ask_resource_type(&self, vm: &mut Vm<'c>, ty: &ResourceType) {
        let types = &self.environment.types;
        let Some(file) = types.file(&ty.name) else { return };
        let told = match self.run_resource_type(vm, &ty.name, &file) {
            Ok(told) => told,
            Err(flow) => {
                let why = match &*flow {
                    Flow::Fault(fault) => fault.diagnostic.message.as_str(),
                    _ => "its file leaves where there is nothing to leave",
                };
                let unreadable = ty.unreadable.as_ref().map(|reason| format!("{reason}; {why}"));
                ResourceType { unreadable, ..ty.clone() }
            }
        };
        types.tell(told);
    }

    fn run_resource_type(&self, vm: &mut Vm<'c>, name: &str, file: &Path) -> Eval<'c, ResourceType> {
        self.refuse_irregular(file)?;
        let subject = subject("resource type", name, file);
        let answer = self.ask_ruby(vm, &subject, b'p', |vm, out| {
            let args = [vm.string(&text(file)), vm.string(name)];
            let args = vm.array(&args);
            self.put_value(vm, out, args, 0)
        })?;
        let Value::Array(parts) = answer else { return Err(malformed(&subject)) };
        let [namevars, attributes, Value::Bool(isomorphic), loaded] = parts.items() else {
            return Err(malformed(&subject));
        };
        for loaded in texts(*loaded) {
            self.tree().note(Path::new(&loaded));
        }
        Ok(ResourceType {
            name: name.to_owned(),
            namevars: texts(*namevars),
            isomorphic: *isomorphic,
            attributes: Some(texts(*attributes)),
            titles: Titles::Whole,
            unreadable: None,
            requires: Vec::new(),
        })
    }
}

fn texts(list: Value<'_>) -> Vec<String> {
    let Value::Array(items) = list else { return Vec::new() };
    items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

fn malformed<'c>(subject: &str) -> Box<Flow<'c>> {
    Flow::raw(format!("{subject}: its Ruby worker gave no description"))
}
