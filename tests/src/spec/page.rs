//! A page of the specification: prose, cases, and the blocks that say what each case does.

use std::fs;
use std::path::{Path, PathBuf};

/// One `puppet` block with what is said around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// `page.md: heading: number`.
    pub id: String,
    /// The block's text.
    pub code: String,
    /// The words after `puppet` in the block's first line.
    pub options: Vec<String>,
    /// The `file` blocks of the section so far: path and text.
    pub files: Vec<(String, String)>,
    /// The section's last `facts` block.
    pub facts: Option<String>,
    /// The section's last `node` block: what a classifier says of the node.
    pub node: Option<String>,
    /// The expectation blocks as they stand, without blank lines between.
    pub expected: String,
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
const EXPECTATIONS: [&str; 4] = ["value", "logs", "error", "catalog"];

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
                    case.expected += &block.raw;
                    continue;
                }
                page.part().push_str(&block.raw);
                after_case = kind == "puppet";
                match kind {
                    "puppet" => {
                        number += 1;
                        page.cases.push(Case {
                            id: format!("{name}: {heading}: {number}"),
                            code: block.text,
                            options: words.map(str::to_owned).collect(),
                            files: files.clone(),
                            facts: facts.clone(),
                            node: node.clone(),
                            expected: String::new(),
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
    pub fn with(&self, expected: &[String]) -> String {
        let mut out = String::new();
        for (number, part) in self.parts.iter().enumerate() {
            out += part;
            if let Some(text) = expected.get(number) {
                out += text;
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

    const TEXT: &str = "# A\n\nProse.\n\n```puppet strict=off\n1\n```\n```value\n1\n```\n\nMore.\n\n```puppet\n2\n```\n\n## B\n";

    #[test]
    fn a_page_has_its_cases() {
        let page = Page::parse(Path::new("x.md"), TEXT).unwrap();
        assert_eq!(page.cases.len(), 2);
        assert_eq!(page.cases[0].id, "x.md: A: 1");
        assert_eq!(page.cases[0].option("strict"), Some("off"));
        assert_eq!(page.cases[0].expected, "```value\n1\n```\n");
        assert_eq!(page.cases[1].expected, "");
    }

    #[test]
    fn a_page_is_written_as_it_was_read() {
        let page = Page::parse(Path::new("x.md"), TEXT).unwrap();
        let expected: Vec<String> = page.cases.iter().map(|case| case.expected.clone()).collect();
        assert_eq!(page.with(&expected), TEXT);
    }
}
