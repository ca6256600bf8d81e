//! The catalog as an agent receives it: key order, dropped name variables, resource references and all.

use super::shown;
use super::stored::{KnownBy, StoredParameters};
use super::tags::{Marks, Tags};
use super::value;
use super::{Catalog, Kind, Resource};
use bunraku_data::names;
use bunraku_data::rich::{self, Style, string};
use bunraku_vm::scope::ResourceId;
use bunraku_vm::symbol::{Interner, Symbol};
use std::ops::Range;

/// What a catalog says of itself.
pub struct Header<'a> {
    /// The node's name.
    pub name: &'a str,
    /// `version`.
    pub version: Version<'a>,
    /// A random UUID.
    pub uuid: &'a str,
    /// The environment's name.
    pub environment: &'a str,
    /// Names the version of the code, where a server knows one.
    pub code_id: Option<&'a str>,
}

/// The version of a catalog.
#[derive(Clone, Copy)]
pub enum Version<'a> {
    /// Seconds since the epoch.
    Time(u64),
    /// What `config_version` printed.
    Text(&'a str),
}

/// What a catalog's reader wants in it beside what an agent does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Form {
    /// Exported resources, virtual as they are.
    pub with_exported: bool,
    /// As a store of catalogs has it: exported resources with their edges, and which are `virtual`; parameters as of
    /// [`stored`](super::stored).
    pub stored: bool,
    /// References to resources told from text: see [`Style::References`].
    pub references: bool,
}

/// Writes the catalog without virtual resources, in a form. Says, too, how many resources are not virtual.
pub fn write<'c>(
    catalog: &Catalog<'c>,
    words: &Interner<'c>,
    header: &Header<'_>,
    form: Form,
) -> (String, usize) {
    let with_exported = form.with_exported || form.stored;
    let is_written = |r: &&Resource<'_>| !r.is_virtual || with_exported && r.exported == Some(true);
    let mut out = String::with_capacity(256 + catalog.resources.len() * 900);
    let mut quoted = Quoted::new(match form {
        Form { stored: true, .. } => Style::Stored,
        Form { references: true, .. } => Style::References,
        _ => Style::Catalog,
    });
    // The catalog an agent gets is a copy: tagged with its classes first, then with what the original had.
    let mut tags = catalog.class_tags.tags().clone();
    tags.merge(catalog.tags.tags(), &mut Marks::default());
    out.push_str("{\"tags\":[");
    quoted.list(&mut out, words, &tags);
    out.push_str("],\"name\":");
    string(&mut out, header.name);
    out.push_str(",\"version\":");
    match header.version {
        Version::Time(seconds) => out.push_str(&seconds.to_string()),
        Version::Text(text) => string(&mut out, text),
    }
    out.push_str(",\"code_id\":");
    match header.code_id {
        Some(id) => string(&mut out, id),
        None => out.push_str("null"),
    }
    out.push_str(",\"catalog_uuid\":");
    string(&mut out, header.uuid);
    out.push_str(",\"catalog_format\":2,\"environment\":");
    string(&mut out, header.environment);
    out.push_str(",\"resources\":[");
    // What edges say of each that has any: where its title stands, with its escapes, and the number of its type.
    let mut named: Vec<Option<(Range<usize>, u32)>> = Vec::with_capacity(catalog.resources.len());
    let mut first = true;
    for resource in &catalog.resources {
        if !is_written(&resource) {
            named.push(None);
            continue;
        }
        if !std::mem::take(&mut first) {
            out.push(',');
        }
        let title = self::resource(&mut out, words, &mut quoted, resource);
        named.push((!resource.is_virtual || form.stored).then_some((title, resource.of_type)));
    }
    out.push_str("],\"edges\":[");
    let mut first = true;
    // What is in one container mostly comes in a row.
    let mut last: Option<(ResourceId, Range<usize>)> = None;
    for (at, target) in named.iter().enumerate() {
        let Some((target, target_type)) = target else { continue };
        for id in catalog.containers(ResourceId(at as u32)) {
            let Some((source, source_type)) = &named[id.0 as usize] else { continue };
            if !std::mem::take(&mut first) {
                out.push(',');
            }
            match &last {
                Some((written, at)) if *written == id => out.extend_from_within(at.clone()),
                _ => {
                    let from = out.len();
                    out.push_str("{\"source\":\"");
                    out.push_str(quoted.type_name(*source_type));
                    out.push('[');
                    out.extend_from_within(source.clone());
                    out.push_str("]\",\"target\":\"");
                    last = Some((id, from..out.len()));
                }
            }
            out.push_str(quoted.type_name(*target_type));
            out.push('[');
            out.extend_from_within(target.clone());
            out.push_str("]\"}");
        }
    }
    out.push_str("],\"classes\":[");
    list(&mut out, catalog.classes.iter().copied());
    out.push_str("]}");
    (out, named.iter().flatten().count())
}

fn list<'a>(out: &mut String, items: impl Iterator<Item = &'a str>) {
    for (n, item) in items.enumerate() {
        if n > 0 {
            out.push(',');
        }
        string(out, item);
    }
}

/// Words as JSON, each made once: the same few tag all resources, and many come from one file.
struct Quoted {
    /// By number of the word, where it stands with its quotes.
    words: Vec<Range<usize>>,
    /// What a resource of a type begins with, up to its title; by number of the type.
    types: Vec<Box<str>>,
    /// What stands between the tags and the line of the resource before: its file, if it had both.
    file: Option<(*const str, Range<usize>)>,
    /// Parameters' names, from the comma before to the value, where they stand: mostly the same code has set them. By where
    /// a name lies.
    names: [((usize, usize), Range<usize>); NAMES],
    /// How values are written.
    style: Style,
    /// The tags written last, the last one first, with how far from the end of their list each begins; and where that is.
    tags: (Vec<(Symbol, usize)>, usize),
}

/// How many names of parameters are remembered.
const NAMES: usize = 64;

/// What stands before and after a type's name where a resource begins.
const BEFORE_TYPE: &str = "{\"type\":\"";
const AFTER_TYPE: &str = "\",\"title\":\"";

impl Quoted {
    fn new(style: Style) -> Quoted {
        Quoted {
            words: Vec::new(),
            types: Vec::new(),
            file: None,
            style,
            names: [const { ((0, 0), 0..0) }; NAMES],
            tags: Default::default(),
        }
    }

    /// What a resource begins with, up to the quote before its title.
    fn begin(&mut self, resource: &Resource<'_>) -> &str {
        let at = resource.of_type as usize;
        if at >= self.types.len() {
            self.types.resize(at + 1, Box::default());
        }
        let begin = &mut self.types[at];
        if begin.is_empty() {
            let mut text = BEFORE_TYPE.to_owned();
            rich::escaped(&mut text, resource.type_name);
            text.push_str(AFTER_TYPE);
            *begin = text.into();
        }
        begin
    }

    /// The name of a type of which a resource has been written, without quotes.
    fn type_name(&self, of_type: u32) -> &str {
        let begin = &self.types[of_type as usize];
        &begin[BEFORE_TYPE.len()..begin.len() - AFTER_TYPE.len()]
    }

    /// Ends the tags and writes where a resource was declared.
    fn place(&mut self, out: &mut String, resource: &Resource<'_>) {
        match (resource.file, resource.line) {
            (Some(file), 0) => {
                out.push_str("],\"file\":");
                return string(out, file);
            }
            (None, 0) => return out.push(']'),
            (None, _) => out.push_str("],\"line\":"),
            (Some(file), _) => match &self.file {
                Some((written, at)) if std::ptr::eq(*written, file) => out.extend_from_within(at.clone()),
                _ => {
                    let from = out.len();
                    out.push_str("],\"file\":");
                    string(out, file);
                    out.push_str(",\"line\":");
                    self.file = Some((file, from..out.len()));
                }
            },
        }
        out.push_str(itoa::Buffer::new().format(resource.line));
    }

    /// Writes a parameter's name with what is between it and the value, and with the comma before it unless it is the
    /// first.
    fn name(&mut self, out: &mut String, name: &str, is_first: bool) {
        let place = names::address(name);
        let known = &mut self.names[(place.0 / 8 + place.1) % NAMES];
        if known.0 == place {
            return out.extend_from_within(known.1.start + usize::from(is_first)..known.1.end);
        }
        let from = out.len();
        if !is_first {
            out.push(',');
        }
        string(out, name);
        out.push(':');
        if !is_first {
            *known = (place, from..out.len());
        }
    }

    /// Writes tags with commas between them. Those that came from a container are at the end of the list before, too.
    fn list(&mut self, out: &mut String, words: &Interner<'_>, tags: &Tags<'_>) {
        let tags = tags.symbols();
        let (last, end) = &mut self.tags;
        let same = tags.iter().rev().zip(last.iter()).take_while(|(tag, (other, _))| *tag == other).count();
        let copied = same.checked_sub(1).map_or(*end, |first| *end - last[first].1)..*end;
        last.truncate(same);
        for (n, tag) in tags[..tags.len() - same].iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            last.push((*tag, out.len()));
            word(out, &mut self.words, words, *tag);
        }
        last[same..].reverse();
        if 0 < same && same < tags.len() {
            out.push(',');
        }
        out.extend_from_within(copied);
        *end = out.len();
        last[same..].iter_mut().for_each(|(_, at)| *at = *end - *at);
    }
}

fn word(out: &mut String, known: &mut Vec<Range<usize>>, words: &Interner<'_>, word: Symbol) {
    let at = word.0 as usize;
    if at >= known.len() {
        known.resize(at + 1, 0..0);
    }
    if !known[at].is_empty() {
        return out.extend_from_within(known[at].clone());
    }
    let from = out.len();
    string(out, words.text(word));
    known[at] = from..out.len();
}

/// Writes a resource. Gives back where its title stands, without quotes.
fn resource<'c>(
    out: &mut String,
    words: &Interner<'c>,
    quoted: &mut Quoted,
    resource: &Resource<'c>,
) -> Range<usize> {
    out.push_str(quoted.begin(resource));
    let title = out.len();
    rich::escaped(out, resource.title);
    let title = title..out.len();
    out.push_str("\",\"tags\":[");
    quoted.list(out, words, &resource.tags);
    quoted.place(out, resource);
    out.push_str(kind_and_exported(resource));
    if quoted.style == Style::Stored {
        out.push_str(if resource.is_virtual {
            ",\"virtual\":true,\"parameters\":"
        } else {
            ",\"parameters\":"
        });
        let mut stored = StoredParameters::new(out, KnownBy::of(resource), resource.sensitive);
        shown::parameters(resource, |name, value| stored.add(name, value));
        stored.end();
        out.push('}');
        return title;
    }
    parameters(out, quoted, resource);
    if !resource.sensitive.is_empty() {
        out.push_str(",\"sensitive_parameters\":[");
        list(out, resource.sensitive.iter().copied());
        out.push(']');
    }
    out.push('}');
    title
}

/// The resource's kind and whether it is exported, which is false and comes last where Puppet has not set it.
fn kind_and_exported(resource: &Resource<'_>) -> &'static str {
    macro_rules! of_kind {
        ($kind:literal) => {
            match resource.exported {
                Some(true) => concat!(",\"exported\":true,\"kind\":\"", $kind, "\""),
                Some(false) => concat!(",\"exported\":false,\"kind\":\"", $kind, "\""),
                None => concat!(",\"kind\":\"", $kind, "\",\"exported\":false"),
            }
        };
    }
    match resource.kind {
        Kind::Compilable => of_kind!("compilable_type"),
        Kind::Defined => of_kind!("defined_type"),
        Kind::Class => of_kind!("class"),
        Kind::Unknown => of_kind!("unknown"),
    }
}

fn parameters(out: &mut String, quoted: &mut Quoted, resource: &Resource<'_>) {
    let mut any = false;
    shown::parameters(resource, |name, value| {
        let is_first = !std::mem::replace(&mut any, true);
        if is_first {
            out.push_str(",\"parameters\":{");
        }
        quoted.name(out, name, is_first);
        // Puppet does not look into what was Sensitive for references.
        let style = if resource.sensitive.contains(&name) { Style::Plain } else { quoted.style };
        value::written(out, name, value, style);
    });
    if any {
        out.push('}');
    }
}
