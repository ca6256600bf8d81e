//! What a template may change in place: where the arrays and hashes come from whose changing methods it calls. A
//! variable that is none of these need not be copied for it.
//!
//! What is overlooked here is not changed behind anybody's back: a value that was not copied refuses the change, and
//! Ruby renders the template.

use crate::lower::Lower;
use crate::method::Method;
use crate::tree::{Expr, Lends, MethodCall};

/// Where a value comes from.
pub(crate) enum ValueOrigin {
    /// The template has made it.
    Own,
    /// It is the value of a variable of Puppet's.
    Variable(Box<str>),
    Local(u32),
    Unknown,
}

/// Which values locals may have, and which values may be changed.
#[derive(Default)]
pub(crate) struct Origins {
    given: Vec<(u32, ValueOrigin)>,
    changed: Vec<ValueOrigin>,
    /// Which values are assigned to instance variables. Any change may be one of these.
    stored: Vec<ValueOrigin>,
}

impl Origins {
    /// A local may have a value of such an origin.
    pub fn give(&mut self, slot: u32, origin: ValueOrigin) {
        self.given.push((slot, origin));
    }

    /// An instance variable may have a value of such an origin.
    pub fn store(&mut self, origin: ValueOrigin) {
        self.stored.push(origin);
    }

    /// A value of such an origin may be changed.
    pub fn change(&mut self, origin: ValueOrigin) {
        self.changed.push(origin);
    }

    /// The variables that the template gets copies of.
    pub fn lends(self) -> Lends {
        let mut names: Vec<Box<str>> = Vec::new();
        let mut slots = Vec::new();
        let mut pending: Vec<&ValueOrigin> = self.changed.iter().collect();
        if !pending.is_empty() {
            pending.extend(&self.stored);
        }
        while let Some(origin) = pending.pop() {
            match origin {
                ValueOrigin::Own => {}
                ValueOrigin::Variable(name) if names.contains(name) => {}
                ValueOrigin::Variable(name) => names.push(name.clone()),
                ValueOrigin::Local(slot) if slots.contains(slot) => {}
                ValueOrigin::Local(slot) => {
                    slots.push(*slot);
                    pending.extend(self.given.iter().filter(|(to, _)| to == slot).map(|(_, origin)| origin));
                }
                ValueOrigin::Unknown => return Lends::Anything,
            }
        }
        Lends::Variables(names)
    }
}

impl Lower<'_> {
    /// Where the value of an expression comes from.
    pub(crate) fn origin(&self, node: &Expr) -> ValueOrigin {
        match node {
            Expr::Array(_) | Expr::Hash(_) | Expr::Fresh(_) | Expr::String(_) | Expr::Join(_) => {
                ValueOrigin::Own
            }
            Expr::Local(slot) | Expr::SetLocal(slot, _) => ValueOrigin::Local(*slot),
            Expr::Variable(number) => {
                ValueOrigin::Variable(self.variables[*number as usize].name.text.clone())
            }
            Expr::Call(call) => match &**call {
                MethodCall {
                    receiver: Some(Expr::Scope),
                    method: Method::LookUp | Method::Element,
                    args,
                    block: None,
                    ..
                } => match &**args {
                    [Expr::String(name)] => ValueOrigin::Variable(name.clone()),
                    _ => ValueOrigin::Unknown,
                },
                // Arrays give a new array here.
                MethodCall { method: Method::Plus | Method::Dup | Method::Map | Method::Sort, .. } => {
                    ValueOrigin::Own
                }
                _ => ValueOrigin::Unknown,
            },
            _ => ValueOrigin::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower;

    fn lends(text: &str) -> String {
        match lower(text).expect("it is lowered").lends {
            Lends::Variables(names) => names.join(" "),
            Lends::Anything => "anything".to_owned(),
        }
    }

    #[test]
    fn only_what_may_be_changed_is_lent() {
        assert_eq!(lends("<%= @a.map { |x| x + 1 } %>"), "");
        assert_eq!(lends("<% l = []; l << @a; l.push(@b) %>"), "");
        assert_eq!(lends("<% l = []; l += @a; l << 1; h = {}; h['x'] = @b %>"), "");
        assert_eq!(lends("<% @a << 1; @b.size %>"), "a");
        assert_eq!(lends("<% scope['m::o'].delete('x'); scope.lookupvar('p')[:k] = @b %>"), "p m::o");
        assert_eq!(lends("<% @a['x'] ||= 1 %>"), "a");
    }

    #[test]
    fn locals_stand_for_all_they_are_ever_given() {
        assert_eq!(lends("<% l = []; l << 1; l = @a %>"), "a");
        assert_eq!(lends("<% m = @a; l = m; m = l; l.concat([1]) %>"), "a");
        assert_eq!(lends("<% l = @a || []; l << 1 %>"), "anything");
        assert_eq!(lends("<% @a.each { |x| x << 1 } %>"), "anything");
        assert_eq!(lends("<% l, m = @a, @b; m << 1 %>"), "anything");
        assert_eq!(lends("<% def f(x) x << 1 end %>"), "anything");
        assert_eq!(lends("<% @a['x'] << 1 %>"), "anything");
        assert_eq!(lends("<% @a = @b; @a << 1 %>"), "b a");
        assert_eq!(lends("<% @a = @b.first %>"), "");
    }
}
