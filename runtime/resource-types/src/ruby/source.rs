//! Ruby sources as trees: the file of a type and the files of its module that it requires, with the modules, methods
//! and constants they define.

use bunraku_ruby_syntax as ruby_tree;
use std::collections::{HashMap, HashSet};
use tree_sitter::{Node, Tree};

/// A piece of a source.
#[derive(Clone, Copy)]
pub(crate) struct Code<'t> {
    pub node: Node<'t>,
    source: &'t str,
}

impl<'t> Code<'t> {
    /// How it is written.
    pub fn text(self) -> &'t str {
        self.source.get(self.node.byte_range()).unwrap_or_default()
    }

    /// A part by its name in the grammar.
    pub fn field(self, name: &str) -> Option<Code<'t>> {
        self.node.child_by_field_name(name).map(|node| Code { node, ..self })
    }

    /// Its parts, without punctuation and comments, and without texts that stand below the line that asks for them.
    pub fn children(self) -> Vec<Code<'t>> {
        let mut cursor = self.node.walk();
        let all = self.node.named_children(&mut cursor);
        all.filter(|node| !matches!(node.kind(), "comment" | "heredoc_body"))
            .map(|node| Code { node, ..self })
            .collect()
    }

    /// What it is a part of.
    pub fn parent(self) -> Option<Code<'t>> {
        self.node.parent().map(|node| Code { node, ..self })
    }

    /// What stands behind it in the same whole.
    pub fn next(self) -> Option<Code<'t>> {
        self.node.next_sibling().map(|node| Code { node, ..self })
    }

    /// Line, from 1.
    pub fn line(self) -> usize {
        self.node.start_position().row + 1
    }

    /// Whether a word stands in it as a name of its own.
    pub fn mentions(self, words: &[&str]) -> bool {
        let text = self.text();
        let part = |c: char| c.is_alphanumeric() || c == '_';
        words.iter().any(|word| {
            text.match_indices(word)
                .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
        })
    }
}

/// A parsed file.
pub(crate) struct Source {
    text: String,
    tree: Tree,
}

impl Source {
    /// Parses a file; none if it is too large, or takes too long, to be one that people wrote.
    pub fn parse(text: &str) -> Option<Source> {
        const LARGEST: usize = 4 << 20;
        if text.len() > LARGEST {
            return None;
        }
        let tree = ruby_tree::parse(text)?;
        Some(Source { text: text.to_owned(), tree })
    }

    /// The whole file.
    pub fn root(&self) -> Code<'_> {
        Code { node: self.tree.root_node(), source: &self.text }
    }

    /// What it requires that may lie in a module: paths below `lib`, without `.rb`.
    pub fn requires(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut pending = vec![self.root()];
        while let Some(code) = pending.pop() {
            let method = code.field("method").filter(|_| code.node.kind() == "call");
            match method.map(Code::text) {
                Some("require" | "require_relative") if code.field("receiver").is_none() => {
                    let mut pieces = Vec::new();
                    strings(code, &mut pieces);
                    let path = pieces.join("/");
                    // What `File.join` puts behind `..` lies below `lib` again.
                    let parts: Vec<&str> =
                        path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
                    let path = parts.join("/");
                    found.push(path.strip_suffix(".rb").map(str::to_owned).unwrap_or(path));
                }
                _ => pending.extend(code.children()),
            }
        }
        found.retain(|path| !path.is_empty());
        found.reverse();
        found
    }
}

fn strings(code: Code<'_>, into: &mut Vec<String>) {
    let mut pending = vec![code];
    while let Some(code) = pending.pop() {
        if code.node.kind() == "string_content" {
            into.push(code.text().to_owned());
        }
        pending.extend(code.children().into_iter().rev());
    }
}

/// What the sources of a type define.
pub(super) struct Program<'t> {
    modules: HashSet<String>,
    methods: HashMap<(String, String), Code<'t>>,
    constants: HashMap<String, Code<'t>>,
    texts: Vec<&'t str>,
}

impl<'t> Program<'t> {
    pub fn new(sources: &'t [Source]) -> Self {
        let mut program = Program {
            modules: HashSet::new(),
            methods: HashMap::new(),
            constants: HashMap::new(),
            texts: sources.iter().map(|source| source.root().text()).collect(),
        };
        for source in sources {
            let mut pending = vec![(source.root(), String::new())];
            while let Some((code, module)) = pending.pop() {
                program.define(code, &module, &mut pending);
            }
        }
        program
    }

    fn define(&mut self, code: Code<'t>, module: &str, pending: &mut Vec<(Code<'t>, String)>) {
        let join = |name: &str| match module {
            "" => name.to_owned(),
            module => format!("{module}::{name}"),
        };
        match code.node.kind() {
            "module" | "class" => {
                let Some(name) = code.field("name") else { return };
                let inner = join(name.text());
                self.modules.insert(inner.clone());
                pending.extend(code.children().into_iter().map(|child| (child, inner.clone())));
            }
            "method" | "singleton_method" => {
                if let Some(name) = code.field("name") {
                    self.methods.insert((module.to_owned(), name.text().to_owned()), code);
                }
            }
            "assignment" => {
                let constant = code.field("left").filter(|left| left.node.kind() == "constant");
                if let (Some(name), Some(value)) = (constant, code.field("right")) {
                    self.constants.insert(join(name.text()), value);
                }
            }
            _ => pending.extend(code.children().into_iter().map(|child| (child, module.to_owned()))),
        }
    }

    /// Whether some code may define a method of a name: by `def`, or in any way that has the name as a word or text, or as
    /// what stands in for all that is missing.
    pub fn may_define(&self, name: &str) -> bool {
        let is_named = |text: &&str| {
            let part = |c: char| c.is_alphanumeric() || c == '_';
            text.contains("method_missing")
                || text.match_indices(name).any(|(at, _)| {
                    let (before, after) = (&text[..at], &text[at + name.len()..]);
                    !after.starts_with(part)
                        && (before.ends_with([':', '"', '\'']) || before.trim_end().ends_with("alias"))
                })
        };
        self.methods.keys().any(|(_, method)| method == name) || self.texts.iter().any(is_named)
    }

    pub fn is_module(&self, name: &str) -> bool {
        self.modules.contains(name.trim_start_matches("::"))
    }

    /// A method of a module, or of one around it, and where it was found.
    pub fn method(&self, module: &str, name: &str) -> Option<(Code<'t>, String)> {
        let mut module = module.trim_start_matches("::").to_owned();
        loop {
            if let Some(found) = self.methods.get(&(module.clone(), name.to_owned())) {
                return Some((*found, module));
            }
            if module.is_empty() {
                return None;
            }
            module.truncate(module.rfind("::").unwrap_or(0));
        }
    }

    /// The block that a constant was set to, by `Proc.new` or `proc`, and the module it stands in. What it would load when it is
    /// run is seen by nobody else.
    pub fn block(&self, name: &str, module: &str) -> Option<(Code<'t>, String)> {
        let (value, full) = self.found(name, module)?;
        let receiver = value.field("receiver").map(Code::text);
        let is_block = match value.field("method").filter(|_| value.node.kind() == "call")?.text() {
            "new" => matches!(receiver, Some("Proc" | "::Proc")),
            method => method == "proc" && receiver.is_none(),
        };
        let block = value.field("block").filter(|_| is_block)?;
        let loads = ["require", "require_relative", "load", "autoload", "newtype", "provide"];
        let home = full.rsplit_once("::").map_or("", |(home, _)| home);
        (!block.mentions(&loads)).then(|| (block, home.to_owned()))
    }

    /// The expression a constant was set to.
    pub fn constant(&self, name: &str, module: &str) -> Option<Code<'t>> {
        self.found(name, module).map(|(value, _)| value)
    }

    /// The same, with its whole name.
    fn found(&self, name: &str, module: &str) -> Option<(Code<'t>, String)> {
        let name = name.trim_start_matches("::");
        let mut module = module;
        loop {
            let full = if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") };
            if let Some(found) = self.constants.get(&full) {
                return Some((*found, full));
            }
            if module.is_empty() {
                return None;
            }
            module = &module[..module.rfind("::").unwrap_or(0)];
        }
    }
}
