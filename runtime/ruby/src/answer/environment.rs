//! Answers about what is around the code: settings, facts, modules and their files.

use super::QuestionArguments;
use crate::world::SettingValue;
use crate::{Talk, text};
use bunraku_vm::error::Eval;
use bunraku_vm::host::ModuleFolder;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::Path;

impl<'c> Talk<'_, 'c> {
    pub(super) fn setting(&self, vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Value<'c> {
        match self.world.setting(args.text(0)) {
            Some(SettingValue::Symbol(value)) => vm.array(&[Value::Bool(true), value]),
            Some(SettingValue::Plain(value)) => vm.array(&[Value::Bool(false), value]),
            None => Value::Undef,
        }
    }

    pub(super) fn modules(&self, vm: &mut Vm<'c>) -> Value<'c> {
        let modules = self.world.modules();
        let all: Vec<_> =
            modules.iter().map(|(name, path)| vm.array(&[vm.string(name), vm.string(&text(path))])).collect();
        vm.array(&all)
    }

    pub(super) fn modulepath(&self, vm: &mut Vm<'c>) -> Value<'c> {
        let mut folders: Vec<&Path> = Vec::new();
        for (_, module) in self.world.modules() {
            if let Some(folder) = module.parent().filter(|folder| !folders.contains(folder)) {
                folders.push(folder);
            }
        }
        let folders: Vec<_> = folders.iter().map(|folder| vm.string(&text(folder))).collect();
        vm.array(&folders)
    }

    pub(super) fn manifest(&self, vm: &mut Vm<'c>) -> Value<'c> {
        self.world.manifest().map_or(Value::Undef, |manifest| vm.string(&text(manifest)))
    }
}

pub(super) fn fact<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Value<'c> {
    match vm.find_qualified("::facts") {
        Some(Value::Hash(facts)) => {
            let found = facts.get_str(args.text(0)).or_else(|| vm.withheld_fact(args.text(0)));
            found.unwrap_or(Value::Undef)
        }
        _ => Value::Undef,
    }
}

pub(super) fn facts<'c>(vm: &mut Vm<'c>) -> Value<'c> {
    vm.find_qualified("::facts").unwrap_or(Value::Undef)
}

pub(super) fn stack<'c>(vm: &mut Vm<'c>) -> Value<'c> {
    let sites = vm.call_stack();
    let sites: Vec<_> = sites
        .iter()
        .map(|site| {
            let file = vm.string(site.file.unwrap_or("unknown"));
            vm.array(&[file, Value::Int(site.line.into())])
        })
        .collect();
    vm.array(&sites)
}

pub(super) fn module<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Value<'c> {
    let folder = vm.host.module_directory(args.text(0));
    folder.map_or(Value::Undef, |folder| vm.string(&folder))
}

pub(super) fn file<'c>(vm: &mut Vm<'c>, args: QuestionArguments<'c>) -> Eval<'c> {
    let folder = match args.as_text(0).as_str() {
        "files" => ModuleFolder::Files,
        _ => ModuleFolder::Templates,
    };
    let host = vm.host;
    let file = host.find_file(vm, folder, &args.as_text(1))?;
    Ok(file.map_or(Value::Undef, |file| vm.string(&file)))
}
