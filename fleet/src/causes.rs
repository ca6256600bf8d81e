//! What compiles have noted, gathered by cause: which nodes each hits, and where.

use super::advice;
use super::compare::{Difference, Sign};
use bunraku::witness::Note;
use bunraku::{Diagnostic, Place};
use std::collections::{BTreeSet, HashMap};

/// Something that fails or is otherwise in the newer version.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// What kind it is of: words joined by hyphens.
    pub kind: &'static str,
    /// What it is about: a variable, a fact, a file; empty where one kind is one cause.
    pub subject: String,
    /// What the newer version does.
    pub effect: String,
    /// The nodes that it hits, by name.
    pub nodes: BTreeSet<String>,
    /// Where it is, those first that hit most nodes.
    pub places: Vec<CausePlace>,
}

/// A place of a cause.
#[derive(Clone, Debug, PartialEq)]
pub struct CausePlace {
    /// File, line and column, as far as they are known.
    pub place: Place,
    /// What to write instead there.
    pub instead: String,
    /// How many nodes it hits.
    pub nodes: usize,
}

/// Causes as nodes come in.
#[derive(Default)]
pub(super) struct Causes {
    all: Vec<Cause>,
    numbers: HashMap<(&'static str, String), usize>,
}

impl Causes {
    /// Takes in what a node's compile has noted.
    pub fn of_notes(&mut self, node: &str, notes: &[Note]) {
        for Note { change, subject, place } in notes {
            let file = place.file.as_deref();
            let effect = || advice::effect(*change, subject);
            let own = if advice::is_told_by_subject(*change) { subject } else { "" };
            let instead = advice::instead(*change, subject, file);
            self.add((advice::name(*change), own), effect, (node, place.clone(), instead));
        }
    }

    /// Takes in the error that a node has by the newer version alone, which nothing noted explains.
    pub fn of_failure(&mut self, node: &str, error: &Diagnostic) {
        let message = without_place(&error.message);
        let instead = "see the message; it may follow from another cause".to_owned();
        self.add(("failure", &message), || message.clone(), (node, error.place.clone(), instead));
    }

    /// Takes in differences that nothing noted explains.
    pub fn of_differences(&mut self, node: &str, differences: &[Difference]) {
        for difference in differences {
            let about = match difference.sign {
                Sign::Added | Sign::Removed => difference.resource(),
                _ => format!("{} {}", difference.resource(), difference.path()),
            };
            let declared =
                difference.old_place.clone().or_else(|| difference.new_place.clone()).unwrap_or_default();
            let place = Place { file: declared.file.map(Into::into), line: declared.line, column: None };
            let instead = "nothing, if the new value is right".to_owned();
            self.add(("changed-value", &about), || difference.to_string(), (node, place, instead));
        }
    }

    fn add(
        &mut self,
        (kind, subject): (&'static str, &str),
        effect: impl FnOnce() -> String,
        (node, place, instead): (&str, Place, String),
    ) {
        let number = *self.numbers.entry((kind, subject.to_owned())).or_insert(self.all.len());
        if number == self.all.len() {
            let (subject, nodes) = (subject.to_owned(), BTreeSet::new());
            self.all.push(Cause { kind, subject, effect: effect(), nodes, places: Vec::new() });
        }
        let cause = &mut self.all[number];
        cause.nodes.insert(node.to_owned());
        match cause.places.iter_mut().find(|known| known.place == place) {
            Some(known) => known.nodes += 1,
            None => cause.places.push(CausePlace { place, instead, nodes: 1 }),
        }
    }

    /// All causes, those first that hit most nodes.
    pub fn finish(mut self) -> Vec<Cause> {
        let at = |place: &Place| (place.file.clone(), place.line, place.column);
        for cause in &mut self.all {
            cause.places.sort_by(|a, b| b.nodes.cmp(&a.nodes).then_with(|| at(&a.place).cmp(&at(&b.place))));
        }
        self.all.sort_by(|a, b| {
            let hits = b.nodes.len().cmp(&a.nodes.len());
            hits.then_with(|| b.places.len().cmp(&a.places.len()))
                .then_with(|| (a.kind, &a.subject).cmp(&(b.kind, &b.subject)))
        });
        self.all
    }
}

/// A message without the place and the node that Puppet puts behind it.
fn without_place(message: &str) -> String {
    let text = message.rsplit_once(" on node ").map_or(message, |(text, _)| text);
    let end = text.rfind(" (file: ").or_else(|| text.rfind(" (line: ")).unwrap_or(text.len());
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku::witness::Change;

    fn note(change: Change, subject: &str, line: u32) -> Note {
        let place = Place { file: Some("/m/init.pp".into()), line: Some(line), column: None };
        Note { change, subject: subject.to_owned(), place }
    }

    #[test]
    fn causes_that_hit_most_nodes_come_first() {
        let mut causes = Causes::default();
        let (fact, text) = (Change::LegacyFact, Change::NumericCoercion);
        causes.of_notes("a", &[note(text, "1", 3), note(fact, "osfamily", 1)]);
        causes.of_notes("b", &[note(fact, "osfamily", 2), note(fact, "osfamily", 1)]);
        let all = causes.finish();
        let shown: Vec<String> = all
            .iter()
            .map(|one| {
                let places = one.places.iter().map(|at| (at.place.line.unwrap_or(0), at.nodes));
                format!("{} {} {:?}", one.kind, one.nodes.len(), places.collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(shown, ["legacy-fact 2 [(1, 2), (2, 1)]", "numeric-coercion 1 [(3, 1)]"]);
        assert_eq!(all[0].places[0].instead, "$facts['os']['family']");
    }

    #[test]
    fn messages_are_told_without_their_places() {
        let message = "Evaluation Error: no (file: /a.pp, line: 1, column: 2) on node web01";
        assert_eq!(without_place(message), "Evaluation Error: no");
    }
}
