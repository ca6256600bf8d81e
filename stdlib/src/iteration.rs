//! Functions that call a lambda for each element: `each`, `map`, `filter`, `reduce` and their kin.
//! Source: the specification's "Iteration functions"; `break` ends an iteration, `next` one turn.

use bunraku_vm::closure::Closure;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::{Call, Dispatch, Native, dispatch, native, optional_param, param, repeated_param};
use bunraku_vm::iterator::{Cursor, Iter, Source, asserted};
use bunraku_vm::types::{self, Type};
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

/// The group.
pub const FUNCTIONS: &[Native] = &[
    native("each", "Calls the lambda for each element; yields what was iterated.", &iterating(each)),
    native("map", "The results of calling the lambda for each element.", &iterating(map)),
    native("filter", "The elements for which the lambda yields true.", &iterating(filter)),
    native("any", "Whether the lambda yields true for any element.", &iterating(any)),
    native("all", "Whether the lambda yields true for every element.", &iterating(all)),
    native(
        "index",
        "Where the first element stands for which the lambda yields true, or that equals a value.",
        &[
            dispatch(HASH, index).block("Callable[2,2]"),
            dispatch(HASH, index).block("Callable[1,1]"),
            dispatch(ITERABLE, index).block("Callable[2,2]"),
            dispatch(ITERABLE, index).block("Callable[1,1]"),
            dispatch(
                &[param("String", "str"), param("Variant[String,Regexp]", "match")],
                crate::collection::string_index,
            ),
            dispatch(&[param("Iterable", "enumerable"), param("Any", "match")], index_value),
        ],
    ),
    native(
        "reduce",
        "Calls the lambda with what it yielded last and each element; yields its last result.",
        &[
            dispatch(&[param("Iterable", "enumerable")], reduce).block("Callable[2,2]"),
            dispatch(&[param("Iterable", "enumerable"), param("Any", "memo")], reduce).block("Callable[2,2]"),
        ],
    ),
    native(
        "slice",
        "The elements in arrays of a given length, or the lambda called with each.",
        &[
            dispatch(&[param("Hash[Any, Any]", "hash"), param("Integer[1, default]", "slice_size")], slice)
                .optional_block("Callable"),
            dispatch(&[param("Iterable", "enumerable"), param("Integer[1, default]", "slice_size")], slice)
                .optional_block("Callable"),
        ],
    ),
    native(
        "group_by",
        "A hash of the elements by what the lambda yields for them.",
        &[
            dispatch(&[param("Collection", "collection")], group_by).block("Callable[1,1]").returns("Hash"),
            dispatch(&[param("Array", "array")], group_by).block("Callable[2,2]").returns("Hash"),
            dispatch(&[param("Collection", "collection")], group_by).block("Callable[2,2]").returns("Hash"),
        ],
    ),
    native(
        "partition",
        "Two arrays: the elements for which the lambda yields true, and the others.",
        &[
            dispatch(&[param("Collection", "collection")], partition)
                .block("Callable[1,1]")
                .returns("Tuple[Array, Array]"),
            dispatch(&[param("Array", "array")], partition)
                .block("Callable[2,2]")
                .returns("Tuple[Array, Array]"),
            dispatch(&[param("Collection", "collection")], partition)
                .block("Callable[2,2]")
                .returns("Tuple[Array, Array]"),
        ],
    ),
    native(
        "with",
        "Calls the lambda with the arguments.",
        &[dispatch(&[repeated_param("Any", "arg")], with).block("Callable")],
    ),
    native(
        "then",
        "Calls the lambda with the argument unless that is undef.",
        &[dispatch(&[param("Any", "arg")], then).block("Callable[1,1]")],
    ),
    native(
        "lest",
        "The argument, or what the lambda yields if that is undef.",
        &[dispatch(&[param("Any", "arg")], lest).block("Callable[0,0]")],
    ),
    native(
        "step",
        "Every n-th element, starting with the first.",
        &[
            dispatch(&[param("Iterable", "iterable"), param("Integer[1]", "step")], step),
            dispatch(&[param("Iterable", "iterable"), param("Integer[1]", "step")], step)
                .block("Callable[1,1]"),
        ],
    ),
    native(
        "reverse_each",
        "The elements from the last to the first.",
        &[
            dispatch(&[param("Iterable", "iterable")], reverse_each),
            dispatch(&[param("Iterable", "iterable")], reverse_each).block("Callable[1,1]"),
        ],
    ),
    Native {
        name: "tree_each",
        doc: "Every value of nested arrays, hashes and objects, with or without the path to it.",
        local_types: &[
            "OptionsType = Struct[{container_type => Optional[Type], include_root => Optional[Boolean], include_containers => Optional[Boolean], include_values => Optional[Boolean], order => Optional[Enum[depth_first, breadth_first]], include_refs => Optional[Boolean]}]",
        ],
        dispatches: &[
            dispatch(TREE, tree_each).block("Callable[2,2]"),
            dispatch(TREE, tree_each).block("Callable[1,1]"),
            dispatch(TREE, tree_each),
        ],
        mismatches: &[],
    },
];

use bunraku_vm::function::{NativeFn, ParamSpec};

const HASH: &[ParamSpec] = &[param("Hash[Any, Any]", "hash")];
const ITERABLE: &[ParamSpec] = &[param("Iterable", "enumerable")];
const TREE: &[ParamSpec] =
    &[param("Variant[Iterator, Array, Hash, Object]", "tree"), optional_param("OptionsType", "options")];

/// The four signatures that iterating functions have in common.
const fn iterating(body: NativeFn) -> [Dispatch; 4] {
    [
        dispatch(HASH, body).block("Callable[2,2]"),
        dispatch(HASH, body).block("Callable[1,1]"),
        dispatch(ITERABLE, body).block("Callable[2,2]"),
        dispatch(ITERABLE, body).block("Callable[1,1]"),
    ]
}

/// An iteration that calls a lambda: with the element, or with its index or key in front.
struct Turns<'c> {
    elements: Cursor<'c>,
    block: &'c Closure<'c>,
    /// Whether the lambda takes two parameters.
    pairs: bool,
    /// Whether elements are entries of key and value.
    entries: bool,
    index: i64,
}

/// One turn: the element, its index or key, and what the lambda yielded.
struct Turn<'c> {
    element: Value<'c>,
    key: Value<'c>,
    result: Value<'c>,
}

impl<'c> Turns<'c> {
    fn new(vm: &mut Vm<'c>, function: &str, call: &Call<'c, '_>) -> Eval<'c, Self> {
        let Some(block) = call.block else { return Err(Flow::raw(format!("'{function}' expects a block"))) };
        let (_, most) = vm.arity(block)?;
        let (least, _) = vm.arity(block)?;
        let pairs = most != Some(1) && !(most.is_none() && least < 2);
        let source = call.args[0];
        let entries =
            matches!(source, Value::Hash(_)) || matches!(source, Value::Iterator(iter) if is_entries(iter));
        Ok(Turns { elements: asserted(vm, function, source)?, block, pairs, entries, index: 0 })
    }

    /// The next turn; none at the end or when the lambda calls `break`.
    fn next(&mut self, vm: &mut Vm<'c>) -> Eval<'c, Option<Turn<'c>>> {
        let Some(element) = self.elements.next(vm) else { return Ok(None) };
        let entry = match element {
            Value::Array(items) if self.entries && items.len() == 2 => Some((items[0], items[1])),
            _ => None,
        };
        let key = entry.map_or(Value::Int(self.index), |(key, _)| key);
        self.index += 1;
        let result = if self.pairs {
            let value = entry.map_or(element, |(_, value)| value);
            vm.call(self.block, &[key, value])
        } else {
            vm.call(self.block, &[element])
        };
        match result {
            Ok(result) => Ok(Some(Turn { element, key, result })),
            Err(flow) => match *flow {
                Flow::Break(_) => Ok(None),
                _ => Err(flow),
            },
        }
    }
}

/// Whether a lazy sequence yields the entries of a hash.
fn is_entries(_iter: &Iter<'_>) -> bool {
    false
}

fn each<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut turns = Turns::new(vm, "each", &call)?;
    while turns.next(vm)?.is_some() {}
    Ok(call.args[0])
}

fn map<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut turns = Turns::new(vm, "map", &call)?;
    let mut results = Vec::new();
    while let Some(turn) = turns.next(vm)? {
        results.push(turn.result);
    }
    Ok(vm.array(&results))
}

fn filter<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut turns = Turns::new(vm, "filter", &call)?;
    if let Value::Hash(hash) = call.args[0] {
        let mut kept = Vec::new();
        let mut entries = hash.entries().iter();
        while let Some(turn) = turns.next(vm)? {
            let entry = entries.next();
            if turn.result.truthy() {
                kept.extend(entry.copied());
            }
        }
        return Ok(Value::Hash(bunraku_vm::value::Hash::from_unique(vm.arena, &kept)));
    }
    let mut kept = Vec::new();
    while let Some(turn) = turns.next(vm)? {
        if turn.result.truthy() {
            kept.push(turn.element);
        }
    }
    Ok(vm.array(&kept))
}

fn any<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut turns = Turns::new(vm, "any", &call)?;
    while let Some(turn) = turns.next(vm)? {
        if turn.result.truthy() {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

fn all<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut turns = Turns::new(vm, "all", &call)?;
    while let Some(turn) = turns.next(vm)? {
        if !turn.result.truthy() {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn index<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut turns = Turns::new(vm, "index", &call)?;
    // With one parameter the lambda gets a hash's values, not its entries.
    let values = turns.entries && !turns.pairs;
    if let (true, Value::Hash(hash)) = (values, call.args[0]) {
        for (key, value) in hash.entries() {
            match vm.call(turns.block, &[*value]) {
                Ok(result) if result.truthy() => return Ok(*key),
                Ok(_) => {}
                Err(flow) if matches!(*flow, Flow::Break(_)) => break,
                Err(flow) => return Err(flow),
            }
        }
        return Ok(Value::Undef);
    }
    while let Some(turn) = turns.next(vm)? {
        if turn.result.truthy() {
            return Ok(turn.key);
        }
    }
    Ok(Value::Undef)
}

fn index_value<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    if let Value::Hash(hash) = call.args[0] {
        let found =
            hash.entries().iter().find(|(_, value)| crate::collection::ruby_equal(*value, call.args[1]));
        return Ok(found.map_or(Value::Undef, |(key, _)| *key));
    }
    let items = asserted(vm, "index", call.args[0])?.collect(vm);
    let found = items.iter().position(|item| crate::collection::ruby_equal(*item, call.args[1]));
    Ok(found.map_or(Value::Undef, |at| Value::Int(at as i64)))
}

fn reduce<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Some(block) = call.block else { return Ok(Value::Undef) };
    let mut elements = asserted(vm, "reduce", call.args[0])?;
    let first = match call.arg(1) {
        Some(memo) => Some(memo),
        None => elements.next(vm),
    };
    let Some(mut memo) = first else { return Ok(Value::Undef) };
    while let Some(element) = elements.next(vm) {
        memo = match vm.call(block, &[memo, element]) {
            Ok(result) => result,
            Err(flow) if matches!(*flow, Flow::Break(_)) => return Ok(memo),
            Err(flow) => return Err(flow),
        };
    }
    Ok(memo)
}

fn slice<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Int(size) = call.args[1] else { return Ok(Value::Undef) };
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let serving = match call.block {
        None => 1,
        Some(block) => match vm.arity(block)? {
            (least, Some(most)) if least == most => most,
            _ => size,
        },
    };
    if serving == 0 {
        return Err(Flow::raw("slice(): block must define at least one parameter. Block has 0."));
    }
    if serving != 1 && serving != size {
        let names = match call.block {
            Some(block) => vm.closure_signature(block)?.names.join(", "),
            None => String::new(),
        };
        return Err(Flow::raw(format!(
            "slice(): block must define one parameter, or the same number of parameters as the given size of the slice ({size}). Block has {serving}; {names}"
        )));
    }
    let items = asserted(vm, "slice", call.args[0])?.collect(vm);
    let filler = if matches!(call.args[0], Value::Hash(_)) { vm.array(&[]) } else { Value::Undef };
    let mut slices = Vec::new();
    for chunk in items.chunks(size) {
        let Some(block) = call.block else {
            slices.push(vm.array(chunk));
            continue;
        };
        let result = if serving == 1 {
            let chunk = vm.array(chunk);
            vm.call(block, &[chunk])
        } else {
            let mut args = chunk.to_vec();
            args.resize(serving, filler);
            vm.call(block, &args)
        };
        match result {
            Ok(_) => {}
            Err(flow) if matches!(*flow, Flow::Break(_)) => break,
            Err(flow) => return Err(flow),
        }
    }
    Ok(if call.block.is_some() { call.args[0] } else { vm.array(&slices) })
}

fn group_by<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut turns = Turns::new(vm, "group_by", &call)?;
    let mut groups: Vec<(Value<'c>, Vec<Value<'c>>)> = Vec::new();
    let mut places = HashBuilder::new(vm.arena);
    while let Some(turn) = turns.next(vm)? {
        match places.get(turn.result) {
            Some(Value::Int(at)) => groups[at as usize].1.push(turn.element),
            _ => {
                places.insert(turn.result, Value::Int(groups.len() as i64));
                groups.push((turn.result, vec![turn.element]));
            }
        }
    }
    let entries: Vec<_> = groups.into_iter().map(|(key, items)| (key, vm.array(&items))).collect();
    Ok(Value::Hash(bunraku_vm::value::Hash::from_unique(vm.arena, &entries)))
}

fn partition<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut turns = Turns::new(vm, "partition", &call)?;
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    while let Some(turn) = turns.next(vm)? {
        if turn.result.truthy() { yes.push(turn.element) } else { no.push(turn.element) }
    }
    let parts = [vm.array(&yes), vm.array(&no)];
    Ok(vm.array(&parts))
}

fn with<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.block {
        Some(block) => vm.call(block, call.args),
        None => Ok(Value::Undef),
    }
}

fn then<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.block {
        Some(block) if !call.args[0].is_undef() => vm.call(block, &call.args[..1]),
        _ => Ok(Value::Undef),
    }
}

fn lest<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.block {
        Some(block) if call.args[0].is_undef() => vm.call(block, &[]),
        _ => Ok(call.args[0]),
    }
}

/// Calls the lambda for each of the items; yields undef.
fn run_each<'c>(vm: &mut Vm<'c>, block: &'c Closure<'c>, items: &[Value<'c>]) -> Eval<'c> {
    for item in items {
        match vm.call(block, &[*item]) {
            Ok(_) => {}
            Err(flow) if matches!(*flow, Flow::Break(_)) => break,
            Err(flow) => return Err(flow),
        }
    }
    Ok(Value::Undef)
}

/// A lazy sequence over items, with the element type of what they come from.
fn sequence<'c>(vm: &mut Vm<'c>, items: &[Value<'c>]) -> Value<'c> {
    let element = types::infer(vm, vm.array(items));
    let element = match element {
        Type::Array { element, .. } => *element,
        Type::Tuple { types: [first, ..], .. } => *first,
        _ => &Type::Any,
    };
    let items = vm.arena.alloc_slice_copy(items);
    Value::Iterator(
        vm.arena.alloc(Iter { element, source: Source::Items { items, step: 1, reverse: false } }),
    )
}

fn step<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Int(step) = call.args[1] else { return Ok(Value::Undef) };
    let items = asserted(vm, "step", call.args[0])?.collect(vm);
    let taken: Vec<_> = items.into_iter().step_by(usize::try_from(step).unwrap_or(usize::MAX)).collect();
    match call.block {
        Some(block) => run_each(vm, block, &taken),
        None => Ok(sequence(vm, &taken)),
    }
}

fn reverse_each<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut items = asserted(vm, "reverse_each", call.args[0])?.collect(vm);
    items.reverse();
    match call.block {
        Some(block) => run_each(vm, block, &items),
        None => Ok(sequence(vm, &items)),
    }
}

/// What `tree_each` is asked for.
struct Tree<'c> {
    container: Option<&'c Type<'c>>,
    root: bool,
    containers: bool,
    values: bool,
    breadth_first: bool,
}

fn tree_each<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let option = |name: &str| match call.arg(1) {
        Some(Value::Hash(options)) => options.get_str(name).unwrap_or(Value::Undef),
        _ => Value::Undef,
    };
    let flag = |name: &str, default: bool| match option(name) {
        Value::Bool(value) => value,
        _ => default,
    };
    let containers = flag("include_containers", true);
    let tree = Tree {
        container: match option("container_type") {
            Value::Type(ty) => Some(ty),
            _ => None,
        },
        root: flag("include_root", containers),
        containers,
        values: flag("include_values", true),
        breadth_first: option("order").as_str() == Some("breadth_first"),
    };
    if !tree.containers && !tree.values {
        return Err(Flow::raw("Options 'include_containers' and 'include_values' cannot both be false"));
    }
    if tree.root && !tree.containers {
        return Err(Flow::raw("Options 'include_root' cannot be true when 'include_containers' is false"));
    }
    let mut pairs = Vec::new();
    walk(vm, &tree, call.args[0], &mut pairs)?;
    match call.block {
        Some(block) => {
            let two = vm.arity(block)?.1 != Some(1);
            for (path, value) in pairs {
                let result = if two { vm.call(block, &[path, value]) } else { vm.call(block, &[value]) };
                match result {
                    Ok(_) => {}
                    Err(flow) if matches!(*flow, Flow::Break(_)) => break,
                    Err(flow) => return Err(flow),
                }
            }
            Ok(call.args[0])
        }
        None => {
            let items: Vec<_> = pairs.into_iter().map(|(path, value)| vm.array(&[path, value])).collect();
            Ok(sequence(vm, &items))
        }
    }
}

/// Paths and values of a tree in the order asked for.
fn walk<'c>(
    vm: &mut Vm<'c>,
    tree: &Tree<'c>,
    root: Value<'c>,
    into: &mut Vec<(Value<'c>, Value<'c>)>,
) -> Eval<'c, ()> {
    let mut open = std::collections::VecDeque::from([(Vec::<Value<'c>>::new(), root, true)]);
    while let Some((path, value, is_root)) =
        if tree.breadth_first { open.pop_front() } else { open.pop_back() }
    {
        let is_container = match tree.container {
            Some(ty) => types::is_instance(vm, ty, value) && children(vm, value)?.is_some(),
            None => matches!(value, Value::Array(_) | Value::Hash(_) | Value::Object(_) | Value::Iterator(_)),
        } || is_root;
        let shown = match (is_container, is_root) {
            (true, true) => tree.root,
            (true, false) => tree.containers,
            (false, _) => tree.values,
        };
        if shown {
            into.push((vm.array(&path), value));
        }
        if !is_container {
            continue;
        }
        let mut inner: Vec<_> = children(vm, value)?
            .unwrap_or_default()
            .into_iter()
            .map(|(key, child)| {
                let mut path = path.clone();
                path.push(key);
                (path, child, false)
            })
            .collect();
        if !tree.breadth_first {
            inner.reverse();
        }
        open.extend(inner);
    }
    Ok(())
}

type Children<'c> = Vec<(Value<'c>, Value<'c>)>;

fn children<'c>(vm: &mut Vm<'c>, value: Value<'c>) -> Eval<'c, Option<Children<'c>>> {
    let indexed = |items: &[Value<'c>]| {
        items.iter().enumerate().map(|(n, item)| (Value::Int(n as i64), *item)).collect::<Children<'c>>()
    };
    Ok(match value {
        Value::Array(items) => Some(indexed(&items)),
        Value::Iterator(iter) => Some(indexed(&bunraku_vm::iterator::collect(vm, iter)?)),
        Value::Hash(hash) => Some(hash.entries().to_vec()),
        Value::Object(object) => Some(object.attributes.entries().to_vec()),
        _ => None,
    })
}
