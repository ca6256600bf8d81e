//! What Puppet's own classes refuse of a type as it is declared: a word that they don't have, an attribute twice, a name that
//! no class can have. It is a doubt, which Ruby is asked about: the word may be a method that is defined in a way, or at a
//! place, that is not seen here. So none is noted where the sources that are read leave room for such a method.

use super::Reader;
use super::source::Code;
use super::value::Scope;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The methods that the classes of types and attributes have in any version of Puppet: below each heading those of that class,
/// below `any` those of all classes. `tests/oracle/type_words.rb` makes the list.
pub const WORDS: &str = include_str!("words.txt");

/// The same, by heading.
static BY_CLASS: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
    let mut all: HashMap<&str, HashSet<&str>> = HashMap::new();
    let mut heading = "";
    for line in WORDS.lines() {
        match line.starts_with(' ') {
            true => all.entry(heading).or_default().extend(line.split_whitespace()),
            false => heading = line,
        }
    }
    all
});

/// Whose body a block is, by the headings whose words are known in it.
type Class = &'static [&'static str];

const TYPE: Class = &["type", "any"];
const PARAMETER: Class = &["parameter", "any"];
const PROPERTY: Class = &["property", "any"];
const ENSURE: Class = &["ensure", "property", "any"];

/// Puppet's own classes that attributes may descend from, below those for all.
const PARENTS: &[&str] = &["Boolean", "Path", "PackageOptions", "List", "OrderedList", "KeyValue", "Ensure"];

/// Words behind which a class may have any method.
const MIXING: &[&str] =
    &["include", "extend", "prepend", "class_eval", "class_exec", "instance_eval", "instance_exec", "eval"];

fn has(class: Class, word: &str) -> bool {
    class.iter().any(|heading| BY_CLASS.get(heading).is_some_and(|words| words.contains(word)))
}

/// A method that is called for the class itself, if that is what a statement does.
fn called<'t>(statement: Code<'t>) -> Option<&'t str> {
    match statement.node.kind() {
        "identifier" => Some(statement.text()),
        "call" if statement.field("receiver").is_none_or(|receiver| receiver.text() == "self") => {
            Some(statement.field("method")?.text())
        }
        _ => None,
    }
}

impl<'t> Reader<'_, 't> {
    /// Notes what is refused first.
    fn refuse(&mut self, code: Code<'t>, what: &str) {
        self.refused.get_or_insert_with(|| (code.line(), what.to_owned()));
    }

    /// A word in the block of a type that no source defines: if it is a method all the same, nobody knows what that declares.
    pub(super) fn unknown_word(&mut self, code: Code<'t>, word: &str, scope: &Scope) {
        if !self.takes_any_word && !self.knows(word, TYPE, scope) {
            self.refuse(code, word);
            self.give_up(code, &format!("'{word}' is defined where it can't be read"));
        }
    }

    fn knows(&self, word: &str, class: Class, scope: &Scope) -> bool {
        has(class, word) || scope.locals.contains_key(word) || self.evaluator.program.may_define(word)
    }

    /// An attribute that is declared: its name in lower case, and whether there is one of its kind already.
    pub(super) fn expect_attribute(&mut self, code: Code<'t>, word: &str, name: &str, is_there: bool) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        // The class of a parameter begins with that word, that of a property with the name.
        let begins = word == "newparam" || name.starts_with(char::is_alphabetic);
        if is_there || !begins || !name.chars().all(is_part) {
            self.refuse(code, name);
        }
    }

    /// The block of an attribute that `word` declares: the words in it.
    pub(super) fn attribute_block(&mut self, code: Code<'t>, word: &str, block: Code<'t>, scope: &Scope) {
        let own = match word {
            "newparam" => PARAMETER,
            "newproperty" => PROPERTY,
            _ => ENSURE,
        };
        let Some(class) = parent(code).map_or(Some(own), |parent| of_parent(parent, own)) else { return };
        let Some(body) = block.field("body") else { return };
        let statements = body.children();
        let sets = |name: &str| {
            let mut lefts = statements.iter().filter_map(|statement| statement.field("left"));
            lefts.any(|left| left.mentions(&[name]))
        };
        for statement in &statements {
            let Some(word) = called(*statement) else { continue };
            if MIXING.contains(&word) {
                return;
            }
            if !sets(word) && !self.knows(word, class, scope) {
                self.refuse(*statement, word);
            }
        }
    }
}

/// What stands behind `parent` where an attribute is declared; `""` where that can't be said.
fn parent<'t>(code: Code<'t>) -> Option<&'t str> {
    let mut options = code.field("arguments").map_or(Vec::new(), Code::children).into_iter().skip(1);
    let mut given: Vec<Code<'t>> = Vec::new();
    let braces = options.clone().filter(|option| option.node.kind() == "hash");
    given.extend(braces.flat_map(Code::children));
    given.extend(options.by_ref().filter(|option| !matches!(option.node.kind(), "hash" | "block_argument")));
    let key = |pair: &Code<'t>| pair.field("key").map(|key| key.text().trim_matches([':', '\'', '"']));
    match given.iter().find(|option| option.node.kind() != "pair") {
        Some(_) => Some(""),
        None => {
            let pair = given.into_iter().find(|pair| key(pair) == Some("parent"))?;
            Some(pair.field("value").map_or("", Code::text))
        }
    }
}

/// The words of an attribute with a parent; none where that is not one of Puppet's.
fn of_parent(parent: &str, own: Class) -> Option<Class> {
    let below = parent.trim_start_matches("::").strip_prefix("Puppet::")?;
    let (kind, name) = below.split_once("::").unwrap_or((below, ""));
    match (kind, name) {
        ("Property", "Ensure") => Some(ENSURE),
        ("Property" | "Parameter", name) if name.is_empty() || PARENTS.contains(&name) => Some(own),
        _ => None,
    }
}
