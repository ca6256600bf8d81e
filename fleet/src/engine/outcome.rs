//! Results: what came of a shard's nodes, in one object, in the order of their names.
//!
//! ```text
//! zstd with a long window of: a line with the form and the catalogs that are kept, then a line a node
//! ```
//!
//! No Sensitive value is in them: differences have none, and catalogs are kept only where they are asked for.

use super::job::{self, Hash, is_own};
use super::shard::{packed, unpacked};
use super::{FORMAT, Job};
use crate::compare::{Declared, Difference, Sign};
use crate::compile::save::Saved;
use crate::compile::{self, Failure};
use crate::diff::{Found, State};
use bunraku::{Data, Diagnostic, Log, Place, Severity};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::time::Duration;

/// Bytes that a result may hold when it is unpacked.
const LARGEST: u64 = 4 << 30;

/// What came of a node.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "they are taken in one by one")]
pub enum Outcome {
    /// How its catalogs differ.
    Compared(Found),
    /// Whether it compiles.
    Compiled(compile::Node),
    /// What a compile prints; or why there is nothing.
    Printed(Result<Printed, String>),
    /// It takes what a worker has not, and is the coordinator's to do: what that is.
    Left(String),
}

/// What a compile prints.
#[derive(Clone, Debug)]
pub struct Printed {
    /// What was logged.
    pub logs: Vec<Log>,
    /// The catalog, as JSON.
    pub catalog: String,
}

/// A result.
#[derive(Debug)]
pub struct Outcomes {
    /// The nodes, by name.
    pub nodes: Vec<(String, Outcome)>,
    /// The catalogs of those that were to be kept.
    pub catalogs: Option<Hash>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    fingerprint: String,
    /// Of the job.
    shard: String,
    facts: Hash,
    catalogs: Option<Hash>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    name: String,
    #[serde(flatten)]
    form: Form,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
enum Form {
    Same,
    Changed {
        differences: Vec<DifferenceForm>,
        own: Own,
    },
    Fails {
        now: String,
        own: Own,
    },
    Fixed {
        before: String,
        own: Own,
    },
    Both {
        now: String,
        before: String,
        own: Own,
    },
    Skipped {
        why: String,
    },
    Compiled {
        resources: usize,
        microseconds: u64,
        #[serde(default)]
        saved: Option<SavedForm>,
    },
    Failed {
        message: String,
        file: Option<String>,
        line: Option<u32>,
        column: Option<u32>,
        microseconds: u64,
    },
    Printed {
        logs: Vec<LogForm>,
        catalog: String,
    },
    Left {
        why: String,
    },
}

#[derive(Serialize, Deserialize)]
struct LogForm {
    level: String,
    message: String,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    source: Option<String>,
}

/// Words that stand for one node alone, with what they are.
type Own = Vec<(String, String)>;

#[derive(Serialize, Deserialize)]
struct SavedForm {
    sha256: String,
    bytes: usize,
    version: String,
    uuid: String,
}

#[derive(Serialize, Deserialize)]
struct DifferenceForm {
    sign: String,
    #[serde(rename = "type")]
    type_name: String,
    title: String,
    structure: Vec<String>,
    /// None, or a list of the one value: null is one, too.
    old: Vec<Json>,
    new: Vec<Json>,
    old_place: Option<PlaceForm>,
    new_place: Option<PlaceForm>,
    kind: Option<String>,
}

type PlaceForm = (Option<String>, Option<u32>);

impl Outcomes {
    /// As an object: what came of a job.
    ///
    /// # Errors
    /// When it is too large.
    pub fn encode(&self, job: &Job) -> Result<Vec<u8>, String> {
        let head = Head {
            format: FORMAT,
            fingerprint: job::build(),
            shard: job.shard.clone(),
            facts: job.facts.clone(),
            catalogs: self.catalogs.clone(),
        };
        let lines = || -> serde_json::Result<Vec<u8>> {
            let mut lines = serde_json::to_vec(&head)?;
            for (name, outcome) in &self.nodes {
                lines.push(b'\n');
                serde_json::to_writer(&mut lines, &Line { name: name.clone(), form: form(outcome)? })?;
            }
            Ok(lines)
        };
        let packed = lines().map_err(std::io::Error::from).and_then(|lines| packed(&lines));
        packed.map_err(|error| format!("Could not pack a result: {error}"))
    }

    /// What an object says that came of a job for these nodes.
    ///
    /// # Errors
    /// When it is none, or one of another job.
    pub fn decode(bytes: &[u8], job: &Job) -> Result<Outcomes, String> {
        let wrong =
            |error: &dyn std::fmt::Display| format!("The result of shard {} is wrong: {error}", job.shard);
        let text = unpacked(bytes, LARGEST).map_err(|error| wrong(&error))?;
        let mut lines = text.split(|byte| *byte == b'\n');
        let head: Head =
            serde_json::from_slice(lines.next().unwrap_or_default()).map_err(|error| wrong(&error))?;
        is_own(head.format, &head.fingerprint).map_err(|whose| wrong(&format!("it {whose}")))?;
        if (&head.shard, &head.facts) != (&job.shard, &job.facts) {
            return Err(wrong(&format!("it is that of shard {}", head.shard)));
        }
        let node = |line: &[u8]| -> Result<(String, Outcome), String> {
            let Line { name, form } = serde_json::from_slice(line).map_err(|error| wrong(&error))?;
            let outcome = outcome(&name, form).map_err(|error| wrong(&error))?;
            Ok((name, outcome))
        };
        Ok(Outcomes { nodes: lines.map(node).collect::<Result<_, _>>()?, catalogs: head.catalogs })
    }
}

fn form(outcome: &Outcome) -> serde_json::Result<Form> {
    let found = match outcome {
        Outcome::Compared(found) => found,
        Outcome::Compiled(node) => return Ok(compiled(node)),
        Outcome::Printed(Ok(Printed { logs, catalog })) => {
            return Ok(Form::Printed { logs: logs.iter().map(log).collect(), catalog: catalog.clone() });
        }
        Outcome::Printed(Err(why)) => return Ok(Form::Left { why: why.clone() }),
        Outcome::Left(why) => return Ok(Form::Left { why: why.clone() }),
    };
    let own = found.own.iter().map(|(word, what)| (word.clone(), (*what).to_owned())).collect();
    Ok(match &found.state {
        State::Same => Form::Same,
        State::Changed(all) => {
            Form::Changed { differences: all.iter().map(difference).collect::<Result<_, _>>()?, own }
        }
        State::Fails(now) => Form::Fails { now: now.message.clone(), own },
        State::Fixed(before) => Form::Fixed { before: before.message.clone(), own },
        State::FailsBefore(now, before) => {
            Form::Both { now: now.message.clone(), before: before.message.clone(), own }
        }
        State::Skipped(why) => Form::Skipped { why: why.clone() },
    })
}

fn compiled(node: &compile::Node) -> Form {
    let microseconds = u64::try_from(node.time.as_micros()).unwrap_or(u64::MAX);
    match &node.failure {
        Some(Failure { message, place }) => Form::Failed {
            message: message.clone(),
            file: place.file.as_deref().map(str::to_owned),
            line: place.line,
            column: place.column,
            microseconds,
        },
        None => Form::Compiled {
            resources: node.resources,
            microseconds,
            saved: node.saved.clone().map(|Saved { sha256, bytes, version, uuid }| SavedForm {
                sha256,
                bytes,
                version,
                uuid,
            }),
        },
    }
}

fn log(log: &Log) -> LogForm {
    let Place { file, line, column } = &log.place;
    LogForm {
        level: log.level.name().to_owned(),
        message: log.message.clone(),
        file: file.as_deref().map(str::to_owned),
        line: *line,
        column: *column,
        source: log.source.clone(),
    }
}

fn read_log(form: LogForm) -> Result<Log, String> {
    let LogForm { level, message, file, line, column, source } = form;
    let level = Severity::by_name(&level).ok_or_else(|| format!("there is no level {level}"))?;
    Ok(Log { level, message, place: Place { file: file.map(Into::into), line, column }, source })
}

fn difference(one: &Difference) -> serde_json::Result<DifferenceForm> {
    let value = |value: &Option<Data>| -> serde_json::Result<Vec<Json>> {
        value.iter().map(|value| serde_json::from_str(&value.to_json())).collect()
    };
    let place = |place: &Option<Declared>| place.as_ref().map(|at| (at.file.clone(), at.line));
    Ok(DifferenceForm {
        sign: one.sign.text().to_owned(),
        type_name: one.type_name.clone(),
        title: one.title.clone(),
        structure: one.structure.clone(),
        old: value(&one.old)?,
        new: value(&one.new)?,
        old_place: place(&one.old_place),
        new_place: place(&one.new_place),
        kind: one.kind.clone(),
    })
}

/// The words that [`crate::own_words`] knows.
const WORDS: [&str; 3] = ["<node>", "<host>", "<address>"];

fn outcome(name: &str, form: Form) -> Result<Outcome, String> {
    let found = |state: State, own: Own| -> Result<Outcome, String> {
        let known = |what: &str| {
            WORDS.into_iter().find(|word| *word == what).ok_or_else(|| format!("what is {what}?"))
        };
        let own =
            own.into_iter().map(|(word, what)| Ok((word, known(&what)?))).collect::<Result<_, String>>()?;
        Ok(Outcome::Compared(Found { state, own }))
    };
    let node = |microseconds, resources, failure, saved| {
        let time = Duration::from_micros(microseconds);
        Outcome::Compiled(compile::Node { name: name.to_owned(), time, resources, failure, saved })
    };
    Ok(match form {
        Form::Same => Outcome::Compared(Found::same()),
        Form::Changed { differences, own } => {
            let all = differences.into_iter().map(read_difference).collect::<Result<_, _>>()?;
            found(State::Changed(all), own)?
        }
        Form::Fails { now, own } => found(State::Fails(Diagnostic::error(now)), own)?,
        Form::Fixed { before, own } => found(State::Fixed(Diagnostic::error(before)), own)?,
        Form::Both { now, before, own } => {
            found(State::FailsBefore(Diagnostic::error(now), Diagnostic::error(before)), own)?
        }
        Form::Skipped { why } => found(State::Skipped(why), Vec::new())?,
        Form::Compiled { resources, microseconds, saved } => {
            let saved = saved.map(|SavedForm { sha256, bytes, version, uuid }| Saved {
                sha256,
                bytes,
                version,
                uuid,
            });
            node(microseconds, resources, None, saved)
        }
        Form::Failed { message, file, line, column, microseconds } => {
            let place = Place { file: file.map(Into::into), line, column };
            node(microseconds, 0, Some(Failure { message, place }), None)
        }
        Form::Printed { logs, catalog } => {
            let logs = logs.into_iter().map(read_log).collect::<Result<_, _>>()?;
            Outcome::Printed(Ok(Printed { logs, catalog }))
        }
        Form::Left { why } => Outcome::Left(why),
    })
}

fn read_difference(form: DifferenceForm) -> Result<Difference, String> {
    let sign = Sign::ALL.into_iter().find(|sign| sign.text() == form.sign);
    let value = |value: Vec<Json>| value.first().map(|value| Data::from_json(&value.to_string())).transpose();
    let place = |place: Option<PlaceForm>| place.map(|(file, line)| Declared { file, line });
    Ok(Difference {
        sign: sign.ok_or_else(|| format!("there is no sign {}", form.sign))?,
        type_name: form.type_name,
        title: form.title,
        structure: form.structure,
        old: value(form.old)?,
        new: value(form.new)?,
        old_place: place(form.old_place),
        new_place: place(form.new_place),
        kind: form.kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::job::{Want, build};

    fn job() -> Job {
        let hash = Hash::of(b"x");
        Job {
            format: FORMAT,
            fingerprint: build(),
            run: hash.clone(),
            shard: "3".to_owned(),
            from: hash.clone(),
            to: None,
            facts: hash.clone(),
            rules: hash.clone(),
            lent: hash,
            want: Want::Differences,
        }
    }

    fn all() -> Outcomes {
        let difference = Difference {
            sign: Sign::Nested,
            type_name: "File".to_owned(),
            title: "/etc/x".to_owned(),
            structure: vec!["parameters".to_owned(), "a[0]".to_owned()],
            old: Some(
                Data::from_json("{\"b\":[1,2.0,1e300,null,true,\"ü\\n\"],\"a\":{}}").expect("it is JSON"),
            ),
            new: None,
            old_place: Some(Declared { file: Some("manifests/site.pp".to_owned()), line: Some(3) }),
            new_place: Some(Declared::default()),
            kind: Some("class".to_owned()),
        };
        let error = |text: &str| Diagnostic::error(text);
        let own = vec![("n.example.com".to_owned(), "<node>"), ("10.0.0.1".to_owned(), "<address>")];
        let states = [
            State::Same,
            State::Changed(vec![difference.clone(), Difference { new: Some(Data::Undef), ..difference }]),
            State::Fails(error("a")),
            State::Fixed(error("b")),
            State::FailsBefore(error("c"), error("d")),
            State::Skipped("no facts".to_owned()),
        ];
        let compared = states.into_iter().map(|state| {
            let own = match state {
                State::Same | State::Skipped(_) => Vec::new(),
                _ => own.clone(),
            };
            Outcome::Compared(Found { state, own })
        });
        let node = |failure, saved| {
            let time = Duration::from_micros(17);
            Outcome::Compiled(compile::Node { name: "n".to_owned(), time, resources: 0, failure, saved })
        };
        let saved =
            Saved { sha256: "ab".to_owned(), bytes: 3, version: "1".to_owned(), uuid: "\"u\"".to_owned() };
        let place = Place { file: Some("f.pp".into()), line: Some(1), column: None };
        let failure = Failure { message: "no".to_owned(), place };
        let more = [
            node(Some(failure), None),
            node(None, Some(saved)),
            node(None, None),
            Outcome::Printed(Ok(Printed {
                logs: vec![Log {
                    level: Severity::Notice,
                    message: "a\nb".to_owned(),
                    place: Place { file: Some("f.pp".into()), line: Some(1), column: None },
                    source: Some("Scope(Class[main])".to_owned()),
                }],
                catalog: "{\"name\":\"ü\"}".to_owned(),
            })),
            Outcome::Left("Ruby".to_owned()),
        ];
        let nodes = compared.chain(more).map(|outcome| ("n".to_owned(), outcome)).collect();
        Outcomes { nodes, catalogs: Some(Hash::of(b"y")) }
    }

    #[test]
    fn what_came_of_nodes_is_read_back_as_it_was() {
        let (job, all) = (job(), all());
        let read = Outcomes::decode(&all.encode(&job).expect("it is packed"), &job).expect("it is one");
        assert_eq!(format!("{all:?}"), format!("{read:?}"));
    }

    #[test]
    fn results_of_others_and_damaged_ones_are_refused() {
        let (job, all) = (job(), all());
        let good = all.encode(&job).expect("it is packed");
        let other = Job { shard: "4".to_owned(), ..job.clone() };
        assert!(Outcomes::decode(&good, &other).expect_err("another").contains("it is that of shard 3"));
        for at in 0..good.len() {
            let mut turned = good.clone();
            turned[at] ^= 0x20;
            if let Ok(read) = Outcomes::decode(&turned, &job) {
                assert_eq!(format!("{all:?}"), format!("{read:?}"), "{at}");
            }
            assert!(Outcomes::decode(&good[..at], &job).is_err(), "{at}");
        }
    }
}
