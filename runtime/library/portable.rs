//! A target in two texts that another process makes the same target of, where that has an archive of the environment: the node,
//! and how it is compiled.
//!
//! Paths are as they are here, so messages are, too; that process needs nothing at them, for it asks the archive alone, and what
//! [`Environment::lent`] says of the disk outside of it. What else lies outside of the archive can't go with it, and is refused by its
//! name.

use crate::bench::Target;
use crate::data::Data;
use crate::environment::Environment;
use crate::node::Node;
use crate::settings::{Limits, OtherSettings, RubySettings, Settings};
use bunraku_compile::inputs;
use bunraku_configuration::configuration as own;
use bunraku_configuration::value::Raw;
use bunraku_environment::archive::place::usual;
use bunraku_environment::snapshot::EnvironmentSpec;
use bunraku_files::lent::Lent;
use bunraku_files::paths;
use bunraku_process::Limits as ProgramLimits;
use bunraku_vm::host::Strict;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portable {
    /// The node with its facts, classes and trusted data, as JSON.
    pub node: String,
    /// Where its environment lies, what it is called, and the settings, as JSON: mostly the same for all nodes.
    pub how: String,
}

#[derive(Serialize, Deserialize)]
struct NodeForm {
    name: String,
    has_facts: bool,
    facts: Map<String, Json>,
    trusted: Map<String, Json>,
    server_facts: Option<Map<String, Json>>,
    parameters: Map<String, Json>,
    classes: Vec<(String, Json)>,
    code_id: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct HowForm {
    directory: Option<PathBuf>,
    /// Where this machine has an archive's environment whose folder nobody names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usual: Option<PathBuf>,
    name: Option<String>,
    modulepath: Option<Vec<PathBuf>>,
    manifest: Option<PathBuf>,
    hiera_config: Option<PathBuf>,
    code: Option<(String, Option<String>)>,
    /// The machine's, as far as it is said there and in files beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    configuration: Option<own::Configuration>,
    check_cycles: bool,
    settings: Map<String, Json>,
}

impl Target {
    /// The target as texts. What the compile counts, and whether it tells what it reads, is not in them.
    ///
    /// # Errors
    /// Names what lies outside of an archive of the environment: a store of exported resources, a manifest in another folder. When the
    /// machine's configuration can't be told.
    pub fn portable(&self) -> Result<Portable, String> {
        let Environment { spec, code } = &self.environment;
        let EnvironmentSpec { directory, name, manifest, hiera_config, configuration, .. } = spec;
        let refused = |what: &str| Err(format!("{what} can't go with a job to another process"));
        if self.settings.exported.is_some() {
            return refused("A store of exported resources");
        }
        let modulepath = self.environment.modulepath()?;
        let roots = paths::roots(directory.as_deref(), modulepath.as_deref().unwrap_or_default());
        if let Some(path) = manifest.as_ref().filter(|path| !paths::is_inside(&roots, path)) {
            return refused(&format!("{}, which is not in the environment,", path.display()));
        }
        let usual = match (spec.frozen && directory.is_none(), configuration) {
            (true, Some(configuration)) => usual(spec, configuration)?,
            _ => None,
        };
        let configuration = configuration.as_ref().map(|one| one.for_elsewhere()).transpose()?;
        let how = HowForm {
            directory: directory.clone(),
            usual,
            name: name.clone(),
            modulepath,
            manifest: manifest.clone(),
            hiera_config: hiera_config.clone(),
            code: code.clone(),
            configuration,
            check_cycles: self.settings.check_cycles,
            settings: settings_form(&self.settings),
        };
        let inputs::Node { name, facts, trusted, server_facts, parameters, classes, code_id } =
            &self.node.node;
        let node = NodeForm {
            name: name.clone(),
            has_facts: self.node.has_facts,
            facts: facts.map().clone(),
            trusted: trusted.clone(),
            server_facts: server_facts.clone(),
            parameters: parameters.clone(),
            classes: classes.clone(),
            code_id: code_id.clone(),
        };
        let text = |form: serde_json::Result<String>| form.map_err(|error| error.to_string());
        Ok(Portable { node: text(serde_json::to_string(&node))?, how: text(serde_json::to_string(&how))? })
    }
}

impl Portable {
    /// The target, whose environment is an archive's, with what was lent, and nothing else.
    ///
    /// # Errors
    /// When the texts are none of these.
    pub fn target(&self, archive: &Path, lent: &Arc<Lent>) -> Result<Target, String> {
        let wrong = |error: serde_json::Error| format!("A job's node is wrong: {error}");
        let node: NodeForm = serde_json::from_str(&self.node).map_err(wrong)?;
        let how: HowForm = serde_json::from_str(&self.how).map_err(wrong)?;
        let mut settings = Settings::default();
        // It sets what a version has defaults of its own for.
        let compat = how.settings.get_key_value("compat");
        let others = how.settings.iter().filter(|(name, _)| *name != "compat");
        for (name, value) in compat.into_iter().chain(others) {
            settings.set(name, &Data::of(value.clone()))?;
        }
        settings.check_cycles = how.check_cycles;
        let environment = Environment {
            spec: EnvironmentSpec {
                directory: how.directory,
                name: how.name,
                modulepath: how.modulepath,
                manifest: how.manifest,
                hiera_config: how.hiera_config,
                archive: Some(archive.to_owned()),
                frozen: true,
                usual: how.usual,
                configuration: how.configuration.map(Arc::new),
                lent: Some(lent.clone()),
                ..EnvironmentSpec::default()
            },
            code: how.code,
        };
        let inner = inputs::Node {
            name: node.name,
            facts: bunraku_nodes::facts::Facts::Own(node.facts),
            trusted: node.trusted,
            server_facts: node.server_facts,
            parameters: node.parameters,
            classes: node.classes,
            code_id: node.code_id,
        };
        Ok(Target {
            environment,
            node: Node { node: inner, has_facts: node.has_facts, lists_classes: false },
            settings,
        })
    }
}

/// Settings by the names that [`Settings::set`] takes.
fn settings_form(settings: &Settings) -> Map<String, Json> {
    let Settings {
        compat,
        strict,
        strict_variables,
        native_stdlib,
        native_ruby,
        hashes,
        check_cycles: _,
        counts: _,
        reads: _,
        limits: Limits { time, memory, steps, nesting, depth, calls, file },
        programs: ProgramLimits { bytes, time: program_time },
        // Code runs no programs there.
        pure_programs: _,
        pure_outputs: _,
        // Which Ruby there is, is the other machine's.
        ruby: RubySettings { program: _, timeout, memory: ruby_memory, sandbox: _ },
        exported: _,
        others: OtherSettings(others),
    } = settings;
    let seconds = |time: &Duration| Json::from(time.as_secs_f64());
    let mut all = Map::new();
    let strict = match strict {
        Strict::Off => "off",
        Strict::Warning => "warning",
        Strict::Error => "error",
    };
    // What a run is called is the hash of this, too: so they come by name.
    let others: BTreeMap<&String, &Raw> = others.iter().collect();
    for (name, value) in others {
        all.insert(name.clone(), raw(value));
    }
    for (name, value) in [
        ("compat", compat.to_string().into()),
        ("strict", strict.into()),
        ("strict_variables", (*strict_variables).into()),
        ("native_stdlib", (*native_stdlib).into()),
        ("native_ruby", (*native_ruby).into()),
        ("ruby_inspect", hashes.to_string().into()),
        ("timeout", time.as_ref().map_or_else(|| 0.into(), seconds)),
        ("max_memory", (*memory).into()),
        ("max_steps", (*steps).into()),
        ("max_nesting", (*nesting).into()),
        ("max_depth", (*depth).into()),
        ("max_calls", (*calls).into()),
        ("max_file", (*file).into()),
        ("exec_output", (*bytes).into()),
        ("exec_timeout", seconds(program_time)),
        ("ruby_timeout", seconds(timeout)),
        ("ruby_memory", (*ruby_memory).into()),
    ] {
        all.insert(name.to_owned(), value);
    }
    all
}

fn raw(value: &Raw) -> Json {
    match value {
        Raw::Undef => Json::Null,
        Raw::Boolean(value) => (*value).into(),
        Raw::Integer(value) => (*value).into(),
        Raw::Text(text) => text.as_str().into(),
        Raw::List(all) => all.iter().map(String::as_str).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compat, Exported, Facts};

    fn target() -> Target {
        let mut settings = Settings::of_compat(Compat::V7);
        settings.strict = Strict::Off;
        settings.limits.time = Some(Duration::from_millis(1500));
        settings.limits.depth = 77;
        settings.check_cycles = true;
        settings.set("http_proxy_host", &"proxy".into()).expect("there is one of that name");
        let facts = Facts::from([("a", Data::from([("b", Data::from(1))]))]);
        let environment = Environment::at("/no/where").with_name("staging").with_modulepath(["/no/m".into()]);
        let environment = environment.with_code_of("notice(1)", "x.pp");
        Target { environment, node: Node::new("n.example.com").with_facts(facts), settings }
    }

    fn nothing() -> Arc<Lent> {
        Arc::new(Lent::new(Vec::new(), BTreeMap::new()))
    }

    #[test]
    fn a_target_there_and_back_is_the_same_from_an_archive() {
        let target = target();
        let portable = target.portable().expect("nothing of it lies elsewhere");
        let again = portable.target(Path::new("/an/archive.bnr"), &nothing()).expect("it is one");
        assert_eq!(again.portable(), Ok(portable));
        assert!(again.environment.is_frozen());
        let with_archive = Target {
            environment: Environment {
                spec: EnvironmentSpec {
                    archive: Some("/an/archive.bnr".into()),
                    frozen: true,
                    lent: Some(nothing()),
                    ..target.environment.spec.clone()
                },
                ..target.environment.clone()
            },
            ..target
        };
        assert_eq!(with_archive.environment, again.environment);
        assert_eq!(with_archive.digest(), again.digest(), "all settings, facts and names");
    }

    #[test]
    fn what_lies_elsewhere_is_refused_by_name() {
        let refused =
            |change: &dyn Fn(Target) -> Target| change(target()).portable().expect_err("it is refused");
        let store = |mut target: Target| {
            target.settings.exported = Some(Exported::Folder("/x".into()));
            target
        };
        assert!(refused(&store).contains("exported resources"));
        let manifest = |target: Target| Target {
            environment: target.environment.clone().with_manifest("/else/site.pp"),
            ..target
        };
        assert!(refused(&manifest).contains("/else/site.pp"));
        let inside =
            Target { environment: target().environment.with_manifest("/no/where/site.pp"), ..target() };
        assert!(inside.portable().is_ok());
    }

    #[test]
    fn an_archive_lies_there_where_its_environment_is_here() {
        let work = tempfile::tempdir().expect("a folder");
        let at = |name: &str| work.path().join(name);
        std::fs::create_dir_all(at("second/staging")).expect("it can be made");
        let path = format!("{}:{}", at("first").display(), at("second").display());
        let given = [("confdir", at("none").display().to_string()), ("environmentpath", path)];
        let given = given.map(|(name, value)| (name.to_owned(), value));
        let configuration = crate::Configuration::read(Compat::V8, &given).expect("it can be read");
        let usual = |name: &str| {
            let environment = Environment::frozen("/an/archive.bnr").with_name(name);
            let environment = environment.with_configuration(&configuration);
            let portable = Target { environment, ..target() }.portable().expect("all of it goes with it");
            let again = portable.target(Path::new("/an/archive.bnr"), &nothing()).expect("it is one");
            assert_eq!(again.portable(), Ok(portable), "whoever has it may hand it on");
            again.environment.spec.usual
        };
        assert_eq!(usual("staging"), Some(at("second/staging")));
        assert_eq!(usual("nowhere"), Some(at("first/nowhere")));
    }

    #[test]
    fn a_configuration_goes_with_it() {
        let work = tempfile::tempdir().expect("a folder");
        let root = work.path().to_owned();
        let at = |name: &str| root.join(name);
        let write = |name: &str, text: &str| {
            let path = at(name);
            std::fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it can be made");
            std::fs::write(path, text).expect("it can be written");
        };
        write("puppet.conf", "[server]\nstrict = warning\nvendormoduledir = /nowhere\n");
        write("env/environment.conf", "modulepath = site:$basemodulepath\n");
        write("code/hiera.yaml", "version: 5\n");
        write("code/data/common.yaml", "a: 1\n");
        let given = [("confdir", root.clone()), ("codedir", at("code"))];
        let given = given.map(|(name, path)| (name.to_owned(), path.display().to_string()));
        let configuration = crate::Configuration::read(Compat::V8, &given).expect("it can be read");
        let environment = Environment::at(at("env")).with_configuration(&configuration);
        let lent = environment.lent().expect("it can be read");
        assert_eq!(lent.places(), [Path::new("/nowhere"), &at("code/data"), &at("code/hiera.yaml")]);
        let target = Target { environment, ..target() };
        let portable = target.portable().expect("all of it goes with it");
        // Where none of this lies.
        drop(work);
        let again = portable.target(Path::new("/an/archive.bnr"), &Arc::new(lent)).expect("it is one");
        let spec = &again.environment.spec;
        let modulepath = spec.modulepath.as_deref().unwrap_or_default();
        assert_eq!(modulepath.first(), Some(&at("env/site")));
        assert_eq!(modulepath.get(1), Some(&at("code/modules")));
        let there = spec.configuration.as_ref().expect("it has one");
        let in_force = there.in_force();
        assert_eq!(in_force.text("strict").as_deref(), Ok("warning"));
        assert_eq!(in_force.path("hiera_config"), Ok(Some(at("code/hiera.yaml"))));
        assert_eq!(again.portable(), Ok(portable), "whoever has it may hand it on");
    }
}
