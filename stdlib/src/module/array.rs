//! puppetlabs-stdlib: arrays put together, searched and taken apart.

use super::old::call_old;
use super::ruby::{array, class, equal, flatten, inspect, matches, no_method, to_i, to_s, user_match};
use bunraku_vm::budget;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::regex;
use bunraku_vm::value::{HashBuilder, Value};
use bunraku_vm::vm::Vm;

old_functions! {
    /// Arrays and single values put behind an array.
    "concat" concat;
    /// How many elements equal a value, or are something at all.
    "count" count (1);
    /// An array, hash or string without certain elements, keys or parts.
    "delete" delete;
    /// An array without the element at an index.
    "delete_at" delete_at;
    /// The same by regular expressions.
    "delete_regex" delete_regex;
    /// An array or hash without undefined values.
    "delete_undef_values" delete_undef_values;
    /// A hash without the entries of a value.
    "delete_values" delete_values;
    /// The elements of one array that another does not have.
    "difference" difference;
    /// The elements that two arrays share.
    "intersection" intersection;
    /// All elements of arrays, each once.
    "union" union;
    /// Whether an array has an element, or all of several.
    "member" member tells;
    /// Text put in front of elements or keys.
    "prefix" prefix;
    /// Text put behind elements or keys.
    "suffix" suffix;
    /// The elements that a regular expression matches.
    "grep" grep;
    /// The elements that it does not match.
    "reject" reject;
    /// An array or text from back to front.
    "reverse" reverse;
    /// The elements at indices and ranges of them.
    "values_at" values_at;
    /// Two arrays as pairs.
    "zip" zip;
}

fn concat<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    if count < 2 {
        return Err(Flow::raw(format!("concat(): Wrong number of arguments given ({count} for < 2)")));
    }
    let Value::Array(first) = call.args[0] else {
        return Err(Flow::raw("concat(): Requires array to work with"));
    };
    let mut items = first.to_vec();
    for arg in &call.args[1..] {
        match arg {
            Value::Array(more) => items.extend(more.items()),
            other => items.push(*other),
        }
    }
    Ok(vm.array(&items))
}

fn count<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    if call.args.len() > 2 {
        let count = call.args.len();
        return Err(Flow::raw(format!("count(): Wrong number of arguments given {count} for 1 or 2.")));
    }
    let item = call.arg(1).filter(|item| item.truthy());
    let items = match (call.args[0], item) {
        (Value::Array(items), _) => items.to_vec(),
        (Value::Hash(_), _) => array(vm.arena, call.args[0]),
        (Value::Str(text), Some(Value::Str(set))) => {
            let set = super::text::CharSet::parse(&set).map_err(Flow::raw)?;
            return Ok(Value::Int(text.chars().filter(|c| set.has(*c)).count() as i64));
        }
        (Value::Str(_), Some(other)) => return Err(super::ruby::no_conversion(other, "String")),
        (Value::Str(_), None) => {
            return Err(Flow::raw("wrong number of arguments (given 0, expected 1+)"));
        }
        (other, _) => return Err(no_method("count", other)),
    };
    let counted = items.iter().filter(|element| match item {
        Some(item) => equal(**element, item),
        None => !element.is_undef() && element.as_str() != Some(""),
    });
    Ok(Value::Int(counted.count() as i64))
}

fn delete<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [collection, items] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!("delete(): Wrong number of arguments given {count} for 2")));
    };
    let items = array(vm.arena, *items);
    match collection {
        Value::Array(all) => {
            let kept: Vec<_> =
                all.iter().filter(|element| !items.iter().any(|i| equal(*i, **element))).copied().collect();
            Ok(vm.array(&kept))
        }
        Value::Hash(hash) => {
            let kept: Vec<_> = hash
                .entries()
                .iter()
                .filter(|(key, _)| !items.iter().any(|i| i.same(*key)))
                .copied()
                .collect();
            Ok(Value::Hash(bunraku_vm::value::Hash::from_unique(vm.arena, &kept)))
        }
        Value::Str(text) => {
            let mut text = text.as_str().to_owned();
            for item in items {
                match item {
                    Value::Str(part) => text = text.replace(part.as_str(), ""),
                    other => {
                        let class = class(other);
                        return Err(Flow::raw(format!("wrong argument type {class} (expected Regexp)")));
                    }
                }
            }
            Ok(vm.string(&text))
        }
        other if items.is_empty() => Ok(*other),
        other => Err(Flow::raw(format!(
            "delete(): First argument must be an Array, String, or Hash. Given an argument of class {}.",
            class(*other)
        ))),
    }
}

fn delete_at<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    if count < 2 {
        return Err(Flow::raw(format!("delete_at(): Wrong number of arguments given ({count} for 2)")));
    }
    let Value::Array(items) = call.args[0] else {
        return Err(Flow::raw("delete_at(): Requires array to work with"));
    };
    if call.args[1].as_str().is_some_and(|text| !matches(r"^\d+$", text)) {
        return Err(Flow::raw("delete_at(): You must provide non-negative numeric index"));
    }
    let index = to_i(call.args[1])?;
    if index > items.len() as i64 - 1 {
        return Err(Flow::raw("delete_at(): Given index exceeds size of array given"));
    }
    let mut items = items.to_vec();
    // From the end where negative; beyond the start there is nothing to delete.
    let index = if index < 0 { index + items.len() as i64 } else { index };
    if let Ok(index) = usize::try_from(index) {
        items.remove(index);
    }
    Ok(vm.array(&items))
}

fn delete_regex<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [collection, patterns] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!("delete_regex(): Wrong number of arguments given {count} for 2")));
    };
    let patterns: Vec<String> =
        array(vm.arena, *patterns).iter().map(|item| format!(r"\b{}\b", to_s(*item))).collect();
    let is_hit = |value: &Value<'c>| -> Eval<'c, bool> {
        let Value::Str(text) = value else { return Ok(false) };
        for pattern in &patterns {
            if user_match(pattern, text)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    match collection {
        Value::Array(items) => {
            let mut kept = Vec::new();
            for item in items.iter() {
                if !is_hit(item)? {
                    kept.push(*item);
                }
            }
            Ok(vm.array(&kept))
        }
        Value::Hash(hash) => {
            let mut kept = Vec::new();
            for entry in hash.entries() {
                if !is_hit(&entry.0)? {
                    kept.push(*entry);
                }
            }
            Ok(Value::Hash(bunraku_vm::value::Hash::from_unique(vm.arena, &kept)))
        }
        other if patterns.is_empty() => Ok(*other),
        Value::Str(_) => Err(no_method("reject!", *collection)),
        other => Err(Flow::raw(format!(
            "delete_regex(): First argument must be an Array, Hash, or String. Given an argument of class {}.",
            class(*other)
        ))),
    }
}

fn delete_undef_values<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.args.first() {
        None => Err(Flow::raw("delete_undef_values(): Wrong number of arguments given (0)")),
        Some(Value::Array(items)) => {
            let kept: Vec<_> = items.iter().filter(|item| !item.is_undef()).copied().collect();
            Ok(vm.array(&kept))
        }
        Some(Value::Hash(hash)) => {
            let kept: Vec<_> =
                hash.entries().iter().filter(|(_, value)| !value.is_undef()).copied().collect();
            Ok(Value::Hash(bunraku_vm::value::Hash::from_unique(vm.arena, &kept)))
        }
        Some(other) => Err(Flow::raw(format!(
            "delete_undef_values(): expected an array or hash, got {} type  {} ",
            to_s(*other),
            class(*other)
        ))),
    }
}

fn delete_values<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let [hash, item] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!("delete_values(): Wrong number of arguments given ({count} of 2)")));
    };
    let Value::Hash(entries) = hash else {
        return Err(Flow::raw(format!(
            "delete_values(): First argument must be a Hash. Given an argument of class {}.",
            class(*hash)
        )));
    };
    let kept: Vec<_> = entries.entries().iter().filter(|(_, value)| !equal(*item, *value)).copied().collect();
    Ok(Value::Hash(bunraku_vm::value::Hash::from_unique(vm.arena, &kept)))
}

fn has<'c>(items: &[Value<'c>], wanted: Value<'c>) -> bool {
    budget::spend(items.len());
    items.iter().any(|item| item.same(wanted))
}

/// Elements, each once.
fn once<'c>(items: impl Iterator<Item = Value<'c>>) -> Vec<Value<'c>> {
    let mut kept = Vec::new();
    for item in items {
        if !has(&kept, item) {
            kept.push(item);
        }
    }
    kept
}

fn difference<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    match call.args {
        [Value::Array(first), Value::Array(second)] => {
            let kept: Vec<_> = first.iter().filter(|item| !has(second, **item)).copied().collect();
            Ok(vm.array(&kept))
        }
        [_, _] => Err(Flow::raw("difference(): Requires 2 arrays")),
        _ => Err(Flow::raw(format!("difference(): Wrong number of arguments given ({count} for 2)"))),
    }
}

fn intersection<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    match call.args {
        [Value::Array(first), Value::Array(second)] => {
            let kept = once(first.iter().filter(|item| has(second, **item)).copied());
            Ok(vm.array(&kept))
        }
        [a, b] => {
            let (a, b) = (class(*a), class(*b));
            Err(Flow::raw(format!("intersection(): Requires 2 arrays, got {a} and {b}")))
        }
        _ => Err(Flow::raw(format!("intersection(): Wrong number of arguments given ({count} for 2)"))),
    }
}

fn union<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    if count < 2 {
        return Err(Flow::raw(format!("union(): Wrong number of arguments given ({count} for < 2)")));
    }
    let mut all = Vec::new();
    for arg in call.args {
        let Value::Array(items) = arg else {
            return Err(Flow::raw("union(): Every parameter must be an array"));
        };
        all.extend(items.items());
    }
    let all = once(all.into_iter());
    Ok(vm.array(&all))
}

fn member<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    if count < 2 {
        return Err(Flow::raw(format!("member(): Wrong number of arguments given ({count} for 2)")));
    }
    let Value::Array(items) = call.args[0] else {
        return Err(Flow::raw("member(): Requires array to work with"));
    };
    let wanted = match call.args[1] {
        item @ (Value::Str(_) | Value::Int(_)) => vec![item],
        Value::Array(wanted) => wanted.to_vec(),
        _ => return Err(Flow::raw("member(): Item to search for must be a string, fixnum, or array")),
    };
    if wanted.is_empty() {
        return Err(Flow::raw("member(): You must provide item to search for within array given"));
    }
    Ok(Value::Bool(wanted.iter().all(|item| has(&items, *item))))
}

/// What `prefix` and `suffix` share: `join` puts the text of an element and the addition together.
fn affix<'c>(vm: &Vm<'c>, name: &str, call: &Call<'c, '_>, join: impl Fn(&str, &str) -> String) -> Eval<'c> {
    let Some(first) = call.args.first() else {
        return Err(Flow::raw(format!("{name}(): Wrong number of arguments given (0 for 1)")));
    };
    if !matches!(first, Value::Array(_) | Value::Hash(_)) {
        let first = inspect(*first);
        let message = format!("{name}(): expected first argument to be an Array or a Hash, got {first}");
        return Err(Flow::raw(message));
    }
    let addition = match call.arg(1).filter(|value| value.truthy()) {
        None => "",
        Some(Value::Str(text)) => text.as_str(),
        Some(other) => {
            let other = inspect(other);
            return Err(Flow::raw(format!("{name}(): expected second argument to be a String, got {other}")));
        }
    };
    match first {
        Value::Hash(hash) => {
            let mut builder = HashBuilder::new(vm.arena);
            for (key, value) in hash.entries() {
                builder.insert_str(&join(&to_s(*key), addition), *value);
            }
            Ok(Value::Hash(builder.finish()))
        }
        other => {
            let items: Vec<_> =
                array(vm.arena, *other).iter().map(|item| vm.string(&join(&to_s(*item), addition))).collect();
            Ok(vm.array(&items))
        }
    }
}

fn prefix<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    affix(vm, "prefix", &call, |text, prefix| format!("{prefix}{text}"))
}

fn suffix<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    affix(vm, "suffix", &call, |text, suffix| format!("{text}{suffix}"))
}

/// The list and the pattern of `grep` and `reject`.
fn filtering<'c>(name: &str, call: &Call<'c, '_>) -> Eval<'c, &'c str> {
    let [_, pattern] = call.args else {
        let count = call.args.len();
        return Err(Flow::raw(format!("{name}(): Wrong number of arguments given {count} for 2")));
    };
    let Value::Str(pattern) = pattern else { return Err(super::ruby::no_conversion(*pattern, "String")) };
    regex::check(pattern).map_err(Flow::raw)?;
    Ok(pattern.as_str())
}

fn grep<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let pattern = filtering("grep", &call)?;
    let items = match call.args[0] {
        Value::Array(items) => items.to_vec(),
        Value::Hash(_) => Vec::new(),
        other => return Err(no_method("grep", other)),
    };
    let mut found = Vec::new();
    for item in items {
        if let Value::Str(text) = item
            && user_match(pattern, &text)?
        {
            found.push(item);
        }
    }
    Ok(vm.array(&found))
}

fn reject<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let pattern = filtering("reject", &call)?;
    let is_hit = |item: Value<'c>| match item {
        Value::Str(text) => user_match(pattern, &text),
        _ => Ok(false),
    };
    match call.args[0] {
        Value::Array(items) => {
            let mut kept = Vec::new();
            for item in items.iter() {
                if !is_hit(*item)? {
                    kept.push(*item);
                }
            }
            Ok(vm.array(&kept))
        }
        Value::Hash(hash) => {
            let mut kept = Vec::new();
            for entry in hash.entries() {
                if !is_hit(entry.0)? {
                    kept.push(*entry);
                }
            }
            Ok(Value::Hash(bunraku_vm::value::Hash::from_unique(vm.arena, &kept)))
        }
        other => Err(no_method("reject", other)),
    }
}

fn reverse<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match call.args.first() {
        None => Err(Flow::raw("reverse(): Wrong number of arguments given (0 for 1)")),
        Some(Value::Array(items)) => {
            let items: Vec<_> = items.iter().rev().copied().collect();
            Ok(vm.array(&items))
        }
        Some(Value::Str(text)) => Ok(vm.string(&text.chars().rev().collect::<String>())),
        Some(_) => Err(Flow::raw("reverse(): Requires either array or string to work with")),
    }
}

fn values_at<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    let fail = |why: &str| Err(Flow::raw(format!("values_at(): {why}")));
    if count < 2 {
        return fail(&format!("Wrong number of arguments given ({count} for 2)"));
    }
    let Value::Array(items) = call.args[0] else { return fail("Requires array to work with") };
    let indices = flatten(&[call.args[1]]);
    if indices.is_empty() {
        return fail("You must provide at least one positive index to collect");
    }
    let size = items.len() as i64;
    let mut wanted = Vec::new();
    for index in indices {
        let text = to_s(index);
        let groups = regex::captures(r"^(\d+)(\.\.\.?|\-)(\d+)$", &text).map_err(Flow::raw)?;
        if let Some(groups) = groups {
            let group = |n: usize| groups[n].unwrap_or("");
            let (start, stop) = (super::ruby::text_to_i(group(1)), super::ruby::text_to_i(group(3)));
            if start > stop {
                return fail("Stop index in given indices range is smaller than the start index");
            }
            if stop > size - 1 {
                return fail("Stop index in given indices range exceeds array size");
            }
            budget::hold((stop - start) as usize * size_of::<i64>());
            wanted.extend(start..if group(2) == "..." { stop } else { stop + 1 });
            continue;
        }
        if !matches(r"^\d+$", &text) {
            return fail("Unknown format of given index");
        }
        let index = super::ruby::text_to_i(&text);
        if index > size - 1 {
            return fail("Given index exceeds array size");
        }
        wanted.push(index);
    }
    let found: Vec<_> = wanted.iter().map(|n| items[*n as usize]).filter(|v| !v.is_undef()).collect();
    Ok(vm.array(&found))
}

fn zip<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    if count < 2 {
        return Err(Flow::raw(format!("zip(): Wrong number of arguments given ({count} for 2)")));
    }
    let (Value::Array(a), Value::Array(b)) = (call.args[0], call.args[1]) else {
        return Err(Flow::raw("zip(): Requires array to work with"));
    };
    let flat = match call.arg(2).filter(|value| value.truthy()) {
        Some(value) => call_old("str2bool", vm, Call { args: &[value], ..call })?.truthy(),
        None => false,
    };
    let pairs: Vec<_> = a
        .iter()
        .enumerate()
        .map(|(n, item)| vm.array(&[*item, b.get(n).copied().unwrap_or(Value::Undef)]))
        .collect();
    let pairs = if flat { flatten(&pairs) } else { pairs };
    Ok(vm.array(&pairs))
}
