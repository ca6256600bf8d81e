//! puppetlabs-stdlib: text changed, split and escaped.

use super::ruby::no_method;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::regex;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

old_functions! {
    /// The last part of a path, without an extension if one is named.
    "basename" basename;
    /// A path without its last part.
    "dirname" dirname;
    /// Text with the line ends of Unix.
    "dos2unix" dos2unix (1, 1);
    /// Text with the line ends of DOS.
    "unix2dos" unix2dos (1, 1);
    /// Text in which everything special to regular expressions is escaped.
    "regexpescape" regexpescape;
    /// Runs of the same character made one.
    "squeeze" squeeze;
    /// Upper case made lower and lower upper.
    "swapcase" swapcase;
}

/// A set of characters as `String#count` and `String#squeeze` write it: `a-z`, `^abc`.
pub(super) struct CharSet {
    ranges: Vec<(char, char)>,
    negated: bool,
}

impl CharSet {
    /// Reads a set.
    ///
    /// # Errors
    /// Ruby's, for a range that runs backwards.
    pub(super) fn parse(text: &str) -> Result<CharSet, String> {
        let chars: Vec<char> = text.chars().collect();
        let negated = chars.len() > 1 && chars[0] == '^';
        let mut rest = &chars[usize::from(negated)..];
        let mut ranges = Vec::new();
        while let Some(first) = rest.first() {
            let (first, after) = match (first, rest.get(1)) {
                ('\\', Some(escaped)) => (*escaped, &rest[2..]),
                (c, _) => (*c, &rest[1..]),
            };
            match after {
                ['-', last, ..] => {
                    if *last < first {
                        return Err(format!("invalid range \"{first}-{last}\" in string transliteration"));
                    }
                    ranges.push((first, *last));
                    rest = &after[2..];
                }
                _ => {
                    ranges.push((first, first));
                    rest = after;
                }
            }
        }
        Ok(CharSet { ranges, negated })
    }

    /// Whether a character is in the set.
    pub(super) fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != self.negated
    }
}

/// Ruby's `File.basename`.
fn file_name<'a>(path: &'a str, suffix: &str) -> &'a str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "" } else { "/" };
    }
    let name = trimmed.rsplit('/').next().unwrap_or(trimmed);
    let stem = match suffix {
        ".*" => name.rfind('.').filter(|at| *at > 0).map(|at| &name[..at]),
        suffix => name.strip_suffix(suffix).filter(|stem| !stem.is_empty()),
    };
    stem.unwrap_or(name)
}

fn basename<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let suffix = match call.args {
        [] => return Err(Flow::raw("basename(): No arguments given")),
        [_] => "",
        [_, Value::Str(suffix)] => suffix.as_str(),
        [Value::Str(_), _] => return Err(Flow::raw("basename(): Requires string as second argument")),
        [_, _] => "",
        more => {
            let count = more.len();
            return Err(Flow::raw(format!("basename(): Too many arguments given ({count})")));
        }
    };
    let Value::Str(path) = call.args[0] else {
        return Err(Flow::raw("basename(): Requires string as first argument"));
    };
    Ok(vm.string(file_name(&path, suffix)))
}

fn dirname<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let path = match call.args {
        [] => return Err(Flow::raw("dirname(): No arguments given")),
        [Value::Str(path)] => path,
        [_] => return Err(Flow::raw("dirname(): Requires string as argument")),
        more => {
            let count = more.len();
            return Err(Flow::raw(format!("dirname(): Too many arguments given ({count})")));
        }
    };
    if path.is_empty() {
        return Err(Flow::raw("dirname(): Requires a non-empty string as argument"));
    }
    Ok(vm.string(folder_name(path)))
}

/// Ruby's `File.dirname`.
fn folder_name(path: &str) -> &str {
    let slashes = path.len() - path.trim_start_matches('/').len();
    // Several slashes at the start count as one.
    let path = if slashes > 1 { &path[slashes - 1..] } else { path };
    let trimmed = path.trim_end_matches('/');
    match trimmed.rfind('/') {
        None if path.starts_with('/') => "/",
        None => ".",
        Some(at) => match trimmed[..at].trim_end_matches('/') {
            "" => "/",
            folder => folder,
        },
    }
}

fn replaced<'c>(vm: &Vm<'c>, name: &str, call: &Call<'c, '_>, pattern: &str, with: &str) -> Eval<'c> {
    let Value::Str(text) = call.args[0] else {
        return Err(Flow::raw(format!("{name}(): Requires string as argument")));
    };
    let text = text.as_str();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for found in regex::all_captures(pattern, text).map_err(Flow::raw)? {
        out.push_str(&text[at..found.start()]);
        out.push_str(with);
        at = found.end();
    }
    out.push_str(&text[at..]);
    Ok(vm.string(&out))
}

fn dos2unix<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    replaced(vm, "dos2unix", &call, r"\r\n", "\n")
}

fn unix2dos<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    replaced(vm, "unix2dos", &call, r"\r*\n", "\r\n")
}

/// A text, or each text of an array, changed; other elements stay.
pub(super) fn each_text<'c>(
    vm: &Vm<'c>,
    name: &str,
    call: &Call<'c, '_>,
    change: impl Fn(&str) -> String,
) -> Eval<'c> {
    let one = |value: &Value<'c>| match value {
        Value::Str(text) => vm.string(&change(text)),
        other => *other,
    };
    match call.args.first() {
        None => Err(Flow::raw(format!("{name}(): Wrong number of arguments given (0 for 1)"))),
        Some(Value::Array(items)) => {
            let items: Vec<_> = items.iter().map(one).collect();
            Ok(vm.array(&items))
        }
        Some(text @ Value::Str(_)) => Ok(one(text)),
        Some(_) => Err(Flow::raw(format!("{name}(): Requires either array or string to work with"))),
    }
}

fn regexpescape<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    each_text(vm, "regexpescape", &call, regex::escape)
}

fn swapcase<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    each_text(vm, "swapcase", &call, |text| {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if c.is_uppercase() {
                out.extend(c.to_lowercase());
            } else {
                out.extend(c.to_uppercase());
            }
        }
        out
    })
}

fn squeeze<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let count = call.args.len();
    if !(1..=2).contains(&count) {
        return Err(Flow::raw(format!("squeeze(): Wrong number of arguments given {count} for 2 or 1")));
    }
    let set = match call.arg(1).filter(|set| set.truthy()) {
        None => None,
        Some(Value::Str(set)) => Some(CharSet::parse(&set).map_err(Flow::raw)?),
        Some(other) => return Err(super::ruby::no_conversion(other, "String")),
    };
    let one = |value: &Value<'c>| {
        let Value::Str(text) = value else { return Err(no_method("squeeze", *value)) };
        let mut out = String::with_capacity(text.len());
        let mut last = None;
        for c in text.chars() {
            if last == Some(c) && set.as_ref().is_none_or(|set| set.has(c)) {
                continue;
            }
            out.push(c);
            last = Some(c);
        }
        Ok(vm.string(&out))
    };
    match call.args[0] {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(one).collect::<Result<_, _>>()?;
            Ok(vm.array(&items))
        }
        other => one(&other),
    }
}
