//! `Array` and `Hash` from other values.

use crate::budget;
use crate::cause::Cause;
use crate::error::{Eval, Flow};
use crate::iterator::cursor;
use crate::raised::TYPE_ERROR;
use crate::types::generalize::generalize;
use crate::types::infer::infer;
use crate::types::new::check::{Params, cannot_convert, check};
use crate::types::print::print;
use crate::value::{Array, HashBuilder, Value};
use crate::vm::Vm;

/// `Array.new`
pub(super) fn array<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    match args {
        [value @ Value::Array(_), Value::Bool(true)] => Ok(*value),
        [value, Value::Bool(true)] => Ok(vm.array(&[*value])),
        [value] | [value, Value::Bool(false)] => match value {
            Value::Array(_) => Ok(*value),
            Value::Hash(hash) => {
                let pairs: Vec<_> = hash.entries().iter().map(|(k, v)| vm.array(&[*k, *v])).collect();
                Ok(vm.array(&pairs))
            }
            Value::Binary(bytes) => {
                let items: Vec<_> = bytes.iter().map(|b| Value::Int((*b).into())).collect();
                Ok(vm.array(&items))
            }
            other => match cursor(vm.arena, *other) {
                Some(cursor) => {
                    let items = cursor.collect(vm.arena);
                    Ok(vm.array(&items))
                }
                None => Err(cannot_convert(vm, "new_array", *value, "Array")),
            },
        },
        _ => {
            let first: &Params =
                &[("Variant[Array,Hash,Binary,Iterable]", "from", true), ("Boolean[false]", "wrap", false)];
            let second: &Params = &[("Any", "from", true), ("Boolean[true]", "wrap", true)];
            check(vm, "new_array", &[], &[first, second], args)?;
            Ok(Value::Undef)
        }
    }
}

/// `Hash.new`
pub(super) fn hash<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    const LOCALS: [(&str, &str); 3] = [
        ("KeyValueArray", "Array[Tuple[Any,Any],1]"),
        ("TreeArray", "Array[Tuple[Array,Any],1]"),
        ("NewHashOption", "Enum[tree, hash_tree]"),
    ];
    let signatures: [&Params; 3] = [
        &[("TreeArray", "from", true), ("NewHashOption", "build_option", false)],
        &[("KeyValueArray", "from", true)],
        &[("Any", "from", true)],
    ];
    check(vm, "new_hash", &LOCALS, &signatures, args)?;
    match (args[0], args.get(1)) {
        (Value::Array(items), Some(option)) => match option.as_str() {
            Some("hash_tree") => tree(vm, items, as_hash),
            _ => tree(vm, items, Node::of),
        },
        (value @ Value::Hash(_), _) => Ok(value),
        (Value::Array(items), None) => from_items(vm, items.items()),
        (value, _) => match cursor(vm.arena, value) {
            Some(cursor) => {
                let items = cursor.collect(vm.arena);
                from_items(vm, vm.arena.alloc_slice_copy(&items))
            }
            None => {
                let ty = infer(vm, value);
                let ty = print(generalize(vm.arena, ty));
                Err(Flow::raw(format!("Value of type {ty} cannot be converted to Hash")))
            }
        },
    }
}

fn from_items<'c>(vm: &mut Vm<'c>, items: &[Value<'c>]) -> Eval<'c> {
    let mut hash = HashBuilder::new(vm.arena);
    let is_pair = |item: &Value<'c>| matches!(item, Value::Array(pair) if pair.len() == 2);
    if !items.is_empty() && items.iter().all(is_pair) {
        for item in items {
            if let Value::Array(pair) = item {
                hash.insert(pair[0], pair[1]);
            }
        }
    } else {
        if !items.len().is_multiple_of(2) {
            return Err(Flow::raw("odd number of arguments for Hash"));
        }
        for pair in items.chunks(2) {
            hash.insert(pair[0], pair[1]);
        }
    }
    Ok(Value::Hash(hash.finish()))
}

/// A value under construction: arrays and hashes whose parts can still be set.
enum Node<'c> {
    Leaf(Value<'c>),
    Hash(Vec<(Value<'c>, Node<'c>)>),
    Array(Vec<Node<'c>>),
}

/// What a node takes with its key.
const NODE: usize = size_of::<(Value<'static>, Node<'static>)>();

impl<'c> Node<'c> {
    fn of(value: Value<'c>) -> Node<'c> {
        match value {
            Value::Hash(hash) => budget::within(hash.len(), || {
                budget::hold(hash.len() * NODE);
                Node::Hash(hash.entries().iter().map(|(k, v)| (*k, Node::of(*v))).collect())
            }),
            Value::Array(items) => budget::within(items.len(), || {
                budget::hold(items.len() * NODE);
                Node::Array(items.items().iter().map(|v| Node::of(*v)).collect())
            }),
            value => Node::Leaf(value),
        }
    }

    fn finish(self, vm: &Vm<'c>) -> Value<'c> {
        let finish = || match self {
            Node::Leaf(value) => value,
            Node::Hash(entries) => {
                let mut hash = HashBuilder::new(vm.arena);
                for (key, node) in entries {
                    let value = node.finish(vm);
                    hash.insert(key, value);
                }
                Value::Hash(hash.finish())
            }
            Node::Array(nodes) => {
                let items: Vec<_> = nodes.into_iter().map(|node| node.finish(vm)).collect();
                vm.array(&items)
            }
        };
        budget::within(1, finish)
    }

    /// The part at a key, made as a hash where there is none.
    fn child(&mut self, key: Value<'c>) -> Option<&mut Node<'c>> {
        match self {
            Node::Hash(entries) => {
                let at = entries.iter().position(|(k, _)| k.same(key)).unwrap_or_else(|| {
                    entries.push((key, Node::Hash(Vec::new())));
                    entries.len() - 1
                });
                Some(&mut entries[at].1)
            }
            Node::Array(nodes) => match key {
                Value::Int(n) => nodes.get_mut(usize::try_from(n).ok()?),
                _ => None,
            },
            Node::Leaf(_) => None,
        }
    }

    fn set(&mut self, key: Value<'c>, node: Node<'c>) {
        match self {
            Node::Hash(entries) => match entries.iter().position(|(k, _)| k.same(key)) {
                Some(at) => entries[at].1 = node,
                None => entries.push((key, node)),
            },
            Node::Array(nodes) => {
                if let Value::Int(n) = key
                    && let Ok(n) = usize::try_from(n)
                    && n < 1 << 20
                {
                    while nodes.len() <= n {
                        nodes.push(Node::Leaf(Value::Undef));
                    }
                    nodes[n] = node;
                }
            }
            Node::Leaf(_) => {}
        }
    }
}

/// An array as a hash from its indices, deep.
fn as_hash<'c>(value: Value<'c>) -> Node<'c> {
    match value {
        Value::Array(items) => budget::within(items.len(), || {
            budget::hold(items.len() * NODE);
            Node::Hash(
                items.items().iter().enumerate().map(|(n, v)| (Value::Int(n as i64), as_hash(*v))).collect(),
            )
        }),
        value => Node::of(value),
    }
}

fn tree<'c>(vm: &mut Vm<'c>, entries: Array<'c>, leaf: fn(Value<'c>) -> Node<'c>) -> Eval<'c> {
    let mut root = Node::Hash(Vec::new());
    for entry in entries.items() {
        let Value::Array(entry) = entry else { continue };
        let Value::Array(path) = entry[0] else { continue };
        let value = entry[1];
        let Some((last, parents)) = path.items().split_last() else {
            match value {
                Value::Array(items) => {
                    for (n, item) in items.items().iter().enumerate() {
                        root.set(Value::Int(n as i64), Node::of(*item));
                    }
                }
                Value::Hash(hash) => {
                    for (key, value) in hash.entries() {
                        root.set(*key, Node::of(*value));
                    }
                }
                other => {
                    let class = crate::label::ruby_class(other);
                    return Err(Flow::of_class(
                        TYPE_ERROR,
                        format!("no implicit conversion of {class} into Hash"),
                    ));
                }
            }
            continue;
        };
        let mut node = &mut root;
        for key in parents {
            let Some(child) = node.child(*key) else {
                let message = "undefined method `[]=' for nil:NilClass";
                return Err(Flow::caused(Cause::UndefinedMethod, message));
            };
            node = child;
        }
        let value = leaf(value);
        node.set(*last, value);
    }
    Ok(root.finish(vm))
}
