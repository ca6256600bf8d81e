//! The form of `puppet.conf` and `environment.conf`: sections, `name = value` lines, comments.
//! Source: Puppet 7.23.0, messages included. A byte order mark, a comment behind a section's name and blanks within its
//! brackets are errors there, too.

use crate::value::Raw;
use serde::{Deserialize, Serialize};

/// A file that has been read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConfigFile {
    /// Its path.
    pub path: String,
    /// Its sections; `main` is what stands before the first. Lines under the same name are one section's.
    pub sections: Vec<Section>,
}

/// A section.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// What stands in it, in order.
    pub settings: Vec<Written>,
}

/// A setting in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Written {
    /// Its name.
    pub name: String,
    /// Its value; what its file is to belong to (`{owner = …}`) is left out.
    pub value: Raw,
    /// The line it is in, from 1.
    pub line: u32,
}

impl Section {
    /// What is in force of a setting: the first line of its name.
    pub fn find(&self, name: &str) -> Option<&Written> {
        self.settings.iter().find(|written| written.name == name)
    }
}

impl ConfigFile {
    /// The section of a name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// Reads the text of the file at `path`. Where `allowed` is not empty, it may have no other sections.
    ///
    /// # Errors
    /// Puppet's message, with file and line.
    pub fn parse(path: &str, bytes: &[u8], allowed: &[&str]) -> Result<ConfigFile, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| {
            let before = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            let line = before.matches('\n').count() + 1;
            format!("invalid byte sequence in UTF-8 (file: {path}, line: {line})")
        })?;
        let main = Section { name: "main".to_owned(), settings: Vec::new() };
        let mut file = ConfigFile { path: path.to_owned(), sections: vec![main] };
        let mut current = 0;
        for (line, number) in text.split('\n').zip(1..) {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let at = || format!("(file: {path}, line: {number})");
            match read_line(line) {
                Some(Line::Nothing) => {}
                Some(Line::Section(name)) => {
                    if !allowed.is_empty() && !allowed.contains(&name) {
                        return Err(format!(
                            "Illegal section '{name}' in config file at {}. The only valid puppet.conf sections are: [{}]. \
                             Please use the directory environments feature to specify environments. \
                             (See https://puppet.com/docs/puppet/latest/environments_about.html)",
                            at(),
                            allowed.join(", ")
                        ));
                    }
                    current = file.place_of(name);
                }
                Some(Line::Setting(name, value)) => {
                    let value = without_owner(Raw::written(value)).map_err(|e| format!("{e} {}", at()))?;
                    let written = Written { name: name.to_owned(), value, line: number };
                    file.sections[current].settings.push(written);
                }
                None => return Err(format!("Could not match line {line} {}", at())),
            }
        }
        Ok(file)
    }

    fn place_of(&mut self, name: &str) -> usize {
        if let Some(place) = self.sections.iter().position(|section| section.name == name) {
            return place;
        }
        self.sections.push(Section { name: name.to_owned(), settings: Vec::new() });
        self.sections.len() - 1
    }
}

enum Line<'a> {
    Nothing,
    Section(&'a str),
    Setting(&'a str, &'a str),
}

fn blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\x0b' | '\x0c')
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn read_line(line: &str) -> Option<Line<'_>> {
    let trimmed = line.trim_matches(blank);
    if trimmed.is_empty() || trimmed.starts_with('#') {
        return Some(Line::Nothing);
    }
    if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
        && is_word(name)
    {
        return Some(Line::Section(name));
    }
    let (name, value) = trimmed.split_once('=')?;
    let name = name.trim_end_matches(blank);
    is_word(name).then(|| Line::Setting(name, value.trim_start_matches(blank)))
}

/// A value without what stands in braces: owner, group and mode of the file that the setting names.
fn without_owner(value: Raw) -> Result<Raw, String> {
    let Raw::Text(text) = &value else { return Ok(value) };
    let Some((before, inner, after)) = braces(text) else { return Ok(value) };
    for part in inner.split(',').filter(|part| !part.trim_matches(blank).is_empty()) {
        let (name, value) = part
            .split_once('=')
            .map(|(name, value)| (name.trim_matches(blank), value.trim_matches(blank)))
            .filter(|(name, value)| is_word(name) && is_word(value))
            .ok_or_else(|| format!("Could not parse '{text}'"))?;
        if !["owner", "group", "mode"].contains(&name) {
            return Err(format!("Invalid file option '{name}'"));
        }
        if name == "mode" && !value.bytes().all(|b| b.is_ascii_digit()) {
            return Err("File modes must be numbers".to_owned());
        }
    }
    Ok(Raw::Text(format!("{before}{after}").trim_end_matches(blank).to_owned()))
}

/// What stands before, in and behind the first braces that hold something.
fn braces(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find('{')?;
        let close = open + text[open..].find('}')?;
        if close > open + 1 {
            return Some((&text[..open], &text[open + 1..close], &text[close + 1..]));
        }
        from = close + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ConfigFile, String> {
        ConfigFile::parse("/p", text.as_bytes(), &["main", "server"])
    }

    fn found(text: &str, section: &str, name: &str) -> Option<(Raw, u32)> {
        let file = parse(text).expect("it can be read");
        let written = file.section(section)?.find(name)?;
        Some((written.value.clone(), written.line))
    }

    fn text(value: &str) -> Raw {
        Raw::Text(value.to_owned())
    }

    #[test]
    fn lines_are_settings_of_their_section() {
        let conf = "a = 1\n# b = 2\n[server]\r\n  b=x = y  \r\nb = later\n\n [main] \nc = TRUE";
        assert_eq!(found(conf, "main", "a"), Some((text("1"), 1)));
        assert_eq!(found(conf, "server", "b"), Some((text("x = y"), 4)));
        assert_eq!(found(conf, "main", "c"), Some((Raw::Boolean(true), 8)));
        assert_eq!(found(conf, "main", "b"), None);
        assert_eq!(found("a =", "main", "a"), Some((text(""), 1)));
        assert_eq!(found("a = \"$b/c\"", "main", "a"), Some((text("$b/c"), 1)));
    }

    #[test]
    fn owners_and_modes_are_left_out() {
        assert_eq!(found("a = /x {owner = root, mode = 0644}", "main", "a"), Some((text("/x"), 1)));
        assert_eq!(found("a = {}", "main", "a"), Some((text("{}"), 1)));
        let error = |text| parse(text).unwrap_err();
        assert_eq!(error("a = /x {mode = rw}"), "File modes must be numbers (file: /p, line: 1)");
        assert_eq!(error("\na = /x {who = me}"), "Invalid file option 'who' (file: /p, line: 2)");
        assert_eq!(error("a = ${b}"), "Could not parse '${b}' (file: /p, line: 1)");
    }

    #[test]
    fn what_is_no_line_is_named() {
        assert_eq!(parse("a = 1\nb").unwrap_err(), "Could not match line b (file: /p, line: 2)");
        assert!(parse("[ main ]\n").unwrap_err().starts_with("Could not match line [ main ] (file"));
        assert!(parse("\u{feff}[main]\n").unwrap_err().starts_with("Could not match line \u{feff}[main]"));
        assert!(
            parse("[nosuch]")
                .unwrap_err()
                .starts_with("Illegal section 'nosuch' in config file at (file: /p")
        );
        let bytes = b"[main]\na = \xff\n";
        let error = ConfigFile::parse("/p", bytes, &[]).unwrap_err();
        assert_eq!(error, "invalid byte sequence in UTF-8 (file: /p, line: 2)");
    }
}
