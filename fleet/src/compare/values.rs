//! How two values differ, as octocatalog-diff 2.1.0 tells it: hashes by key, lists by what they have in common in one order. What came into a
//! list or hash, or went, is told of the whole list, or of the key.

use super::Sign;
use bunraku::Data;

/// One difference within a resource.
pub(super) struct Found {
    pub sign: Sign,
    pub structure: Vec<String>,
    pub old: Option<Data>,
    pub new: Option<Data>,
}

/// Lists of which the product of lengths is larger are not matched element by element.
const MOST: usize = 1 << 20;
/// How much of two elements has to be equal so that one is taken for the other, changed.
const SIMILAR: f64 = 0.8;

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Key(String),
    Element(usize),
}

enum Part {
    /// Another value at a place.
    Changed(Vec<Step>, Data, Data),
    /// Something that one side has there.
    One(Vec<Step>, Data),
}

/// What differs between two resources: changed values first, then what came or went in lists and hashes.
pub(super) fn compare(before: &Data, after: &Data) -> Vec<Found> {
    let mut parts = Vec::new();
    values(before, after, &mut Vec::new(), &mut parts);
    let (mut found, mut nested) = (Vec::new(), Vec::<Vec<Step>>::new());
    for part in parts {
        match part {
            Part::Changed(path, old, new) => {
                let (old, new) = (Some(old), Some(new));
                found.push(Found { sign: Sign::Changed, structure: structure(&path), old, new });
            }
            Part::One(mut path, _) => {
                // Of elements the list is told as a whole.
                if let Some(last) = path.iter().rposition(|step| matches!(step, Step::Element(_))) {
                    path.truncate(last);
                }
                if !nested.contains(&path) {
                    nested.push(path);
                }
            }
        }
    }
    found.extend(nested.into_iter().map(|path| Found {
        sign: Sign::Nested,
        structure: structure(&path),
        old: at(before, &path).cloned(),
        new: at(after, &path).cloned(),
    }));
    found
}

fn structure(path: &[Step]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for step in path {
        match (step, all.last_mut()) {
            (Step::Element(number), Some(last)) => last.push_str(&format!("[{number}]")),
            (Step::Element(number), None) => all.push(format!("[{number}]")),
            (Step::Key(key), _) => all.push(key.clone()),
        }
    }
    all
}

fn at<'d>(value: &'d Data, path: &[Step]) -> Option<&'d Data> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Element(number) => value.as_list()?.get(*number),
    })
}

fn values(before: &Data, after: &Data, path: &mut Vec<Step>, parts: &mut Vec<Part>) {
    match (before, after) {
        (Data::Undef, Data::Undef) => {}
        (Data::Map(old), Data::Map(new)) => maps(old, new, path, parts),
        (Data::List(old), Data::List(new)) => lists(old, new, path, parts),
        (Data::Float(old), Data::Float(new)) if (old - new).abs() <= 0.0 => {}
        _ if before == after => {}
        _ => parts.push(Part::Changed(path.clone(), before.clone(), after.clone())),
    }
}

fn maps(old: &[(String, Data)], new: &[(String, Data)], path: &mut Vec<Step>, parts: &mut Vec<Part>) {
    let sorted = |all: &[(String, Data)]| {
        let mut numbers: Vec<usize> = (0..all.len()).collect();
        numbers.sort_by(|one, other| all[*one].0.cmp(&all[*other].0));
        numbers
    };
    let find = |all: &[(String, Data)], name: &str| all.iter().position(|(own, _)| own == name);
    let (before, after) = (sorted(old), sorted(new));
    let alone = |all: &[(String, Data)],
                 numbers: &[usize],
                 others: &[(String, Data)],
                 path: &mut Vec<Step>,
                 parts: &mut Vec<Part>| {
        for (name, value) in
            numbers.iter().map(|at| &all[*at]).filter(|(name, _)| find(others, name).is_none())
        {
            path.push(Step::Key(name.clone()));
            parts.push(Part::One(path.clone(), value.clone()));
            path.pop();
        }
    };
    alone(old, &before, new, path, parts);
    for (name, value) in before.iter().map(|at| &old[*at]) {
        if let Some(other) = find(new, name) {
            path.push(Step::Key(name.clone()));
            values(value, &new[other].1, path, parts);
            path.pop();
        }
    }
    alone(new, &after, old, path, parts);
}

fn lists(old: &[Data], new: &[Data], path: &mut Vec<Step>, parts: &mut Vec<Part>) {
    if old == new {
        return;
    }
    let one = |at: usize, value: &Data, path: &mut Vec<Step>, parts: &mut Vec<Part>| {
        path.push(Step::Element(at));
        parts.push(Part::One(path.clone(), value.clone()));
        path.pop();
    };
    if old.len().saturating_mul(new.len()) > MOST {
        return one(0, &Data::Undef, path, parts);
    }
    let mut pairs = in_common(old, new);
    for (at, other) in &pairs {
        path.push(Step::Element(*at));
        values(&old[*at], &new[*other], path, parts);
        path.pop();
    }
    pairs.push((old.len(), new.len()));
    let (mut x, mut y) = (0, 0);
    for (to_x, to_y) in pairs {
        old[x..to_x].iter().for_each(|value| one(x, value, path, parts));
        new[y..to_y].iter().for_each(|value| one(y, value, path, parts));
        (x, y) = (to_x + 1, to_y + 1);
    }
}

/// Which way a longest common part goes on.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Both,
    Pair,
    Top,
    Left,
}

/// The longest list of similar elements that both have in one order, as hashdiff finds it: which one of several, too.
fn in_common(old: &[Data], new: &[Data]) -> Vec<(usize, usize)> {
    let width = old.len();
    if width == 0 || new.is_empty() {
        return Vec::new();
    }
    let mut table: Vec<(Way, u32)> = Vec::with_capacity(width * new.len());
    for (y, other) in new.iter().enumerate() {
        for (x, one) in old.iter().enumerate() {
            let above = if y > 0 { table[(y - 1) * width + x].1 } else { 0 };
            let beside = if x > 0 { table[y * width + x - 1].1 } else { 0 };
            table.push(if is_similar(one, other) {
                let before = if x > 0 && y > 0 { table[(y - 1) * width + x - 1].1 } else { 0 };
                (Way::Pair, before + 1)
            } else {
                let way = match above.cmp(&beside) {
                    std::cmp::Ordering::Greater => Way::Top,
                    std::cmp::Ordering::Less => Way::Left,
                    _ if y == 0 => Way::Top,
                    _ if x == 0 => Way::Left,
                    _ => Way::Both,
                };
                (way, above.max(beside))
            });
        }
    }
    let (mut x, mut y, mut pairs) = (width, new.len(), Vec::new());
    while x > 0 && y > 0 {
        let (way, count) = table[(y - 1) * width + x - 1];
        if count == 0 {
            break;
        }
        match way {
            Way::Both | Way::Left => x -= 1,
            Way::Top => y -= 1,
            Way::Pair => {
                (x, y) = (x - 1, y - 1);
                pairs.push((x, y));
            }
        }
    }
    pairs.reverse();
    pairs
}

fn is_similar(one: &Data, other: &Data) -> bool {
    let holds = |value: &Data| matches!(value, Data::List(_) | Data::Map(_));
    if !holds(one) && !holds(other) {
        return match (one, other) {
            (Data::Integer(whole), Data::Float(float)) | (Data::Float(float), Data::Integer(whole)) => {
                *whole as f64 == *float
            }
            _ => one == other,
        };
    }
    let all = (nodes(one) + nodes(other)) as f64;
    if all == 0.0 {
        return true;
    }
    let mut parts = Vec::new();
    values(one, other, &mut Vec::new(), &mut parts);
    let differing: usize = parts
        .iter()
        .map(|part| match part {
            Part::Changed(_, old, new) => nodes(old) + nodes(new),
            Part::One(_, value) => nodes(value),
        })
        .sum();
    1.0 - differing as f64 / all >= SIMILAR
}

/// How many values there are in a value. What is undef or false counts for nothing.
fn nodes(value: &Data) -> usize {
    match value {
        Data::Undef | Data::Boolean(false) => 0,
        Data::List(all) => all.iter().map(nodes).sum(),
        Data::Map(all) => all.iter().map(|(_, value)| nodes(value)).sum(),
        _ => 1,
    }
}
