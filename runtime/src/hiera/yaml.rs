//! YAML as Ruby's Psych loads it: the first document of a text, merge keys and aliases followed, within limits.

use super::data::Data;
use super::scalar;
use granit_parser::{Event, Parser, ScalarStyle, Span, Tag};
use std::borrow::Cow;
use std::collections::HashMap;

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
pub fn parse(text: &str) -> Result<Data, Fault> {
    let mut loader =
        Loader { parser: Parser::new_from_str(text), anchors: HashMap::new(), nodes: 0, copied: 0, depth: 0 };
    loop {
        match loader.next()? {
            (Event::StreamStart | Event::DocumentStart(..), _) => {}
            (Event::StreamEnd | Event::DocumentEnd, _) => return Ok(Data::Null),
            (event, span) => {
                let data = loader.node(event, span)?;
                // What follows the document must be YAML, even if it is not looked at.
                while !matches!(loader.next()?.0, Event::DocumentEnd | Event::StreamEnd) {}
                return Ok(data);
            }
        }
    }
}

/// Why a text could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is no YAML: what, with line and column.
    Syntax(String),
    /// It needs a Ruby class that is not allowed.
    Class(String),
}

struct Loader<'t> {
    parser: Parser<'t, granit_parser::StrInput<'t>>,
    anchors: HashMap<usize, (Data, Size)>,
    /// Nodes so far, copies included.
    nodes: usize,
    /// Bytes of texts in copies.
    copied: usize,
    depth: usize,
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
            Data::Text(text) | Data::Symbol(text) => Size { nodes: 1, text: text.len() },
            Data::List(items) => items.iter().map(Size::of).fold(one, add),
            Data::Map(pairs) => {
                pairs.iter().map(|(key, value)| add(Size::of(key), Size::of(value))).fold(one, add)
            }
            _ => one,
        }
    }
}

fn at(span: &Span, what: &str) -> Fault {
    Fault::Syntax(format!("{what} at line {} column {}", span.start.line(), span.start.col() + 1))
}

impl<'t> Loader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Span), Fault> {
        loop {
            match self.parser.next() {
                Some(Ok((event, span))) => {
                    if !matches!(&event, Event::Comment(..)) {
                        return Ok((event, span));
                    }
                }
                Some(Err(error)) => {
                    let place = error.marker();
                    let (line, column) = (place.line(), place.col() + 1);
                    return Err(Fault::Syntax(format!("{} at line {line} column {column}", error.info())));
                }
                None => return Ok((Event::StreamEnd, Span::empty(granit_parser::Marker::new(0, 1, 0)))),
            }
        }
    }

    fn count(&mut self, span: &Span, more: usize) -> Result<(), Fault> {
        self.nodes += more;
        if self.nodes > MAX_NODES {
            return Err(at(span, &format!("aliases stand for more than {MAX_NODES} nodes")));
        }
        Ok(())
    }

    /// Counts what is about to be copied, so that a file of some kilobytes does not become gigabytes.
    fn count_copy(&mut self, span: &Span, size: Size) -> Result<(), Fault> {
        self.copied += size.text;
        if self.copied > MAX_TEXT {
            return Err(at(span, &format!("aliases stand for more than {MAX_TEXT} bytes")));
        }
        self.count(span, size.nodes)
    }

    fn node(&mut self, event: Event<'t>, span: Span) -> Result<Data, Fault> {
        self.count(&span, 1)?;
        let (data, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                (scalar_value(&text, style, tag.as_deref(), &span)?, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                allowed(tag)?;
                (self.list(&span)?, anchor)
            }
            Event::MappingStart(_, anchor, tag) => {
                allowed(tag)?;
                (self.map(&span)?, anchor)
            }
            Event::Alias(id) => {
                let Some(size) = self.anchors.get(&id).map(|(_, size)| *size) else {
                    return Err(at(&span, "an alias stands inside of what it names"));
                };
                self.count_copy(&span, size)?;
                return Ok(self.anchors[&id].0.clone());
            }
            _ => return Err(at(&span, "did not find expected node content")),
        };
        if anchor != 0 {
            // What is named is kept beside what it is part of, so anchors within anchors count each.
            let size = Size::of(&data);
            self.count_copy(&span, size)?;
            self.anchors.insert(anchor, (data.clone(), size));
        }
        Ok(data)
    }

    fn enter(&mut self, span: &Span) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(at(span, &format!("collections nest more than {MAX_DEPTH} levels")));
        }
        Ok(())
    }

    fn list(&mut self, span: &Span) -> Result<Data, Fault> {
        self.enter(span)?;
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => break,
                (event, span) => items.push(self.node(event, span)?),
            }
        }
        self.depth -= 1;
        Ok(Data::List(items))
    }

    fn map(&mut self, span: &Span) -> Result<Data, Fault> {
        self.enter(span)?;
        let mut pairs = Pairs::default();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                break;
            }
            let merges = matches!(&event, Event::Scalar(text, ScalarStyle::Plain, _, None) if text == "<<");
            let key = self.node(event, span)?;
            let (event, span) = self.next()?;
            let value = self.node(event, span)?;
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

/// Collections have the tags of YAML or none: any other names a Ruby class, or nothing that Psych minds.
fn allowed(tag: Option<Cow<'_, Tag>>) -> Result<(), Fault> {
    match tag {
        Some(tag) => ruby_class(&tag).map_or(Ok(()), |class| Err(Fault::Class(class))),
        None => Ok(()),
    }
}

fn ruby_class(tag: &Tag) -> Option<String> {
    let full = format!("{}{}", tag.handle(), tag.suffix());
    let rest = full.split_once("ruby/")?.1;
    let class = rest.split_once(':').map_or(rest, |(_, class)| class);
    Some(class.to_owned())
}

fn scalar_value(text: &str, style: ScalarStyle, tag: Option<&Tag>, span: &Span) -> Result<Data, Fault> {
    let owned = || Data::Text(text.to_owned());
    let plain = |text: &str| scalar::scan(text).map_err(|class| Fault::Class(class.to_owned()));
    let Some(tag) = tag else {
        return if style == ScalarStyle::Plain { plain(text) } else { Ok(owned()) };
    };
    match tag.suffix() {
        "str" => Ok(owned()),
        "binary" => Err(at(span, "!binary is not supported yet")),
        "float" => match plain(text)? {
            Data::Int(n) => Ok(Data::Float(n as f64)),
            other => Ok(other),
        },
        "int" | "bool" | "null" => plain(text),
        "sym" | "ruby/sym" | "ruby/symbol" => Ok(Data::Symbol(text.to_owned())),
        _ => match ruby_class(tag) {
            Some(class) => Err(Fault::Class(class)),
            None => Ok(owned()),
        },
    }
}
