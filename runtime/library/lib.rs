//! Bunraku as a library: the catalogs that real Puppet would build, compiled in milliseconds.
//!
//! ```
//! use bunraku::{Compiler, Data, Environment, Facts, Function, Node, Settings};
//! use std::sync::atomic::{AtomicI64, Ordering};
//!
//! // An environment is a folder, an archive, or code.
//! let environment = Environment::of_code(
//!     "class web(Integer $port = 80) {
//!        file { '/etc/motd': content => \"${facts['os']['family']} number ${count::next()}\" }
//!        service { 'nginx': ensure => running, require => File['/etc/motd'] }
//!      }
//!      node 'web01.example.com' { include web }",
//! );
//! let node = Node::new("web01.example.com")
//!     .with_facts(Facts::from([("os", Data::from([("family", "Debian")]))]));
//!
//! // Functions of the program's own may hold its state.
//! let count = AtomicI64::new(1);
//! let next = Function::new("count::next", move |_| Ok(count.fetch_add(1, Ordering::Relaxed).into()));
//! let compiler = Compiler::new().with_functions(vec![next])?;
//!
//! let compiled = compiler.compile(&environment, &node, &Settings::default());
//! let catalog = compiled.result.map_err(|error| error.to_string())?;
//! let motd = catalog.resource("File", "/etc/motd").expect("it is declared");
//! assert_eq!(motd.get("content"), Some(&Data::from("Debian number 1")));
//! assert!(catalog.classes().contains(&"web".to_owned()));
//! assert!(catalog.edges().iter().any(|edge| edge.source == "Class[Web]" && edge.target == "Service[nginx]"));
//! assert!(catalog.to_json().starts_with("{"));
//! # Ok::<(), String>(())
//! ```
//!
//! - [`Environment`]: what is compiled from. [`Node`]: for whom, with [`Facts`] and node terms. [`Settings`]: how.
//! - [`Compiler`] compiles ([`Compiler::compile`]), evaluates, looks keys up in Hiera, answers jobs in JSON; it may be
//!   shared by threads. What comes of it is a [`Compilation`]: a [`Catalog`] of values, or a [`Diagnostic`] with a
//!   [`Cause`], and the [`Log`].
//! - [`Configuration`] is what a server's `puppet.conf` says: environments, nodes and settings follow from it.
//! - [`archive`] builds archives and shows them; [`check`](mod@check) looks at code without running it; [`bench`](mod@bench) measures.
//!
//! Whatever the input, nothing here panics or writes to the terminal; every limit is a setting with an error of its own.

mod archive_contents;
mod catalog;
mod class_types;
mod classes;
mod compiler;
mod configuration;
mod configured_jobs;
mod configured_nodes;
mod configured_settings;
pub mod coverage;
mod data;
mod dump;
mod environment;
mod exported;
mod function;
pub mod graph;
mod legacy;
mod literal_types;
mod module_folders;
mod node;
mod node_change;
pub mod origins;
mod portable;
mod puppetdb;
mod puppetdb_commands;
mod settings;
mod view;
pub mod why_not;

pub use bunraku_compile::job::JobAnswer;
pub use bunraku_environment::changes::{Change, ChangedPath, How, Met, Part};
pub use bunraku_files::lent::{Item, Lent};
pub use bunraku_files::reads::{NodeData, OfValue, PathQuestion, Reads, Touch};
pub use bunraku_nodes::{search_failed, unknown_node};
pub use bunraku_vm::budget::Limit;
pub use bunraku_vm::cause::Cause;
pub use bunraku_vm::compat::{Compat, Rule};
pub use bunraku_vm::diagnostic::{Diagnostic, Place, Severity};
pub use bunraku_vm::format::ruby_hashes::HashNotation;
pub use bunraku_vm::host::Strict;
pub use catalog::{Catalog, Edge, Resource};
pub use classes::{Class, ClassOptions, ClassParameter, ClassReader};
pub use compiler::{Answer, Compilation, Compiler, Evaluated, Log, Query, Spent, Stats};
pub use configuration::{
    Configuration, Origin, SERVER_SECTION, Setting, check_setting, find_environment, is_boolean_setting,
    is_environment_name, is_setting, is_setting_of,
};
pub use configured_jobs::StoredAt;
pub use data::Data;
pub use environment::{Environment, check_environment, modulepath};
pub use exported::{ExportedMeeting, Exports, LentStore};
pub use function::Function;
pub use legacy::{is_in_mebibytes, sends_legacy_facts, structured_fact};
pub use node::{
    Facts, LdapSecurity, LdapServer, LdapSettings, Node, ProgramLimits, StoredNode, nodes_with_facts,
};
pub use node_change::NodeChange;
pub use portable::Portable;
pub use puppetdb::PuppetDb;
pub use puppetdb_commands::{PuppetDbServers, replace_catalog_payload};
pub use settings::{Certificates, Counts, Exported, Limits, OtherSettings, RubySettings, Settings};
pub use view::{CatalogView, ParameterView, ResourceView};

/// Archives of whole environments or module paths.
///
/// An archive is opened once and may be shared by any number of threads:
///
/// ```
/// use bunraku::archive::{self, Options};
/// use bunraku::{Compiler, Environment, Node, Settings};
///
/// let work = tempfile::tempdir()?;
/// let (environment, file) = (work.path().join("production"), work.path().join("production.bnr"));
/// std::fs::create_dir_all(environment.join("manifests"))?;
/// std::fs::write(environment.join("manifests/site.pp"), "notify { \"hello ${trusted['certname']}\": }")?;
///
/// let options = Options { directory: Some(environment.clone()), ..Options::default() };
/// let summary = archive::build(&options, &file, &|_| ())?;
/// assert_eq!(summary.units, 1);
///
/// // The sources may go now: a frozen archive needs none.
/// std::fs::remove_dir_all(&environment)?;
/// let (compiler, environment) = (Compiler::new(), Environment::frozen(&file));
/// std::thread::scope(|threads| {
///     for n in 1..=4 {
///         let (compiler, environment) = (&compiler, &environment);
///         threads.spawn(move || {
///             let node = Node::new(&format!("node{n}.example.com"));
///             let compiled = compiler.compile(environment, &node, &Settings::default());
///             let catalog = compiled.result.expect("it compiles");
///             assert!(catalog.resource("Notify", &format!("hello {}", node.name())).is_some());
///         });
///     }
/// });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub mod archive {
    /// What tells builds of this library apart: archives of another one are refused, and so is whatever else was kept by it.
    pub fn fingerprint() -> &'static [u8] {
        &*bunraku_environment::archive::COMPILER
    }

    pub use crate::archive_contents::{Contents, ModuleFolders, Stored, StoredContent, StoredKind};
    pub use bunraku_environment::archive::build::{Options, Progress, Summary, build, bytes};
    pub use bunraku_environment::archive::ruby::NeedsRuby;
    pub use bunraku_environment::archive::{OpenArchive, from_bytes, inspect, open};
    pub use bunraku_files::found::Child;
}

/// Syntax and static errors of manifests, templates and data, without running anything.
pub mod check {
    pub use crate::dump::{TreeForm, syntax_tree};
    pub use bunraku_compiler::{SourceFile, source::decode};
    pub use bunraku_environment::check::{Checked, How, Sources, content_of, file, source, unreadable_types};
    pub use bunraku_environment::placement::Placement;
    pub use bunraku_environment::relative::DefinedNames;
    pub use bunraku_environment::taken::{ALREADY_DEFINED, METAPARAMETER, REDEFINED};
}

/// Files that a user names: read within limits, written whole or not at all.
pub mod files {
    pub use bunraku_files::{owner, read, write};
}

/// HTTP to those that Puppet's authority has signed.
pub mod http {
    pub use bunraku_stores::{Answered, Client};
}

/// JSON as Ruby reads it.
pub mod json {
    pub use bunraku_compiler::check::json::without_comments;
}

/// Texts that others have a say in, as a terminal may show them.
pub mod visible {
    pub use bunraku_vm::format::visible::{is_hidden, visible_line, visible_lines};
}

/// Regular expressions in Ruby's notation.
pub mod regex {
    pub use bunraku_vm::regex::{check, escape, is_match};
}

/// What a tree consists of, as somebody would delete it.
pub mod pieces {
    pub use bunraku_compiler::survey::{Computed, Named};
    pub use bunraku_environment::pieces::{ComputedName, Piece, PieceKind, Pieces, Uses, named, shown};
}

/// Programs that are run within limits of time and output.
pub mod process {
    pub use bunraku_process::{Complaint, Ended, Errors, Limits, keeping_errors, run, run_with};
}

/// Moments, by nanoseconds since 1970, as Ruby writes them.
pub mod time {
    pub use bunraku_vm::time::timestamp::now;

    /// The moment that a text like `2026-01-02T03:04:05Z` is.
    ///
    /// # Errors
    /// Puppet's message where it is none.
    pub fn parse(text: &str) -> Result<i128, String> {
        use bunraku_vm::time::{TimeFormats, timestamp};
        timestamp::parse(text, TimeFormats::Default, None)
    }

    /// A moment of UTC by a format of `strftime`.
    pub fn format(nanoseconds: i128, format: &str) -> String {
        use bunraku_vm::time::{calendar, strftime};
        strftime::format(&calendar::parts(nanoseconds, 0), format)
    }
}

/// What is counted while a compile runs.
pub mod stats {
    pub use bunraku_compile::stats::{Count, Kind, Stats};
}

/// What a compile by one version notes of a newer one: see [`Compiler::witness`].
pub mod witness {
    pub use bunraku_compile::Note;
    pub use bunraku_compile::inputs::Newer;
    pub use bunraku_vm::host::Change;
}

/// Threads that run what they compile themselves, for programs that compile many nodes.
pub mod threads {
    pub use bunraku_compile::threads::{spawn, within};
}

pub mod bench;

/// How long a compile of those who run many for others may take: servers, `batch`.
pub use bunraku_compile::session::TIMEOUT;
/// Maps files that are cut off while they are in use to an error: to be called once, before threads are started.
pub use bunraku_vm::archive::map;
