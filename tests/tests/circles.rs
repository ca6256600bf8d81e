//! Files of one crate that need each other can only be read together: there are few such circles, and they are small.

use bunraku_tests::paths;
use regex_lite::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// Most files of a circle. Values name types, which name values.
const MOST: usize = 5;

/// A module by its path in the crate; the root has none.
type Module = Vec<String>;

/// Gathers the modules of a crate that a file names.
struct Named<'f> {
    module: &'f Module,
    files: &'f BTreeMap<Module, PathBuf>,
    found: BTreeSet<Module>,
}

impl Named<'_> {
    /// Takes note of a path as it stands in the file; only one from the crate's root or a module around it leads to another file.
    fn add(&mut self, path: &[String]) {
        let ups = path.iter().take_while(|part| *part == "super").count();
        let mut at = match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("super") => {
                let around = &self.module[..self.module.len().saturating_sub(ups)];
                [around, &path[ups..]].concat()
            }
            _ => return,
        };
        while !at.is_empty() && !self.files.contains_key(&at) {
            at.pop();
        }
        // The root only says which modules there are.
        if !at.is_empty() && at != *self.module {
            self.found.insert(at);
        }
    }

    fn add_tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(before, tree)),
            syn::UseTree::Name(name) => self.add(&with(&name.ident)),
            syn::UseTree::Rename(name) => self.add(&with(&name.ident)),
            syn::UseTree::Glob(_) => self.add(before),
        }
    }
}

impl<'a> Visit<'a> for Named<'_> {
    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        let is_test = |attribute: &syn::Attribute| {
            attribute.path().is_ident("cfg")
                && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
        };
        if !module.attrs.iter().any(is_test) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.add_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.add(&parts);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        let paths = Regex::new(r"\b(?:crate|super)(?: :: \w+)+").expect("it is an expression");
        for found in paths.find_iter(&call.tokens.to_string()) {
            let parts: Vec<String> = found.as_str().split(" :: ").map(str::to_owned).collect();
            self.add(&parts);
        }
    }
}

/// The modules of a crate with their files, those of tests left out.
fn files(folder: &Path, module: &Module, found: &mut BTreeMap<Module, PathBuf>) {
    for entry in fs::read_dir(folder).expect("folders can be read").flatten() {
        let path = entry.path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        let inner = [&module[..], &[name.to_owned()]].concat();
        match path.extension().is_some_and(|extension| extension == "rs") {
            _ if name == "tests" => {}
            true if matches!(name, "mod" | "lib" | "main") => drop(found.insert(module.clone(), path)),
            true => drop(found.insert(inner, path)),
            false if path.is_dir() => files(&path, &inner, found),
            false => {}
        }
    }
}

/// The modules that lead to each other, by which modules each one names.
fn circles(names: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Vec<&Module>> {
    let reached = |from: &Module| {
        let (mut reached, mut pending) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = pending.pop() {
            let next = names[&module].iter().filter(|next| reached.insert((*next).clone()));
            pending.extend(next.cloned());
        }
        reached
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        names.keys().map(|from| (from, reached(from))).collect();
    let circle = |from: &&Module| -> Vec<&Module> {
        let both = |to: &&Module| reached[*from].contains(*to) && reached[*to].contains(*from);
        reached.keys().copied().filter(both).collect()
    };
    reached.keys().map(circle).filter(|circle| circle.len() > 1).collect()
}

#[test]
fn circles_among_files_are_small() {
    let (mut count, mut large) = (0, Vec::new());
    for member in paths::members() {
        let folder = paths::root().join(&member);
        let member = member.display();
        let folder = [folder.join("src"), folder].into_iter().find(|folder| folder.is_dir()).unwrap();
        let mut found = BTreeMap::new();
        files(&folder, &Vec::new(), &mut found);
        let named = |(module, path): (&Module, &PathBuf)| {
            let text = fs::read_to_string(path).unwrap();
            let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut named = Named { module, files: &found, found: BTreeSet::new() };
            named.visit_file(&file);
            (module.clone(), named.found)
        };
        let names: BTreeMap<Module, BTreeSet<Module>> = found.iter().map(named).collect();
        for circle in circles(&names) {
            count += 1;
            let all: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            println!("{member}: {}", all.join(" "));
            large.extend((all.len() > MOST).then(|| format!("{member}: {}", all.join(" "))));
        }
    }
    // Some there are: a test that finds none reads nothing.
    assert!(count > 5, "{count}");
    assert!(large.is_empty(), "circles of more than {MOST} files: {large:#?}");
}
