//! ERB's tags, as Ruby's `ERB` reads them with `trim_mode: '-'`: the template as one Ruby program, laid out in lines as
//! Ruby lays it out, for a comment in a tag reaches to the end of the *program's* line and takes text with it.
//!
//! Texts and insertions are calls of names that no template uses; [`crate::lower`] knows them again.

/// Stands for a piece of text, with its number as argument.
pub(crate) const TEXT: &str = "__bunraku_text";
/// Stands for `<%= … %>`, with the code's `to_s` as argument.
pub(crate) const INSERT: &str = "__bunraku_insert";

/// A template as a program.
#[derive(Debug, Default)]
pub(crate) struct ScannedTemplate {
    /// Ruby.
    pub source: String,
    /// The texts by number.
    pub texts: Vec<String>,
}

/// What kind of tag is open.
#[derive(Clone, Copy, PartialEq)]
enum ErbTag {
    Code,
    Insert,
    Comment,
}

#[derive(Default)]
struct ProgramWriter {
    program: ScannedTemplate,
    /// Statements of the line so far.
    line: Vec<String>,
    content: String,
}

impl ProgramWriter {
    fn break_line(&mut self) {
        self.program.source.push_str(&self.line.join("; "));
        self.program.source.push('\n');
        self.line.clear();
    }

    fn put_text(&mut self) {
        if self.content.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.content);
        // Lines keep their numbers: as many line ends follow as the text has.
        let ends = "\n".repeat(text.matches('\n').count());
        self.line.push(format!("{TEXT}({}){ends}", self.program.texts.len()));
        self.program.texts.push(text);
    }

    fn close(&mut self, tag: ErbTag) {
        let code = std::mem::take(&mut self.content);
        match tag {
            ErbTag::Code => match code.strip_suffix('\n') {
                Some(code) => {
                    self.line.push(code.to_owned());
                    self.break_line();
                }
                None => self.line.push(code),
            },
            ErbTag::Insert => self.line.push(format!("{INSERT}(({code}).to_s)")),
            ErbTag::Comment => {}
        }
    }
}

/// Takes a template apart.
///
/// # Errors
/// Why it is not read here: it sets an encoding, or uses the names above.
pub(crate) fn scan(text: &str) -> Result<ScannedTemplate, &'static str> {
    if text.contains("__bunraku") {
        return Err("a name of the run's own");
    }
    let mut writer = ProgramWriter { line: vec!["nil".to_owned()], ..ProgramWriter::default() };
    let mut open = None;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        match open {
            None => {
                let (literal, token) = opening(rest);
                // A lone line end is put out at once.
                writer.content.push_str(literal);
                if literal == "\n" {
                    writer.put_text();
                }
                at += literal.len() + token.len();
                open = match token.trim_start_matches([' ', '\t']) {
                    "" => None,
                    "<%%" => {
                        writer.content.push_str("<%");
                        None
                    }
                    "<%=" => Some(ErbTag::Insert),
                    "<%#" => Some(ErbTag::Comment),
                    _ => Some(ErbTag::Code),
                };
                if open.is_some() {
                    writer.put_text();
                }
            }
            Some(tag) => {
                let (code, token) = closing(rest);
                writer.content.push_str(code);
                at += code.len() + token.len();
                match token {
                    "" => {}
                    "%%>" => writer.content.push_str("%>"),
                    token => {
                        if tag == ErbTag::Comment && is_magic(&writer.content) {
                            return Err("a comment that sets an encoding");
                        }
                        writer.close(tag);
                        open = None;
                        if token == "-%>" {
                            let rest = &text[at..];
                            let end = ["\r\n", "\n"].into_iter().find(|end| rest.starts_with(end));
                            if end.is_some() || rest.is_empty() {
                                at += end.map_or(0, str::len);
                                writer.break_line();
                            }
                        }
                    }
                }
            }
        }
    }
    // What stands in a tag that is not closed is text.
    writer.put_text();
    writer.line.push("nil".to_owned());
    writer.break_line();
    Ok(writer.program)
}

/// The text up to the next opening of a tag, and the opening.
fn opening(rest: &str) -> (&str, &str) {
    let Some(tag) = rest.find("<%") else { return (rest, "") };
    let found = &rest[tag..];
    if found.starts_with("<%-") {
        // Indentation goes with it; what follows a tag counts as the begin of a line.
        let line = rest[..tag].rfind('\n').map_or(0, |end| end + 1);
        let start = if rest[line..tag].bytes().all(|b| matches!(b, b' ' | b'\t')) { line } else { tag };
        return (&rest[..start], &rest[start..tag + 3]);
    }
    let long = ["<%%", "<%=", "<%#"].into_iter().any(|token| found.starts_with(token));
    (&rest[..tag], &found[..if long { 3 } else { 2 }])
}

/// The code up to the end of the tag, and the end.
fn closing(rest: &str) -> (&str, &str) {
    let Some(end) = rest.find("%>") else { return (rest, "") };
    let start = match rest[..end].chars().next_back() {
        Some('-' | '%') => end - 1,
        _ => end,
    };
    (&rest[..start], &rest[start..end + 2])
}

/// Whether a comment says what Ruby heeds at the head of a file. UTF-8 is what all is read as anyhow.
fn is_magic(comment: &str) -> bool {
    let lower = comment.to_ascii_lowercase();
    let coding = lower.find("coding").map(|at| lower[at + 6..].trim_start_matches([':', '=', ' ', '\t']));
    coding.is_some_and(|name| !name.starts_with("utf-8")) || lower.contains("frozen")
}
