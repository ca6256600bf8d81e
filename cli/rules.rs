//! The arguments that say what of two catalogs is compared.

use bunraku::files::read;
use bunraku_fleet::compare::{Edges, Filter, Ignore, Rules, RulesFile};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// What of two catalogs is compared.
#[derive(Args, Clone)]
pub struct RuleArguments {
    /// Differences to leave out, in octocatalog-diff's grammar: `Type[title]`, `*[*]::parameters::x`, `File[*]content=~>REGEX`.
    #[arg(long, value_name = "RULE[,RULE…]")]
    ignore: Vec<String>,
    /// Attributes to leave out.
    #[arg(long = "ignore-attr", value_name = "NAME[,NAME…]", value_delimiter = ',')]
    ignore_attr: Vec<String>,
    /// Tags of resources to leave out.
    #[arg(long = "ignore-tags", value_name = "TAG[,TAG…]", value_delimiter = ',')]
    ignore_tags: Vec<String>,
    /// Compare tags, too.
    #[arg(long = "include-tags")]
    include_tags: bool,
    /// What makes a difference none after all.
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',', value_parser = filter())]
    filters: Vec<Filter>,
    /// Compare what files of modules hold that `source` names; this is the default.
    #[arg(long = "compare-file-text", overrides_with = "no_compare_file_text")]
    compare_file_text: bool,
    /// Compare what `source` says only.
    #[arg(long = "no-compare-file-text", overrides_with = "compare_file_text")]
    no_compare_file_text: bool,
    /// Compare classes with their parameters, exported resources, `before` and `require`, and all edges, too, which octocatalog-diff
    /// leaves out, and so does this unless it is given.
    #[arg(long)]
    complete: bool,
    /// Compare edges, too, by what can be reached [default: none; with `--complete` all].
    #[arg(long, value_name = "WHICH")]
    edges: Option<EdgesArgument>,
    /// File of rules in place of `bunraku.toml` in the tree that is compared from.
    #[arg(long = "rules", value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Which edges.
#[derive(Clone, Copy, ValueEnum)]
enum EdgesArgument {
    /// None.
    None,
    /// What contains what.
    Containment,
    /// What comes before what.
    Relationships,
    /// Both.
    All,
}

fn filter() -> impl TypedValueParser<Value = Filter> {
    PossibleValuesParser::new(Filter::ALL.map(|(name, _)| name)).map(|name| {
        let found = Filter::ALL.into_iter().find(|(own, _)| *own == name);
        found.map_or(Filter::CompilationDir, |(_, filter)| filter)
    })
}

impl RuleArguments {
    /// The rules of the arguments and of the file of rules, and that file; `folder` is the tree that is compared from.
    ///
    /// # Errors
    /// Names the rule, or the file, that is wrong.
    pub fn rules(&self, folder: Option<&Path>) -> Result<(Rules, RulesFile), String> {
        let found = folder.map(|folder| folder.join("bunraku.toml")).filter(|file| file.is_file());
        let mut file = match self.file.clone().or(found) {
            None => RulesFile::default(),
            Some(path) => {
                let failed = |error: String| format!("Could not use {}: {error}", path.display());
                let text =
                    read::given_text(&path, read::MAX_FILE).map_err(|error| failed(error.to_string()))?;
                RulesFile::read(&text).map_err(failed)?
            }
        };
        file.complete |= self.complete;
        let mut rules = Rules::default();
        file.add_to(&mut rules)?;
        for text in &self.ignore {
            rules.ignore.extend(Ignore::parse(text)?);
        }
        for name in &self.ignore_attr {
            rules.ignore.push(Ignore::attribute(name)?);
        }
        rules.ignore_tags.extend_from_slice(&self.ignore_tags);
        rules.include_tags |= self.include_tags;
        rules.filters.extend_from_slice(&self.filters);
        if let Some(edges) = self.edges {
            rules.edges = match edges {
                EdgesArgument::None => Edges::None,
                EdgesArgument::Containment => Edges::Containment,
                EdgesArgument::Relationships => Edges::Relationships,
                EdgesArgument::All => Edges::All,
            };
        }
        Ok((rules, file))
    }

    /// Whether what files hold is compared.
    pub fn compares_files(&self, file: &RulesFile) -> bool {
        match (self.compare_file_text, self.no_compare_file_text) {
            (true, _) => true,
            (_, true) => false,
            _ => file.compare_file_text.unwrap_or(true),
        }
    }
}
