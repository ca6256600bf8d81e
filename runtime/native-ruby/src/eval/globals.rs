//! Global variables that templates set: Ruby keeps them for as long as its process runs. Here they are kept for the compile, as
//! methods that templates define are, and a worker gets them likewise: by rendering the template again.

use super::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::value::V;
use crate::world::WorkerState;

impl<'c> Run<'_, 'c> {
    /// The value of a global variable; nil where nothing has set it.
    pub(crate) fn global(&self, name: &V<'c>) -> Done<'c> {
        let name = self.name_of_global(name)?;
        let own = self.globals.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        Ok(own.or_else(|| self.engine.globals.borrow().get(name).cloned()).unwrap_or(V::Nil))
    }

    /// Sets one. Others see it when the template has come to its end. What may be changed in place by a template that comes
    /// later, and be a variable's, is Ruby's.
    pub(crate) fn set_global(&mut self, name: &V<'c>, value: &V<'c>) -> Done<'c> {
        let name = self.name_of_global(name)?;
        if !matches!(
            value,
            V::Nil | V::Bool(_) | V::Int(_) | V::Float(_) | V::Symbol(_) | V::Str(_) | V::Made(_)
        ) {
            return Err(ForRuby("a global variable that may be changed in place").into());
        }
        self.globals.retain(|(known, _)| *known != name);
        self.globals.push((name, value.clone()));
        Ok(value.clone())
    }

    /// Its name, where no worker may have set it.
    fn name_of_global(&self, name: &V<'c>) -> Done<'c, &'c str> {
        match (name, self.world.worker()) {
            (V::Str(name), WorkerState::None) => Ok(name),
            _ => Err(ForRuby("a global variable").into()),
        }
    }
}
