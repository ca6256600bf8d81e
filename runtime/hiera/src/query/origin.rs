//! Where a looked-up value came from: file and line of each of its leaves. Look-ups note nothing for it but what an
//! explanation has anyway (which entry gave which value); the lines are found afterwards, in files that are read again.

use crate::data_file::DataFormat;
use crate::data_file::data::Data;
use crate::data_file::from_value;
use crate::data_file::lines::{Lines, lines};
use crate::explain::GivenValue;
use crate::key::{Key, Segment};
use crate::state::Lookups;
use bunraku_files::reads;
use bunraku_files::tree::Tree;
use bunraku_vm::format::convert::repr;
use bunraku_vm::format::inspect::to_ruby_s;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// Where a leaf came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OriginPlace {
    /// A file, and the line if it is known.
    File(String, Option<u32>),
    /// An entry of a hierarchy that is no file: its name, and its URI if it has one.
    Entry(String, Option<String>),
    /// The caller's default.
    Default,
}

/// A leaf of a value.
#[derive(Clone)]
pub struct Origin<'c> {
    /// A key that leads to it.
    pub key: String,
    /// The leaf.
    pub value: Value<'c>,
    /// Where it came from; several where a value was made of several.
    pub places: Vec<OriginPlace>,
}

/// The lines of files that have been read again, each once; none of what is not well formed.
#[derive(Default)]
pub struct LinesRead(HashMap<String, Option<Rc<Lines>>>);

impl LinesRead {
    fn of(&mut self, tree: &Tree, file: &str, format: DataFormat) -> Option<Rc<Lines>> {
        if let Some(known) = self.0.get(file) {
            return known.clone();
        }
        let path = Path::new(file);
        let read = reads::unnoted(|| tree.read(path)).ok();
        let found = read.and_then(|bytes| lines(path, &bytes, format));
        self.0.insert(file.to_owned(), found.clone());
        found
    }
}

/// A part of a value that an entry gave.
#[derive(Clone)]
struct Part<'c> {
    value: Value<'c>,
    lines: Rc<Lines>,
    place: OriginPlace,
}

impl<'c> Part<'c> {
    /// The part of a value that a key leads to.
    fn of(tree: &Tree, read: &mut LinesRead, given: &GivenValue<'c>, key: &Key<'_>) -> Option<Part<'c>> {
        let place = match &given.location {
            Some(location) if location.is_file() => OriginPlace::File(location.text.clone(), None),
            location => {
                let uri = location.as_ref().map(|location| location.text.clone());
                OriginPlace::Entry(given.entry.clone(), uri)
            }
        };
        let mut part = Part { value: given.value, lines: Rc::default(), place };
        if let (Some(location), Some(format)) = (&given.location, given.format) {
            let all = read.of(tree, &location.text, format);
            if let Some(Lines::Map(pairs)) = all.as_deref()
                && let Some((_, line, lines)) = pairs.iter().find(|(name, ..)| *name == key.root)
            {
                part.lines = lines.clone();
                part.set_line(*line);
            }
        }
        if given.is_of_whole_key {
            return Some(part);
        }
        key.segments.iter().try_fold(part, |part, segment| match (segment, part.value) {
            (Segment::Index(n), Value::Array(_)) => part.item(usize::try_from(*n).ok()?),
            (Segment::Index(n), _) => part.entry(Value::Int(*n)),
            (Segment::Name(name), Value::Hash(hash)) => {
                let key = hash.entries().iter().find(|(key, _)| key.as_str() == Some(name))?.0;
                part.entry(key)
            }
            _ => None,
        })
    }

    fn set_line(&mut self, line: u32) {
        if let OriginPlace::File(_, known) = &mut self.place {
            *known = Some(line);
        }
    }

    fn child(&self, value: Value<'c>, lines: Option<(u32, &Rc<Lines>)>) -> Part<'c> {
        // A part that the file does not have came by an expression: its line is that of the text with the expression.
        let mut part = Part { value, lines: Rc::default(), place: self.place.clone() };
        if let Some((line, lines)) = lines {
            part.lines = lines.clone();
            part.set_line(line);
        }
        part
    }

    fn item(&self, n: usize) -> Option<Part<'c>> {
        let Value::Array(items) = self.value else { return None };
        let lines = match &*self.lines {
            Lines::List(all) if all.len() == items.size() => all.get(n).map(|(line, lines)| (*line, lines)),
            _ => None,
        };
        Some(self.child(*items.items().get(n)?, lines))
    }

    fn entry(&self, key: Value<'c>) -> Option<Part<'c>> {
        let Value::Hash(hash) = self.value else { return None };
        let n = hash.entries().iter().position(|(other, _)| other.same(key))?;
        let lines = match &*self.lines {
            Lines::Map(all) => {
                let name = to_ruby_s(key);
                // Keys may have been interpolated; they keep their order.
                let same = all.len() == hash.len();
                all.iter().find(|(other, ..)| *other == name).or_else(|| all.get(n).filter(|_| same))
            }
            _ => None,
        };
        Some(self.child(hash.entries()[n].1, lines.map(|(_, line, lines)| (*line, lines))))
    }

    /// The item that is equal to `value`, however deep in arrays; the part itself if it is.
    fn find(&self, value: Value<'c>) -> Option<Part<'c>> {
        match self.value {
            Value::Array(items) => (0..items.size()).find_map(|n| self.item(n)?.find(value)).or_else(|| {
                // Arrays of arrays are items too where nothing was flattened.
                self.value.same(value).then(|| self.clone())
            }),
            own => own.same(value).then(|| self.clone()),
        }
    }
}

fn trace<'c>(all: &mut Vec<Origin<'c>>, key: &str, value: Value<'c>, parts: &[Part<'c>]) {
    match value {
        Value::Hash(hash) if !hash.is_empty() => {
            for (name, item) in hash.entries() {
                let key = format!("{key}.{}", segment(*name));
                let below: Vec<_> = parts.iter().filter_map(|part| part.entry(*name)).collect();
                trace(all, &key, *item, if below.is_empty() { parts } else { &below });
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (n, item) in items.items().iter().enumerate() {
                let below = match parts {
                    // The same item may stand there twice.
                    [one] if one.value.same(value) => one.item(n).into_iter().collect(),
                    many => match many.iter().find_map(|part| part.find(*item)) {
                        Some(part) => vec![part],
                        None => many.iter().filter_map(|part| part.item(n)).collect::<Vec<_>>(),
                    },
                };
                trace(all, &format!("{key}.{n}"), *item, if below.is_empty() { parts } else { &below });
            }
        }
        leaf => {
            let equal = parts.iter().find(|part| part.value.same(leaf));
            let mut places: Vec<OriginPlace> = Vec::new();
            for part in equal.map_or(parts, std::slice::from_ref) {
                if !places.contains(&part.place) {
                    places.push(part.place.clone());
                }
            }
            all.push(Origin { key: key.to_owned(), value: leaf, places });
        }
    }
}

/// A step of a key as look-ups read it.
fn segment(name: Value<'_>) -> String {
    let Value::Str(text) = name else { return to_ruby_s(name) };
    let text = text.as_str();
    let is_plain = !text.is_empty()
        && !text.contains(['.', '\'', '"'])
        && text.trim() == text
        && text.parse::<i64>().is_err();
    match (is_plain, text.contains('"')) {
        (true, _) => text.to_owned(),
        (false, false) => format!("\"{text}\""),
        (false, true) => format!("'{text}'"),
    }
}

impl<'c> Lookups<'_, 'c> {
    /// Where each leaf of `value` came from, which `key` was found to have, and which is made of what was `given`.
    pub(crate) fn origins(
        &self,
        given: &[GivenValue<'c>],
        lines: &mut LinesRead,
        key: &str,
        value: Value<'c>,
    ) -> Vec<Origin<'c>> {
        let parts = self.parts(given, lines, key);
        let mut all = Vec::new();
        trace(&mut all, key, value, &parts);
        all
    }

    fn parts(&self, given: &[GivenValue<'c>], lines: &mut LinesRead, key: &str) -> Vec<Part<'c>> {
        let Some(parsed) = Key::split(key) else { return Vec::new() };
        given.iter().filter_map(|given| Part::of(self.tree, lines, given, &parsed)).collect()
    }
}

/// Notes what parts have at a key that is not the value there: whole, or, where hashes were merged, name by name.
fn note_shadowed<'c>(
    all: &mut Vec<Origin<'c>>,
    key: &str,
    value: Value<'c>,
    parts: &[Part<'c>],
    is_merged: bool,
) {
    if let Value::Hash(hash) = value
        && is_merged
    {
        for (name, item) in hash.entries() {
            let below: Vec<_> = parts.iter().filter_map(|part| part.entry(*name)).collect();
            note_shadowed(all, &format!("{key}.{}", segment(*name)), *item, &below, is_merged);
        }
        return;
    }
    // Arrays that are merged lose nothing.
    if is_merged && matches!(value, Value::Array(_)) {
        return;
    }
    // A value that was converted is none of theirs: the first entry gave it.
    let first = parts.iter().position(|part| part.value.same(value)).unwrap_or(0);
    let others = parts.iter().enumerate().filter(|(number, _)| *number != first).map(|(_, part)| part);
    all.extend(others.map(|part| Origin {
        key: key.to_owned(),
        value: part.value,
        places: vec![part.place.clone()],
    }));
}

impl<'c> Lookups<'_, 'c> {
    /// What entries gave for a key behind those that a value came from; `given` is what all of them gave. Where the value is
    /// sensitive, what others say of the key is, too.
    pub(crate) fn behind(
        &self,
        given: &[GivenValue<'c>],
        lines: &mut LinesRead,
        key: &str,
        (value, origins): (Value<'c>, &[Origin<'c>]),
    ) -> Vec<Origin<'c>> {
        let parts = self.parts(given, lines, key);
        let file = |place: &OriginPlace| match place {
            OriginPlace::File(file, _) => OriginPlace::File(file.clone(), None),
            other => other.clone(),
        };
        let mut from: Vec<OriginPlace> = origins.iter().flat_map(|origin| &origin.places).map(file).collect();
        from.sort_by_key(|place| place.to_string());
        from.dedup();
        let mut all = Vec::new();
        match value {
            Value::Sensitive(hidden) => {
                note_shadowed(&mut all, key, *hidden, &parts, from.len() > 1);
                for origin in &mut all {
                    origin.value = Value::Sensitive(self.arena.alloc(origin.value));
                }
            }
            value => note_shadowed(&mut all, key, value, &parts, from.len() > 1),
        }
        all
    }
}

/// Origins as text: a line a leaf, as `KEY: VALUE (file: FILE, line: LINE)`.
pub fn to_text<'c>(vm: &mut Vm<'c>, origins: &[Origin<'c>]) -> String {
    let mut out = String::new();
    for origin in origins {
        let places: Vec<String> = origin.places.iter().map(OriginPlace::to_string).collect();
        let value = repr(vm, origin.value);
        out.push_str(&format!("{}: {value} ({})\n", origin.key, places.join("; ")));
    }
    out
}

/// Origins as data: a list of hashes with `key`, `value` and `origins`, each of these with `file` and `line`, `entry`
/// and `uri`, or `default`.
pub fn to_data(origins: &[Origin<'_>]) -> Data {
    let text = |text: &str| Data::Text(text.to_owned());
    let place = |place: &OriginPlace| {
        let mut pairs = Vec::new();
        match place {
            OriginPlace::File(file, line) => {
                pairs.push((text("file"), text(file)));
                pairs.extend(line.map(|line| (text("line"), Data::Int(line.into()))));
            }
            OriginPlace::Entry(name, uri) => {
                pairs.push((text("entry"), text(name)));
                pairs.extend(uri.as_ref().map(|uri| (text("uri"), text(uri))));
            }
            OriginPlace::Default => pairs.push((text("default"), Data::Bool(true))),
        }
        Data::Map(pairs)
    };
    let leaf = |origin: &Origin<'_>| {
        Data::Map(vec![
            (text("key"), text(&origin.key)),
            (text("value"), from_value::plain(origin.value)),
            (text("origins"), Data::List(origin.places.iter().map(place).collect())),
        ])
    };
    Data::List(origins.iter().map(leaf).collect())
}

impl std::fmt::Display for OriginPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OriginPlace::File(file, Some(line)) => write!(f, "file: {file}, line: {line}"),
            OriginPlace::File(file, None) => write!(f, "file: {file}"),
            OriginPlace::Entry(name, Some(uri)) => write!(f, "hierarchy entry: {name}, uri: {uri}"),
            OriginPlace::Entry(name, None) => write!(f, "hierarchy entry: {name}"),
            OriginPlace::Default => f.write_str("default value"),
        }
    }
}
