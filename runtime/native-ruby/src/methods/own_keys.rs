//! Hashes whose keys are objects of classes that say themselves what they are equal to, by `hash` and `eql?`; and what `hash`
//! gives, which is another number in each process: it is compared and no more.

use super::Method;
use crate::eval::{Arguments, Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::object::Object;
use crate::value::{HashValue, Shared, V, hash_of};
use std::rc::Rc;

const OTHER: ForRuby = ForRuby("a key that is compared in another way");

/// What `hash` of a value gives; none for what is not known.
pub(crate) fn code<'c>(value: &V<'c>) -> OrRuby<Option<V<'c>>> {
    Ok(match value {
        V::Nil | V::Bool(_) | V::Int(_) | V::Symbol(_) | V::Str(_) | V::Made(_) => {
            Some(V::Code(hash_of(value)?))
        }
        _ => None,
    })
}

/// A method of a hash whose argument is an object as a key; none where its class does not say what it is equal to, or for another
/// method.
pub(super) fn call<'c>(
    run: &mut Run<'_, 'c>,
    map: &Rc<Shared<HashValue<'c>>>,
    key: &Rc<Object<'c>>,
    (method, args): (Method, &[V<'c>]),
) -> Done<'c, Option<V<'c>>> {
    let (Some((owner, hash)), Some((equal_owner, equal))) = (key.class.find("hash"), key.class.find("eql?"))
    else {
        return Ok(None);
    };
    let known = matches!(
        (method, args),
        (Method::SetElement, [_, _]) | (Method::Element | Method::HasKey | Method::Include, [_])
    );
    if !known {
        return Ok(None);
    }
    let V::Code(code) =
        run.call_method(V::Object(key.clone()), (Some(owner), &hash), Arguments::from(Vec::new()))?
    else {
        return Err(OTHER.into());
    };
    let mut found = false;
    // The key that is sought is asked; its class is the other's.
    for known in map.try_borrow()?.own_keys(code)? {
        let V::Object(other) = &known else { return Err(OTHER.into()) };
        if !Rc::ptr_eq(&other.class, &key.class) {
            return Err(OTHER.into());
        }
        let given = Arguments::from(vec![known.clone()]);
        found |= Rc::ptr_eq(other, key)
            || run.call_method(V::Object(key.clone()), (Some(equal_owner.clone()), &equal), given)?.truthy();
    }
    Ok(Some(match (method, args) {
        (Method::HasKey | Method::Include, _) => V::Bool(found),
        (Method::SetElement, [_, value @ V::Bool(true)]) => {
            if !found {
                map.try_borrow_mut()?.add_own(code, V::Object(key.clone()), value.clone())?;
            }
            value.clone()
        }
        // Values of their own only sets do without.
        _ => return Err(OTHER.into()),
    }))
}
