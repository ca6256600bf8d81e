//! How a compile goes about it: Puppet's settings, and limits.

use crate::data::Data;
use crate::exported::LentStore;
use crate::node::ProgramLimits;
use bunraku_compile::inputs;
use bunraku_compile::programs::PurePrograms;
use bunraku_compile::request_settings::RequestSettings;
use bunraku_compile::session::{StoreAt, StorePlace};
use bunraku_compile::settings::Given;
use bunraku_configuration::table::Table;
use bunraku_configuration::value::Raw;
use bunraku_files::read::MAX_FILE;
use bunraku_vm::compat::Compat;
use bunraku_vm::format::ruby_hashes::HashNotation;
use bunraku_vm::host::Strict;
use std::path::PathBuf;
use std::time::Duration;

pub use bunraku_ruby::WorkerSettings as RubySettings;
pub use bunraku_stores::Certificates;

/// What is counted while a compile runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counts {
    /// Nothing.
    #[default]
    None,
    /// Calls of functions, templates, classes, defined types, look-ups.
    Calls,
    /// The same, told apart by what is around them.
    Stacks,
}

/// What one compile may use. What goes beyond is an error that names the setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long it may take; without end if not said: `timeout`.
    pub time: Option<Duration>,
    /// Bytes of values: `max_memory`.
    pub memory: usize,
    /// Steps of walks over values and types: `max_steps`.
    pub steps: u64,
    /// How deep values may nest: `max_nesting`.
    pub nesting: u32,
    /// How deep calls may nest: `max_depth`.
    pub depth: usize,
    /// Bodies of functions, lambdas, classes and defined types that are run: `max_calls`.
    pub calls: u64,
    /// Bytes of a file of the environment: `max_file`.
    pub file: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let inputs::Settings { limits, max_depth, max_calls, .. } = inputs::Settings::default();
        Limits {
            time: limits.time,
            memory: limits.memory,
            steps: limits.steps,
            nesting: limits.nesting,
            depth: max_depth,
            calls: max_calls,
            file: MAX_FILE,
        }
    }
}

/// Where exported resources go and come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exported {
    /// A folder of catalogs, which takes in each that is compiled.
    Folder(PathBuf),
    /// A PuppetDB, which has facts as well: those of a node that none are given of.
    PuppetDb {
        /// Its URL, or several, by commas: the next is asked where one can't answer.
        url: String,
        /// What it is shown, and who signs it.
        certificates: Certificates,
        /// Whether it takes the catalog in (`replace catalog`).
        replace_catalog: bool,
        /// Whether it is a warning only where it does not.
        soft_write_failure: bool,
    },
    /// What other compiles of this process have to do with: see [`LentStore`].
    Lent(LentStore),
}

/// Settings of a compile, by Puppet's names where Puppet has them.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The version of the language whose rules are in force. [`Settings::of_compat`] has its defaults, too.
    pub compat: Compat,
    /// What dubious constructs do.
    pub strict: Strict,
    /// Whether unknown variables are errors.
    pub strict_variables: bool,
    /// Whether functions of puppetlabs-stdlib and its like are answered without Ruby.
    pub native_stdlib: bool,
    /// Whether ERB templates and functions in Ruby run without Ruby where their code is known.
    pub native_ruby: bool,
    /// How Ruby's `inspect` writes hashes, in templates, functions and messages: `ruby_inspect`.
    pub hashes: HashNotation,
    /// Whether resources that depend on each other in a circle are an error, as they are for agents.
    pub check_cycles: bool,
    /// What is counted.
    pub counts: Counts,
    /// Whether it is told what the compile has read: see [`Change`](crate::Change).
    pub reads: bool,
    /// What the compile may use.
    pub limits: Limits,
    /// What a program that code runs may use.
    pub programs: ProgramLimits,
    /// Programs, by their paths, whose output depends on their arguments alone: `generate` runs each once for the same arguments,
    /// whatever node asks, and no catalog counts as one that may depend on anything for having run one.
    pub pure_programs: Vec<String>,
    /// A file in which what those print is kept for the next process, by its absolute path. It is believed where it is ours or root's
    /// and nobody else may write to it.
    pub pure_outputs: Option<PathBuf>,
    /// How code in Ruby is run.
    pub ruby: RubySettings,
    /// Where exported resources go and come from; none where they are not kept.
    pub exported: Option<Exported>,
    /// Puppet's other settings, for code that reads them.
    pub others: OtherSettings,
}

impl Default for Settings {
    /// Puppet's defaults.
    fn default() -> Self {
        Settings::of(RequestSettings::default(), None)
    }
}

/// Puppet's settings that do nothing here but that code can read (`$settings::…`).
#[derive(Clone, Debug, Default)]
pub struct OtherSettings(pub(crate) Given);

impl Settings {
    /// The defaults of a version of the language.
    pub fn of_compat(compat: Compat) -> Settings {
        let compile = inputs::Settings::of(compat);
        Settings::of(RequestSettings { compile, ..RequestSettings::default() }, None)
    }

    /// Sets one by its name. `compat` sets what a version has defaults of its own for, too: it comes first.
    ///
    /// # Errors
    /// When there is none of that name, or the value is not of its kind.
    pub fn set(&mut self, name: &str, value: &Data) -> Result<(), String> {
        let exported = self.exported.clone();
        let mut all = self.request();
        all.set(name, &value.json())?;
        *self = Settings::of(all, exported);
        Ok(())
    }

    /// Whether agents send legacy facts, where anybody says so: `include_legacy_facts`. Facts that have them lose them where it
    /// is off.
    pub fn include_legacy_facts(&self) -> Option<bool> {
        match self.others.0.get("include_legacy_facts") {
            Some(Raw::Boolean(sends)) => Some(*sends),
            _ => None,
        }
    }

    /// What Puppet has for a setting where nobody says otherwise; empty where there is none of that name.
    pub fn default_of(name: &str) -> &'static str {
        Table::of(Compat::V7).default_of(name)
    }

    fn of(all: RequestSettings, exported: Option<Exported>) -> Settings {
        let RequestSettings { compile, ruby, given, max_file, pure_programs } = all;
        Settings {
            compat: compile.compat,
            strict: compile.strict,
            strict_variables: compile.strict_variables,
            native_stdlib: compile.native_stdlib,
            native_ruby: compile.native_ruby,
            hashes: compile.hashes,
            check_cycles: compile.check_cycles,
            counts: match (compile.stats, compile.profile) {
                (_, true) => Counts::Stacks,
                (true, false) => Counts::Calls,
                (false, false) => Counts::None,
            },
            reads: false,
            limits: Limits {
                time: compile.limits.time,
                memory: compile.limits.memory,
                steps: compile.limits.steps,
                nesting: compile.limits.nesting,
                depth: compile.max_depth,
                calls: compile.max_calls,
                file: max_file,
            },
            programs: compile.exec,
            pure_programs: pure_programs.paths,
            pure_outputs: pure_programs.outputs,
            ruby,
            exported,
            others: OtherSettings(given),
        }
    }

    pub(crate) fn request(&self) -> RequestSettings {
        let mut compile = inputs::Settings {
            compat: self.compat,
            strict: self.strict,
            strict_variables: self.strict_variables,
            native_stdlib: self.native_stdlib,
            native_ruby: self.native_ruby,
            hashes: self.hashes,
            check_cycles: self.check_cycles,
            stats: self.counts != Counts::None,
            profile: self.counts == Counts::Stacks,
            max_depth: self.limits.depth,
            max_calls: self.limits.calls,
            exec: self.programs,
            ..inputs::Settings::default()
        };
        compile.limits.time = self.limits.time;
        compile.limits.memory = self.limits.memory;
        compile.limits.steps = self.limits.steps;
        compile.limits.nesting = self.limits.nesting;
        let (ruby, given) = (self.ruby.clone(), self.others.0.clone());
        let pure_programs =
            PurePrograms { paths: self.pure_programs.clone(), outputs: self.pure_outputs.clone() };
        RequestSettings { compile, ruby, given, max_file: self.limits.file, pure_programs }
    }

    pub(crate) fn store(&self) -> Option<StoreAt> {
        self.exported.as_ref().map(Exported::store)
    }
}

impl Exported {
    pub(crate) fn store(&self) -> StoreAt {
        StoreAt::Place(match self.clone() {
            Exported::Lent(store) => return StoreAt::Lent(store.store()),
            Exported::Folder(folder) => StorePlace {
                place: folder.to_string_lossy().into_owned(),
                certificates: Certificates::default(),
                replace_catalog: false,
                soft_write_failure: false,
            },
            Exported::PuppetDb { url, certificates, replace_catalog, soft_write_failure } => {
                StorePlace { place: url, certificates, replace_catalog, soft_write_failure }
            }
        })
    }
}
