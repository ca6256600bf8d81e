//! `lookup_options`: how keys are merged and converted, by key or by pattern, from all layers.

use crate::data_file as file;
use crate::data_file::lookup_options::{FileOptions, Pattern};
use crate::explain::What;
use crate::invocation::Invocation;
use crate::key::{Key, lookup_error};
use crate::merge::Strategy;
use crate::state::Lookups;
use bumpalo::Bump;
use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::regex;
use bunraku_vm::types;
use bunraku_vm::value::{Hash, Value};
use bunraku_vm::vm::Vm;
use hashbrown::HashMap;

/// The reserved key.
pub const LOOKUP_OPTIONS: &str = "lookup_options";

/// The reserved key, taken apart.
pub(crate) fn key() -> Key<'static> {
    Key { text: LOOKUP_OPTIONS, root: LOOKUP_OPTIONS.into(), segments: Vec::new() }
}

type Options<'c> = Option<&'c Table<'c>>;

/// Options by key and by pattern.
pub(crate) enum Table<'c> {
    /// All of them, and the keys that are patterns, what a text that fits begins with, and what they say.
    Merged(Hash<'c>, &'c [(&'c str, &'c str, Value<'c>)]),
    /// Those of files, of which the first that has a key counts, the patterns in the order in which a merge has them, and
    /// what every text begins with that fits one of these.
    Files(&'c [FileOptions<'c>], &'c [Pattern<'c>], &'c str),
}

/// What a compile keeps of them; nothing is asked for twice.
#[derive(Default)]
pub(crate) struct Kept<'c> {
    global: Option<Option<Hash<'c>>>,
    /// Those of the environment with the global ones in them.
    environment: Option<(Option<Hash<'c>>, Options<'c>)>,
    /// The same where both are nothing but files: outer none as long as nobody has asked.
    files: Option<Option<(Options<'c>, &'c [FileOptions<'c>])>>,
    /// For keys without a module (the empty name) and for those of each module.
    modules: HashMap<String, Options<'c>>,
    defaults: HashMap<String, Options<'c>>,
}

impl<'c> Kept<'c> {
    /// The options for a module's keys; none as long as nobody has asked for them.
    pub fn of(&self, module: Option<&str>) -> Option<Options<'c>> {
        self.modules.get(module.unwrap_or_default()).copied()
    }
}

impl<'c> Table<'c> {
    fn new(arena: &'c Bump, all: Hash<'c>) -> &'c Self {
        let keys = all.entries().iter().filter_map(|(key, value)| Some((key.as_str()?, *value)));
        let patterns = keys.filter(|(key, _)| key.starts_with('^'));
        let patterns: Vec<_> = patterns.map(|(key, value)| (key, literal_start(key), value)).collect();
        arena.alloc(Table::Merged(all, arena.alloc_slice_copy(&patterns)))
    }

    fn of_files(arena: &'c Bump, files: &[FileOptions<'c>]) -> Options<'c> {
        let patterns: Vec<_> = files.iter().rev().flat_map(|file| file.patterns()).collect();
        let common = patterns.iter().map(|pattern| pattern.start).reduce(common_start).unwrap_or_default();
        let table = || Table::Files(arena.alloc_slice_copy(files), arena.alloc_slice_copy(&patterns), common);
        (!files.is_empty()).then(|| &*arena.alloc(table()))
    }

    /// The entry of a key: under its name, or under the first pattern that fits.
    pub(crate) fn matching(&self, hash_of_root: u64, root: &str) -> Eval<'c, Option<Hash<'c>>> {
        let found = match self {
            Table::Merged(all, patterns) => {
                let own = all.get_str(root).filter(|value| !value.is_undef());
                let fits = |text: &str, start: &str| {
                    root.starts_with(start) && regex::is_match(text, root) == Ok(true)
                };
                let by_pattern = || patterns.iter().find(|(text, start, _)| fits(text, start));
                own.or_else(|| by_pattern().map(|(_, _, value)| *value))
            }
            Table::Files(files, patterns, common) => {
                let value = |hash: u64, key: &str| -> Eval<'c, Option<Value<'c>>> {
                    for file in *files {
                        if let Some(value) = file.find(hash, key)? {
                            return Ok(Some(value));
                        }
                    }
                    Ok(None)
                };
                match value(hash_of_root, root)?.filter(|value| !value.is_undef()) {
                    Some(own) => Some(own),
                    None if !root.starts_with(common) => None,
                    None => match patterns.iter().find(|pattern| pattern.fits(root)) {
                        Some(pattern) => value(pattern.hash, pattern.text)?,
                        None => None,
                    },
                }
            }
        };
        Ok(hash(found))
    }
}

impl<'c> Lookups<'_, 'c> {
    /// The options of a key; none where nothing is said of it.
    pub(crate) fn options_for(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        key: &Key<'c>,
    ) -> Eval<'c, Option<Hash<'c>>> {
        let module = key.module();
        let known = self.state.options.borrow().of(module);
        let all = match known {
            Some(all) => all,
            None => {
                let plain = Invocation { overrides: None, defaults: None, ..*inv };
                let what = || What::Search(LOOKUP_OPTIONS.to_owned());
                let all = match self.options_of_files(vm, &plain, module) {
                    Some(all) => all,
                    None => inv.explain.with(what, || self.gather_options(vm, &plain, module))?,
                };
                self.state.options.borrow_mut().modules.insert(module.unwrap_or_default().to_owned(), all);
                all
            }
        };
        match all {
            Some(all) => all.matching(file::hash_of(&key.root), &key.root),
            None => Ok(None),
        }
    }

    /// The options that layers have which are nothing but files with plain options: no merge has to be made of them.
    /// None where there is more to them, or something is wrong: who gathers them finds out what.
    fn options_of_files(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: Option<&str>,
    ) -> Option<Options<'c>> {
        if inv.explain.0.is_some() || inv.global_only || inv.old_scope || inv.level.is_some() {
            return None;
        }
        let known = self.state.options.borrow().files;
        let (shared, files) = match known {
            Some(known) => known?,
            None => {
                let mut files = Vec::new();
                let layers = [self.global_layer(vm).ok()?, self.environment_layer(vm).ok()?];
                let all = layers
                    .iter()
                    .flatten()
                    .try_for_each(|layer| self.file_options(vm, inv, layer, &mut files));
                let files = &*self.arena.alloc_slice_copy(&files);
                let known = all.map(|()| (Table::of_files(self.arena, files), files));
                self.state.options.borrow_mut().files = Some(known);
                known?
            }
        };
        let Some(module) = module else { return Some(shared) };
        let Some(layer) = self.module_layer(vm, module).ok()? else { return Some(shared) };
        let mut all = files.to_vec();
        self.file_options(vm, inv, &layer, &mut all)?;
        let own = &all[files.len()..];
        let is_own = |key: &str| is_of_module(key.strip_prefix('^').unwrap_or(key), module);
        match own.iter().all(|file| file.keys().all(is_own)) {
            true if own.is_empty() => Some(shared),
            true => Some(Table::of_files(self.arena, &all)),
            false => None,
        }
    }

    fn gather_options(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: Option<&str>,
    ) -> Eval<'c, Options<'c>> {
        let global = self.global_options(vm, inv)?;
        if inv.global_only {
            return Ok(global.map(|all| Table::new(self.arena, all)));
        }
        let (shared, table) = self.environment_options(vm, inv, global)?;
        let Some(module) = module else { return Ok(table) };
        self.state.options.borrow_mut().modules.entry(String::new()).or_insert(table);
        let own = self.ask_module(vm, inv, Some(module), &key(), &Strategy::Hash, false)?;
        let Some(own) = own.map(|own| check(own, Some(module))).transpose()?.flatten() else {
            return Ok(table);
        };
        let Some(shared) = shared else { return Ok(Some(Table::new(self.arena, own))) };
        let own_name = format!("Module {module}");
        let both = [("Global and Environment", shared), (own_name.as_str(), own)];
        let merged = Strategy::Hash.over(vm, inv.explain, both.into_iter(), |_, (name, options)| {
            let found = || inv.explain.found(LOOKUP_OPTIONS, Value::Hash(options));
            inv.explain.with(|| What::Scope(name.to_owned()), found);
            Ok(Some(Value::Hash(options)))
        })?;
        Ok(hash(merged).map(|all| Table::new(self.arena, all)))
    }

    fn global_options(&self, vm: &mut Vm<'c>, inv: &Invocation<'c>) -> Eval<'c, Option<Hash<'c>>> {
        let known = self.state.options.borrow().global;
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.ask_global(vm, inv, &key(), &Strategy::Hash)?;
        let found = found.map(|found| check(found, None)).transpose()?.flatten();
        self.state.options.borrow_mut().global = Some(found);
        Ok(found)
    }

    fn environment_options(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        global: Option<Hash<'c>>,
    ) -> Eval<'c, (Option<Hash<'c>>, Options<'c>)> {
        let known = self.state.options.borrow().environment;
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.ask_environment(vm, inv, &key(), &Strategy::Hash)?;
        let found = found.map(|found| check(found, None)).transpose()?.flatten();
        let both = match (global, found) {
            (Some(global), Some(found)) => {
                hash(Some(Strategy::Hash.merge(vm, Value::Hash(global), Value::Hash(found))?))
            }
            (global, found) => found.or(global),
        };
        let both = (both, both.map(|all| Table::new(self.arena, all)));
        self.state.options.borrow_mut().environment = Some(both);
        Ok(both)
    }

    /// The merge that a module's default hierarchy asks for.
    pub(crate) fn default_merge(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        module: &str,
        of: &Key,
    ) -> Eval<'c, Option<Value<'c>>> {
        let known = self.state.options.borrow().defaults.get(module).copied();
        let own = match known {
            Some(own) => own,
            None => {
                let what = || What::Scope(format!("Searching for \"{LOOKUP_OPTIONS}\""));
                let plain = Invocation { overrides: None, defaults: None, ..*inv };
                let own = inv.explain.with(what, || {
                    self.ask_module(vm, &plain, Some(module), &key(), &Strategy::Hash, true)
                })?;
                let own = own.map(|own| check(own, Some(module))).transpose()?.flatten();
                let own = own.map(|all| Table::new(self.arena, all));
                self.state.options.borrow_mut().defaults.insert(module.to_owned(), own);
                own
            }
        };
        let options = own.map(|own| own.matching(file::hash_of(&of.root), &of.root)).transpose()?.flatten();
        Ok(options.and_then(|options| options.get_str("merge")))
    }

    /// `convert_to`
    pub(crate) fn convert_found(
        &self,
        vm: &mut Vm<'c>,
        inv: &Invocation<'c>,
        key: &str,
        options: Option<Hash<'c>>,
        value: Value<'c>,
    ) -> Eval<'c> {
        let Some(convert) =
            options.and_then(|options| options.get_str("convert_to")).filter(|c| !c.is_undef())
        else {
            return Ok(value);
        };
        let mut parts = match convert {
            Value::Array(items) => items.items().to_vec(),
            one => vec![one],
        };
        let text = |flow: &Flow<'c>| match flow {
            Flow::Fault(fault) => fault.diagnostic.message.clone(),
            _ => String::new(),
        };
        if let Some(Value::Str(source)) = parts.first().copied() {
            let ty = types::parse(vm, &source).map_err(|flow| {
                lookup_error(format!(
                    "Invalid data type in lookup_options for key '{key}' could not parse '{}', error: '{}",
                    source.as_str(),
                    text(&flow)
                ))
            })?;
            parts[0] = Value::Type(ty);
        }
        parts.insert(1.min(parts.len()), value);
        let found = vm.call_function("new", &parts, None, inv.scope).map_err(|flow| {
            lookup_error(format!(
                "The convert_to lookup_option for key '{key}' raised error: {}",
                text(&flow)
            ))
        })?;
        if inv.explain.0.is_some() {
            parts.remove(1);
            let arguments = vm.array(&parts);
            let arguments = bunraku_vm::format::convert::repr(vm, arguments);
            inv.explain.text(|| format!("Applying convert_to lookup_option with arguments {arguments}"));
        }
        Ok(found)
    }
}

fn hash(value: Option<Value<'_>>) -> Option<Hash<'_>> {
    match value {
        Some(Value::Hash(hash)) => Some(hash),
        _ => None,
    }
}

/// What every text that fits `^pattern` begins with: most keys are told apart by it.
pub(crate) fn literal_start(pattern: &str) -> &str {
    let pattern = pattern.strip_prefix('^').unwrap_or_default();
    if has_branches(pattern) {
        return "";
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-');
    let plain = &pattern[..pattern.find(|c| !is_plain(c)).unwrap_or(pattern.len())];
    // What follows may say that the last letter need not be there.
    match pattern[plain.len()..].chars().next() {
        Some('?' | '*' | '{' | '+') => &plain[..plain.len().saturating_sub(1)],
        _ => plain,
    }
}

/// What both begin with.
fn common_start<'t>(one: &'t str, other: &'t str) -> &'t str {
    let same = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b);
    &one[..same.map_or(one.len().min(other.len()), |((at, _), _)| at)]
}

/// With one of these every text ends that fits a pattern, unless it has several lines; nothing where that is not plain.
pub(crate) fn literal_ends(pattern: &str) -> Vec<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-');
    let Some(body) = pattern.strip_suffix('$').filter(|body| !body.contains("(?") && !has_branches(body))
    else {
        return Vec::new();
    };
    if let Some(group) = body.strip_suffix(')') {
        let Some((before, inner)) = group.rsplit_once('(') else { return Vec::new() };
        let is_group = !before.ends_with('\\') && inner.chars().all(|c| is_plain(c) || c == '|');
        return if is_group { inner.split('|').collect() } else { Vec::new() };
    }
    let start =
        body.rfind(|c| !is_plain(c)).map_or(0, |at| at + body[at..].chars().next().map_or(0, char::len_utf8));
    // What follows a `\` means something else.
    if start == body.len() || body[..start].ends_with('\\') { Vec::new() } else { vec![&body[start..]] }
}

/// Whether a regular expression has a `|` outside of groups; in doubt it has.
fn has_branches(pattern: &str) -> bool {
    let mut depth = 0_usize;
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => _ = bytes.next(),
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            // A class may hold any of them.
            b'[' => return pattern.contains('|'),
            b'|' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// A module speaks of its own keys only. What is undef says nothing.
fn check<'c>(options: Value<'c>, module: Option<&str>) -> Eval<'c, Option<Hash<'c>>> {
    let options = match options {
        Value::Hash(options) => options,
        Value::Undef => return Ok(None),
        _ => return Err(lookup_error("value of lookup_options must be a hash")),
    };
    let Some(module) = module else { return Ok(Some(options)) };
    for (key, _) in options.entries() {
        let key = key.as_str().unwrap_or_default();
        if is_of_module(key.strip_prefix('^').unwrap_or(key), module) {
            continue;
        }
        return Err(lookup_error(match key.starts_with('^') {
            true => {
                format!("all lookup_options patterns must match a key starting with module name '{module}'")
            }
            false => format!("all lookup_options keys must start with module name '{module}'"),
        }));
    }
    Ok(Some(options))
}

/// Whether a key is one of a module's.
pub(crate) fn is_of_module(key: &str, module: &str) -> bool {
    key.strip_prefix(module).is_some_and(|rest| rest.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use super::{common_start, literal_ends, literal_start};

    #[test]
    fn a_common_start_is_one_of_both() {
        assert_eq!(common_start("profile::a", "profile::b::c"), "profile::");
        assert_eq!(common_start("a", "ab"), "a");
        assert_eq!(common_start("ab", "a"), "a");
        assert_eq!(common_start("ä", "ö"), "");
    }

    #[test]
    fn only_what_must_be_there_is_a_literal_end() {
        assert_eq!(literal_ends("^profile::.*::users$"), ["::users"]);
        assert_eq!(literal_ends(r"^a::\w+::(b|c_d)$"), ["b", "c_d"]);
        assert_eq!(literal_ends("^a::(b)$"), ["b"]);
        assert_eq!(literal_ends(r"^a\w$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\wb$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\x41b$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\b$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\(b|c\)$"), [""; 0]);
        assert_eq!(literal_ends(r"^a(b\)$"), [""; 0]);
        assert_eq!(literal_ends(r"^a\(b)$"), [""; 0]);
        assert_eq!(literal_ends("^a(b*|c)$"), [""; 0]);
        assert_eq!(literal_ends("^a((b|c)d)$"), [""; 0]);
        assert_eq!(literal_ends("^a(b|c)?$"), [""; 0]);
        assert_eq!(literal_ends("^a|b$"), [""; 0]);
        assert_eq!(literal_ends("^(?i)ab$"), [""; 0]);
        assert_eq!(literal_ends("^a[bc]$"), [""; 0]);
        assert_eq!(literal_ends("^ab"), [""; 0]);
    }

    #[test]
    fn only_what_must_be_there_is_a_literal_start() {
        assert_eq!(literal_start("^profile::.*::users$"), "profile::");
        assert_eq!(literal_start("^ab?c"), "a");
        assert_eq!(literal_start("^a|b"), "");
        assert_eq!(literal_start("^a::(b|c)$"), "a::");
        assert_eq!(literal_start("^a::(b)|c"), "");
        assert_eq!(literal_start("^a::\\(b|c\\)"), "");
        assert_eq!(literal_start("^a::[(]b|c"), "");
        assert_eq!(literal_start("^(?i)a"), "");
        assert_eq!(literal_start("a"), "");
    }
}
