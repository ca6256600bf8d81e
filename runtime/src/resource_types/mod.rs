//! Resource types written in Ruby: those Puppet ships, from a table, and those of modules, by reading what their
//! source declares. No Ruby runs.

mod ruby;

use elsa::sync::FrozenMap;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// Puppet 7.23's own types: name, name variables, whether titles and name variables mean the same (isomorphic),
/// parameters and properties. Written by a Ruby script that asks `Puppet::Type`.
const BUILTIN: &str = include_str!("builtin.tsv");

/// A resource type.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResourceType {
    /// Name in lower case.
    pub name: String,
    /// Attributes that identify a resource.
    pub namevars: Vec<String>,
    /// Whether two resources may not share their name variables' values.
    pub isomorphic: bool,
    /// Every parameter and property; none where the source can't be read for them.
    pub attributes: Option<Vec<String>>,
    /// How a title becomes attributes.
    titles: Titles,
}

/// How a title becomes attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Titles {
    /// The whole title is the one name variable.
    Whole,
    /// A path: the title without slashes at its end.
    Path,
}

impl ResourceType {
    /// The attribute that a title equal to it makes redundant.
    pub fn namevar(&self) -> &str {
        match self.namevars.as_slice() {
            [one] => one,
            _ => "name",
        }
    }

    /// The attributes a title stands for.
    pub fn parse_title(&self, title: &str) -> Vec<(&str, String)> {
        let first = self.namevars.first().map_or("name", String::as_str);
        match self.titles {
            Titles::Whole => vec![(first, title.to_owned())],
            Titles::Path => {
                let trimmed = title.trim_end_matches('/');
                vec![(
                    first,
                    if trimmed.is_empty() {
                        title[..title.len().min(1)].to_owned()
                    } else {
                        trimmed.to_owned()
                    },
                )]
            }
        }
    }
}

/// Finds a type by name in lower case.
pub type Find = Box<dyn Fn(&str) -> Option<ResourceType> + Send + Sync>;

/// The resource types a compile knows.
#[derive(Default)]
pub struct ResourceTypes {
    types: HashMap<String, ResourceType>,
    /// Types of modules: looked for when they are asked for.
    find: Option<Find>,
    found: FrozenMap<String, Box<Option<ResourceType>>>,
}

/// The type that a file under `lib/puppet/type` declares; `stem` is its name without `.rb`. A file that can't be read
/// still shows that the type is there; its parameters stay unknown.
pub fn declared(stem: &str, source: &[u8]) -> ResourceType {
    ruby::declared(stem, &String::from_utf8_lossy(source))
}

impl ResourceTypes {
    /// Puppet's own types.
    pub fn builtin() -> Self {
        let mut all = ResourceTypes::default();
        let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        for line in BUILTIN.lines() {
            let mut fields = line.split('\t');
            let (Some(name), Some(namevars), Some(isomorphic), Some(attributes)) =
                (fields.next(), fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            all.add(ResourceType {
                name: name.to_owned(),
                namevars: list(namevars),
                isomorphic: isomorphic == "true",
                attributes: Some(list(attributes)),
                titles: if name == "file" { Titles::Path } else { Titles::Whole },
            });
        }
        all
    }

    /// Adds a type unless its name is taken: modules in front come first, Puppet's own before all.
    pub fn add(&mut self, ty: ResourceType) {
        self.types.entry(ty.name.clone()).or_insert(ty);
    }

    /// Says where the types of modules are found: after Puppet's own.
    pub fn find_more(&mut self, find: Find) {
        self.find = Some(find);
    }

    /// The type of a name, in any case.
    pub fn get(&self, name: &str) -> Option<&ResourceType> {
        if let Some(ty) = self.types.get(name) {
            return Some(ty);
        }
        let name = name.to_lowercase();
        self.types.get(&name).or_else(|| {
            // Classes and nodes are resources of no type: nobody is asked for one.
            let is_type = !name.contains(':') && !matches!(name.as_str(), "class" | "node");
            let find = self.find.as_ref().filter(|_| is_type)?;
            if let Some(found) = self.found.get(&name) {
                return found.as_ref();
            }
            let found = Box::new(find(&name));
            self.found.insert(name, found).as_ref()
        })
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

/// Metaparameters that name other resources.
pub const RELATIONSHIPS: &[&str] = &["require", "subscribe", "before", "notify"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_s_title_is_its_path_without_trailing_slashes() {
        let types = ResourceTypes::builtin();
        let file = types.get("File").unwrap();
        assert_eq!(file.parse_title("/many/"), [("path", "/many".to_owned())]);
        assert_eq!(file.parse_title("/"), [("path", "/".to_owned())]);
        assert_eq!(file.namevar(), "path");
        assert!(!types.get("exec").unwrap().isomorphic);
        assert!(types.get("nagios_host").is_none());
    }
}
