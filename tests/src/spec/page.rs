//! A page of the specification: prose, cases, and the blocks that say what each case does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One `puppet` or `lookup` block with what is said around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// `page.md: heading: number`.
    pub id: String,
    /// The block's text.
    pub code: String,
    /// Whether the text is the arguments of `lookup`, not a program.
    pub is_lookup: bool,
    /// The words after the block's kind in the block's first line.
    pub options: Vec<String>,
    /// The `file` blocks of the section so far: path and text.
    pub files: Vec<(String, String)>,
    /// The section's last `facts` block.
    pub facts: Option<String>,
    /// The section's last `node` block: what a classifier says of the node.
    pub node: Option<String>,
    /// What it does: the expectation blocks.
    pub expected: Expected,
}

/// The expectation blocks of a case as they stand, without blank lines between.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected {
    /// Those without a version: what the default version does, and all others that have none of their own.
    pub usual: String,
    /// By the number of a version, all that a version does that does something else: blocks with that number behind
    /// their kind, which is not kept here.
    pub other: BTreeMap<u8, String>,
}

impl Expected {
    /// What a version does.
    pub fn of(&self, version: u8) -> &str {
        self.other.get(&version).unwrap_or(&self.usual)
    }

    /// From what each version does; the usual is that of `default`.
    pub fn new(default: u8, by_version: &[(u8, String)]) -> Expected {
        let usual = by_version.iter().find(|(version, _)| *version == default);
        let usual = usual.map(|(_, text)| text.clone()).unwrap_or_default();
        let other = by_version.iter().filter(|(_, text)| *text != usual).cloned().collect();
        Expected { usual, other }
    }

    fn add(&mut self, block: &Block) -> Result<(), String> {
        match block.info.split_once(' ') {
            None => self.usual += &block.raw,
            Some((kind, version)) => {
                let number = version.trim().parse().map_err(|_| format!("no version: {}", block.info))?;
                let raw = block.raw.replacen(&block.info, kind, 1);
                *self.other.entry(number).or_default() += &raw;
            }
        }
        Ok(())
    }

    /// The blocks as they stand in a page.
    fn text(&self) -> String {
        let mut out = self.usual.clone();
        for (version, blocks) in &self.other {
            let mut lines = blocks.lines();
            while let Some(first) = lines.next() {
                let block = Block::read(first, &mut lines).expect("what was read or made is closed");
                out += &block.raw.replacen(first, &format!("{first} {version}"), 1);
            }
        }
        out
    }
}

impl Case {
    /// The value of a `name=value` option.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    /// Whether a bare word is among the options.
    pub fn flag(&self, name: &str) -> bool {
        self.options.iter().any(|word| word == name)
    }
}

/// A page, split so that it can be written again with other expectations.
#[derive(Debug)]
pub struct Page {
    /// Where it is.
    pub path: PathBuf,
    /// Its cases, in order.
    pub cases: Vec<Case>,
    /// The text up to and with each case's block, and what follows the last one.
    parts: Vec<String>,
}

struct Block {
    info: String,
    text: String,
    raw: String,
}

/// The blocks that expectations are written in.
const EXPECTATIONS: [&str; 5] = ["value", "logs", "error", "catalog", "output"];

impl Page {
    /// Reads a page from its file.
    pub fn read(path: &Path) -> Result<Page, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Page::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Page, String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut page = Page { path: path.to_owned(), cases: Vec::new(), parts: vec![String::new()] };
        let mut heading = String::new();
        let mut number = 0;
        let mut files = Vec::new();
        let mut facts = None;
        let mut node = None;
        // True while only blank lines and expectations have followed a case.
        let mut after_case = false;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("```") {
                let block = Block::read(line, &mut lines).map_err(|what| format!("{name}: {what}"))?;
                let mut words = block.info.split_whitespace();
                let kind = words.next().unwrap_or_default();
                if after_case && EXPECTATIONS.contains(&kind) {
                    let case = page.cases.last_mut().expect("a case came before");
                    case.expected.add(&block).map_err(|what| format!("{}: {what}", case.id))?;
                    continue;
                }
                page.part().push_str(&block.raw);
                after_case = matches!(kind, "puppet" | "lookup");
                match kind {
                    "puppet" | "lookup" => {
                        number += 1;
                        page.cases.push(Case {
                            id: format!("{name}: {heading}: {number}"),
                            code: block.text,
                            is_lookup: kind == "lookup",
                            options: words.map(str::to_owned).collect(),
                            files: files.clone(),
                            facts: facts.clone(),
                            node: node.clone(),
                            expected: Expected::default(),
                        });
                        page.parts.push(String::new());
                    }
                    "file" => {
                        let path = words.next().ok_or_else(|| format!("{name}: a file without a path"))?;
                        files.retain(|(other, _)| other != path);
                        files.push((path.to_owned(), block.text));
                    }
                    "facts" => facts = Some(block.text),
                    "node" => node = Some(block.text),
                    _ => {}
                }
                continue;
            }
            if line.starts_with('#') {
                heading = line.trim_start_matches('#').trim().to_owned();
                number = 0;
                files.clear();
                facts = None;
                node = None;
            }
            if after_case && line.trim().is_empty() {
                continue;
            }
            if after_case {
                page.part().push('\n');
                after_case = false;
            }
            page.part().push_str(line);
            page.part().push('\n');
        }
        Ok(page)
    }

    fn part(&mut self) -> &mut String {
        self.parts.last_mut().expect("there is always a part")
    }

    /// The page's text with these expectations.
    pub fn with(&self, expected: &[Expected]) -> String {
        let mut out = String::new();
        for (number, part) in self.parts.iter().enumerate() {
            out += part;
            if let Some(expected) = expected.get(number) {
                out += &expected.text();
                // A block that follows at once has no blank line of its own to keep it apart.
                if self.parts.get(number + 1).is_some_and(|next| next.starts_with("```")) {
                    out.push('\n');
                }
            }
        }
        out
    }
}

impl Block {
    fn read<'a>(first: &str, lines: &mut impl Iterator<Item = &'a str>) -> Result<Block, String> {
        let fence: String = first.chars().take_while(|c| *c == '`').collect();
        let mut block = Block {
            info: first[fence.len()..].trim().to_owned(),
            text: String::new(),
            raw: format!("{first}\n"),
        };
        for line in lines {
            block.raw += &format!("{line}\n");
            if line.trim_end() == fence {
                return Ok(block);
            }
            block.text += &format!("{line}\n");
        }
        Err(format!("a block is not closed: {first}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A\n\nProse.\n\n```puppet strict=off\n1\n```\n```value\n1\n```\n```logs 7\nwarning: x\n```\n```value 7\n2\n```\n\nMore.\n\n```puppet\n2\n```\n\n## B\n";

    #[test]
    fn a_page_has_its_cases() {
        let page = Page::parse(Path::new("x.md"), TEXT).unwrap();
        assert_eq!(page.cases.len(), 2);
        assert_eq!(page.cases[0].id, "x.md: A: 1");
        assert_eq!(page.cases[0].option("strict"), Some("off"));
        let expected = &page.cases[0].expected;
        assert_eq!(expected.of(8), "```value\n1\n```\n");
        assert_eq!(expected.of(7), "```logs\nwarning: x\n```\n```value\n2\n```\n");
        let versions = [7, 8, 9].map(|version| (version, expected.of(version).to_owned()));
        assert_eq!(&Expected::new(8, &versions), expected);
        assert_eq!(page.cases[1].expected, Expected::default());
    }

    #[test]
    fn a_page_is_written_as_it_was_read() {
        let page = Page::parse(Path::new("x.md"), TEXT).unwrap();
        let expected: Vec<Expected> = page.cases.iter().map(|case| case.expected.clone()).collect();
        assert_eq!(page.with(&expected), TEXT);
    }
}
