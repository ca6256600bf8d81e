//! Finds and compiles templates.

use crate::compile::Compile;
use crate::load::is_of_ruby;
use bunraku_environment::snapshot::Named;
use bunraku_environment::units::{INLINED, unnamed_template};
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::error::{Eval, Fault, Flow, Stage};
use bunraku_vm::host::{Erb, ModuleFolder, TemplatePort};
use bunraku_vm::raised::PARSE_ERROR;
use bunraku_vm::scope::Scope;
use bunraku_vm::unit::ChunkRef;
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};

impl<'c> Compile<'c> {
    /// Checks the constant texts of a template: one that a module's checker does not take is as one that can't be
    /// parsed.
    fn check_template(&self, vm: &mut Vm<'c>, function: &str, words: &[u32], file: &str) -> Eval<'c, ()> {
        self.check_noted(vm, words, Some(file)).map_err(|flow| match *flow {
            Flow::Fault(Fault { diagnostic, stage: Stage::Formed, .. }) => {
                self.invalid_epp(function, &[diagnostic])
            }
            _ => flow,
        })
    }

    fn invalid_epp(&self, function: &str, faults: &[Diagnostic]) -> Box<Flow<'c>> {
        let error = self.error_of(faults);
        // This is said of Puppet's only.
        if is_of_ruby(&error) {
            return Flow::raw(error.message);
        }
        Flow::raw(format!("{function}(): Invalid EPP: {error}"))
    }
}

impl<'c> TemplatePort<'c> for Compile<'c> {
    fn template(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, ChunkRef> {
        if let Some(known) = self.files.epp_by_name.borrow().get(name) {
            return Ok(*known);
        }
        let file = |name: &str| self.module_file(ModuleFolder::Templates, name);
        let there = |file: &PathBuf| self.tree().is_file(file);
        // A file of any name may be named by its whole path; in modules the extension is added where it is missing.
        let whole = || Some(PathBuf::from(name)).filter(|path| path.is_absolute() && there(path));
        let extended = || if name.ends_with(".epp") { file(name) } else { file(&format!("{name}.epp")) };
        let search = || whole().or_else(|| extended().filter(there));
        let Some(file) = self.environment.named_files.find(self.tree(), (Named::Epp, name), search) else {
            let name = if name.ends_with(".epp") { name.to_owned() } else { format!("{name}.epp") };
            return Err(Flow::of_class(PARSE_ERROR, format!("Could not find template '{name}'")));
        };
        let known = self.files.epp.borrow().get(&*file).copied();
        if let Some(chunk) = known {
            return Ok(chunk);
        }
        let path = Path::new(&*file);
        let compile = || self.units().file(self.tree(), path, self.options.settings.strict, None);
        self.witness_file(path, None);
        let is_named_so = path.extension().is_some_and(|extension| extension == "epp");
        let unit = match self.environment.modules.kept_file(path).filter(|_| is_named_so) {
            Some(kept) => {
                let outcome = kept.unit(self.tree(), self.options.settings.strict as usize, compile).as_ref();
                self.note_standing(path);
                let (words, passed) = outcome.map_err(|faults| self.invalid_epp("epp", faults))?.parts();
                self.check_template(vm, "epp", words, &kept.path)?;
                let learned = Some(&kept.learned[self.options.settings.strict as usize]);
                vm.load(words, passed, learned, Some(&kept.path), &kept.module)?
            }
            None => {
                let outcome = if is_named_so {
                    compile()
                } else {
                    unnamed_template(self.tree(), path, self.check_options())
                };
                self.note_standing(path);
                let compiled = outcome.map_err(|faults| self.invalid_epp("epp", &faults))?;
                let (words, passed) = self.options.kept.keep(&compiled);
                self.check_template(vm, "epp", words, &file)?;
                vm.load(words, passed, None, Some(self.text(&file)), self.module_of(path))?
            }
        };
        let chunk = ChunkRef { unit, chunk: 0 };
        self.files.epp.borrow_mut().insert(self.text(&file), chunk);
        if !name.starts_with('/') {
            self.files.epp_by_name.borrow_mut().insert(self.text(name), chunk);
        }
        Ok(chunk)
    }

    fn inline_template(&self, vm: &mut Vm<'c>, text: &str) -> Eval<'c, ChunkRef> {
        // One text is often rendered many times. What its names mean depends on the module it is rendered for.
        let module = vm.module();
        let known = self.files.epp_texts.borrow().get(text).copied();
        if let Some((_, chunk)) = known.filter(|(known, _)| *known == module) {
            return Ok(chunk);
        }
        let compiled = self.units().text(self.tree(), text, self.options.settings.strict);
        let compiled = compiled.map_err(|faults| self.invalid_epp("inline_epp", &faults))?;
        let (words, passed) = self.options.kept.keep(&compiled);
        self.check_template(vm, "inline_epp", words, INLINED)?;
        let unit = vm.load(words, passed, None, Some(INLINED), module)?;
        let chunk = ChunkRef { unit, chunk: 0 };
        self.files.epp_texts.borrow_mut().insert(self.text(text), (module, chunk));
        Ok(chunk)
    }

    fn erb(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, template: Erb<'_>) -> Eval<'c> {
        self.render_erb(vm, scope, template)
    }
}
