//! What types ask of a machine, answered by [`Vm`]: see [`TypeContext`].

use crate::compat::Rule;
use crate::error::Eval;
use crate::matching::matches_option;
use crate::scope::Closure;
use crate::types::context::{Accepted, TypeContext};
use crate::types::named::by_name;
use crate::types::native_signature::signatures;
use crate::types::new::init::accepted;
use crate::types::object::extension::of_instance;
use crate::types::parse::parse;
use crate::types::signature::Signature;
use crate::types::ty::Type;
use crate::value::{Object, Value};
use crate::vm::Vm;
use bumpalo::Bump;

impl<'c> TypeContext<'c> for Vm<'c> {
    #[inline]
    fn arena(&self) -> &'c Bump {
        self.arena
    }

    fn named_type(&mut self, name: &str) -> Eval<'c, &'c Type<'c>> {
        by_name(self, name)
    }

    fn parsed_type(&mut self, text: &str) -> Eval<'c, &'c Type<'c>> {
        parse(self, text)
    }

    fn closure_type(&mut self, closure: &'c Closure<'c>) -> Eval<'c, &'c Type<'c>> {
        self.type_of_closure(closure)
    }

    fn object_type(&mut self, object: &'c Object<'c>) -> &'c Type<'c> {
        of_instance(self, object)
    }

    fn accepted_by_init(&mut self, ty: &'c Type<'c>, args: &[Value<'c>]) -> Eval<'c, Accepted<'c>> {
        accepted(self, ty, args)
    }

    fn matches_option(&mut self, value: Value<'c>, option: Value<'c>) -> Eval<'c, bool> {
        matches_option(self, value, option)
    }

    fn function_signatures(&mut self, name: &str) -> Eval<'c, Option<Vec<Signature<'c>>>> {
        let own = match self.host.manifest_function(name) {
            Some(closure) => Some(closure),
            None => match self.host.native(name, "") {
                Some(native) => return signatures(self, native).map(|(all, _)| Some(all)),
                None => self.host.function(self, name, "")?,
            },
        };
        match own {
            Some(closure) => {
                let mut signature = self.closure_signature(closure)?;
                signature.callable.returns = self.declared_return(closure)?;
                Ok(Some(vec![signature]))
            }
            None => self.host.foreign_signatures(self, name),
        }
    }

    fn holds(&self, rule: Rule) -> bool {
        self.host.holds(rule)
    }

    fn warn_once_for(&mut self, key: &str, message: &str) {
        self.host.warn_once_for(key, message);
    }
}
