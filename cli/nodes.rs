//! The arguments that say which nodes of a fleet are meant, and where their facts come from.

use crate::compile_arguments::CompileArguments;
use bunraku::Certificates;
use bunraku::files::read;
use bunraku_fleet::choice::{Choice, FactIs, Pattern, ResourceIs};
use bunraku_fleet::nodes::Nodes;
use clap::{Arg, Args};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Which nodes are meant.
#[derive(Args, Clone, Default)]
pub struct NodeChoice {
    /// Certnames, joined by commas.
    #[arg(short = 'n', long = "names", value_name = "NAME[,NAME…]", value_delimiter = ',')]
    pub names: Vec<String>,
    /// File with a certname a line; what begins with `#` is a comment.
    #[arg(long, value_name = "FILE")]
    pub nodes: Option<PathBuf>,
    /// Certnames that fit: a pattern with `*`, `?`, `[…]` and `{a,b}`, or a regular expression between slashes.
    #[arg(long = "match", value_name = "GLOB|/RE/", value_parser = Pattern::read)]
    pub patterns: Vec<Pattern>,
    /// Nodes that a PuppetDB finds, in PQL: `nodes[certname] { … }`. For `--facts puppetdb:URL`.
    #[arg(long, value_name = "PQL")]
    pub query: Option<String>,
    /// Only nodes with this fact: names joined by dots, and a value or pattern; without one it is to be there and not false.
    #[arg(long = "fact", value_name = "PATH[=VALUE]", value_parser = FactIs::read)]
    pub with_facts: Vec<FactIs>,
    /// Only nodes with this class: they are compiled to know (by the older side, where two are compared).
    #[arg(long = "class", value_name = "CLASS")]
    pub classes: Vec<String>,
    /// Only nodes with such a resource, for which they are compiled; the title may be a pattern.
    #[arg(long = "resource", value_name = "TYPE[TITLE]", value_parser = ResourceIs::read)]
    pub resources: Vec<ResourceIs>,
    /// Of nodes with the same classes only the first by name; they are compiled to know.
    #[arg(long = "one-per-kind")]
    pub one_per_kind: bool,
}

impl NodeChoice {
    /// What is asked of nodes, with a name that stands elsewhere.
    ///
    /// # Errors
    /// When the file of names can't be read.
    pub fn choice(&self, more: Option<&str>) -> Result<Choice, String> {
        let mut names = self.names.clone();
        names.extend(more.map(str::to_owned));
        if let Some(file) = &self.nodes {
            let text = read::given_text(file, read::MAX_FILE);
            let text = text.map_err(|error| format!("Could not read {}: {error}", file.display()))?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            let before = names.len();
            names.extend(lines.map(str::to_owned));
            if names.len() == before {
                return Err(format!("There are no names in {}", file.display()));
            }
        }
        Ok(Choice {
            names,
            patterns: self.patterns.clone(),
            query: self.query.clone(),
            facts: self.with_facts.clone(),
            classes: self.classes.clone(),
            resources: self.resources.clone(),
            one_per_kind: self.one_per_kind,
        })
    }
}

/// An argument of a command that compiles nodes from trees: what is refused there, or said by others, is not in its help.
pub fn of_trees(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "environment" | "archive" | "frozen" | "execute" | "manifest" | "node" | "modulepath" | "trusted" => {
            argument.hide(true)
        }
        _ => argument,
    }
}

/// How many threads that are: those asked for, or one a core.
pub fn threads(asked: Option<NonZeroUsize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.map_or_else(cores, NonZeroUsize::get)
}

/// A bar on the terminal, if stderr is one, for so many nodes.
pub fn bar(count: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{bar:40} {pos}/{len} nodes, {per_sec}, {eta} left {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

impl CompileArguments {
    /// Refuses trusted data for many nodes alike.
    ///
    /// # Errors
    /// Says so of the command.
    pub fn no_trusted(&self, command: &str) -> Result<(), String> {
        match self.trusted {
            Some(_) => Err(format!(
                "Trusted data is each node's own, as facts have it: {command} takes no --trusted"
            )),
            None => Ok(()),
        }
    }

    /// The nodes that facts are known of: those of `--factpath` or `--facts`, or of the place that is configured (a server's
    /// cache, or PuppetDB).
    ///
    /// # Errors
    /// When no place is known, or it can't be read.
    pub fn nodes(&self) -> Result<Nodes, String> {
        let given = self.factpath.as_ref().or(self.facts.as_ref());
        let Some(given) = given.map(|place| place.to_string_lossy().into_owned()) else {
            return self.configured_nodes();
        };
        let own = Certificates {
            authorities: self.localcacert.clone(),
            certificate: self.hostcert.clone(),
            key: self.hostprivkey.clone(),
        };
        let is_certified = given.starts_with("puppetdb:https:") && own == Certificates::default();
        match self.configuration()?.filter(|_| is_certified) {
            Some(configuration) => Nodes::open(&given, &configuration.certificates()?),
            None => Nodes::open(&given, &own),
        }
    }

    fn configured_nodes(&self) -> Result<Nodes, String> {
        let unknown =
            "Which nodes? Give --facts a snapshot, a folder with a file for each node, or puppetdb:URL";
        let Some(configuration) = self.configuration()? else { return Err(unknown.to_owned()) };
        if let Some(folder) = configuration.facts_folder()? {
            return Nodes::open(&folder.to_string_lossy(), &Certificates::default());
        }
        match configuration.facts_puppetdb()? {
            Some((url, certificates)) => Nodes::open(&format!("puppetdb:{url}"), &certificates),
            None => Err(unknown.to_owned()),
        }
    }
}
