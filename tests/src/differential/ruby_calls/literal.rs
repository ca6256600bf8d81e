//! Values as they are passed to functions: read from literals in Ruby, changed, and written as Puppet code.

use super::super::rng::Rng;
use std::collections::BTreeMap;
use tree_sitter::Node;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Undef,
    Default,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Regex(String),
    Array(Vec<Literal>),
    Hash(Vec<(Literal, Literal)>),
    Sensitive(Box<Literal>),
    /// Puppet code as it stands.
    Code(String),
}

use Literal::*;

impl Literal {
    /// As Puppet code.
    pub(super) fn code(&self) -> String {
        let list = |items: &[Literal]| items.iter().map(Literal::code).collect::<Vec<_>>().join(", ");
        match self {
            Undef => "undef".to_owned(),
            Default => "default".to_owned(),
            Bool(value) => value.to_string(),
            Int(i64::MIN) => "(-9223372036854775807 - 1)".to_owned(),
            Int(value) => value.to_string(),
            Float(value) if value.is_finite() => format!("{value:?}"),
            Float(_) => "0.0".to_owned(),
            Text(text) => quoted(text),
            Regex(source) => format!("/{source}/"),
            Array(items) => format!("[{}]", list(items)),
            Hash(entries) => {
                let entry = |(key, value): &(Literal, Literal)| format!("{} => {}", key.code(), value.code());
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
            Sensitive(value) => format!("Sensitive({})", value.code()),
            Code(code) => code.clone(),
        }
    }

    /// How many values it is made of.
    fn size(&self) -> usize {
        1 + match self {
            Array(items) => items.iter().map(Literal::size).sum(),
            Hash(entries) => entries.iter().map(|(_, value)| value.size()).sum::<usize>(),
            Sensitive(value) => value.size(),
            _ => 0,
        }
    }

    /// The value with one of those it is made of changed by `change`.
    pub(super) fn changed(&mut self, rng: &mut Rng, change: &mut dyn FnMut(&mut Rng, &mut Literal)) {
        let at = rng.below(self.size());
        self.change_at(at, rng, change);
    }

    fn change_at(&mut self, mut at: usize, rng: &mut Rng, change: &mut dyn FnMut(&mut Rng, &mut Literal)) {
        if at == 0 {
            change(rng, self);
            return;
        }
        at -= 1;
        let within: Vec<&mut Literal> = match self {
            Array(items) => items.iter_mut().collect(),
            Hash(entries) => entries.iter_mut().map(|(_, value)| value).collect(),
            Sensitive(value) => vec![value],
            _ => Vec::new(),
        };
        for item in within {
            let size = item.size();
            if at < size {
                return item.change_at(at, rng, change);
            }
            at -= size;
        }
    }
}

/// A string as Puppet code.
pub(super) fn quoted(text: &str) -> String {
    if !text.contains(|c: char| c == '\'' || c == '\\' || c.is_control()) {
        return format!("'{text}'");
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            '\r' => out += "\\r",
            '"' | '\\' | '$' => out.extend(['\\', c]),
            c if c.is_control() => out += &format!("\\u{{{:x}}}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// What names in a file of Ruby stand for: those given once, and those that stand for one item after another.
#[derive(Default)]
pub(super) struct Names<'t> {
    once: BTreeMap<&'t str, Node<'t>>,
    each: BTreeMap<&'t str, (Node<'t>, Role)>,
}

/// What a parameter of a block stands for.
#[derive(Clone, Copy)]
enum Role {
    /// An item.
    Item,
    /// This one of the parts of an item; of a hash's entries 0 is the key.
    Part(usize),
}

/// A file of Ruby, and its names.
pub(super) struct Source<'t> {
    text: &'t str,
    names: Names<'t>,
}

/// The nodes within a node, itself first.
pub(super) fn within(node: Node<'_>) -> Vec<Node<'_>> {
    let mut all = vec![node];
    let mut at = 0;
    while at < all.len() {
        let node = all[at];
        at += 1;
        let mut cursor = node.walk();
        all.extend(node.named_children(&mut cursor));
    }
    all
}

/// The named nodes directly within a node.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

impl<'t> Source<'t> {
    /// Collects the names of a file.
    pub(super) fn new(text: &'t str, root: Node<'t>) -> Source<'t> {
        let mut source = Source { text, names: Names::default() };
        for node in within(root) {
            match node.kind() {
                "assignment" => {
                    let sides = (node.child_by_field_name("left"), node.child_by_field_name("right"));
                    if let (Some(left), Some(right)) = sides {
                        source.names.once.insert(source.of(left), right);
                    }
                }
                "call" => source.name_of_call(node),
                _ => {}
            }
        }
        source
    }

    /// The text of a node.
    pub(super) fn of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// What `let(:name) { … }` and `….each do |name|` name.
    fn name_of_call(&mut self, node: Node<'t>) {
        let Some(method) = node.child_by_field_name("method") else { return };
        let Some(block) = node.child_by_field_name("block") else { return };
        let body = block.child_by_field_name("body");
        match self.of(method) {
            "let" | "let!" => {
                let name = node.child_by_field_name("arguments").and_then(|list| list.named_child(0));
                let value = body.and_then(|body| children(body).into_iter().next_back());
                if let (Some(name), Some(value)) = (name, value) {
                    self.names.once.insert(self.of(name).trim_start_matches(':'), value);
                }
            }
            "each" | "each_pair" | "each_with_index" | "map" => {
                let Some(of) = node.child_by_field_name("receiver") else { return };
                let Some(parameters) = block.child_by_field_name("parameters") else { return };
                let named = children(parameters);
                for (at, name) in named.iter().enumerate() {
                    let role = if named.len() == 1 { Role::Item } else { Role::Part(at) };
                    self.names.each.insert(self.of(*name), (of, role));
                }
            }
            _ => {}
        }
    }

    /// How many values the names of blocks may stand for at most.
    pub(super) fn turns(&self) -> usize {
        if self.names.each.is_empty() { 1 } else { 30 }
    }

    /// The value that a node stands for, where it can be told; names of blocks stand for their item number `turn`.
    pub(super) fn value(&self, node: Node<'t>, turn: usize, depth: usize) -> Option<Literal> {
        if depth > 12 {
            return None;
        }
        let inner = |node| self.value(node, turn, depth + 1);
        match node.kind() {
            "nil" => Some(Undef),
            "true" => Some(Bool(true)),
            "false" => Some(Bool(false)),
            "integer" => integer(self.of(node)),
            "float" => self.of(node).replace('_', "").parse().ok().map(Float),
            "unary" => {
                let value = node.child_by_field_name("operand").and_then(inner)?;
                match (self.of(node).chars().next()?, value) {
                    ('-', Int(value)) => Some(Int(-value)),
                    ('-', Float(value)) => Some(Float(-value)),
                    _ => None,
                }
            }
            "simple_symbol" | "hash_key_symbol" => match self.of(node).trim_start_matches(':') {
                "undef" => Some(Undef),
                "default" => Some(Default),
                name => Some(Text(name.to_owned())),
            },
            "string" | "delimited_symbol" | "bare_string" | "heredoc_body" => {
                self.text_of(node, turn, depth).map(Text)
            }
            "chained_string" => {
                let parts: Option<Vec<String>> =
                    children(node).into_iter().map(|part| self.text_of(part, turn, depth)).collect();
                Some(Text(parts?.concat()))
            }
            "regex" => {
                let text: String = children(node).iter().map(|part| self.of(*part)).collect();
                let plain = !text.contains("#{") && !text.contains('\n');
                plain.then(|| Regex(text.replace("\\/", "/").replace('/', "\\/")))
            }
            "array" | "string_array" | "symbol_array" => {
                children(node).into_iter().map(inner).collect::<Option<Vec<_>>>().map(Array)
            }
            "bare_symbol" => Some(Text(self.of(node).to_owned())),
            "hash" => children(node)
                .into_iter()
                .map(|pair| self.pair(pair, turn, depth))
                .collect::<Option<_>>()
                .map(Hash),
            "parenthesized_statements" => match children(node).as_slice() {
                [one] => inner(*one),
                _ => None,
            },
            "identifier" => {
                let name = self.of(node);
                if let Some((of, role)) = self.names.each.get(name) {
                    return self.item(*of, *role, turn, depth);
                }
                self.names.once.get(name).and_then(|value| inner(*value))
            }
            "constant" => self.names.once.get(self.of(node)).and_then(|value| inner(*value)),
            "call" => self.call(node, turn, depth),
            _ => None,
        }
    }

    fn call(&self, node: Node<'t>, turn: usize, depth: usize) -> Option<Literal> {
        let method = self.of(node.child_by_field_name("method")?);
        let first = || {
            let list = node.child_by_field_name("arguments")?;
            self.value(*children(list).first()?, turn, depth + 1)
        };
        match node.child_by_field_name("receiver") {
            None if method == "sensitive" => first().map(|value| Sensitive(Box::new(value))),
            None => None,
            Some(receiver) if method == "new" && self.of(receiver).ends_with("Sensitive") => {
                first().map(|value| Sensitive(Box::new(value)))
            }
            Some(receiver) if matches!(method, "freeze" | "dup" | "clone" | "to_s") => {
                self.value(receiver, turn, depth + 1)
            }
            Some(_) => None,
        }
    }

    fn item(&self, of: Node<'t>, role: Role, turn: usize, depth: usize) -> Option<Literal> {
        match (self.value(of, turn, depth + 1)?, role) {
            (Array(items), Role::Item) => items.get(turn).cloned(),
            (Array(items), Role::Part(part)) => match items.get(turn)? {
                Array(parts) => parts.get(part).cloned(),
                item if part == 0 => Some(item.clone()),
                _ => None,
            },
            (Hash(entries), Role::Part(part)) => {
                let (key, value) = entries.get(turn)?;
                Some(if part == 0 { key.clone() } else { value.clone() })
            }
            _ => None,
        }
    }

    fn pair(&self, node: Node<'t>, turn: usize, depth: usize) -> Option<(Literal, Literal)> {
        let key = self.value(node.child_by_field_name("key")?, turn, depth + 1)?;
        Some((key, self.value(node.child_by_field_name("value")?, turn, depth + 1)?))
    }

    fn text_of(&self, node: Node<'t>, turn: usize, depth: usize) -> Option<String> {
        let start = self.of(node);
        let raw = start.starts_with('\'') || start.starts_with("%q");
        let mut out = String::new();
        for part in children(node) {
            match part.kind() {
                "string_content" | "heredoc_content" => out += self.of(part),
                "escape_sequence" if raw => {
                    out += self.of(part).replace("\\\\", "\\").replace("\\'", "'").as_str()
                }
                "escape_sequence" => out += &unescaped(self.of(part)),
                "interpolation" => match self.value(*children(part).first()?, turn, depth + 1)? {
                    Text(text) => out += &text,
                    Int(value) => out += &value.to_string(),
                    _ => return None,
                },
                "heredoc_end" => {}
                _ => return None,
            }
        }
        Some(out)
    }

    /// What an argument list passes: options at its end are one hash.
    pub(super) fn arguments(&self, list: Option<Node<'t>>, turn: usize) -> Option<Vec<Literal>> {
        let mut all = Vec::new();
        let mut options = Vec::new();
        for node in list.map(children).unwrap_or_default() {
            match node.kind() {
                "pair" => options.push(self.pair(node, turn, 0)?),
                "splat_argument" => match self.value(*children(node).first()?, turn, 0)? {
                    Array(items) => all.extend(items),
                    _ => return None,
                },
                _ => all.push(self.value(node, turn, 0)?),
            }
        }
        if !options.is_empty() {
            all.push(Hash(options));
        }
        Some(all)
    }
}

fn integer(text: &str) -> Option<Literal> {
    let text = text.replace('_', "").to_lowercase();
    let value = match text.get(..2) {
        Some("0x") => i64::from_str_radix(&text[2..], 16).ok(),
        Some("0b") => i64::from_str_radix(&text[2..], 2).ok(),
        _ if text.len() > 1 && text.starts_with('0') => {
            i64::from_str_radix(text[1..].trim_start_matches('o'), 8).ok()
        }
        _ => text.parse().ok(),
    };
    value.map(Int)
}

fn unescaped(text: &str) -> String {
    let rest = text.get(1..).unwrap_or_default();
    let hex = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    let one = match rest.chars().next() {
        Some('n') => Some('\n'),
        Some('t') => Some('\t'),
        Some('r') => Some('\r'),
        Some('e') => Some('\u{1b}'),
        Some('s') => Some(' '),
        Some('0') => Some('\u{0}'),
        Some('u') => hex(rest[1..].trim_matches(['{', '}'])),
        Some('x') => hex(&rest[1..]).filter(char::is_ascii),
        Some('\n') => return String::new(),
        _ => return rest.to_owned(),
    };
    one.map_or_else(String::new, String::from)
}
