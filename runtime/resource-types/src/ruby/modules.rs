//! What modules do to a type: when it mixes them in, and when their methods are handed the type.

use super::source::Code;
use super::value::Scope;
use super::{DECLARING, Reader};

impl<'t> Reader<'_, 't> {
    /// `include X`, `extend X`
    pub(super) fn mix_in(&mut self, code: Code<'t>, word: &str) {
        for module in code.field("arguments").map_or(Vec::new(), Code::children) {
            let name = module.text().trim_start_matches("::");
            if word == "extend" {
                if !self.evaluator.program.is_module(name) && !name.starts_with("Puppet::") {
                    self.give_up(code, &format!("module {name} can't be read"));
                }
                self.takes_any_word |= !self.evaluator.program.is_module(name);
                self.extended.push(name.to_owned());
                self.run_hook(name, "extended");
                continue;
            }
            // Methods of resources declare nothing, but what runs on inclusion may.
            match self.run_hook(name, "included") {
                true => {}
                false if self.evaluator.program.is_module(name) || name.starts_with("Puppet::") => {}
                false => {
                    self.takes_any_word = true;
                    self.give_up(code, &format!("module {name} can't be read"));
                }
            }
        }
    }

    /// Follows what a module does when it is mixed in; says whether it has such a method.
    fn run_hook(&mut self, module: &str, name: &str) -> bool {
        let Some((hook, _)) = self.evaluator.program.method(module, name) else { return false };
        if hook.mentions(DECLARING) {
            let mut inner = Scope { module: module.to_owned(), ..Scope::default() };
            self.hook(hook, &mut inner);
        }
        true
    }

    /// `def self.included(klass)`, `def self.extended(klass)`: what is done to `klass` is done to the type.
    fn hook(&mut self, hook: Code<'t>, scope: &mut Scope) {
        let Some(body) = hook.field("body") else { return };
        let parameter = hook.field("parameters").and_then(|list| list.children().into_iter().next());
        for statement in body.children() {
            let block = statement.field("block");
            let method = statement.field("method").map_or("", Code::text);
            let receiver = statement.field("receiver").map(Code::text);
            match block {
                Some(block) if matches!(method, "class_eval" | "instance_eval" | "class_exec") => {
                    self.block(block, scope);
                }
                // `klass.newparam(:x) do … end`
                _ if receiver.is_some() && receiver == parameter.map(Code::text) => {
                    let list = statement.field("arguments");
                    let values = list.map_or(Vec::new(), |list| self.evaluator.arguments(list, scope));
                    self.word(statement, method, values, block, scope);
                }
                _ if statement.mentions(DECLARING) => {
                    self.give_up(statement, "a module declares attributes in a way that is not understood");
                }
                _ => {}
            }
        }
    }

    /// `X.declare(self)`: what the method does to its first parameter is done to the type.
    pub(super) fn handed(&mut self, code: Code<'t>, receiver: Code<'t>, method: &str) {
        let found = self.evaluator.program.method(receiver.text().trim_start_matches("::"), method);
        let Some((method, module)) = found else {
            return self.give_up(code, "what is handed the type can't be read");
        };
        if method.mentions(DECLARING) {
            self.hook(method, &mut Scope { module, ..Scope::default() });
        }
    }
}
