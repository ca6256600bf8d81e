//! Equal changes told once, with their nodes. A change is what differs in one resource. Two are equal when they are after names and addresses of the
//! nodes have been replaced by words for them; and, of those that one node alone has, after the numbers in those have been, too.

use crate::compare::{Difference, Sign, text_lines};
use crate::diff::{Found, State, StateKind};
use bunraku::Data;
use std::collections::{BTreeMap, HashMap};

/// A change, and the nodes that it is of.
#[derive(Clone, Debug)]
pub struct Change {
    /// What differs in the resource, of the first of its nodes; a failure has none.
    pub differences: Vec<Difference>,
    /// The message of a failure, without the node's name.
    pub message: Option<String>,
    /// The state that it puts a node in.
    pub state: StateKind,
    /// Its nodes, by name.
    pub nodes: Vec<String>,
    /// Whether names, addresses or numbers of nodes have been replaced.
    pub is_abstract: bool,
}

/// A node, and what becomes of it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What becomes of it.
    pub state: StateKind,
    /// Numbers of its changes in [`Groups::changes`].
    pub changes: Vec<usize>,
}

/// All changes of a run.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// Those of most nodes first.
    pub changes: Vec<Change>,
    /// All nodes, in the order they came.
    pub nodes: Vec<Node>,
}

impl Groups {
    /// How many nodes are in a state.
    pub fn count(&self, state: StateKind) -> usize {
        self.nodes.iter().filter(|node| node.state == state).count()
    }
}

/// The numbers in a node's name and addresses.
fn own_numbers(own: &[(String, &'static str)]) -> Vec<(String, &'static str)> {
    let mut all = Vec::new();
    for (text, _) in own {
        for digits in text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
            let plain = digits.trim_start_matches('0');
            all.extend([digits, plain].map(|number| (number.to_owned(), "<number>")));
        }
    }
    all.retain(|(number, _)| !number.is_empty());
    all.sort_by(|one, other| other.0.len().cmp(&one.0.len()).then_with(|| one.cmp(other)));
    all.dedup();
    all
}

/// Replaces words where they stand alone.
fn replaced(text: &str, words: &[(String, &'static str)]) -> String {
    let mut out = text.to_owned();
    for (word, by) in words {
        if !out.contains(word.as_str()) {
            continue;
        }
        let mut done = String::with_capacity(out.len());
        let mut rest = out.as_str();
        while let Some(at) = rest.find(word.as_str()) {
            let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            let before = rest[..at].chars().next_back().or_else(|| done.chars().next_back());
            let alone = !is_part(before) && !is_part(rest[at + word.len()..].chars().next());
            done.push_str(&rest[..at]);
            done.push_str(if alone { by } else { word });
            rest = &rest[at + word.len()..];
        }
        done.push_str(rest);
        out = done;
    }
    out
}

fn replaced_in(value: &Data, words: &[(String, &'static str)]) -> Data {
    let text = |text: &str| replaced(text, words);
    match value {
        Data::Text(own) => Data::Text(text(own)),
        Data::List(all) => Data::List(all.iter().map(|one| replaced_in(one, words)).collect()),
        Data::Map(all) => {
            Data::Map(all.iter().map(|(name, one)| (text(name), replaced_in(one, words))).collect())
        }
        Data::Integer(_) | Data::Float(_) => match replaced(&value.to_json(), words) {
            word if word.starts_with('<') => Data::Text(word),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

fn abstracted(one: &Difference, words: &[(String, &'static str)]) -> Difference {
    Difference {
        sign: one.sign,
        type_name: one.type_name.clone(),
        title: replaced(&one.title, words),
        structure: one.structure.iter().map(|key| replaced(key, words)).collect(),
        old: one.old.as_ref().map(|value| replaced_in(value, words)),
        new: one.new.as_ref().map(|value| replaced_in(value, words)),
        old_place: one.old_place.clone(),
        new_place: one.new_place.clone(),
        kind: one.kind.clone(),
    }
}

/// What two equal changes have in common: of a resource that came or went its parameters, of texts the lines that differ. Places
/// of declarations are not among it, nor tags.
fn signature(differences: &[Difference], message: Option<&str>) -> String {
    let mut out = message.unwrap_or_default().to_owned();
    for one in differences {
        let parts = [one.sign.text(), &one.type_name, &one.title, &one.structure.join("\u{c}")];
        out.extend(parts.iter().flat_map(|part| [part, "\u{0}"]));
        match (&one.old, &one.new) {
            (Some(Data::Text(old)), Some(Data::Text(new))) if old.contains('\n') || new.contains('\n') => {
                let lines = text_lines(old, new, 1).into_iter().filter(|line| !line.starts_with(' '));
                out.extend(lines.flat_map(|line| [line, "\n".to_owned()]));
            }
            (old, new) => {
                let of = |value: &Option<Data>| match (one.sign, value) {
                    (_, None) => String::new(),
                    (Sign::Added | Sign::Removed, Some(whole)) => {
                        whole.get("parameters").map(Data::to_json).unwrap_or_default()
                    }
                    (_, Some(value)) => value.to_json(),
                };
                out.extend([of(old), "\u{0}".to_owned(), of(new)]);
            }
        }
        out.push('\u{1}');
    }
    out
}

/// Gathers changes as nodes come in. Memory goes by the changes that differ, and the names of nodes.
#[derive(Default)]
pub struct Grouping {
    changes: Vec<Change>,
    /// Their numbers by what they have in common.
    known: HashMap<String, usize>,
    /// For each change, what it has in common with others when numbers are replaced, too.
    by_number: Vec<Option<(String, Box<Change>)>>,
    nodes: Vec<Node>,
}

impl Grouping {
    /// Takes in what was found of a node.
    pub fn add(&mut self, name: &str, found: &Found) {
        let mut numbers = Vec::new();
        let state = found.state.kind();
        if let State::Fails(_) | State::Fixed(_) | State::FailsBefore(..) = &found.state {
            let message = found.state.message().map(|message| {
                let text = message.strip_suffix(&format!(" on node {name}")).unwrap_or(message);
                replaced(text, &found.own)
            });
            numbers.push(self.change(name, state, Vec::new(), (message, &found.own)));
        }
        for differences in by_resource(found.state.differences()) {
            let own_state =
                if differences.iter().any(|one| one.is_core()) { StateKind::Core } else { StateKind::Diff };
            numbers.push(self.change(name, own_state, differences, (None, &found.own)));
        }
        self.nodes.push(Node { name: name.to_owned(), state, changes: numbers });
    }

    fn change(
        &mut self,
        name: &str,
        state: StateKind,
        differences: Vec<&Difference>,
        (message, own): (Option<String>, &[(String, &'static str)]),
    ) -> usize {
        let general: Vec<Difference> = differences.iter().map(|one| abstracted(one, own)).collect();
        let key = format!("{}\u{0}{}", state.name(), signature(&general, message.as_deref()));
        if let Some(number) = self.known.get(&key) {
            self.changes[*number].nodes.push(name.to_owned());
            self.by_number[*number] = None;
            return *number;
        }
        let is_abstract = general.iter().zip(&differences).any(|(one, other)| one != *other);
        let change =
            Change { differences: general, message, state, nodes: vec![name.to_owned()], is_abstract };
        let words = own_numbers(own);
        let more: Vec<Difference> = change.differences.iter().map(|one| abstracted(one, &words)).collect();
        let other = Change { differences: more, is_abstract: true, ..change.clone() };
        let by_number =
            format!("{}\u{0}{}", state.name(), signature(&other.differences, other.message.as_deref()));
        self.by_number.push((by_number != key).then(|| (by_number, Box::new(other))));
        self.known.insert(key, self.changes.len());
        self.changes.push(change);
        self.changes.len() - 1
    }

    /// All changes, those of most nodes first.
    pub fn finish(mut self) -> Groups {
        // Changes of one node each that are equal but for numbers in its name or addresses become one.
        let mut alike: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, other) in self.by_number.iter().enumerate() {
            if let Some((key, _)) = other {
                alike.entry(key).or_default().push(number);
            }
        }
        let merged: Vec<Vec<usize>> = alike.into_values().filter(|numbers| numbers.len() > 1).collect();
        let mut into: Vec<usize> = (0..self.changes.len()).collect();
        for numbers in merged {
            let first = numbers[0];
            let nodes = numbers.iter().flat_map(|number| self.changes[*number].nodes.clone()).collect();
            if let Some((_, general)) = self.by_number[first].take() {
                self.changes[first] = Change { nodes, ..*general };
            }
            numbers.iter().for_each(|number| into[*number] = first);
        }
        let mut order: Vec<usize> = (0..self.changes.len()).filter(|at| into[*at] == *at).collect();
        order.sort_by(|one, other| rank(&self.changes[*one]).cmp(&rank(&self.changes[*other])));
        let mut places = vec![0; self.changes.len()];
        order.iter().enumerate().for_each(|(place, number)| places[*number] = place);
        for node in &mut self.nodes {
            node.changes.iter_mut().for_each(|number| *number = places[into[*number]]);
            node.changes.sort_unstable();
            node.changes.dedup();
        }
        let changes = order.into_iter().map(|number| self.changes[number].clone()).collect();
        Groups { changes, nodes: self.nodes }
    }
}

/// What comes first in reports: failures, then what hits most nodes, then by name.
fn rank(change: &Change) -> (usize, std::cmp::Reverse<usize>, String) {
    let name = change.differences.first().map(Difference::resource).or_else(|| change.message.clone());
    (
        usize::from(change.state != StateKind::Fails),
        std::cmp::Reverse(change.nodes.len()),
        name.unwrap_or_default(),
    )
}

/// Differences by resource, in the order of the first of each.
fn by_resource(all: &[Difference]) -> Vec<Vec<&Difference>> {
    let mut numbers: HashMap<(bool, &str, &str), usize> = HashMap::new();
    let mut groups: Vec<Vec<&Difference>> = Vec::new();
    for one in all {
        let whole = matches!(one.sign, Sign::Added | Sign::Removed);
        let number = *numbers.entry((whole, &one.type_name, &one.title)).or_insert(groups.len());
        match groups.get_mut(number) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own_words::own_words;

    fn difference(title: &str, old: &str, new: &str) -> Difference {
        Difference {
            sign: Sign::Changed,
            type_name: "File".to_owned(),
            title: title.to_owned(),
            structure: vec!["parameters".to_owned(), "content".to_owned()],
            old: Some(old.into()),
            new: Some(new.into()),
            old_place: None,
            new_place: None,
            kind: None,
        }
    }

    fn groups(nodes: &[(&str, &str, Vec<Difference>)]) -> Vec<(String, usize)> {
        let mut grouping = Grouping::default();
        for (name, address, differences) in nodes {
            let facts = Data::from([("networking", Data::from([("ip", *address)]))]);
            let state = State::Changed(differences.clone());
            grouping.add(name, &Found { state, own: own_words(name, &facts) });
        }
        let groups = grouping.finish();
        groups.changes.iter().map(|change| (change.differences[0].to_string(), change.nodes.len())).collect()
    }

    #[test]
    fn changes_are_equal_but_for_names_and_addresses() {
        let of = |name: &str, address: &str| vec![difference("/etc/x", &format!("{name} {address}"), "new")];
        let all = groups(&[
            ("web01.x.org", "10.0.0.1", of("web01.x.org", "10.0.0.1")),
            ("web02.x.org", "10.0.0.2", of("web02.x.org", "10.0.0.2")),
            ("db.x.org", "10.0.0.3", of("web02.x.org", "10.0.0.2")),
        ]);
        let text = |content: &str| format!("~ File[/etc/x] content: \"{content}\" -> \"new\"");
        assert_eq!(all, [(text("<node> <address>"), 2), (text("web02.x.org 10.0.0.2"), 1)]);
    }

    #[test]
    fn numbers_of_a_node_are_replaced_only_where_that_makes_changes_equal() {
        let of = |old: &str| vec![difference("/etc/x", old, "1 new")];
        // The same on both, though 1 is a number of the first.
        let same = groups(&[("web01", "10.0.0.7", of("1")), ("web02", "10.0.0.8", of("1"))]);
        assert_eq!(same, [("~ File[/etc/x] content: \"1\" -> \"1 new\"".to_owned(), 2)]);
        let of = |old: &str| vec![difference("/etc/x", old, "new")];
        let other = groups(&[("web01", "10.0.0.7", of("id 1")), ("web02", "10.0.0.8", of("id 2"))]);
        assert_eq!(other, [("~ File[/etc/x] content: \"id <number>\" -> \"new\"".to_owned(), 2)]);
        let not = groups(&[("web01", "10.0.0.7", of("id 55")), ("web02", "10.0.0.8", of("id 56"))]);
        assert_eq!(not.len(), 2);
    }

    #[test]
    fn words_are_replaced_where_they_stand_alone() {
        let words = vec![("web1".to_owned(), "<host>")];
        assert_eq!(replaced("web1 web10 /web1/ aweb1 web1", &words), "<host> web10 /<host>/ aweb1 <host>");
    }
}
