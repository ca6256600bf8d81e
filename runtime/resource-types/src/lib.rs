//! Resource types written in Ruby: those Puppet ships, from a table, and those of modules, by reading what their
//! source declares. No Ruby runs here; of a type whose source only code can tell the parameters a compile asks Ruby
//! (`runtime/ruby/src/resource_types.rs`), and notes here what that said.

mod builtin;
mod folders;
mod generated;
mod loading;
mod modules;
mod ruby;
mod titles;

pub use folders::{Folders, SessionSteps, of_file, places};
pub use generated::read as read_generated;
pub use loading::{Doubt, DoubtKind, LoadFailure, Steps};
pub use modules::List;
pub use ruby::WORDS;

pub use titles::{Identity, Pattern, Titles};

use bunraku_files::memo::{Contract, Memo, NEVER};
use bunraku_files::reads::Reads;
use bunraku_vm::compat::Compat;
use hashbrown::HashMap;
use ruby::source::Source;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, OnceLock};

/// What Ruby would find for the file of a type.
pub trait Library {
    /// The text of a Ruby file below a module's `lib`, by its path without `.rb`.
    fn text(&self, path: &str) -> Option<String> {
        places(path).into_iter().find_map(|place| self.text_at(place.strip_suffix(".rb")?))
    }

    /// The text of a Ruby file at a path below a module's folder, without `.rb`, of the first module that has it.
    fn text_at(&self, path: &str) -> Option<String>;

    /// What loading such a file does.
    fn steps_at(&self, path: &str) -> Option<Arc<Steps>>;

    /// The files of the providers of a type, below their modules' folders, in the order in which Puppet loads them.
    fn providers(&self, name: &str) -> Vec<String>;

    /// Whether Ruby's or Puppet's own library has a file that is required by this name.
    fn is_known(&self, name: &str) -> bool;
}

/// A resource type.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResourceType {
    /// Name in lower case.
    pub name: String,
    /// Attributes that identify a resource.
    pub namevars: Vec<String>,
    /// Whether two resources may not share their name variables' values.
    pub isomorphic: bool,
    /// Every parameter and property, `provider` left out for types of modules; none where the source can't be read
    /// for them.
    pub attributes: Option<Vec<String>>,
    /// How a title becomes attributes.
    pub titles: Titles,
    /// Why the source can't be read, if it can't.
    pub unreadable: Option<String>,
    /// Files below `lib` that the source requires, and theirs: it has to be read anew when one of them changes.
    pub requires: Vec<String>,
    /// The files of its providers, below their modules' folders, likewise.
    pub providers: Vec<String>,
    /// What may keep it from being loaded: Ruby has not been asked yet.
    pub doubts: Vec<Doubt>,
    /// Why it can't be loaded.
    pub failure: Option<LoadFailure>,
    /// Whether its file makes it.
    pub presence: Presence,
}

/// Whether a file makes the type that it is named for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Presence {
    /// It does, as far as is known.
    #[default]
    Present,
    /// It does not seem to: Ruby has not been asked yet.
    Doubted,
    /// It does not: nothing has that name.
    Absent,
}

impl ResourceType {
    /// A type of which no more is known than that it is there.
    fn unreadable(name: &str, why: String) -> ResourceType {
        ResourceType { attributes: None, unreadable: Some(why), ..ResourceType::new(name) }
    }

    /// A type that is known to be there, is identified by its `name` and has no parameters; nothing stands against loading it.
    pub fn new(name: &str) -> ResourceType {
        ResourceType {
            name: name.to_owned(),
            namevars: vec!["name".to_owned()],
            isomorphic: true,
            attributes: Some(Vec::new()),
            titles: Titles::Whole,
            unreadable: None,
            requires: Vec::new(),
            providers: Vec::new(),
            doubts: Vec::new(),
            failure: None,
            presence: Presence::Present,
        }
    }

    /// Whether its source tells all that is asked of it.
    pub fn is_plain(&self) -> bool {
        self.unreadable.is_none() && self.doubts.is_empty() && self.failure.is_none()
    }

    /// Whether it has to be seen to, before it is used, that it can be loaded.
    pub fn is_doubtful(&self) -> bool {
        self.failure.is_some() || !self.doubts.is_empty() || self.presence == Presence::Doubted
    }

    /// Whether there is a file of its name and no type.
    pub fn is_absent(&self) -> bool {
        self.presence == Presence::Absent
    }

    /// The attribute that a title equal to it makes redundant.
    pub fn namevar(&self) -> &str {
        match self.namevars.as_slice() {
            [one] => one,
            _ => "name",
        }
    }

    /// The attributes a title stands for.
    ///
    /// # Errors
    /// Puppet's message where no title pattern fits.
    pub fn parse_title<'a>(&'a self, title: &'a str) -> Result<Vec<(&'a str, &'a str)>, String> {
        self.titles.parse(title, self.namevars.first().map_or("name", String::as_str))
    }

    /// Whether a title stands for the one name variable and for nothing else.
    pub fn is_titled_by(&self, title: &str) -> bool {
        self.namevars.len() == 1 && self.titles.is_itself(title)
    }

    /// Whether it is known which resources of the type are the same.
    pub fn is_identifiable(&self) -> bool {
        self.unreadable.is_none() || self.namevars.len() == 1 || matches!(self.titles, Titles::Patterns(_))
    }

    /// Whether resources of the type may have an attribute, metaparameters left out.
    pub fn takes(&self, name: &str) -> bool {
        // Whether a type of a module takes `provider` depends on files elsewhere: on it having any.
        self.attributes
            .as_ref()
            .is_none_or(|all| matches!(name, "name" | "provider") || all.iter().any(|a| a == name))
    }
}

/// The type that a file under `lib/puppet/type` declares; `stem` is its name without `.rb`. A file that can't be read
/// still shows that the type is there; its parameters stay unknown.
pub fn declared(stem: &str, source: &[u8], library: &dyn Library) -> ResourceType {
    let source = String::from_utf8_lossy(source);
    let source = Source::parse(&source);
    let steps = source.as_ref().map_or(Steps::default(), Steps::of_source);
    let mut ty = ruby::declared(stem, source, library);
    let loading = loading::loading(stem, steps, library);
    for path in loading.required {
        if !ty.requires.contains(&path) {
            ty.requires.push(path);
        }
    }
    ty.providers = loading.providers;
    // What Puppet's classes refuse comes first: where another place raises before it, Ruby says so.
    ty.doubts.extend(loading.doubts);
    if !ty.doubts.is_empty() {
        // What has been read of the file's end holds where Ruby comes to it.
        ty.failure = None;
        if ty.is_absent() {
            ty.presence = Presence::Doubted;
        }
    }
    ty
}

/// The resource types a compile knows.
pub struct ResourceTypes {
    builtin: &'static Builtin,
    /// Types of modules: looked for when they are asked for.
    folders: Option<Folders>,
    found: Memo<String, Option<ResourceType>>,
    /// What Ruby has said of types whose source does not tell their parameters.
    told: Memo<String, ResourceType>,
}

/// The types that a version of Puppet has without any module.
#[derive(Default)]
struct Builtin {
    /// Its own.
    own: HashMap<String, ResourceType>,
    /// Those of the modules that its packages bring along: where no module of the tree has them.
    vendored: HashMap<String, ResourceType>,
}

impl Builtin {
    fn of(compat: Compat) -> &'static Builtin {
        static ALL: [OnceLock<Builtin>; Compat::ALL.len()] = [const { OnceLock::new() }; Compat::ALL.len()];
        ALL[compat as usize].get_or_init(|| {
            let mut all = Builtin::default();
            for row in builtin::rows(compat) {
                let types = if row.vendored { &mut all.vendored } else { &mut all.own };
                types.entry(row.ty.name.clone()).or_insert(row.ty);
            }
            all
        })
    }
}

/// Whether Puppet has a type of a name, in lower case, without any module.
fn is_builtin(name: &str) -> bool {
    let builtin = Builtin::of(Compat::default());
    builtin.own.contains_key(name) || builtin.vendored.contains_key(name) || name == "component"
}

const FOUND: Contract = Contract {
    holds: "resource types of modules, as their source declares them",
    key: "name in lower case",
    bound: "the names of types in the code that is run",
    stale: NEVER,
    test: "runtime/compile/tests/snapshot.rs: what_comes_is_seen_by_the_next_compile",
};

const TOLD: Contract = Contract {
    holds: "what Ruby has said of resource types whose source does not tell their parameters, or that they can be loaded",
    key: "name in lower case",
    bound: "the types that there are",
    stale: "when a file that Ruby has loaded for it changes: then the snapshot ends",
    test: "tests/tests/ruby.rs: a_changed_file_is_read_again",
};

impl Default for ResourceTypes {
    /// None at all.
    fn default() -> Self {
        let (found, told) = (Memo::new(&FOUND), Memo::new(&TOLD));
        static NONE: LazyLock<Builtin> = LazyLock::new(Builtin::default);
        ResourceTypes { builtin: &NONE, folders: None, found, told }
    }
}

impl ResourceTypes {
    /// The types that a version of Puppet has without any module: its own, and those of the modules that its packages
    /// bring along.
    pub fn builtin(compat: Compat) -> Self {
        ResourceTypes { builtin: Builtin::of(compat), ..ResourceTypes::default() }
    }

    /// Says where the types of modules are: they come after Puppet's own.
    pub fn find_more(&mut self, folders: Folders) {
        self.folders = Some(folders);
    }

    /// The type of a name, in any case.
    pub fn get(&self, name: &str) -> Option<&ResourceType> {
        self.named(name).filter(|ty| !ty.is_absent())
    }

    /// The same, with what is known of a file that makes no type of the name.
    pub fn named(&self, name: &str) -> Option<&ResourceType> {
        if let Some(ty) = self.builtin.own.get(name) {
            return Some(ty);
        }
        let name = name.to_lowercase();
        self.builtin.own.get(&name).or_else(|| {
            // Classes and nodes are resources of no type: nobody is asked for one.
            let is_type = !name.contains(':') && !matches!(name.as_str(), "class" | "node");
            let folders = self.folders.as_ref().filter(|_| is_type);
            let of_module =
                folders.and_then(|folders| self.found.get_or(name.as_str(), || folders.find(&name)).as_ref());
            let Some(found) = of_module else { return self.builtin.vendored.get(&name) };
            match found.is_plain() {
                false => Some(self.told.get(&found.name).unwrap_or(found)),
                true => Some(found),
            }
        })
    }

    /// Whether nothing has been told yet of a type whose source does not tell its parameters, or whether it can be loaded.
    pub fn is_untold(&self, ty: &ResourceType) -> bool {
        !ty.is_plain() && ty.failure.is_none() && self.told.get(&ty.name).is_none()
    }

    /// Notes what Ruby has said of a type, or why it could not.
    pub fn tell(&self, ty: ResourceType) -> &ResourceType {
        let unknown = Box::new([format!("the resource type {}, which Ruby has read", ty.name)]);
        let reads = Reads { unknown, ..Reads::default() };
        self.told.keep(ty.name.clone(), (ty, reads))
    }

    /// The file of a module's type, by its name in lower case.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        self.folders.as_ref()?.file(name)
    }

    /// A file that is loaded for a type, by its path below a module's folder.
    pub fn place(&self, below: &str) -> Option<PathBuf> {
        self.folders.as_ref()?.place(below)
    }

    /// What is known of some types, as JSON by name; null for what is no type.
    pub fn describe(&self, names: &[String]) -> serde_json::Value {
        let one = |name: &String| {
            let Some(ty) = self.get(name) else { return (name.clone(), serde_json::Value::Null) };
            let namevar = ty.namevars.first().map_or("name", String::as_str);
            let titles = ty.titles.patterns(namevar).into_iter().map(|p| (p.regex, p.attributes));
            let mut attributes = ty.attributes.clone();
            attributes.iter_mut().for_each(|all| all.sort_unstable());
            let description = serde_json::json!({
                "namevars": ty.namevars,
                "attributes": attributes,
                "isomorphic": ty.isomorphic,
                "titles": titles.collect::<Vec<_>>(),
                "unreadable": ty.unreadable,
            });
            (name.clone(), description)
        };
        serde_json::Value::Object(names.iter().map(one).collect())
    }

    /// Names of the types that modules declare, sorted.
    pub fn of_modules(&self) -> Vec<&str> {
        self.folders.iter().flat_map(Folders::names).collect()
    }
}

/// Attributes that every resource may have.
pub const METAPARAMETERS: &[&str] = &[
    "noop",
    "schedule",
    "audit",
    "loglevel",
    "alias",
    "tag",
    "require",
    "subscribe",
    "before",
    "notify",
    "stage",
];

/// Whether an attribute is one that every resource may have.
pub fn is_metaparameter(name: &str) -> bool {
    matches!(name.len(), 3..=9) && METAPARAMETERS.contains(&name)
}

/// Whether a metaparameter names other resources.
pub fn is_relationship(name: &str) -> bool {
    matches!(name, "require" | "subscribe" | "before" | "notify")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_s_title_is_its_path_without_trailing_slashes() {
        let types = ResourceTypes::builtin(Compat::default());
        let file = types.get("File").unwrap();
        assert_eq!(file.parse_title("/many/").unwrap(), [("path", "/many")]);
        assert_eq!(file.parse_title("/").unwrap(), [("path", "/")]);
        assert_eq!(file.namevar(), "path");
        assert!(!types.get("exec").unwrap().isomorphic);
        assert!(types.get("nagios_host").is_none());
    }

    #[test]
    fn versions_bring_types_along() {
        let of = ResourceTypes::builtin;
        assert!(of(Compat::V7).get("zone").is_some() && of(Compat::V9).get("zone").is_none());
        let takes = |compat, ty: &str, name: &str| of(compat).get(ty).is_some_and(|ty| ty.takes(name));
        assert!(!takes(Compat::V8, "package", "environment") && takes(Compat::V9, "package", "environment"));
        let types = of(Compat::V8);
        let sshkey = types.get("sshkey").expect("packages bring it along");
        assert_eq!(sshkey.parse_title("a@rsa").unwrap(), [("name", "a"), ("type", "rsa")]);
        assert_eq!(types.get("zpool").map(ResourceType::namevar), Some("pool"));
    }
}
