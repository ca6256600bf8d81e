//! Explanations as data, with symbols for keys as Ruby's have them: what `puppet lookup --explain --render-as json`
//! shows.

use super::{Explainer, FoundIn, Node, Outcome, SEARCH_FOR_OPTIONS, Step, name, without_strategy};
use crate::config::location::LocationKind;
use crate::data_file::data::Data;
use crate::data_file::from_value;

impl Explainer<'_> {
    /// The explanation as data.
    pub fn to_data(&self) -> Data {
        let nodes = self.nodes.borrow();
        match nodes[0].branches.as_slice() {
            [one] => node_data(&nodes, *one),
            [] => Data::Map(Vec::new()),
            many => Data::Map(vec![branches(&nodes, many)]),
        }
    }
}

fn symbol(name: &str) -> Data {
    Data::Symbol(name.to_owned())
}

fn text(text: &str) -> Data {
    Data::Text(text.to_owned())
}

fn branches(nodes: &[Node<'_>], branches: &[usize]) -> (Data, Data) {
    (symbol("branches"), Data::List(branches.iter().map(|branch| node_data(nodes, *branch)).collect()))
}

fn node_data(nodes: &[Node<'_>], number: usize) -> Data {
    let node = &nodes[number];
    if let (Step::Merge(..), [one]) = (&node.step, node.branches.as_slice()) {
        return node_data(nodes, *one);
    }
    if let Step::MergeSource(source) = node.step {
        return Data::Map(vec![
            (symbol("type"), symbol("merge_source")),
            (symbol("merge_source"), text(source)),
        ]);
    }
    let mut all = Vec::new();
    if !node.branches.is_empty() {
        all.push(branches(nodes, &node.branches));
    }
    let key = match (&node.outcome, &node.step) {
        (Some(Outcome::Found(key, ..) | Outcome::NotFound(key)), _) => Some(text(&name(key))),
        (_, Step::Search(key) | Step::InvalidKey(key)) => Some(text(key)),
        _ => None,
    };
    all.extend(key.map(|key| (symbol("key"), key)));
    if let Some(Outcome::Found(_, value, _) | Outcome::Result(value)) = &node.outcome {
        all.push((symbol("value"), from_value::with_objects(*value)));
    }
    all.extend(event(node).map(|event| (symbol("event"), symbol(event))));
    if !node.texts.is_empty() {
        all.push((symbol("texts"), Data::List(node.texts.iter().map(|line| text(line)).collect())));
    }
    all.push((symbol("type"), symbol(kind(&node.step))));
    details(&mut all, &node.step);
    Data::Map(all)
}

fn event(node: &Node<'_>) -> Option<&'static str> {
    match (&node.outcome, &node.step) {
        (_, Step::ModuleWithoutData(_)) => Some("module_provider_not_found"),
        (_, Step::UnknownModule(_)) => Some("module_not_found"),
        (Some(Outcome::Found(_, _, FoundIn::Overrides)), _) => Some("found_in_overrides"),
        (Some(Outcome::Found(_, _, FoundIn::Defaults)), _) => Some("found_in_defaults"),
        (Some(Outcome::Found(_, _, FoundIn::Place)), _) => Some("found"),
        (Some(Outcome::Result(_)), _) => Some("result"),
        (Some(Outcome::NotFound(_)), _) => Some("not_found"),
        (Some(Outcome::LocationNotFound), _) => Some("location_not_found"),
        (None, _) => None,
    }
}

fn kind(step: &Step<'_>) -> &'static str {
    match step {
        Step::Root | Step::Search(_) | Step::MergeSource(_) => "root",
        Step::InvalidKey(_) => "invalid_key",
        Step::ModuleWithoutData(_) | Step::UnknownModule(_) => "module",
        Step::Interpolation(_) => "interpolate",
        Step::Merge(..) => "merge",
        Step::Layer { .. } | Step::Entry(_) => "data_provider",
        Step::Location(location) => match location.kind {
            LocationKind::Uri => "uri",
            LocationKind::File => "path",
        },
        Step::SubKey(_) => "sub_key",
        Step::Segment(_) => "segment",
        Step::Scope(_) | Step::SearchForOptions => "scope",
    }
}

/// What a node of this kind says beside what all of them do.
fn details(all: &mut Vec<(Data, Data)>, step: &Step<'_>) {
    match step {
        Step::Interpolation(expression) => all.push((symbol("expression"), text(expression))),
        Step::Merge(strategy, options) => {
            all.push((symbol("merge"), symbol(strategy)));
            if let Some(options) = without_strategy(*options) {
                let options =
                    options.iter().map(|(k, v)| (from_value::plain(*k), from_value::with_objects(*v)));
                all.push((symbol("options"), Data::Map(options.collect())));
            }
        }
        Step::Layer { name, config, module } => {
            all.push((symbol("name"), text(name)));
            all.extend(config.iter().map(|config| (symbol("configuration_path"), text(config))));
            all.extend(module.iter().map(|module| (symbol("module"), text(module))));
        }
        Step::Entry(name) | Step::Scope(name) => all.push((symbol("name"), text(name))),
        Step::SearchForOptions => all.push((symbol("name"), text(SEARCH_FOR_OPTIONS))),
        Step::Location(location) => {
            let [original, found] = match location.kind {
                LocationKind::Uri => ["original_uri", "uri"],
                LocationKind::File => ["original_path", "path"],
            };
            all.push((symbol(original), text(&location.original)));
            all.push((symbol(found), text(&location.text)));
        }
        _ => {}
    }
}
