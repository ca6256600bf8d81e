//! How two catalogs of one node differ, by the rules of octocatalog-diff 2.1.0, which people know: resources by type and
//! title, their parameters however deep, the order of lists where it matters. What is ignored is in [`rules`], what makes a
//! difference none after all in [`filter`]; edges are compared by [`edges`], where that is asked for.
//!
//! Both sides are views ([`CatalogView`]): catalogs in memory, or read. A resource that is the same in both costs a walk over its values
//! and nothing else; only what differs is made into [`Data`].

mod edges;
mod filter;
mod hidden;
mod lines;
mod rules;
mod values;

pub use filter::Filter;
pub use lines::text_lines;
pub use rules::{Edges, Ignore, Rules, RulesFile};

use bunraku::{CatalogView, Data, ResourceView};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use hidden::Hidden;
use std::collections::HashSet;
use std::fmt::{Display, Formatter};
use std::path::PathBuf;
use std::sync::Arc;

/// What is told of a difference, by octocatalog-diff's signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sign {
    /// `+`: a resource that only the second catalog has.
    Added,
    /// `-`: one that only the first has.
    Removed,
    /// `~`: another value.
    Changed,
    /// `!`: elements of a list or hash came or went; the values are the whole list, or what came or went of the hash.
    Nested,
}

impl Sign {
    /// As octocatalog-diff writes it.
    pub fn text(self) -> &'static str {
        match self {
            Sign::Added => "+",
            Sign::Removed => "-",
            Sign::Changed => "~",
            Sign::Nested => "!",
        }
    }
}

/// File and line of a declaration, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Declared {
    /// The manifest.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<u32>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What kind it is of.
    pub sign: Sign,
    /// The resource's type.
    pub type_name: String,
    /// Its title; of a file its path.
    pub title: String,
    /// Where in the resource: `parameters`, the parameter's name, names of keys, each with the numbers of elements behind it (`a[0]`).
    /// Empty for a resource that came or went.
    pub structure: Vec<String>,
    /// In the first catalog; the whole resource where it went.
    pub old: Option<Data>,
    /// In the second; the whole resource where it came.
    pub new: Option<Data>,
    /// Where the first declares it.
    pub old_place: Option<Declared>,
    /// Where the second does.
    pub new_place: Option<Declared>,
    /// What the resource is made of, where the catalog says: `compilable_type`, `defined_type`, `class`, `unknown`.
    pub kind: Option<String>,
}

impl Difference {
    /// `Type[title]`
    pub fn resource(&self) -> String {
        format!("{}[{}]", self.type_name, self.title)
    }

    /// Where in the resource, joined by dots, without the word `parameters`.
    pub fn path(&self) -> String {
        let inner = self.structure.strip_prefix(&["parameters".to_owned()]).unwrap_or(&self.structure);
        inner.join(".")
    }

    /// The same for people: where all parameters of a resource come or go, which is one difference, a difference for each.
    pub fn by_parameter(&self) -> Vec<Difference> {
        let all = match (&self.old, &self.new) {
            _ if self.structure != ["parameters"] => None,
            (Some(Data::Map(all)), None) | (None, Some(Data::Map(all))) => Some(all),
            _ => None,
        };
        let Some(all) = all else { return vec![self.clone()] };
        let one = |(name, value): &(String, Data)| Difference {
            structure: vec!["parameters".to_owned(), name.clone()],
            old: self.old.is_some().then(|| value.clone()),
            new: self.new.is_some().then(|| value.clone()),
            ..self.clone()
        };
        all.iter().map(one).collect()
    }

    /// Whether it is of something that an agent changes by itself: no class, and no defined type, which consists of others.
    pub fn is_core(&self) -> bool {
        match self.kind.as_deref() {
            Some(kind) => kind == "compilable_type" || kind == "unknown" && !self.is_container(),
            None => !self.is_container() && !self.type_name.contains("::"),
        }
    }

    fn is_container(&self) -> bool {
        matches!(self.type_name.as_str(), "Class" | "Node" | "Stage")
    }
}

impl Display for Difference {
    /// One line: what is gone behind `-`, what is new behind `+`, what is otherwise behind `~` or `!`.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let value = |value: &Option<Data>| value.as_ref().map_or_else(|| "nothing".to_owned(), Data::to_json);
        write!(f, "{} {}", self.sign.text(), self.resource())?;
        match self.sign {
            Sign::Added | Sign::Removed => Ok(()),
            _ => write!(f, " {}: {} -> {}", self.path(), value(&self.old), value(&self.new)),
        }
    }
}

/// What files of modules hold, by the `puppet:///modules/…` that `source` says.
pub trait Sources: Sync {
    /// What a source means in this tree; none for what no module has.
    fn content(&self, source: &str) -> Option<Arc<Content>>;
}

/// What a source means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A file's text, where it is ASCII, as octocatalog-diff has it.
    Text(String),
    /// The checksum of any other file.
    Checksum(String),
    /// A folder: a checksum of the names and contents of all files below it.
    Folder(String),
}

/// One side of a comparison.
pub struct Side<'a, 'c> {
    /// The catalog.
    pub catalog: &'a CatalogView<'c>,
    /// Where its tree lies: values that name it are the same in both.
    pub folder: Option<&'a PathBuf>,
    /// What its modules' files hold; none where sources are not looked at.
    pub sources: Option<&'a dyn Sources>,
}

impl<'a, 'c> From<&'a CatalogView<'c>> for Side<'a, 'c> {
    fn from(catalog: &'a CatalogView<'c>) -> Self {
        Side { catalog, folder: None, sources: None }
    }
}

type Key<'a> = (&'a str, &'a str);
type Keyed<'a, 'c> = (Key<'a>, ResourceView<'a, 'c>);

/// What differs between two catalogs, in octocatalog-diff's order: what came, what went, what changed by resource, then lists and hashes.
pub fn compare(from: &Side<'_, '_>, to: &Side<'_, '_>, rules: &Rules) -> Vec<Difference> {
    let mut found = if are_same(from, to, rules) { Vec::new() } else { resources(from, to, rules) };
    if rules.edges != Edges::None {
        found.extend(edges::compare(from.catalog, to.catalog, rules));
    }
    found
}

/// Whether both have the same resources in the same order, each the same for certain. It is so for most nodes, and none of what finds
/// differences is made for them.
fn are_same(from: &Side<'_, '_>, to: &Side<'_, '_>, rules: &Rules) -> bool {
    let both = from.catalog.resources().zip(to.catalog.resources());
    from.catalog.len() == to.catalog.len()
        && both.into_iter().all(|(one, other)| {
            one.type_name() == other.type_name()
                && one.title() == other.title()
                && is_same((from, &one), (to, &other), rules)
        })
}

/// The differences between resources.
fn resources(from: &Side<'_, '_>, to: &Side<'_, '_>, rules: &Rules) -> Vec<Difference> {
    let before = keyed(from.catalog, rules);
    let after = keyed(to.catalog, rules);
    let mut hidden = Hidden::default();
    let mut found = Vec::new();
    // Mostly both have the same resources in the same order: then none has to be looked for, and there is nothing to look in.
    let in_step = before.iter().zip(&after).take_while(|((one, _), (other, _))| one == other).count();
    let (old, new) = (places(&before, in_step), places(&after, in_step));
    for (key, resource) in after[in_step..].iter().filter(|(key, _)| !old.contains_key(key)) {
        found.push(whole(Sign::Added, *key, resource, to, &mut hidden, rules));
    }
    for (key, resource) in before[in_step..].iter().filter(|(key, _)| !new.contains_key(key)) {
        found.push(whole(Sign::Removed, *key, resource, from, &mut hidden, rules));
    }
    let mut changed: Vec<(Key<'_>, usize, usize)> = Vec::new();
    for (at, (key, resource)) in before.iter().enumerate() {
        let other = if at < in_step { Some(at) } else { new.get(key).copied() };
        if let Some(other) = other
            && !is_same((from, resource), (to, &after[other].1), rules)
        {
            changed.push((*key, at, other));
        }
    }
    // As Ruby sorts them: by type, a form feed, title.
    changed.sort_by_key(|((type_name, title), ..)| [type_name, "\u{c}", title].concat());
    let mut nested = Vec::new();
    for (key, old, new) in changed {
        pair(
            key,
            (from, &before[old].1),
            (to, &after[new].1),
            (&mut hidden, rules),
            (&mut found, &mut nested),
        );
    }
    found.append(&mut nested);
    ignore_tagged(from.catalog, to.catalog, rules, &mut found);
    found.retain(|difference| !rules.ignores(difference));
    filter::apply(&mut found, rules, (from.folder, to.folder));
    found.iter_mut().for_each(|difference| hidden.mask(difference));
    found
}

/// The resources that are compared, by type and title; of a file that names its path, by that. A later one of the same path wins, in
/// the place of the first.
fn keyed<'a, 'c>(catalog: &'a CatalogView<'c>, rules: &Rules) -> Vec<Keyed<'a, 'c>> {
    let mut all: Vec<Keyed<'a, 'c>> = Vec::with_capacity(catalog.len());
    // Catalogs have each title once: paths alone may be there twice.
    let mut by_path = false;
    for resource in catalog.resources() {
        if resource.exported() && !rules.exported || rules.ignores_type(resource.type_name()) {
            continue;
        }
        let path = match resource.type_name() {
            "File" if !rules.by_title => resource.parameter("path").and_then(|path| path.text()),
            _ => None,
        };
        let title = path.unwrap_or(resource.title());
        by_path |= title != resource.title();
        all.push(((resource.type_name(), title), resource));
    }
    if by_path {
        leave_last_files(&mut all);
    }
    all
}

/// Leaves the last file of each path, in the place of the first.
fn leave_last_files(all: &mut Vec<Keyed<'_, '_>>) {
    let mut firsts = HashMap::new();
    let mut spare = Vec::new();
    for at in 0..all.len() {
        if let (("File", path), _) = all[at] {
            match firsts.entry(path) {
                Entry::Vacant(place) => _ = place.insert(at),
                Entry::Occupied(first) => {
                    all.swap(*first.get(), at);
                    spare.push(at);
                }
            }
        }
    }
    let mut at = 0;
    all.retain(|_| {
        at += 1;
        spare.binary_search(&(at - 1)).is_err()
    });
}

/// Where the resources from a place on are.
fn places<'a>(all: &[Keyed<'a, '_>], from: usize) -> HashMap<Key<'a>, usize> {
    all.iter().enumerate().skip(from).map(|(at, (key, _))| (*key, at)).collect()
}

/// Whether a parameter only orders what an agent does.
fn orders(name: &str) -> bool {
    matches!(name, "before" | "require")
}

/// Whether two resources are the same for certain. Where they are not, [`pair`] may still find no difference.
fn is_same(
    (from, one): (&Side<'_, '_>, &ResourceView<'_, '_>),
    (to, other): (&Side<'_, '_>, &ResourceView<'_, '_>),
    rules: &Rules,
) -> bool {
    one.has_same_parameters(other, |name| rules.unordered && orders(name))
        && one.exported() == other.exported()
        && one.kind() == other.kind()
        && one.sensitive() == other.sensitive()
        && (!rules.include_tags || sorted(one.tags()) == sorted(other.tags()))
        && content_of(from, one) == content_of(to, other)
}

fn sorted(mut all: Vec<&str>) -> Vec<&str> {
    all.sort_unstable();
    all
}

/// What stands for the files of a folder that a `source` names, as a parameter.
const FILES_OF_SOURCE: &str = "files of source";

/// What a file's source holds, where that stands in place of a content; of a folder, what lies in it.
fn content_of(side: &Side<'_, '_>, resource: &ResourceView<'_, '_>) -> Option<Arc<Content>> {
    let sources = side.sources.filter(|_| resource.type_name() == "File")?;
    let source = resource.parameter("source")?;
    if resource.parameter("content").is_some() {
        return None;
    }
    let names = match source.data() {
        Data::List(all) => all,
        one => vec![one],
    };
    let modules = names.iter().filter_map(Data::as_str).filter(|name| name.starts_with("puppet:///modules/"));
    let found = modules.into_iter().find_map(|name| sources.content(name))?;
    match *found {
        // Without `recurse` an agent gets nothing of what lies in it.
        Content::Folder(_) => {
            resource.parameter("recurse").is_some_and(|how| !is_no(&how.data())).then_some(found)
        }
        _ => Some(found),
    }
}

/// Whether a value of `recurse` says no.
fn is_no(value: &Data) -> bool {
    matches!(value, Data::Boolean(false)) || value.as_str() == Some("false")
}

/// A resource as octocatalog-diff prints and compares it: without its place, its tags sorted.
fn fields(
    (type_name, title): Key<'_>,
    (side, resource): (&Side<'_, '_>, &ResourceView<'_, '_>),
    hidden: &mut Hidden,
    (also_hidden, rules): (&HashSet<String>, &Rules),
) -> Vec<(String, Data)> {
    let mut all: Vec<(String, Data)> =
        vec![("type".to_owned(), type_name.into()), ("title".to_owned(), title.into())];
    let texts = |all: Vec<&str>| Data::List(all.into_iter().map(Data::from).collect());
    let tags = sorted(resource.tags());
    if !tags.is_empty() {
        all.push(("tags".to_owned(), texts(tags)));
    }
    all.push(("exported".to_owned(), resource.exported().into()));
    if let Some(kind) = resource.kind() {
        all.push(("kind".to_owned(), kind.into()));
    }
    let content = content_of(side, resource);
    let is_file = matches!(content.as_deref(), Some(Content::Text(_) | Content::Checksum(_)));
    let mut parameters = Vec::new();
    for parameter in resource.parameters() {
        let name = parameter.name();
        let is_path = type_name == "File" && name == "path" && resource.title() != title;
        let is_title = type_name == "File" && name == "path" && parameter.text() == Some(title);
        if rules.unordered && orders(name) || is_path || is_title || is_file && name == "source" {
            continue;
        }
        let mut value = hidden.hide(parameter.data());
        if resource.is_sensitive(name) || also_hidden.contains(name) {
            value = hidden.whole(value);
        } else if matches!(name, "notify" | "subscribe" | "tag")
            && let Data::List(all) = &mut value
        {
            all.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
        }
        parameters.push((name.to_owned(), value));
    }
    match content.as_deref() {
        Some(Content::Text(text) | Content::Checksum(text)) => {
            parameters.push(("content".to_owned(), text.as_str().into()));
        }
        Some(Content::Folder(checksum)) => {
            parameters.push((FILES_OF_SOURCE.to_owned(), checksum.as_str().into()));
        }
        None => {}
    }
    if !parameters.is_empty() {
        all.push(("parameters".to_owned(), Data::Map(parameters)));
    }
    let sensitive = resource.sensitive();
    if !sensitive.is_empty() {
        all.push(("sensitive_parameters".to_owned(), texts(sensitive)));
    }
    all
}

fn declared(resource: &ResourceView<'_, '_>) -> Declared {
    let (file, line) = resource.place();
    Declared { file: file.map(str::to_owned), line }
}

/// A resource that one side has.
fn whole(
    sign: Sign,
    key: Key<'_>,
    resource: &ResourceView<'_, '_>,
    side: &Side<'_, '_>,
    hidden: &mut Hidden,
    rules: &Rules,
) -> Difference {
    let value = Some(Data::Map(fields(key, (side, resource), hidden, (&HashSet::new(), rules))));
    let place = Some(declared(resource));
    let (old, new, old_place, new_place) = match sign {
        Sign::Added => (None, value, None, place),
        _ => (value, None, place, None),
    };
    let (type_name, title) = (key.0.to_owned(), key.1.to_owned());
    let kind = resource.kind().map(str::to_owned);
    Difference { sign, type_name, title, structure: Vec::new(), old, new, old_place, new_place, kind }
}

/// What differs between two resources of one name.
fn pair(
    key: Key<'_>,
    (from, one): (&Side<'_, '_>, &ResourceView<'_, '_>),
    (to, other): (&Side<'_, '_>, &ResourceView<'_, '_>),
    (hidden, rules): (&mut Hidden, &Rules),
    (found, nested): (&mut Vec<Difference>, &mut Vec<Difference>),
) {
    // What is a secret on one side is none to be shown on the other.
    let secrets: HashSet<String> =
        one.sensitive().into_iter().chain(other.sensitive()).map(str::to_owned).collect();
    let before = Data::Map(fields(key, (from, one), hidden, (&secrets, rules)));
    let after = Data::Map(fields(key, (to, other), hidden, (&secrets, rules)));
    let kind = other.kind().or(one.kind()).map(str::to_owned);
    for values::Found { sign, structure, old, new } in values::compare(&before, &after) {
        let difference = Difference {
            sign,
            type_name: key.0.to_owned(),
            title: key.1.to_owned(),
            structure,
            old,
            new,
            old_place: Some(declared(one)),
            new_place: Some(declared(other)),
            kind: kind.clone(),
        };
        match sign {
            Sign::Nested => nested.push(difference),
            _ => found.push(difference),
        }
    }
}

/// Leaves out what is tagged to be ignored: by the second catalog; what that has not, by the first.
fn ignore_tagged(
    before: &CatalogView<'_>,
    after: &CatalogView<'_>,
    rules: &Rules,
    found: &mut Vec<Difference>,
) {
    if rules.ignore_tags.is_empty() || found.is_empty() {
        return;
    }
    let is_tagged = |resource: &ResourceView<'_, '_>| {
        let word = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '_' };
        let of_type: String = resource.type_name().to_lowercase().chars().map(word).collect();
        let tags = resource.tags();
        rules
            .ignore_tags
            .iter()
            .any(|tag| tags.contains(&tag.as_str()) || tags.contains(&format!("{tag}__{of_type}").as_str()))
    };
    let name = |resource: &ResourceView<'_, '_>| {
        (resource.type_name().to_lowercase(), resource.title().to_lowercase())
    };
    let known: HashSet<(String, String)> = after.resources().map(|resource| name(&resource)).collect();
    let mut ignored: HashSet<(String, String)> =
        after.resources().filter(|resource| is_tagged(resource)).map(|resource| name(&resource)).collect();
    let old = before.resources().filter(|resource| is_tagged(resource)).map(|resource| name(&resource));
    ignored.extend(old.filter(|name| !known.contains(name)));
    found.retain(|one| !ignored.contains(&(one.type_name.to_lowercase(), one.title.to_lowercase())));
}

#[cfg(test)]
mod tests;
