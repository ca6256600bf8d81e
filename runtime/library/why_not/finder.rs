//! Finds the places that would have declared something, and what kept them from it: from what the code has written, and what of it has
//! run.

use super::aside::{classifier, named_in};
use super::{Cause, Condition, Told, Way, WhyNot};
use crate::bench::Target;
use crate::catalog::Catalog;
use crate::compiler::{Compilation, Compiler};
use crate::coverage::{JUMPED, LoweredFile, RAN, RanUnit, Watches};
use bunraku_compile::origins::close;
use bunraku_compiler::lower::Fork;
use bunraku_compiler::places::{CALLED, DeclaredBy, DeclaringPlace, Guard, Inside, declaring_places};
use bunraku_compiler::{SourceFile, SourceKind};
use bunraku_data::names;
use bunraku_environment::pieces::{PieceKind, shown};
use bunraku_files::reads::Touch;
use bunraku_vm::diagnostic::Diagnostic;
use bunraku_vm::unit::DefKind;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// How many ways are told of one thing, and how deep.
const MOST_WAYS: usize = 12;
const DEEPEST: usize = 12;
/// How many places with computed names are told.
const MOST_ASIDE: usize = 8;

/// A file of code: what it declares, and what of it has run.
struct Read {
    file: LoweredFile,
    places: Vec<DeclaringPlace>,
    ran: Option<RanUnit>,
}

struct Finder {
    all: Vec<Read>,
    folder: Option<PathBuf>,
    /// Definitions whose ways are told already.
    told: HashSet<(DefKind, String)>,
    /// Of conditions, the file and the instruction behind each part that has a value; filled while causes are found.
    watches: Watches,
    /// For each condition that is told, in their order, where its values come to be: file, part, instruction.
    asked: Vec<Vec<(usize, String, u32)>>,
}

pub(super) fn why_not(compiler: &Compiler, target: &Target, reference: &str) -> Compilation<WhyNot> {
    let mut target = target.clone();
    target.settings.reads = true;
    let (compiled, ran) = compiler.covered(&target, Watches::default());
    let Compilation { result, logs, stats, reads, spent } = compiled;
    let touches = reads.as_ref().map(|reads| &*reads.touches).unwrap_or_default();
    let result = match result {
        Ok(catalog) => {
            answer_of(compiler, &target, reference, (&catalog, ran, touches)).map_err(Diagnostic::error)
        }
        Err(error) => Err(error),
    };
    Compilation { result, logs, stats, reads, spent }
}

fn answer_of(
    compiler: &Compiler,
    target: &Target,
    reference: &str,
    (catalog, ran, touches): (&Catalog, Vec<RanUnit>, &[Touch]),
) -> Result<WhyNot, String> {
    let (ty, title) =
        split(reference).ok_or_else(|| format!("'{reference}' names no resource: it takes Type[title]"))?;
    let is_there = match ty.as_str() {
        "Class" => catalog.classes().contains(&title),
        _ => catalog.resource(&ty, &title).is_some(),
    };
    let pieces = compiler.pieces(&target.environment, &target.settings)?;
    let mut finder = Finder::new(compiler, target, ran, pieces.folder.clone())?;
    let mut answer = finder.answer(&ty, &title);
    (answer.node, answer.is_there) = (target.node.name().to_owned(), is_there);
    if ty == "Class" {
        let files = pieces.all.iter().filter(|piece| piece.kind == PieceKind::Data);
        let texts = compiler.data_texts(target, files, touches)?;
        answer.data = named_in(&texts, &title, finder.folder.as_deref());
        answer.classifier = classifier(target, &title, &finder.told).filter(|_| !is_there);
    }
    if !finder.watches.is_empty() {
        let (_, again) = compiler.covered(target, std::mem::take(&mut finder.watches));
        finder.add_values(&mut answer, &again);
    }
    Ok(answer)
}

/// The type, capitalised, and the title of a reference; of classes in lower case.
fn split(reference: &str) -> Option<(String, String)> {
    let (ty, title) = names::split_reference(reference.trim())?;
    let title = title.trim();
    let bare = ['\'', '"'].iter().find_map(|quote| title.strip_prefix(*quote)?.strip_suffix(*quote));
    let (ty, title) = (names::capitalize(&ty.to_lowercase()), bare.unwrap_or(title));
    let title = if ty == "Class" { class_name(title) } else { title.to_owned() };
    Some((ty, title))
}

pub(super) fn class_name(name: &str) -> String {
    name.trim_start_matches("::").to_lowercase()
}

impl Finder {
    fn new(
        compiler: &Compiler,
        target: &Target,
        ran: Vec<RanUnit>,
        folder: Option<PathBuf>,
    ) -> Result<Finder, String> {
        let mut ran: HashMap<String, RanUnit> =
            ran.into_iter().filter_map(|unit| Some((unit.file.clone()?, unit))).collect();
        let files = compiler.lowered(&target.environment, &target.settings)?;
        let all = files.into_iter().map(|file| {
            let places = match &file.source {
                Ok(source) => {
                    let kind = if file.is_template { SourceKind::Epp } else { SourceKind::Manifest };
                    declaring_places(&SourceFile { kind, ..SourceFile::manifest(&source.text) })
                }
                Err(_) => Vec::new(),
            };
            let name = file.file.to_string_lossy();
            let fits = |unit: &RanUnit| {
                file.source.as_ref().is_ok_and(|source| source.fingerprint == unit.fingerprint)
            };
            let ran = ran.remove(&*name).filter(fits);
            Read { file, places, ran }
        });
        let (told, watches, asked) = (HashSet::new(), Watches::default(), Vec::new());
        Ok(Finder { all: all.collect(), folder, told, watches, asked })
    }

    fn answer(&mut self, ty: &str, title: &str) -> WhyNot {
        let lower = class_name(ty);
        let is_class = ty == "Class";
        let kind = if is_class { DefKind::Class } else { DefKind::Define };
        let defined: Vec<String> = self.defined(kind).collect();
        let name = if is_class { title } else { lower.as_str() };
        if is_class {
            self.told.insert((kind, title.to_owned()));
        }
        let fits = |place: &DeclaringPlace| match (&place.ty, &place.title) {
            (Some(ty), Some(own)) if *ty == lower => *own == title || (is_class && class_name(own) == title),
            _ => false,
        };
        let (ways, more) = self.ways(&fits, 0);
        let may = |place: &DeclaringPlace| {
            place.ty.as_deref().is_none_or(|ty| ty == lower) && place.title.is_none()
        };
        let (mut computed, _) = self.ways(&may, DEEPEST);
        // What is not run for a reason of its own says less than what is run and names others.
        computed.retain(|way| matches!(way.cause, Cause::Ran { .. } | Cause::Condition(_)));
        computed.truncate(MOST_ASIDE);
        let is_defined = defined.iter().any(|one| one == name) || (!is_class && !lower.contains("::"));
        let close = if is_defined { Vec::new() } else { close(name, defined.into_iter()) };
        let reference = (ty.to_owned(), title.to_owned());
        WhyNot { reference, is_defined, ways, more, computed, close, ..WhyNot::default() }
    }

    fn defined(&self, kind: DefKind) -> impl Iterator<Item = String> + '_ {
        let sources = self.all.iter().filter_map(|read| read.file.source.as_ref().ok());
        let definitions = sources.flat_map(|source| &source.points.definitions);
        definitions.filter(move |one| one.kind == kind).map(|one| one.name.clone())
    }

    /// The places that fit, nearest first, and how many more there are.
    fn ways(&mut self, fits: &dyn Fn(&DeclaringPlace) -> bool, depth: usize) -> (Vec<Way>, usize) {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (file, read) in self.all.iter().enumerate() {
            let own = read.places.iter().enumerate().filter(|(_, place)| fits(place));
            found.extend(own.map(|(place, _)| (file, place)));
        }
        // Those in code that runs come first: they are nearest.
        found.sort_by_key(|(file, place)| !self.is_body_run(*file, &self.all[*file].places[*place].inside));
        let more = found.len().saturating_sub(MOST_WAYS);
        found.truncate(MOST_WAYS);
        (found.into_iter().map(|(file, place)| self.way(file, place, depth)).collect(), more)
    }

    fn way(&mut self, file: usize, number: usize, depth: usize) -> Way {
        let place = self.all[file].places[number].clone();
        let cause = self.cause(file, &place, depth);
        Way {
            how: place.how,
            text: place.text,
            file: shown(&self.all[file].file.file, self.folder.as_deref()),
            line: place.line,
            inside: inside(&place.inside),
            cause,
        }
    }

    fn has_run(&self, file: usize, at: u32, by_jump: bool) -> bool {
        let marks = self.all[file].ran.as_ref().map(|ran| ran.marks.as_slice()).unwrap_or_default();
        let wanted = if by_jump { JUMPED } else { RAN };
        marks.get(at as usize).is_some_and(|mark| mark & wanted != 0)
    }

    fn is_body_run(&self, file: usize, inside: &Inside) -> bool {
        let Some(kind) = inside.kind else { return self.has_run(file, 0, false) };
        let Ok(source) = &self.all[file].file.source else { return false };
        let mut own =
            source.points.definitions.iter().filter(|one| one.kind == kind && one.place == inside.place);
        own.any(|one| self.has_run(file, one.at, false))
    }

    /// What kept a place from being run.
    fn cause(&mut self, file: usize, place: &DeclaringPlace, depth: usize) -> Cause {
        if !self.is_body_run(file, &place.inside) {
            return self.missing(&place.inside, depth);
        }
        for guard in &place.guards {
            let Some(is_taken) = self.is_taken(file, guard) else { break };
            if !is_taken {
                return Cause::Condition(self.condition(file, guard));
            }
        }
        if self.is_place_run(file, place) {
            return Cause::Ran { is_virtual: place.is_virtual };
        }
        match place.blocks.last() {
            Some((function, line)) => Cause::Block(function.clone(), *line),
            None => Cause::NotReached,
        }
    }

    fn is_place_run(&self, file: usize, place: &DeclaringPlace) -> bool {
        let Ok(source) = &self.all[file].file.source else { return false };
        let mut points = source.points.points.iter().filter(|point| point.span == place.span);
        // A class that is inherited is declared with the one that does it.
        place.how == DeclaredBy::Inherits || points.any(|point| self.has_run(file, point.from, false))
    }

    /// Whether an arm was taken; none where its condition was not asked at all.
    fn is_taken(&self, file: usize, guard: &Guard) -> Option<bool> {
        let source = self.all[file].file.source.as_ref().ok()?;
        let arms = || source.points.arms.iter().filter(|arm| arm.of == guard.of && arm.fork == guard.fork);
        arms().any(|arm| self.has_run(file, arm.at, arm.by_jump)).then(|| {
            arms().any(|arm| arm.body == Some(guard.body) && self.has_run(file, arm.at, arm.by_jump))
        })
    }

    fn condition(&mut self, file: usize, guard: &Guard) -> Condition {
        let mut asked = Vec::new();
        let path = self.all[file].file.file.to_string_lossy().into_owned();
        if let Ok(source) = &self.all[file].file.source {
            for operand in &guard.operands {
                let point = source.points.points.iter().find(|point| point.span == operand.span);
                if let Some((point, register)) = point.and_then(|point| Some((point, point.register?))) {
                    self.watches.entry(path.clone()).or_default().insert(point.to, register);
                    asked.push((file, operand.text.clone(), point.to));
                }
            }
        }
        self.asked.push(asked);
        Condition {
            fork: guard.fork,
            line: guard.line,
            text: guard.condition.clone(),
            options: guard.options.clone(),
            is_rest: guard.is_rest,
            values: Vec::new(),
            number: self.asked.len() - 1,
        }
    }

    /// Why a body is not run.
    fn missing(&mut self, inside: &Inside, depth: usize) -> Cause {
        let Some(kind) = inside.kind else { return Cause::NotReached };
        let definition = self::inside(inside);
        match kind {
            DefKind::Node => Cause::OtherNode,
            DefKind::Class | DefKind::Define => {
                let name = inside.name.clone();
                let told = self.where_told(depth, (kind, &name));
                if told != Told::Here {
                    return Cause::Missing { definition, ways: Vec::new(), more: 0, told };
                }
                let fits = |place: &DeclaringPlace| match kind {
                    DefKind::Class => {
                        place.ty.as_deref() == Some("class")
                            && place.title.as_ref().is_some_and(|title| class_name(title) == name)
                    }
                    _ => place.ty.as_deref() == Some(&*name),
                };
                let (ways, more) = self.ways(&fits, depth + 1);
                Cause::Missing { definition, ways, more, told }
            }
            _ => self.not_called(&inside.name, depth),
        }
    }

    /// Where it is told what would have declared or called something that is met so many steps from what was asked for.
    fn where_told(&mut self, depth: usize, (kind, name): (DefKind, &str)) -> Told {
        let at = (kind, name.to_owned());
        match (self.told.contains(&at), depth >= DEEPEST) {
            (true, _) => Told::Above,
            (false, true) => Told::Nowhere,
            (false, false) => {
                self.told.insert(at);
                Told::Here
            }
        }
    }

    /// A function that is not called: where it would be.
    fn not_called(&mut self, name: &str, depth: usize) -> Cause {
        let function = name.to_owned();
        let told = self.where_told(depth, (DefKind::Function, name));
        if told != Told::Here {
            return Cause::NotCalled { function, ways: Vec::new(), more: 0, told };
        }
        let calls = |place: &DeclaringPlace| {
            place.ty.as_deref() == Some(CALLED) && place.title.as_deref() == Some(name)
        };
        let (ways, more) = self.ways(&calls, depth + 1);
        Cause::NotCalled { function, ways, more, told }
    }

    /// Puts the values that were seen in a second compile in their places.
    fn add_values(&self, answer: &mut WhyNot, again: &[RanUnit]) {
        let by_file: HashMap<&str, &RanUnit> =
            again.iter().filter_map(|unit| Some((unit.file.as_deref()?, unit))).collect();
        let seen = |(file, text, at): &(usize, String, u32)| {
            let file = self.all[*file].file.file.to_string_lossy();
            let values = by_file.get(&*file).and_then(|unit| unit.values.get(at)).cloned();
            (text.clone(), values.unwrap_or_default())
        };
        let fill = |condition: &mut Condition| {
            for (text, values) in self.asked.get(condition.number).into_iter().flatten().map(seen) {
                // The same text twice has been told.
                if !condition.values.iter().any(|(known, _)| *known == text) {
                    condition.values.push((text, values));
                }
            }
        };
        answer.ways.iter_mut().chain(&mut answer.computed).for_each(|way| in_conditions(way, &fill));
    }
}

fn in_conditions(way: &mut Way, each: &impl Fn(&mut Condition)) {
    match &mut way.cause {
        Cause::Condition(condition) => each(condition),
        Cause::Missing { ways, .. } | Cause::NotCalled { ways, .. } => {
            ways.iter_mut().for_each(|way| in_conditions(way, each))
        }
        _ => {}
    }
}

fn inside(inside: &Inside) -> String {
    match inside.kind {
        None => String::new(),
        Some(DefKind::Class) => format!("class {}", inside.name),
        Some(DefKind::Define) => format!("define {}", inside.name),
        Some(DefKind::Node) => format!("node {}", inside.text),
        Some(_) => format!("function {}", inside.name),
    }
}

/// The words for what a condition was, for whoever tells of it.
pub(super) fn words(condition: &Condition) -> String {
    let Condition { fork, text, options, is_rest, .. } = condition;
    match (fork, is_rest) {
        (Fork::If, false) => format!("`if {text}` was false"),
        (Fork::If, true) => format!("`if {text}` was true, and this is its `else`"),
        (Fork::Unless, false) => format!("`unless {text}` was true"),
        (Fork::Unless, true) => format!("`unless {text}` was false, and this is its `else`"),
        (Fork::Case | Fork::Selector, true) => format!("`{} {text}` had another option", fork.word()),
        (Fork::Case | Fork::Selector, false) => format!("`{} {text}` did not come to {options}", fork.word()),
        (Fork::And | Fork::Or, _) => format!("`{}` was decided by its left side", fork.word()),
    }
}
