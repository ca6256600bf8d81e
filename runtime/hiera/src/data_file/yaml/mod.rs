//! YAML as Ruby's Psych loads it: the first document of a text, merge keys and aliases followed, within limits.

pub(crate) mod events;
pub(crate) mod scalar;
mod style;
pub mod write;

use crate::data_file::data::Data;
use crate::data_file::yaml::events::{Events, place};
use libyaml_safer::{EventData as Event, Mark};
use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

/// Nodes that a file may have; what its anchors name and its aliases stand for counts each time.
const MAX_NODES: usize = 1_000_000;
/// Bytes of texts that its anchors name and its aliases stand for.
const MAX_TEXT: usize = 64 << 20;
/// Collections may nest this deep.
const MAX_DEPTH: usize = 250;

/// The data of the first document; nothing at all is null.
///
/// # Errors
/// What is wrong, with line and column, and whether it is a class that is not allowed (Psych says that differently).
pub fn parse(text: &str) -> Result<Data, YamlFault> {
    load(text, Patterns::Refused)
}

/// Whether regular expressions may be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patterns {
    /// They are an error, as other classes are.
    Refused,
    /// Those without options are loaded.
    Allowed,
}

/// The same, of a text that may have regular expressions (`!ruby/regexp /…/`).
///
/// # Errors
/// As above.
pub fn load(text: &str, patterns: Patterns) -> Result<Data, YamlFault> {
    Loader::of(text, Objects::Refused, patterns).document()
}

/// The same, of a text that Puppet has written of what it keeps, such as `!ruby/object:Puppet::Node::Facts`: objects are maps of
/// their variables, times the text that is written.
///
/// # Errors
/// As above, but for classes.
pub fn load_kept(text: &str) -> Result<Data, YamlFault> {
    Loader::of(text, Objects::Maps, Patterns::Refused).document()
}

/// What becomes of a value of one of Ruby's classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Objects {
    /// It is an error.
    Refused,
    /// The map, list or text that it is written as.
    Maps,
}

impl<'t> Loader<'t> {
    fn of(text: &'t str, objects: Objects, patterns: Patterns) -> Loader<'t> {
        let (events, anchors) = (Events::of(text), HashMap::new());
        Loader { events, anchors, nodes: 0, copied: 0, depth: 0, objects, patterns }
    }

    /// The first document.
    fn document(mut self) -> Result<Data, YamlFault> {
        let loader = &mut self;
        loop {
            match loader.next()? {
                (Event::StreamStart { .. } | Event::DocumentStart { .. }, _) => {}
                (Event::StreamEnd | Event::DocumentEnd { .. }, _) => return Ok(Data::Null),
                (event, mark) => {
                    let data = loader.node(event, mark)?;
                    // What follows the document must be YAML, even if it is not looked at.
                    while !matches!(loader.next()?.0, Event::DocumentEnd { .. } | Event::StreamEnd) {}
                    return Ok(data);
                }
            }
        }
    }
}

/// Why a text could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum YamlFault {
    /// It is no YAML: what, with line and column.
    Syntax(String),
    /// An alias of what has no anchor.
    Alias(String),
    /// It needs a Ruby class that is not allowed.
    Class(String),
}

impl Display for YamlFault {
    /// Psych's words.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            YamlFault::Syntax(why) => f.write_str(why),
            YamlFault::Alias(name) => write!(f, "Unknown alias: {name}"),
            YamlFault::Class(class) => write!(f, "Tried to load unspecified class: {class}"),
        }
    }
}

struct Loader<'t> {
    events: Events<'t>,
    /// What each anchor names, with its size; none while that is still being read.
    anchors: HashMap<String, Option<(Data, Size)>>,
    /// Nodes so far, copies included.
    nodes: usize,
    /// Bytes of texts in copies.
    copied: usize,
    depth: usize,
    objects: Objects,
    patterns: Patterns,
}

/// How large some data is.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    /// Bytes of its texts.
    text: usize,
}

impl Size {
    fn of(data: &Data) -> Size {
        let add = |a: Size, b: Size| Size { nodes: a.nodes + b.nodes, text: a.text + b.text };
        let one = Size { nodes: 1, text: 0 };
        match data {
            Data::Text(text) | Data::Symbol(text) | Data::Pattern(text) => {
                Size { nodes: 1, text: text.len() }
            }
            Data::List(items) => items.iter().map(Size::of).fold(one, add),
            Data::Map(pairs) => {
                pairs.iter().map(|(key, value)| add(Size::of(key), Size::of(value))).fold(one, add)
            }
            _ => one,
        }
    }
}

fn at(mark: &Mark, what: &str) -> YamlFault {
    YamlFault::Syntax(format!("{what} {}", place(mark)))
}

impl Loader<'_> {
    fn next(&mut self) -> Result<(Event, Mark), YamlFault> {
        self.events.next().map_err(YamlFault::Syntax)
    }

    fn count(&mut self, mark: &Mark, more: usize) -> Result<(), YamlFault> {
        self.nodes += more;
        if self.nodes > MAX_NODES {
            return Err(at(mark, &format!("aliases stand for more than {MAX_NODES} nodes")));
        }
        Ok(())
    }

    /// Counts what is about to be copied, so that a file of some kilobytes does not become gigabytes.
    fn count_copy(&mut self, mark: &Mark, size: Size) -> Result<(), YamlFault> {
        self.copied += size.text;
        if self.copied > MAX_TEXT {
            return Err(at(mark, &format!("aliases stand for more than {MAX_TEXT} bytes")));
        }
        self.count(mark, size.nodes)
    }

    fn node(&mut self, event: Event, mark: Mark) -> Result<Data, YamlFault> {
        self.count(&mark, 1)?;
        let (data, anchor) = match event {
            Event::Scalar { value, quoted_implicit, anchor, tag, .. } => {
                let pattern = match (self.patterns, tag.as_deref()) {
                    (Patterns::Allowed, Some("!ruby/regexp")) => plain_pattern(&value),
                    _ => None,
                };
                let data = match pattern {
                    Some(source) => Data::Pattern(source),
                    None => match scalar_value(&value, quoted_implicit, tag.as_deref(), &mark) {
                        Err(YamlFault::Class(_)) if self.objects == Objects::Maps => Data::Text(value),
                        found => found?,
                    },
                };
                (data, anchor)
            }
            Event::SequenceStart { anchor, tag, .. } => {
                self.allowed(tag.as_deref())?;
                self.begin(&anchor);
                (self.list(&mark)?, anchor)
            }
            Event::MappingStart { anchor, tag, .. } => {
                self.allowed(tag.as_deref())?;
                match tag.as_deref().map(|tag| tag.strip_prefix("tag:yaml.org,2002:").unwrap_or(tag)) {
                    Some("set" | "!set") => return Err(YamlFault::Class("Psych::Set".to_owned())),
                    Some("str" | "!str") => return Err(at(&mark, "a map is no text (!!str)")),
                    _ => {}
                }
                self.begin(&anchor);
                (self.map(&mark)?, anchor)
            }
            Event::Alias { anchor } => match self.anchors.get(&anchor) {
                None => return Err(YamlFault::Alias(anchor)),
                Some(None) => return Err(at(&mark, "an alias stands inside of what it names")),
                Some(Some((_, size))) => {
                    self.count_copy(&mark, *size)?;
                    let known = self.anchors.get(&anchor).and_then(Option::as_ref);
                    return Ok(known.map_or(Data::Null, |(data, _)| data.clone()));
                }
            },
            _ => return Err(at(&mark, "did not find expected node content")),
        };
        if let Some(anchor) = anchor {
            // What is named is kept beside what it is part of, so anchors within anchors count each.
            let size = Size::of(&data);
            self.count_copy(&mark, size)?;
            self.anchors.insert(anchor, Some((data.clone(), size)));
        }
        Ok(data)
    }

    /// Collections have the tags of YAML or none: any other names a Ruby class, or nothing that Psych minds.
    fn allowed(&self, tag: Option<&str>) -> Result<(), YamlFault> {
        match tag.and_then(ruby_class) {
            Some(class) if self.objects == Objects::Refused => Err(YamlFault::Class(class)),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, anchor: &Option<String>) {
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor.clone(), None);
        }
    }

    fn enter(&mut self, mark: &Mark) -> Result<(), YamlFault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(at(mark, &format!("collections nest more than {MAX_DEPTH} levels")));
        }
        Ok(())
    }

    fn list(&mut self, mark: &Mark) -> Result<Data, YamlFault> {
        self.enter(mark)?;
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => break,
                (event, mark) => items.push(self.node(event, mark)?),
            }
        }
        self.depth -= 1;
        Ok(Data::List(items))
    }

    fn map(&mut self, mark: &Mark) -> Result<Data, YamlFault> {
        self.enter(mark)?;
        let mut pairs = Pairs::default();
        loop {
            let (event, mark) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                break;
            }
            let merges = is_merge_key(&event);
            let key = self.node(event, mark)?;
            let (event, mark) = self.next()?;
            let value = self.node(event, mark)?;
            match value {
                Data::Map(other) if merges => other.into_iter().for_each(|(k, v)| pairs.set(k, v)),
                Data::List(items) if merges && items.iter().all(|i| matches!(i, Data::Map(_))) => {
                    for item in items.into_iter().rev() {
                        if let Data::Map(other) = item {
                            other.into_iter().for_each(|(k, v)| pairs.set(k, v));
                        }
                    }
                }
                value => pairs.set(key, value),
            }
        }
        self.depth -= 1;
        Ok(Data::Map(pairs.0))
    }
}

/// The pairs of a hash: a key that comes again keeps its place and takes the new value.
#[derive(Default)]
struct Pairs(Vec<(Data, Data)>, HashMap<String, usize>);

impl Pairs {
    fn set(&mut self, key: Data, value: Data) {
        let name = format!("{key:?}");
        match self.1.get(&name) {
            Some(at) => self.0[*at].1 = value,
            None => {
                self.1.insert(name, self.0.len());
                self.0.push((key, value));
            }
        }
    }
}

/// The source of a regular expression without options; those with any are refused like other classes.
fn plain_pattern(text: &str) -> Option<String> {
    let source = text.strip_prefix('/')?.strip_suffix('/')?;
    (!source.starts_with("(?") && !source.contains('\n')).then(|| source.to_owned())
}

fn ruby_class(tag: &str) -> Option<String> {
    let rest = tag.split_once("ruby/")?.1;
    let class = rest.split_once(':').map_or(rest, |(_, class)| class);
    Some(class.to_owned())
}

/// Whether a key is `<<`, which merges a map, or a list of maps, into the one it stands in; quoted, too, but not where its tag says that it
/// is text.
pub(crate) fn is_merge_key(key: &Event) -> bool {
    let is_text = |tag: &Option<String>| tag.as_deref() == Some("tag:yaml.org,2002:str");
    matches!(key, Event::Scalar { value, tag, .. } if value == "<<" && !is_text(tag))
}

/// What a scalar is: text where it is quoted, unless a tag says something else; the tag `!` alone has any scanned.
fn scalar_value(text: &str, is_quoted: bool, tag: Option<&str>, mark: &Mark) -> Result<Data, YamlFault> {
    if is_quoted {
        return Ok(Data::Text(text.to_owned()));
    }
    let scanned = |text: &str| scalar::scan(text).map_err(|class| YamlFault::Class(class.to_owned()));
    let Some(tag) = tag else { return scanned(text) };
    let class = |name: &str| Err(YamlFault::Class(name.to_owned()));
    match tag.strip_prefix("tag:yaml.org,2002:").or_else(|| tag.strip_prefix('!')).unwrap_or(tag) {
        "str" | "ruby/string" => Ok(Data::Text(text.to_owned())),
        "binary" => Err(at(mark, "!binary is not supported yet")),
        "float" => match scanned(text)? {
            Data::Int(n) => Ok(Data::Float(n as f64)),
            Data::Float(n) => Ok(Data::Float(n)),
            _ => Err(at(mark, &format!("invalid value for Float(): {text:?}"))),
        },
        _ if tag.starts_with("!ruby/sym") => Ok(Data::Symbol(text.to_owned())),
        "ruby/regexp" => class("Regexp"),
        "ruby/range" => class("Range"),
        _ => match ruby_class(tag) {
            Some(class) => Err(YamlFault::Class(class)),
            None => scanned(text),
        },
    }
}
