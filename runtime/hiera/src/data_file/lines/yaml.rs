//! The lines of a YAML text.

use super::aliases::key_name;
use super::{Lines, OrderedPairs};
use crate::data_file::yaml::events::Events;
use crate::data_file::yaml::is_merge_key;
use libyaml_safer::{EventData as Event, Mark};
use std::collections::HashMap;
use std::rc::Rc;

/// The lines of the first document; none for what is not well formed, and for nothing at all.
pub(super) fn of_text(text: &str) -> Option<Rc<Lines>> {
    Yaml { events: Events::of(text), anchors: HashMap::new() }.document()
}

fn line_of(mark: &Mark) -> u32 {
    u32::try_from(mark.line + 1).unwrap_or_default()
}

struct Yaml<'t> {
    events: Events<'t>,
    anchors: HashMap<String, Rc<Lines>>,
}

impl Yaml<'_> {
    fn next(&mut self) -> Option<(Event, Mark)> {
        self.events.next().ok()
    }

    fn document(&mut self) -> Option<Rc<Lines>> {
        loop {
            match self.next()? {
                (Event::StreamStart { .. } | Event::DocumentStart { .. }, _) => {}
                (Event::StreamEnd | Event::DocumentEnd { .. }, _) => return None,
                (event, _) => return self.node(event),
            }
        }
    }

    fn node(&mut self, event: Event) -> Option<Rc<Lines>> {
        let (lines, anchor) = match event {
            Event::SequenceStart { anchor, .. } => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, mark) => items.push((line_of(&mark), self.node(event)?)),
                    }
                }
                (Lines::List(items), anchor)
            }
            Event::MappingStart { anchor, .. } => (self.map()?, anchor),
            Event::Alias { anchor } => return self.anchors.get(&anchor).cloned(),
            Event::Scalar { anchor, .. } => (Lines::Leaf, anchor),
            _ => return None,
        };
        let lines = Rc::new(lines);
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, lines.clone());
        }
        Some(lines)
    }

    fn map(&mut self) -> Option<Lines> {
        let mut pairs = OrderedPairs::default();
        loop {
            let (event, mark) = self.next()?;
            let (key, merges) = match &event {
                Event::MappingEnd => return Some(Lines::Map(pairs.in_order())),
                event if is_merge_key(event) => (String::new(), true),
                Event::Scalar { value: text, style, .. } => (key_name(text, *style), false),
                _ => (String::new(), false),
            };
            self.node(event)?;
            let (event, _) = self.next()?;
            let value = self.node(event)?;
            let merged: Vec<&Rc<Lines>> = match &*value {
                Lines::Map(_) if merges => vec![&value],
                Lines::List(items) if merges => items.iter().rev().map(|(_, item)| item).collect(),
                _ => Vec::new(),
            };
            if merged.is_empty() {
                pairs.set(key, line_of(&mark), value);
                continue;
            }
            for map in merged {
                if let Lines::Map(other) = &**map {
                    other.iter().for_each(|(key, line, lines)| pairs.set(key.clone(), *line, lines.clone()));
                }
            }
        }
    }
}
