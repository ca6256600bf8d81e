//! What of two catalogs is compared, and which differences are none: rules in octocatalog-diff's grammar, on the command line or in
//! a committed `bunraku.toml`.

use super::lines::{NO_END, changed_lines};
use super::{Difference, Filter, Sign};
use bunraku::{Data, regex};
use serde::{Deserialize, Serialize};

/// Which edges are compared besides resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Edges {
    /// None.
    #[default]
    None,
    /// What contains what.
    Containment,
    /// What comes before what, by containers, too.
    Relationships,
    /// Both.
    All,
}

/// What is compared, and which differences are none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rules {
    /// Differences that are left out.
    pub ignore: Vec<Ignore>,
    /// Tags whose resources are left out.
    pub ignore_tags: Vec<String>,
    /// Whether tags are compared.
    pub include_tags: bool,
    /// What makes a difference none after all.
    pub filters: Vec<Filter>,
    /// Whether classes are compared, with their parameters. Edges from and to them are, either way.
    pub classes: bool,
    /// Whether exported resources are compared.
    pub exported: bool,
    /// Whether files go by their titles, not by their paths.
    pub by_title: bool,
    /// Whether `before` and `require` are left out.
    pub unordered: bool,
    /// Which edges are compared.
    pub edges: Edges,
}

impl Default for Rules {
    /// octocatalog-diff's own: no classes, no tags, no order, no exported resources; of a file that goes nothing but that.
    fn default() -> Self {
        Rules {
            ignore: Vec::new(),
            ignore_tags: Vec::new(),
            include_tags: false,
            filters: vec![Filter::CompilationDir, Filter::AbsentFile],
            classes: false,
            exported: false,
            by_title: false,
            unordered: true,
            edges: Edges::None,
        }
    }
}

impl Rules {
    /// All that there is, but tags: for two compiles of the same code.
    pub fn complete() -> Rules {
        let mut rules = Rules { filters: Vec::new(), by_title: true, ..Rules::default() };
        rules.add_left_out();
        rules.edges = Edges::Containment;
        rules
    }

    /// Compares what octocatalog-diff leaves out, too: classes, exported resources, `before` and `require`, all edges.
    pub fn add_left_out(&mut self) {
        (self.classes, self.exported, self.unordered, self.edges) = (true, true, false, Edges::All);
    }

    /// Whether nothing of a type is compared.
    pub(super) fn ignores_type(&self, type_name: &str) -> bool {
        let whole = |rule: &&Ignore| rule.title == "*" && rule.attribute == "*" && rule.type_name != "*";
        !self.classes && type_name.eq_ignore_ascii_case("Class")
            || self.ignore.iter().filter(whole).any(|rule| rule.type_name.eq_ignore_ascii_case(type_name))
    }

    /// Whether a difference is left out.
    pub(super) fn ignores(&self, difference: &Difference) -> bool {
        let is_tags =
            difference.structure.first().is_some_and(|first| first == "tags" || first.starts_with("tags["));
        is_tags && !self.include_tags || self.ignore.iter().any(|rule| rule.matches(difference))
    }
}

/// A rule that leaves differences out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ignore {
    /// The type, in any case, or `*`.
    type_name: String,
    /// The title, in any case; `*` stands for any text.
    title: String,
    /// What of the resource: see [`Ignore::parse`].
    attribute: String,
}

/// What stands between names of keys.
const SEPARATOR: char = '\u{c}';

impl Ignore {
    fn all() -> Ignore {
        let any = || "*".to_owned();
        Ignore { type_name: any(), title: any(), attribute: any() }
    }

    /// Rules as octocatalog-diff's `--ignore` takes them, separated by commas: `Type[title]`, with `*` for any type or in a title,
    /// and behind that, where only some of a resource is meant:
    ///
    /// - `+`, `-`, `~`, `!`, or several of them: differences of those signs,
    /// - `::parameters::x` from the top of the resource, `x` anywhere in it; `+x` where it came, `-x` where it went,
    /// - behind those `=>value`, `=+>value` and `=->value` for the value of either side, the new and the old one, `=~>regex` for a
    ///   changed line that matches, `=&>regex` for all of them, `=s>=` for lists of the same elements.
    ///
    /// # Errors
    /// Names the rule that is none.
    pub fn parse(text: &str) -> Result<Vec<Ignore>, String> {
        text.split(',').map(str::trim).filter(|rule| !rule.is_empty()).map(Ignore::one).collect()
    }

    /// One rule.
    ///
    /// # Errors
    /// When it is none.
    pub fn one(text: &str) -> Result<Ignore, String> {
        let broken = || format!("Ignore {text} must be in Type[Title] or Type[Title]::Attribute format!");
        let open = text.find('[').filter(|at| *at > 0).ok_or_else(broken)?;
        // A value or expression may have brackets of its own: the title ends before the first condition.
        let before_condition = condition(text).1.and_then(|_| text[..condition(text).0.len()].rfind(']'));
        let close = before_condition.filter(|at| *at > open + 1).or_else(|| text.rfind(']'));
        let close = close.filter(|at| *at > open + 1).ok_or_else(broken)?;
        let attribute = &text[close + 1..];
        let attribute = if attribute.is_empty() { "*" } else { attribute };
        Ignore {
            type_name: text[..open].to_owned(),
            title: text[open + 1..close].to_owned(),
            attribute: String::new(),
        }
        .of_attribute(attribute)
    }

    /// A rule for an attribute of all resources: `--ignore-attr`.
    ///
    /// # Errors
    /// When it is none.
    pub fn attribute(text: &str) -> Result<Ignore, String> {
        Ignore::all().of_attribute(text)
    }

    fn of_attribute(self, text: &str) -> Result<Ignore, String> {
        let attribute = text.replace("\\f", "\u{c}").replace("::", "\u{c}");
        let (name, condition) = condition(&attribute);
        match condition {
            Some(("=~>" | "=&>", source)) => regex::check(source).map_err(|error| {
                let name = name.replace(SEPARATOR, "::");
                format!("Invalid ignore regexp for {}[{}] {name}: {error}", self.type_name, self.title)
            })?,
            Some(("=s>", value)) if value != "=" => {
                return Err(format!("Invalid ignore option for =s>, must be '=': {text}"));
            }
            _ => {}
        }
        Ok(Ignore { attribute, ..self })
    }

    /// Whether the rule leaves a difference out.
    pub fn matches(&self, difference: &Difference) -> bool {
        let Ignore { type_name, title, attribute } = self;
        if type_name != "*" && !type_name.eq_ignore_ascii_case(&difference.type_name) {
            return false;
        }
        if !fits(title, &difference.title) {
            return false;
        }
        let is_sign = !attribute.is_empty() && attribute.chars().all(|c| "+-~!".contains(c));
        if is_sign {
            return attribute.contains(difference.sign.text());
        }
        attribute == "*" || !difference.structure.is_empty() && self.fits_attribute(difference)
    }

    fn fits_attribute(&self, difference: &Difference) -> bool {
        let mut rule = self.attribute.as_str();
        if let Some(rest) = rule.strip_prefix('+') {
            if difference.old.is_some() {
                return false;
            }
            rule = rest;
        } else if let Some(rest) = rule.strip_prefix('-') {
            if difference.new.is_some() {
                return false;
            }
            rule = rest;
        }
        let (name, condition) = condition(rule);
        has_name(name, &difference.structure)
            && condition.is_none_or(|(how, value)| holds(how, value, difference))
    }
}

/// The name of an attribute, and what is said of its value.
fn condition(attribute: &str) -> (&str, Option<(&str, &str)>) {
    let found = attribute.char_indices().skip(1).find_map(|(at, _)| {
        let rest = &attribute[at..];
        let how = ["=>", "=->", "=+>", "=~>", "=&>", "=s>"].into_iter().find(|how| rest.starts_with(how))?;
        (rest.len() > how.len()).then(|| (at, &rest[..how.len()], &rest[how.len()..]))
    });
    match found {
        Some((at, how, value)) => (&attribute[..at], Some((how, value))),
        None => (attribute, None),
    }
}

/// Whether a name of one or several keys is that of a place in a resource.
fn has_name(name: &str, structure: &[String]) -> bool {
    let lower = |text: &str| text.to_lowercase();
    if !name.contains(SEPARATOR) {
        return structure.iter().any(|own| lower(own) == lower(name));
    }
    let from_top = name.starts_with(SEPARATOR);
    let keys: Vec<String> = name.trim_start_matches(SEPARATOR).split(SEPARATOR).map(lower).collect();
    let own: Vec<String> = structure.iter().map(|own| lower(own)).collect();
    if from_top { own.starts_with(&keys) } else { own.windows(keys.len()).any(|some| some == keys) }
}

/// Whether a title is that of a rule, in any case; `*` stands for any text in one line.
fn fits(pattern: &str, title: &str) -> bool {
    if pattern == "*" {
        return true;
    }
    if !pattern.contains('*') {
        return pattern.eq_ignore_ascii_case(title);
    }
    let source: String = pattern.split('*').map(regex::escape).collect::<Vec<_>>().join(".*");
    regex::is_match(&format!("\\A(?i:{source})\\Z"), title).unwrap_or(false)
}

/// Whether the values of a difference are as a rule says.
fn holds(how: &str, value: &str, difference: &Difference) -> bool {
    let text = |side: &Option<Data>| side.as_ref().and_then(Data::as_str).map(str::to_owned);
    let is = |side: &Option<Data>| text(side).is_some_and(|own| own == value);
    let (old, new) = (&difference.old, &difference.new);
    match how {
        "=>" => is(old) || is(new),
        "=+>" => is(new),
        "=->" => is(old),
        "=s>" => match (old, new) {
            (Some(Data::List(old)), Some(Data::List(new))) => {
                old.iter().all(|one| new.contains(one)) && new.iter().all(|one| old.contains(one))
            }
            _ => false,
        },
        _ => {
            let source = format!("(?i:{value})");
            let matches = |line: &str| regex::is_match(&source, line).unwrap_or(false);
            let shown = |side: &Option<Data>| side.as_ref().map(ToString::to_string).unwrap_or_default();
            let lines = changed_lines(&shown(old), &shown(new));
            let ends = lines.iter().filter(|line| *line == NO_END).count();
            match how {
                "=~>" => lines.iter().any(|line| matches(line.trim())),
                _ => lines.iter().all(|line| matches(line.trim()) || line == NO_END && ends == 2),
            }
        }
    }
}

/// The rules of a `bunraku.toml`: its table `diff`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RulesFile {
    /// As `--ignore`.
    pub ignore: Vec<String>,
    /// As `--ignore-attr`.
    pub ignore_attr: Vec<String>,
    /// As `--ignore-tags`.
    pub ignore_tags: Vec<String>,
    /// As `--include-tags`.
    pub include_tags: bool,
    /// As `--filters`.
    pub filters: Vec<Filter>,
    /// As `--complete`.
    pub complete: bool,
    /// As `--edges`.
    pub edges: Option<Edges>,
    /// As `--compare-file-text`.
    pub compare_file_text: Option<bool>,
    /// As `--fail-on`.
    pub fail_on: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WholeFile {
    diff: RulesFile,
}

impl RulesFile {
    /// Reads the text of a `bunraku.toml`, which has no other table.
    ///
    /// # Errors
    /// What is wrong with it, with its line.
    pub fn read(text: &str) -> Result<RulesFile, String> {
        toml::from_str::<WholeFile>(text).map(|file| file.diff).map_err(|error| error.to_string())
    }

    /// Adds its rules to others.
    ///
    /// # Errors
    /// Names the rule that is none.
    pub fn add_to(&self, rules: &mut Rules) -> Result<(), String> {
        for text in &self.ignore {
            // Here each is an entry of its own, and may have commas.
            rules.ignore.push(Ignore::one(text)?);
        }
        for text in &self.ignore_attr {
            rules.ignore.push(Ignore::attribute(text)?);
        }
        rules.ignore_tags.extend_from_slice(&self.ignore_tags);
        rules.include_tags |= self.include_tags;
        rules.filters.extend_from_slice(&self.filters);
        if self.complete {
            rules.add_left_out();
        }
        rules.edges = self.edges.unwrap_or(rules.edges);
        Ok(())
    }
}

impl Sign {
    /// All of them.
    pub const ALL: [Sign; 4] = [Sign::Added, Sign::Removed, Sign::Changed, Sign::Nested];
}
