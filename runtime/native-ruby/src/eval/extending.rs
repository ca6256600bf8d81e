//! `extend` of a hash that code has made, with a module that may want to be told of it (`extended`).
//!
//! Nothing remembers what a hash has been extended with. So a module is Ruby's that has other methods than `each_pair`, which
//! nothing here or in Ruby calls by itself; and once there is such a hash so are calls of that method, and questions for the
//! module.

use super::params::Arguments;
use super::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::value::V;
use crate::value::object::Module;
use std::rc::Rc;

/// The one method that a module may have.
const NOT_CALLED: &str = "each_pair";

impl<'c> Run<'_, 'c> {
    pub(super) fn extend_hash(&mut self, on: &V<'c>, module: &Rc<Module<'c>>) -> Done<'c> {
        let is_known = module.superclass.is_none()
            && module.included.borrow().is_empty()
            && module.methods.borrow().keys().all(|name| *name == NOT_CALLED)
            && matches!(on, V::Map(_))
            && ["extend_object", "method_added"].iter().all(|name| module.find_singleton(name).is_none());
        if !is_known {
            return Err(ForRuby("`extend` of a value").into());
        }
        module.extends_hashes.set(true);
        self.space.note_extended();
        if let Some((owner, method)) = module.find_singleton("extended") {
            let this = V::Module(module.clone());
            self.call_method(this, (Some(owner), &method), Arguments::from(vec![on.clone()]))?;
        }
        Ok(on.clone())
    }
}
