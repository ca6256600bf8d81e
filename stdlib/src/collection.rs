//! Functions on arrays, hashes and strings as collections: sizes, keys, order, elements by path.

use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format;
use bunraku_vm::function::{
    Call, Dispatch, Native, NativeFn, ParamSpec, dispatch, native, optional_param, param, repeated_param,
};
use bunraku_vm::iterator::asserted;
use bunraku_vm::regex;
use bunraku_vm::types;
use bunraku_vm::value::{Hash, HashBuilder, Value};
use bunraku_vm::vm::Vm;
use std::cmp::Ordering;

/// The group.
pub const FUNCTIONS: &[Native] = &[
    native("keys", "The keys of a hash.", &[dispatch(&[param("Hash", "hsh")], keys)]),
    native("values", "The values of a hash.", &[dispatch(&[param("Hash", "hsh")], values)]),
    native("length", "Number of elements, characters or bytes.", LENGTH),
    native("size", "The same as length.", LENGTH),
    native(
        "empty",
        "Whether a collection, string or binary has no element.",
        &[
            dispatch(&[param("Collection", "coll")], empty),
            dispatch(&[param("Sensitive[String]", "str")], empty),
            dispatch(&[param("String", "str")], empty),
            dispatch(&[param("Numeric", "num")], empty_number),
            dispatch(&[param("Binary", "bin")], empty),
            dispatch(&[param("Undef", "x")], empty),
        ],
    ),
    native(
        "flatten",
        "The arguments as one array without arrays in it.",
        &[dispatch(&[repeated_param("Any", "args")], flatten)],
    ),
    native(
        "unique",
        "The elements without repetition.",
        &[
            dispatch(&[param("String", "string")], unique_string).optional_block("Callable[String]"),
            dispatch(&[param("Hash", "hash")], unique_hash).optional_block("Callable[Any]"),
            dispatch(&[param("Array", "array")], unique).optional_block("Callable[Any]"),
            dispatch(&[param("Iterable", "iterable")], unique).optional_block("Callable[Any]"),
        ],
    ),
    native(
        "sort",
        "The elements or characters in order, or as the lambda orders them.",
        &[
            dispatch(&[param("String", "string_value")], sort_string).optional_block("Callable[2,2]"),
            dispatch(&[param("Array", "array_value")], sort_array).optional_block("Callable[2,2]"),
        ],
    ),
    native(
        "join",
        "The elements as one string, with a delimiter between them.",
        &[dispatch(&[param("Array", "arg"), optional_param("String", "delimiter")], join)],
    ),
    native(
        "dig",
        "The element that a path of keys and indices leads to.",
        &[dispatch(&[param("Optional[Collection]", "data"), repeated_param("Any", "arg")], dig)],
    ),
    native(
        "get",
        "The element that a dotted path leads to.",
        &[dispatch(
            &[
                param("Any", "value"),
                param("String", "dotted_string"),
                optional_param("Any", "default_value"),
            ],
            get,
        )
        .optional_block("Callable[1,1]")],
    ),
    Native {
        name: "getvar",
        doc: "A variable's value, or the element in it that a dotted path leads to.",
        local_types: &[],
        dispatches: &[dispatch(
            &[
                param(r"Pattern[/\A(?:::)?(?:[a-z]\w*::)*[a-z_]\w*(?:\.|\Z)/]", "get_string"),
                optional_param("Any", "default_value"),
            ],
            getvar,
        )
        .optional_block("Callable[1,1]")],
        mismatches: &[dispatch(
            &[param("String", "get_string"), optional_param("Any", "default_value")],
            bad_variable,
        )
        .optional_block("Callable")],
    },
    native("max", "The greatest of the arguments or of an array's elements.", &extreme_dispatches(max)),
    native("min", "The least of the arguments or of an array's elements.", &extreme_dispatches(min)),
];

const COLLECTION: &[ParamSpec] = &[param("Collection", "arg")];
const STRING: &[ParamSpec] = &[param("String", "arg")];
const BINARY: &[ParamSpec] = &[param("Binary", "arg")];

const LENGTH: &[Dispatch] =
    &[dispatch(COLLECTION, length), dispatch(STRING, length), dispatch(BINARY, length)];

const NUMBERS: &[ParamSpec] = &[repeated_param("Numeric", "values")];
const STRINGS: &[ParamSpec] = &[repeated_param("String", "values")];
const NUMBER_ARRAY: &[ParamSpec] = &[param("Array[Numeric]", "values")];
const STRING_ARRAY: &[ParamSpec] = &[param("Array[String]", "values")];
const ARRAY: &[ParamSpec] = &[param("Array", "values")];
const ANYTHING: &[ParamSpec] = &[repeated_param("Any", "values")];

const fn extreme_dispatches(body: NativeFn) -> [Dispatch; 7] {
    [
        dispatch(NUMBERS, body),
        dispatch(STRINGS, body),
        dispatch(NUMBER_ARRAY, body).optional_block("Callable[2,2]"),
        dispatch(STRING_ARRAY, body).optional_block("Callable[2,2]"),
        dispatch(ARRAY, body).optional_block("Callable[2,2]"),
        dispatch(ANYTHING, body).block("Callable[2,2]"),
        dispatch(ANYTHING, body),
    ]
}

fn keys<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Hash(hash) = call.args[0] else { return Ok(Value::Undef) };
    let keys: Vec<_> = hash.entries().iter().map(|(key, _)| *key).collect();
    Ok(vm.array(&keys))
}

fn values<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Hash(hash) = call.args[0] else { return Ok(Value::Undef) };
    let values: Vec<_> = hash.entries().iter().map(|(_, value)| *value).collect();
    Ok(vm.array(&values))
}

fn count(value: Value<'_>) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Hash(hash) => hash.len(),
        Value::Str(text) => text.chars().count(),
        Value::Binary(bytes) => bytes.len(),
        Value::Sensitive(inner) => count(*inner),
        _ => 0,
    }
}

fn length<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Int(count(call.args[0]) as i64))
}

fn empty<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    Ok(Value::Bool(count(call.args[0]) == 0))
}

fn empty_number<'c>(vm: &mut Vm<'c>, _: Call<'c, '_>) -> Eval<'c> {
    let site = vm.site();
    let place = bunraku_vm::diagnostic::Place { column: None, ..site.place() };
    let message = "Calling function empty() with Numeric value is deprecated.";
    vm.host.log(bunraku_vm::diagnostic::Severity::Warning, message, Some(place));
    Ok(Value::Bool(false))
}

fn flatten_into<'c>(values: &[Value<'c>], into: &mut Vec<Value<'c>>) {
    for value in values {
        match value {
            Value::Array(items) => flatten_into(items, into),
            other => into.push(*other),
        }
    }
}

fn flatten<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let mut flat = Vec::new();
    flatten_into(call.args, &mut flat);
    Ok(vm.array(&flat))
}

/// Ruby's `==`: integers equal floats of the same number, strings by case.
pub(crate) fn ruby_equal<'c>(a: Value<'c>, b: Value<'c>) -> bool {
    match (a, b) {
        (Value::Int(i), Value::Float(f)) | (Value::Float(f), Value::Int(i)) => i as f64 == f,
        _ => a.same(b),
    }
}

/// The items without those whose key came before.
fn distinct<'c>(vm: &mut Vm<'c>, call: &Call<'c, '_>, items: &[Value<'c>]) -> Eval<'c, Vec<Value<'c>>> {
    let mut seen = HashBuilder::new(vm.arena);
    let mut kept = Vec::new();
    for item in items {
        let key = match call.block {
            Some(block) => vm.call(block, &[*item])?,
            None => *item,
        };
        if seen.get(key).is_none() {
            seen.insert(key, Value::Bool(true));
            kept.push(*item);
        }
    }
    Ok(kept)
}

fn unique<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let items = asserted(vm, "unique", call.args[0])?.collect(vm);
    let kept = distinct(vm, &call, &items)?;
    Ok(vm.array(&kept))
}

fn unique_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let items = asserted(vm, "unique", call.args[0])?.collect(vm);
    let kept = distinct(vm, &call, &items)?;
    let text: String = kept.iter().filter_map(|c| c.as_str()).collect();
    Ok(vm.string(&text))
}

/// Keys whose values are alike share one entry: an array of them, with an array of their different values.
fn unique_hash<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Hash(hash) = call.args[0] else { return Ok(Value::Undef) };
    let mut places = HashBuilder::new(vm.arena);
    let mut groups: Vec<(Vec<Value<'c>>, Vec<Value<'c>>)> = Vec::new();
    for (key, value) in hash.entries() {
        let mark = match call.block {
            Some(block) => vm.call(block, &[*value])?,
            None => *value,
        };
        let at = match places.get(mark) {
            Some(Value::Int(at)) => at as usize,
            _ => {
                places.insert(mark, Value::Int(groups.len() as i64));
                groups.push(Default::default());
                groups.len() - 1
            }
        };
        groups[at].0.push(*key);
        if !groups[at].1.iter().any(|v| v.same(*value)) {
            groups[at].1.push(*value);
        }
    }
    let entries: Vec<_> = groups.into_iter().map(|(k, v)| (vm.array(&k), vm.array(&v))).collect();
    Ok(Value::Hash(Hash::from_entries(vm.arena, &entries)))
}

/// Ruby's `<=>`; none where the two can't be compared.
fn spaceship<'c>(a: Value<'c>, b: Value<'c>) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(&b)),
        (Value::Int(a), Value::Float(b)) => (a as f64).partial_cmp(&b),
        (Value::Float(a), Value::Int(b)) => a.partial_cmp(&(b as f64)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
        (Value::Str(a), Value::Str(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Timestamp(a), Value::Timestamp(b)) | (Value::Timespan(a), Value::Timespan(b)) => {
            Some(a.cmp(b))
        }
        (Value::Array(a), Value::Array(b)) => {
            for (a, b) in a.iter().zip(b.iter()) {
                match spaceship(*a, *b)? {
                    Ordering::Equal => {}
                    other => return Some(other),
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        _ => a.same(b).then_some(Ordering::Equal),
    }
}

/// What Ruby calls a value in "comparison of X with Y failed".
fn ruby_class(value: Value<'_>) -> &'static str {
    match value {
        Value::Undef => "NilClass",
        Value::Bool(true) => "TrueClass",
        Value::Bool(false) => "FalseClass",
        Value::Int(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Str(_) => "String",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Default => "Symbol",
        _ => "Object",
    }
}

/// Merge sort whose comparison may fail or call a lambda.
fn sorted<'c>(
    vm: &mut Vm<'c>,
    items: Vec<Value<'c>>,
    compare: &mut impl FnMut(&mut Vm<'c>, Value<'c>, Value<'c>) -> Eval<'c, Ordering>,
) -> Eval<'c, Vec<Value<'c>>> {
    if items.len() < 2 {
        return Ok(items);
    }
    let mut left = items;
    let right = left.split_off(left.len() / 2);
    let (left, right) = (sorted(vm, left, compare)?, sorted(vm, right, compare)?);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut l, mut r) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (l.peek(), r.peek()) {
        let side = if compare(vm, *a, *b)? == Ordering::Greater { &mut r } else { &mut l };
        merged.extend(side.next());
    }
    merged.extend(l);
    merged.extend(r);
    Ok(merged)
}

fn sort<'c>(vm: &mut Vm<'c>, call: &Call<'c, '_>, items: Vec<Value<'c>>) -> Eval<'c, Vec<Value<'c>>> {
    let block = call.block;
    sorted(vm, items, &mut |vm, a, b| match block {
        Some(block) => by_block(vm, block, a, b),
        None => spaceship(a, b).ok_or_else(|| {
            let with = match b {
                Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Undef => format::inspect(b),
                other => ruby_class(other).to_owned(),
            };
            Flow::raw(format!("comparison of {} with {with} failed", ruby_class(a)))
        }),
    })
}

fn by_block<'c>(
    vm: &mut Vm<'c>,
    block: &'c bunraku_vm::closure::Closure<'c>,
    a: Value<'c>,
    b: Value<'c>,
) -> Eval<'c, Ordering> {
    match vm.call(block, &[a, b])? {
        Value::Int(n) => Ok(n.cmp(&0)),
        Value::Float(f) => Ok(f.partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
        other => Err(Flow::raw(format!("comparison of {} with {} failed", ruby_class(other), 0))),
    }
}

fn sort_array<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Array(items) = call.args[0] else { return Ok(Value::Undef) };
    let items = sort(vm, &call, items.items().to_vec())?;
    Ok(vm.array(&items))
}

fn sort_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let chars = asserted(vm, "sort", call.args[0])?.collect(vm);
    let chars = sort(vm, &call, chars)?;
    let text: String = chars.iter().filter_map(|c| c.as_str()).collect();
    Ok(vm.string(&text))
}

fn join<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let delimiter = call.arg(1).and_then(Value::as_str).unwrap_or_default();
    let mut flat = Vec::new();
    flatten_into(&call.args[..1], &mut flat);
    let words: Vec<String> = flat.iter().map(|value| format::to_ruby_s(*value)).collect();
    Ok(vm.string(&words.join(delimiter)))
}

/// What went wrong on a path: the message, and the `Error` a lambda would get.
struct Lost<'c> {
    message: String,
    kind: &'static str,
    walked: Value<'c>,
}

fn walk<'c>(vm: &mut Vm<'c>, data: Value<'c>, path: &[Value<'c>]) -> Result<Value<'c>, Lost<'c>> {
    let mut current = data;
    for (n, key) in path.iter().enumerate() {
        if current.is_undef() || key.is_undef() {
            return Ok(Value::Undef);
        }
        let lost = |vm: &mut Vm<'c>, what: &str, of: Value<'c>, kind, walked: &[Value<'c>]| {
            let ty = types::infer(vm, of);
            let walked = vm.array(walked);
            let message =
                format!("The given data {what} at {}, got '{}'", format::inspect(walked), types::print(ty));
            Lost { message, kind, walked }
        };
        current = match (current, key) {
            (Value::Array(items), Value::Int(at)) => {
                let length = items.len() as i64;
                let at = if *at < 0 { at + length } else { *at };
                usize::try_from(at).ok().and_then(|at| items.get(at)).copied().unwrap_or(Value::Undef)
            }
            (Value::Array(_), other) => {
                let walked = &path[..=n];
                return Err(lost(vm, "requires an Integer index", *other, "EXPECTED_INTEGER_INDEX", walked));
            }
            (Value::Hash(hash), key) => hash.get(*key).unwrap_or(Value::Undef),
            (other, _) => {
                return Err(lost(
                    vm,
                    "does not contain a Collection",
                    other,
                    "EXPECTED_COLLECTION",
                    &path[..n],
                ));
            }
        };
    }
    Ok(current)
}

fn dig<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    walk(vm, call.args[0], &call.args[1..]).map_err(|lost| Flow::raw(lost.message))
}

/// Segments of a dotted path: numbers are indices, quoted ones may hold dots.
fn segments<'c>(vm: &mut Vm<'c>, path: &str) -> Option<Vec<Value<'c>>> {
    let mut all = Vec::new();
    let mut rest = path;
    loop {
        let segment = if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let end = rest[1..].find(quote)? + 1;
            let inner = &rest[1..end];
            rest = &rest[end + 1..];
            vm.string(inner)
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            let word = &rest[..end];
            rest = &rest[end..];
            if word.is_empty() || word.contains(['\'', '"']) {
                return None;
            }
            match word.parse::<i64>() {
                Ok(number) => Value::Int(number),
                Err(_) => vm.string(word),
            }
        };
        all.push(segment);
        if rest.is_empty() {
            return Some(all);
        }
        rest = rest.strip_prefix('.')?;
    }
}

fn navigate<'c>(
    vm: &mut Vm<'c>,
    call: &Call<'c, '_>,
    value: Value<'c>,
    path: &str,
    default: Value<'c>,
) -> Eval<'c> {
    if value.is_undef() {
        return Ok(default);
    }
    if path.is_empty() {
        return Ok(value);
    }
    let Some(path) = segments(vm, path) else {
        return Err(Flow::raw("Syntax error in dotted-navigation string"));
    };
    match walk(vm, value, &path) {
        Ok(found) => Ok(if found.is_undef() { default } else { found }),
        Err(lost) => match call.block {
            Some(block) => {
                let args = [vm.string(&lost.message), vm.string("SLICE_ERROR"), {
                    let mut details = HashBuilder::new(vm.arena);
                    details.insert_str("walked_path", lost.walked);
                    Value::Hash(details.finish())
                }];
                let code = vm.string(lost.kind);
                let Some(ty) = types::builtin(vm.arena, "Error") else { return Err(Flow::raw(lost.message)) };
                let all = [Value::Type(ty), args[0], args[1], args[2], code];
                let error = vm.call_function("new", &all, None, call.scope)?;
                vm.call(block, &[error])
            }
            None => Err(Flow::raw(lost.message)),
        },
    }
}

fn get<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let path = call.args[1].as_str().unwrap_or_default();
    let default = call.arg(2).unwrap_or(Value::Undef);
    navigate(vm, &call, call.args[0], path, default)
}

fn getvar<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let text = call.args[0].as_str().unwrap_or_default();
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let path = match rest.strip_prefix('.') {
        Some(path) => path,
        None if rest.is_empty() => "",
        None => {
            let found = rest.chars().next().unwrap_or(' ');
            return Err(Flow::raw(format!(
                "First character after var name in get string must be a '.' - got {found}"
            )));
        }
    };
    let default = call.arg(1).unwrap_or(Value::Undef);
    let value = if name.contains("::") {
        vm.find_qualified(name)
    } else {
        let symbol = vm.symbols.intern(name);
        call.scope.lookup(symbol)
    };
    match value {
        Some(value) => navigate(vm, &call, value, path, default),
        None => Ok(default),
    }
}

fn bad_variable<'c>(vm: &mut Vm<'c>, _: Call<'c, '_>) -> Eval<'c> {
    Ok(vm.string("The given string does not start with a valid variable name"))
}

/// Where a string or a match of a regular expression first stands in a string.
pub(crate) fn string_index<'c>(_: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let text = call.args[0].as_str().unwrap_or_default();
    let at = match call.args[1] {
        Value::Regexp(source) => {
            regex::captures_from(&source, text, 0).map_err(Flow::raw)?.map(|found| found.start())
        }
        other => text.find(other.as_str().unwrap_or_default()),
    };
    Ok(at.map_or(Value::Undef, |at| Value::Int(text[..at].chars().count() as i64)))
}

fn max<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    extreme(vm, &call, "max", Ordering::Greater)
}

fn min<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    extreme(vm, &call, "min", Ordering::Less)
}

fn extreme<'c>(vm: &mut Vm<'c>, call: &Call<'c, '_>, name: &str, wanted: Ordering) -> Eval<'c> {
    let items: &[Value<'c>] = match call.args {
        [Value::Array(items)] => items.items(),
        args => args,
    };
    let Some((first, rest)) = items.split_first() else {
        if call.block.is_some() {
            return Ok(Value::Undef);
        }
        return Err(Flow::raw(format!("{name}(): Wrong number of arguments need at least one")));
    };
    let mut best = *first;
    for item in rest {
        let order = match call.block {
            Some(block) => by_block(vm, block, *item, best)?,
            None => coerced_order(vm, name, *item, best),
        };
        if order == wanted {
            best = *item;
        }
    }
    Ok(best)
}

/// Numbers by value, strings that look like numbers likewise, everything else as strings; the last two with Puppet's
/// deprecation warnings.
fn coerced_order<'c>(vm: &mut Vm<'c>, name: &str, a: Value<'c>, b: Value<'c>) -> Ordering {
    if let (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) = (a, b) {
        return spaceship(a, b).unwrap_or(Ordering::Equal);
    }
    let (left, right) = (format::to_ruby_s(a), format::to_ruby_s(b));
    let number = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let rest = &digits[end..];
        let tail = rest.is_empty()
            || (rest.len() > 1
                && rest.starts_with(['.', '_', 'e', 'E'])
                && rest[1..].bytes().all(|b| b.is_ascii_digit()));
        (end > 0 && tail).then(|| text.parse::<f64>().unwrap_or(0.0))
    };
    let mut warn = |message: String| {
        vm.host.log(bunraku_vm::diagnostic::Severity::Warning, &message, None);
    };
    if let (Some(left), Some(right)) = (number(&left), number(&right)) {
        warn(format!(
            "The {name}() function's auto conversion of String to Numeric is deprecated - change to convert input before calling, or use lambda"
        ));
        return left.partial_cmp(&right).unwrap_or(Ordering::Equal);
    }
    if !matches!((a, b), (Value::Str(_), Value::Str(_))) {
        warn(format!(
            "The {name}() function's auto conversion of Any to String is deprecated - change to convert input before calling, or use lambda"
        ));
    }
    left.cmp(&right)
}
