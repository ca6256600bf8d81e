//! Functions of regular expressions: `match`, `regsubst`, `split`.

use crate::support::{deprecated, text};
use bunraku_vm::compat::Rule;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::format::to_ruby_s;
use bunraku_vm::function::Call;
use bunraku_vm::host::Change;
use bunraku_vm::label;
use bunraku_vm::regex::{self, Match};
use bunraku_vm::types::{Type, resolved};
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;

natives! {
    /// The groups of a match, the whole match first; of an array, those of each string.
    function "match" {
        dispatch match_one(param "String" string, param "Variant[Any, Type]" pattern);
        dispatch match_all(param "Array[String]" string, param "Variant[Any, Type]" pattern);
    }
    /// The text with what matches replaced.
    function "regsubst" {
        dispatch regsubst_string(
            param "Variant[Array[String],String]" target,
            param "String" pattern,
            param "Variant[String,Hash[String,String]]" replacement,
            optional_param "Optional[Pattern[/^[GEIM]*$/]]" flags,
            optional_param "Enum['N','E','S','U']" encoding
        );
        dispatch regsubst_regexp(
            param "Variant[Array[String],String]" target,
            param "Variant[Regexp,Type[Regexp]]" pattern,
            param "Variant[String,Hash[String,String]]" replacement,
            optional_param "Pattern[/^G?$/]" flags
        );
    }
    /// The parts of a string between what matches.
    function "split" {
        dispatch split(param "String" str, param "String" pattern);
        dispatch split(param "String" str, param "Regexp" pattern);
        dispatch split(param "String" str, param "Type[Regexp]" pattern);
        dispatch split_sensitive(param "Sensitive[String]" sensitive, param "String" pattern);
        dispatch split_sensitive(param "Sensitive[String]" sensitive, param "Regexp" pattern);
        dispatch split_sensitive(param "Sensitive[String]" sensitive, param "Type[Regexp]" pattern);
    }
}

fn groups<'c>(vm: &Vm<'c>, source: &str, subject: &str) -> Eval<'c> {
    let found = regex::captures(source, subject).map_err(Flow::of_pattern)?;
    Ok(match found {
        None => Value::Undef,
        Some(groups) => {
            let groups: Vec<_> =
                groups.into_iter().map(|group| group.map_or(Value::Undef, |text| vm.string(text))).collect();
            vm.array(&groups)
        }
    })
}

fn match_pattern<'c>(vm: &mut Vm<'c>, subject: &str, pattern: Value<'c>) -> Eval<'c> {
    let first = |vm: &mut Vm<'c>, patterns: &[Value<'c>]| -> Eval<'c> {
        for pattern in patterns {
            let found = match_pattern(vm, subject, *pattern)?;
            if !found.is_undef() {
                return Ok(found);
            }
        }
        Ok(Value::Undef)
    };
    match pattern {
        Value::Str(source) | Value::Regexp(source) => groups(vm, &source, subject),
        Value::Array(patterns) => first(vm, &patterns),
        Value::Type(ty) => match resolved(ty) {
            Type::Regexp(Some(source)) => groups(vm, source, subject),
            Type::Regexp(None) => Err(Flow::raw("Given Regexp Type has no regular expression")),
            Type::Pattern(sources) => {
                for source in *sources {
                    let found = groups(vm, source, subject)?;
                    if !found.is_undef() {
                        return Ok(found);
                    }
                }
                Ok(Value::Undef)
            }
            Type::Variant(types) => {
                let types: Vec<_> = types.iter().map(|ty| Value::Type(ty)).collect();
                first(vm, &types)
            }
            _ => Err(no_pattern(pattern)),
        },
        other => Err(no_pattern(other)),
    }
}

fn no_pattern<'c>(pattern: Value<'c>) -> Box<Flow<'c>> {
    let class = label::ruby_class(pattern);
    Flow::raw(format!(
        "match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. Got {class}"
    ))
}

fn match_one<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    match_pattern(vm, text(call.arg(0)), call.args[1])
}

fn match_all<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Array(subjects) = call.args[0] else { return Ok(Value::Undef) };
    let mut results = Vec::with_capacity(subjects.len());
    for subject in subjects.items() {
        results.push(match_pattern(vm, text(Some(*subject)), call.args[1])?);
    }
    Ok(vm.array(&results))
}

/// What to put in place of a match.
#[derive(Clone, Copy)]
enum Replacement<'c> {
    Template(&'c str),
    Table(Hash<'c>),
}

impl<'c> Replacement<'c> {
    fn of(value: Value<'c>) -> Self {
        match value {
            Value::Hash(table) => Replacement::Table(table),
            value => Replacement::Template(text(Some(value))),
        }
    }

    fn expand(self, out: &mut String, subject: &str, found: &Match) {
        let group =
            |n: usize| found.groups.get(n).copied().flatten().map_or("", |(from, to)| &subject[from..to]);
        match self {
            Replacement::Table(table) => {
                if let Some(value) = table.get_str(group(0)) {
                    out.push_str(&to_ruby_s(value));
                }
            }
            Replacement::Template(template) => {
                let mut chars = template.chars();
                while let Some(c) = chars.next() {
                    if c != '\\' {
                        out.push(c);
                        continue;
                    }
                    let rest = chars.as_str();
                    match chars.next() {
                        // Beside named groups there are no numbers, to Ruby.
                        Some('1'..='9') if found.has_names() => {}
                        Some(d @ '0'..='9') => out.push_str(group(d as usize - '0' as usize)),
                        Some('&') => out.push_str(group(0)),
                        Some('`') => out.push_str(&subject[..found.start()]),
                        Some('\'') => out.push_str(&subject[found.end()..]),
                        Some('\\') => out.push('\\'),
                        Some('k') if rest.starts_with("k<") && rest.contains('>') => {
                            let end = rest.find('>').unwrap_or(2);
                            let name = &rest[2..end];
                            let n = name.parse().ok().or_else(|| found.named(name));
                            out.push_str(n.map_or("", group));
                            chars = rest[end + 1..].chars();
                        }
                        Some(other) => {
                            out.push('\\');
                            out.push(other);
                        }
                        None => out.push('\\'),
                    }
                }
            }
        }
    }
}

fn replace<'c>(subject: &str, source: &str, replacement: Replacement<'c>, all: bool) -> Eval<'c, String> {
    let found = if all {
        regex::all_captures(source, subject)
    } else {
        regex::captures_from(source, subject, 0).map(|found| found.into_iter().collect())
    };
    let mut out = String::with_capacity(subject.len());
    let mut end = 0;
    for found in found.map_err(Flow::of_pattern)? {
        out.push_str(&subject[end..found.start()]);
        replacement.expand(&mut out, subject, &found);
        end = found.end();
    }
    out.push_str(&subject[end..]);
    Ok(out)
}

fn substitute<'c>(
    vm: &mut Vm<'c>,
    target: Value<'c>,
    source: &str,
    replacement: Replacement<'c>,
    all: bool,
) -> Eval<'c> {
    // Where a list was hidden as a whole, its parts are not any more.
    let target = match target {
        Value::Sensitive(Value::Array(items)) => Value::Array(*items),
        target => target,
    };
    match target {
        Value::Array(items) => {
            let mut results = Vec::with_capacity(items.len());
            for item in items.items() {
                results.push(substitute(vm, *item, source, replacement, all)?);
            }
            Ok(vm.array(&results))
        }
        Value::Sensitive(hidden) => {
            let text = vm.string(&replace(text(Some(*hidden)), source, replacement, all)?);
            Ok(Value::Sensitive(vm.arena.alloc(text)))
        }
        target => Ok(vm.string(&replace(text(Some(target)), source, replacement, all)?)),
    }
}

pub(super) fn regsubst_string<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    if call.arg(4).is_some() {
        vm.witness(Change::Rule(Rule::RegsubstTakesEncoding), "regsubst");
    }
    if call.arg(4).is_some() && vm.host.holds(Rule::RegsubstEncodingWarns) {
        let message = "The regsubst() function's encoding argument has been ignored since Ruby 1.9 and will be \
                       removed in a future release";
        deprecated(vm, message);
    }
    let flags = text(call.arg(3));
    let has = |flag| flags.contains(flag);
    let pattern = text(call.arg(1));
    // The message of a bad pattern shows it without options.
    regex::check(pattern).map_err(Flow::of_pattern)?;
    let source = regex::with_options(pattern, has('I'), has('M'), has('E'));
    substitute(vm, call.args[0], &source, Replacement::of(call.args[2]), has('G'))
}

pub(super) fn regsubst_regexp<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let all = text(call.arg(3)) == "G";
    let replacement = Replacement::of(call.args[2]);
    match call.args[1] {
        // Puppet takes the type's expression as a plain text.
        Value::Type(Type::Regexp(source)) => {
            let source = regex::escape(source.unwrap_or(""));
            substitute(vm, call.args[0], &source, replacement, all)
        }
        Value::Regexp(source) => substitute(vm, call.args[0], &source, replacement, all),
        _ => Ok(call.args[0]),
    }
}

pub(super) fn split<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let source = match call.args[1] {
        Value::Str(source) | Value::Regexp(source) => source.as_str(),
        Value::Type(Type::Regexp(source)) => source.unwrap_or(""),
        _ => "",
    };
    let subject = text(call.arg(0));
    let mut parts: Vec<&str> = Vec::new();
    let mut start = 0;
    for found in regex::all_captures(source, subject).map_err(Flow::of_pattern)? {
        let (from, to) = (found.start(), found.end());
        // An empty match splits between characters, neither before the first nor after the last.
        if from == to && (from == start || from >= subject.len()) {
            continue;
        }
        parts.push(&subject[start..from]);
        parts.extend(found.groups[1..].iter().flatten().map(|(from, to)| &subject[*from..*to]));
        start = to;
    }
    if !subject.is_empty() {
        parts.push(&subject[start..]);
    }
    while parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    let parts: Vec<_> = parts.into_iter().map(|part| vm.string(part)).collect();
    Ok(vm.array(&parts))
}

/// The same of a hidden text; what comes of it is hidden, too.
fn split_sensitive<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let Value::Sensitive(hidden) = call.args[0] else { return split(vm, call) };
    let parts = split(vm, Call { args: &[*hidden, call.args[1]], ..call })?;
    Ok(Value::Sensitive(vm.arena.alloc(parts)))
}
