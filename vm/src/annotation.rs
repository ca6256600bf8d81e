//! Annotations: objects hung onto other objects for the length of a compile, one of each type.

use crate::types::equal::equal;
use crate::types::ty::Type;
use crate::value::Value;

/// An annotation, and what it hangs on.
struct Annotated<'c> {
    of: Value<'c>,
    ty: &'c Type<'c>,
    annotation: Value<'c>,
}

/// Whether two values are one and the same. Values that are equal wherever they come from (numbers, strings) are
/// frozen in Puppet, and carry nothing.
fn is_same_object<'c>(a: Value<'c>, b: Value<'c>) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => std::ptr::eq(a, b),
        (Value::Type(a), Value::Type(b)) => equal(a, b),
        (Value::Array(a), Value::Array(b)) => std::ptr::eq(a.items(), b.items()),
        (Value::Hash(a), Value::Hash(b)) => std::ptr::eq(a.entries(), b.entries()),
        (Value::Sensitive(a), Value::Sensitive(b)) => std::ptr::eq(a, b),
        (Value::Timestamp(a), Value::Timestamp(b)) | (Value::Timespan(a), Value::Timespan(b)) => {
            std::ptr::eq(a, b)
        }
        (Value::Binary(a), Value::Binary(b)) => std::ptr::eq(a, b),
        _ => false,
    }
}

/// The annotations of a compile.
#[derive(Default)]
pub struct Annotations<'c>(Vec<Annotated<'c>>);

impl<'c> Annotations<'c> {
    fn place(&self, value: Value<'c>, ty: &'c Type<'c>) -> Option<usize> {
        self.0.iter().position(|known| is_same_object(known.of, value) && equal(known.ty, ty))
    }

    /// The annotation of a type that a value has.
    pub fn get(&self, value: Value<'c>, ty: &'c Type<'c>) -> Option<Value<'c>> {
        self.place(value, ty).map(|at| self.0[at].annotation)
    }

    /// Takes an annotation away, and yields it.
    pub fn remove(&mut self, value: Value<'c>, ty: &'c Type<'c>) -> Option<Value<'c>> {
        self.place(value, ty).map(|at| self.0.remove(at).annotation)
    }

    /// Hangs an annotation onto a value, in place of one of its type. False for a value that can carry none.
    pub fn set(&mut self, value: Value<'c>, ty: &'c Type<'c>, annotation: Value<'c>) -> bool {
        if !is_same_object(value, value) {
            return false;
        }
        self.remove(value, ty);
        self.0.push(Annotated { of: value, ty, annotation });
        true
    }
}
