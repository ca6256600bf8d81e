//! What a configuration says that makes no difference here, or should and can't: each a warning with file and line.
//! (Puppet takes settings that it does not know without a word.)

use crate::configuration::Configuration;
use crate::file::{ConfigFile, Written};
use crate::interpolation::{Piece, pieces};
use crate::origin::Origin;
use crate::table::{Table, is_known};
use crate::value::{Raw, Value};
use bunraku_vm::compat::Compat;

/// Settings that change what a server compiles in ways that are not built here, each with the values that change nothing,
/// and what is done in place of it.
const NOT_HONOURED: [(&str, &[&str], &str); 11] = [
    ("catalog_terminus", &["compiler"], "catalogs are compiled"),
    ("code", &[""], "the environment's manifest is compiled"),
    ("data_binding_terminus", &["hiera"], "Hiera gives the data"),
    ("facts_terminus", &["facter", "yaml", "puppetdb", "store_configs"], "no facts are read"),
    ("freeze_main", &["false"], "code at top level is evaluated"),
    ("http_proxy_host", &["none", ""], "servers are asked directly"),
    ("node_terminus", &["plain", "exec", ""], "nodes are not classified"),
    ("path", &["none"], "programs are looked for by the PATH of this process"),
    ("storeconfigs_backend", &["puppetdb"], "PuppetDB is asked"),
    ("tasks", &["false"], "there are no plans"),
    ("environment_data_provider", &["", "none", "hiera", "function"], "the provider is not asked"),
];

/// All warnings of a configuration, in the order of its file, what the command line says before.
pub(crate) fn warnings(configuration: &Configuration) -> Vec<String> {
    let given = of_command_line(configuration);
    let mut all: Vec<String> = given.into_iter().map(|(name, what)| format!("--{name}: {what}")).collect();
    all.extend(of_file(configuration, unknown));
    all
}

/// What the command line says to no effect, each by its setting.
pub(crate) fn of_command_line(configuration: &Configuration) -> Vec<(String, String)> {
    let names = configuration.given().map(|(name, _)| name);
    names.filter_map(|name| Some((name.to_owned(), not_honoured(configuration, name)?))).collect()
}

/// The same of the file, without the settings that Puppet does not know, of which it says nothing.
pub(crate) fn of_file_known(configuration: &Configuration) -> Vec<String> {
    of_file(configuration, |_, _| Vec::new())
}

/// The same of settings of the file that Puppet does not know.
pub(crate) fn of_file_unknown(configuration: &Configuration) -> Vec<String> {
    configuration.file().map_or_else(Vec::new, |file| placed(file, unknown(file, configuration.compat)))
}

/// Warnings in the order of their lines, each with its place.
fn placed(file: &ConfigFile, mut found: Vec<(u32, String)>) -> Vec<String> {
    found.sort();
    found.into_iter().map(|(line, what)| format!("{what} (file: {}, line: {line})", file.path)).collect()
}

fn of_file(
    configuration: &Configuration,
    unknown: impl Fn(&ConfigFile, Compat) -> Vec<(u32, String)>,
) -> Vec<String> {
    let Some(file) = configuration.file() else { return Vec::new() };
    let mut found: Vec<(u32, String)> = unknown(file, configuration.compat);
    for (section, written) in configuration.written() {
        // What an earlier section says goes before.
        let in_force = configuration.in_force().get(&written.name);
        let is_in_force = in_force.is_ok_and(|found| {
            matches!(found.origin, Origin::Section { line, section: ref name, .. }
                if line == written.line && *name == section.name)
        });
        if !is_in_force {
            continue;
        }
        found.extend(kept_environment(written).map(|what| (written.line, what)));
        if let Some(what) = not_honoured(configuration, &written.name) {
            found.push((written.line, what));
        }
    }
    placed(file, found)
}

fn unknown(file: &ConfigFile, compat: Compat) -> Vec<(u32, String)> {
    let settings = file.sections.iter().flat_map(|section| &section.settings);
    let of = |written: &Written| {
        let name = &written.name;
        if Table::of(compat).find(name).is_some() || name == "name" {
            return None;
        }
        let what = match is_known(name) {
            true => format!("Puppet {compat} has no setting '{name}', other versions have; it is ignored"),
            false => format!("Puppet has no setting '{name}'; it is ignored"),
        };
        Some((written.line, what))
    };
    settings.filter_map(of).collect()
}

/// Puppet's warning for a value that names `$environment` where that stays as it is.
fn kept_environment(written: &Written) -> Option<String> {
    let Raw::Text(text) = &written.value else { return None };
    let names = pieces(text).iter().any(|piece| matches!(piece, Piece::Setting(_, "environment")));
    let name = &written.name;
    (names && name != "config_version").then(|| {
        format!(
            "You cannot interpolate $environment within '{name}' when using directory environments. Its value will remain {text}."
        )
    })
}

fn not_honoured(configuration: &Configuration, name: &str) -> Option<String> {
    let (_, harmless, instead) = NOT_HONOURED.iter().find(|(known, ..)| *known == name)?;
    let value = configuration.in_force().get(name).ok()?.value;
    let text = value.to_string();
    let other = value != Value::Undef && !harmless.contains(&text.as_str());
    other.then(|| format!("The setting {name} = {text} is not supported: {instead}"))
}
