//! puppetlabs-stdlib: hashes put together and walked into.

use super::ruby::{class, flatten, inspect, integer, matches, text_to_i, to_s};
use crate::support::block;
use bunraku_vm::budget;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::iterator::asserted;
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;

old_functions! {
    /// Whether a hash has a key.
    "has_key" has_key tells;
    /// A hash of an array of keys and values.
    "hash" hash;
    /// Hashes merged; a later one's entries win.
    "merge" merge;
    /// Hashes merged, the hashes in them likewise.
    "deep_merge" deep_merge;
    /// A value deep in hashes and arrays, or a default.
    "dig44" dig44;
    /// A value deep in hashes and arrays by a path as text.
    "try_get_value" try_get_value (1);
    /// `key` and value put together with a separator.
    "join_keys_to_values" join_keys_to_values;
}

natives! {
    /// Hashes merged, or what a block makes of each element of something iterable.
    function "merge" {
        dispatch merge_hashes(repeated_param "Variant[Hash[Scalar,Any], Undef, String[0,0]]" args)
            -> "Hash[Scalar,Any]";
        dispatch merge_iterable_3(repeated_param "Iterable" args)
            [block_param "Callable[3,3]" block] -> "Hash";
        dispatch merge_iterable_2(repeated_param "Iterable" args)
            [block_param "Callable[2,2]" block] -> "Hash";
    }
}

fn has_key<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [hash, key] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!("has_key(): wrong number of arguments ({count}; must be 2)")));
    };
    let Value::Hash(entries) = hash else {
        return Err(Flow::raw(format!(
            "has_key(): expects the first argument to be a hash, got {} which is of type {}",
            inspect(*hash),
            class(*hash)
        )));
    };
    Ok(Value::Bool(entries.get(*key).is_some()))
}

fn hash<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let items = match call.args.first() {
        None => return Err(Flow::raw("hash(): Wrong number of arguments given (0 for 1)")),
        Some(Value::Array(items)) => flatten(items),
        Some(_) => return Err(Flow::raw("hash(): Requires array to work with")),
    };
    // A single hash is that hash.
    if let [Value::Hash(only)] = items[..] {
        return Ok(Value::Hash(only));
    }
    if items.len() % 2 == 1 {
        return Err(Flow::raw("hash(): Unable to compute hash from array given"));
    }
    let entries: Vec<_> = items.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    Ok(Value::Hash(Hash::from_entries(vm.arena, &entries)))
}

/// The hashes among the arguments of an old merge; empty strings stand for undefined.
fn hashes<'c>(name: &str, call: &Call<'c, '_>) -> Eval<'c, Vec<Hash<'c>>> {
    let count = call.args.len();
    if count < 2 {
        return Err(Flow::raw(format!("{name}(): wrong number of arguments ({count}; must be at least 2)")));
    }
    let mut all = Vec::new();
    for arg in call.args {
        match arg {
            Value::Hash(hash) => all.push(*hash),
            Value::Str(text) if text.is_empty() => {}
            other => {
                let class = class(*other);
                return Err(Flow::raw(format!(
                    "{name}: unexpected argument type {class}, only expects hash arguments"
                )));
            }
        }
    }
    Ok(all)
}

fn merged<'c>(vm: &Vm<'c>, hashes: impl Iterator<Item = Hash<'c>>) -> Value<'c> {
    let mut builder = HashBuilder::new(vm.arena);
    for hash in hashes {
        hash.entries().iter().for_each(|(key, value)| builder.insert(*key, *value));
    }
    Value::Hash(builder.finish())
}

fn merge<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let all = hashes("merge", &call)?;
    Ok(merged(vm, all.into_iter()))
}

fn deep_merge<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut result = Hash::from_unique(vm.arena, &[]);
    for hash in hashes("deep_merge", &call)? {
        result = deeply(vm, result, hash);
    }
    Ok(Value::Hash(result))
}

fn deeply<'c>(vm: &Vm<'c>, old: Hash<'c>, new: Hash<'c>) -> Hash<'c> {
    budget::within(1, || {
        let mut builder = HashBuilder::with(vm.arena, old);
        for (key, value) in new.entries() {
            let value = match (builder.get(*key), value) {
                (Some(Value::Hash(old)), Value::Hash(new)) => Value::Hash(deeply(vm, old, *new)),
                _ => *value,
            };
            builder.insert(*key, value);
        }
        builder.finish()
    })
}

fn merge_hashes<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let hashes = call.args.iter().filter_map(|arg| match arg {
        Value::Hash(hash) => Some(*hash),
        _ => None,
    });
    Ok(merged(vm, hashes))
}

/// The one thing to iterate over.
fn single<'c>(call: &Call<'c, '_>) -> Eval<'c> {
    match call.args {
        [only] => Ok(*only),
        args => Err(Flow::raw(format!("wrong number of arguments (given {}, expected 1)", args.len()))),
    }
}

fn merge_iterable_2<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let (block, iterable) = (block(&call)?, single(&call)?);
    let mut cursor = asserted(vm.arena, "merge", iterable)?;
    let mut result = Hash::from_unique(vm.arena, &[]);
    while let Some(item) = cursor.next(vm.arena) {
        if let Value::Hash(more) = vm.call(block, &[Value::Hash(result), item])? {
            result = result.merged(vm.arena, more.entries());
        }
    }
    Ok(Value::Hash(result))
}

fn merge_iterable_3<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let (block, iterable) = (block(&call)?, single(&call)?);
    let by_entry = matches!(iterable, Value::Hash(_));
    let mut cursor = asserted(vm.arena, "merge", iterable)?;
    let mut result = Hash::from_unique(vm.arena, &[]);
    let mut index = 0;
    while let Some(item) = cursor.next(vm.arena) {
        let so_far = Value::Hash(result);
        let yielded = match item {
            Value::Array(pair) if by_entry && pair.len() == 2 => {
                vm.call(block, &[so_far, pair[0], pair[1]])?
            }
            item => vm.call(block, &[so_far, Value::Int(index), item])?,
        };
        if let Value::Hash(more) = yielded {
            result = result.merged(vm.arena, more.entries());
        }
        index += 1;
    }
    Ok(Value::Hash(result))
}

fn dig44<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let class_name = |value: Value<'c>| class(value);
    let count = call.args.len();
    if count < 2 {
        let message = format!("dig44(): Wrong number of arguments given ({count} for at least 2)");
        return Err(Flow::raw(message));
    }
    let data = call.args[0];
    if !matches!(data, Value::Hash(_) | Value::Array(_)) {
        let given = class_name(data);
        return Err(Flow::raw(format!("dig44(): first argument must be a hash or an array, given {given}")));
    }
    let Value::Array(path) = call.args[1] else {
        let given = class_name(call.args[1]);
        return Err(Flow::raw(format!("dig44(): second argument must be an array, given {given}")));
    };
    let mut value = data;
    for key in path.iter() {
        value = match value {
            Value::Hash(hash) => hash.get(*key).unwrap_or(Value::Undef),
            Value::Array(items) => {
                let index = integer(*key);
                index.map_or(Value::Undef, |index| crate::support::at(&items, index))
            }
            _ => Value::Undef,
        };
        if value.is_undef() {
            break;
        }
    }
    Ok(if value.is_undef() { call.arg(2).unwrap_or(Value::Undef) } else { value })
}

fn try_get_value<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let message = "try_get_value() DEPRECATED: this function is deprecated, please use dig() instead.";
    vm.host.log(bunraku_vm::diagnostic::Severity::Warning, message, None);
    let data = call.args[0];
    let path = call.arg(1).filter(|path| path.truthy()).unwrap_or_else(|| vm.string(""));
    let default = call.arg(2).unwrap_or(Value::Undef);
    if !matches!(data, Value::Hash(_) | Value::Array(_)) || path.as_str() == Some("") {
        return Ok(if default.truthy() { default } else { data });
    }
    let separator = call.arg(3).filter(|s| s.truthy()).unwrap_or_else(|| vm.string("/"));
    let (Value::Str(path), Value::Str(separator)) = (path, separator) else {
        return Err(super::ruby::no_method("split", path));
    };
    let mut keys: Vec<&str> = path.split(separator.as_str()).collect();
    while keys.last().is_some_and(|key| key.is_empty()) {
        keys.pop();
    }
    let keys: Vec<_> = keys
        .into_iter()
        .map(|key| if matches(r"^\d+$", key) { Value::Int(text_to_i(key)) } else { vm.string(key) })
        .collect();
    let keys = vm.array(&keys);
    dig(vm, Call { args: &[data, keys, default], ..call })
}

/// The old `dig`, which the language's own hides from everybody but Ruby.
fn dig<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    const MESSAGE: &str = "dig() DEPRECATED: This function has been replaced in Puppet 4.5.0, please use dig44() for \
                           backwards compatibility or use the new version.";
    vm.host.log(bunraku_vm::diagnostic::Severity::Warning, MESSAGE, None);
    for method in ["loaded?", "load"] {
        let message = format!(
            "The method 'Puppet::Parser::Functions.autoloader#{method}(\"dig44\")' is deprecated in favor of using \
             'Scope#call_function'.\n   (file & line not available)"
        );
        vm.host.warn_of_deprecated(&message);
    }
    dig44(vm, call)
}

fn join_keys_to_values<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [hash, separator] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!(
            "join_keys_to_values(): Takes exactly two arguments, but {count} given."
        )));
    };
    let Value::Hash(hash) = hash else {
        let class = class(*hash);
        return Err(Flow::raw(format!(
            "join_keys_to_values(): The first argument must be a hash, but a {class} was given."
        )));
    };
    let Value::Str(separator) = separator else {
        let class = class(*separator);
        return Err(Flow::raw(format!(
            "join_keys_to_values(): The second argument must be a string, but a {class} was given."
        )));
    };
    let separator = separator.as_str();
    let mut all = Vec::new();
    for (key, value) in hash.entries() {
        let key = to_s(*key);
        match value {
            Value::Array(items) => {
                let items = items.iter().map(|item| vm.string(&format!("{key}{separator}{}", to_s(*item))));
                all.extend(items);
            }
            value if to_s(*value) == "undef" => all.push(vm.string(&key)),
            value => all.push(vm.string(&format!("{key}{separator}{}", to_s(*value)))),
        }
    }
    Ok(vm.array(&all))
}
