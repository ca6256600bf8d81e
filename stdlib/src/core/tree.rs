//! `tree_each`

use crate::support::{block, until_break};
use bunraku_vm::budget;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::iterator::{Iter, IterSource, asserted};
use bunraku_vm::types::object::{AttributeKind, attributes, definition, value_of};
use bunraku_vm::types::{Type, is_assignable, is_instance, parse, print};
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;
use std::collections::VecDeque;

natives! {
    /// Visits a tree of arrays and hashes: each path and value, lazily or for the block.
    function "tree_each" {
        local_types {
            "OptionsType = Struct[{container_type => Optional[Type], include_root => Optional[Boolean], include_containers => Optional[Boolean], include_values => Optional[Boolean], order => Optional[Enum[depth_first, breadth_first]], include_refs => Optional[Boolean]}]",
        }
        dispatch tree_2(param "Variant[Iterator, Array, Hash, Object]" tree, optional_param "OptionsType" options)
            [block_param "Callable[2,2]" block];
        dispatch tree_1(param "Variant[Iterator, Array, Hash, Object]" tree, optional_param "OptionsType" options)
            [block_param "Callable[1,1]" block];
        dispatch tree_iterable(
            param "Variant[Iterator, Array, Hash, Object]" tree, optional_param "OptionsType" options);
    }
}

/// What is visited, and in which order.
struct Options<'c> {
    containers: Option<&'c Type<'c>>,
    root: bool,
    include_containers: bool,
    include_values: bool,
    depth_first: bool,
    /// Whether objects are taken apart into what they only refer to, too.
    references: bool,
}

fn options<'c>(vm: &mut Vm<'c>, given: Option<Hash<'c>>) -> Eval<'c, Options<'c>> {
    let get = |key: &str| given.and_then(|hash| hash.get_str(key)).filter(|value| !value.is_undef());
    let flag = |key: &str| get(key).is_none_or(Value::truthy);
    let containers = match get("container_type") {
        Some(Value::Type(ty)) => {
            let all = parse(vm, "Variant[Array, Hash, Object]")?;
            if !is_assignable(vm.arena, all, ty) {
                return Err(Flow::raw(format!(
                    "Only Array, Hash, and Object types can be used as container types. Got {}",
                    print(ty)
                )));
            }
            Some(ty)
        }
        _ => None,
    };
    let (include_containers, include_values) = (flag("include_containers"), flag("include_values"));
    if !include_containers && !include_values {
        return Err(Flow::raw("Options 'include_containers' and 'include_values' cannot both be false"));
    }
    Ok(Options {
        containers,
        root: include_containers && flag("include_root"),
        include_containers,
        include_values,
        references: get("include_refs").is_some_and(Value::truthy),
        depth_first: get("order").and_then(Value::as_str) != Some("breadth_first"),
    })
}

/// The keyed parts of a container; none for what is no container.
fn parts<'c>(
    vm: &mut Vm<'c>,
    options: &Options<'c>,
    value: Value<'c>,
) -> Option<Vec<(Value<'c>, Value<'c>)>> {
    let parts = match value {
        Value::Array(items) => {
            items.items().iter().enumerate().map(|(n, item)| (Value::Int(n as i64), *item)).collect()
        }
        Value::Hash(hash) => hash.entries().to_vec(),
        Value::Object(object) if definition(object.ty).is_some() => attributes(object.ty)
            .into_iter()
            .filter(|attribute| options.references || attribute.kind != Some(AttributeKind::Reference))
            .map(|attribute| (vm.string(attribute.name), value_of(object, attribute)))
            .collect(),
        Value::Object(object) => object.attributes.entries().to_vec(),
        _ => return None,
    };
    match options.containers {
        Some(ty) if !is_instance(vm, ty, value) => None,
        _ => Some(parts),
    }
}

/// Every path and value, in order.
fn visit<'c>(vm: &mut Vm<'c>, call: &Call<'c, '_>) -> Eval<'c, Vec<(Value<'c>, Value<'c>)>> {
    let given = match call.arg(1) {
        Some(Value::Hash(hash)) => Some(hash),
        _ => None,
    };
    let options = options(vm, given)?;
    let root = match call.args[0] {
        Value::Iterator(_) => {
            let items = asserted(vm.arena, "tree_each", call.args[0])?.collect(vm.arena);
            vm.array(&items)
        }
        root => root,
    };
    let mut found = Vec::new();
    if options.root {
        found.push((vm.array(&[]), root));
    }
    let mut waiting: VecDeque<(Vec<Value<'c>>, Value<'c>)> = VecDeque::from([(Vec::new(), root)]);
    // Depth first keeps a stack of what is still to be said; breadth first says a level when it is met.
    if options.depth_first {
        let mut stack: Vec<(Vec<Value<'c>>, Value<'c>, bool)> = vec![(Vec::new(), root, true)];
        while let Some((path, value, is_root)) = stack.pop() {
            budget::spend(path.len() + 1);
            let inner = parts(vm, &options, value);
            let wanted = if inner.is_some() { options.include_containers } else { options.include_values };
            if !is_root && wanted {
                budget::push(&mut found, (vm.array(&path), value));
            }
            for (key, part) in inner.into_iter().flatten().rev() {
                let mut path = path.clone();
                path.push(key);
                budget::hold(path.len() * size_of::<Value<'c>>());
                budget::push(&mut stack, (path, part, false));
            }
        }
        return Ok(found);
    }
    while let Some((path, value)) = waiting.pop_front() {
        for (key, part) in parts(vm, &options, value).into_iter().flatten() {
            let mut path = path.clone();
            path.push(key);
            budget::spend(path.len() + 1);
            budget::hold(path.len() * size_of::<Value<'c>>());
            let nested = parts(vm, &options, part).is_some();
            if !nested || options.include_containers {
                budget::push(&mut found, (vm.array(&path), part));
            }
            if nested {
                waiting.push_back((path, part));
            }
        }
    }
    Ok(found)
}

fn tree_1<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let block = block(&call)?;
    for (_, value) in visit(vm, &call)? {
        if until_break(vm.call(block, &[value]))?.is_none() {
            break;
        }
    }
    Ok(call.args[0])
}

fn tree_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let block = block(&call)?;
    for (path, value) in visit(vm, &call)? {
        if until_break(vm.call(block, &[path, value]))?.is_none() {
            break;
        }
    }
    Ok(call.args[0])
}

fn tree_iterable<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let items: Vec<_> = visit(vm, &call)?.into_iter().map(|(path, value)| vm.array(&[path, value])).collect();
    let items = vm.arena.alloc_slice_copy(&items);
    let source = IterSource::Items { items, step: 1, reverse: false };
    Ok(Value::Iterator(vm.arena.alloc(Iter { element: &Type::Any, source })))
}
