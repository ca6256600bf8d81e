//! `puppet lookup`: what it is asked, and what came of it. [`answer`] looks up and answers, [`render`] writes values and
//! explanations, [`origin`] finds where a value came from,
//! [`traced`] does so for look-ups of code.

mod answer;
pub mod origin;
pub mod render;
pub mod traced;

use crate::explain::Extent;
use render::OutputFormat;
use serde::Deserialize;

/// What is asked; the fields are the options of `puppet lookup`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Query {
    /// Keys, of which the first that is found counts.
    pub keys: Vec<String>,
    /// Name of the merge strategy.
    pub merge: Option<String>,
    /// `--knock-out-prefix`
    pub knock_out_prefix: Option<String>,
    /// `--sort-merged-arrays`
    pub sort_merged_arrays: bool,
    /// `--merge-hash-arrays`
    pub merge_hash_arrays: bool,
    /// Value where none is found.
    pub default: Option<String>,
    /// Type that the value must have.
    #[serde(rename = "type")]
    pub value_type: Option<String>,
    /// `--explain`
    pub explain: bool,
    /// `--explain-options`
    pub explain_options: bool,
    /// Where each leaf of the value came from, in place of the value; Puppet has no such option.
    pub origin: bool,
    /// `s`, `json`, `yaml`; text for explanations and origins and YAML for values by default.
    pub render_as: Option<String>,
}

/// What came of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What is printed, its last line feed included.
    pub text: String,
    /// Whether a value was found, or an explanation given.
    pub found: bool,
    /// What went wrong, where it is more than that there is no value. Puppet's command tells it in explanations only.
    pub error: Option<String>,
}

impl Query {
    /// The format of the output.
    ///
    /// # Errors
    /// Puppet's, for options that can't be, or not together.
    pub fn format(&self) -> Result<OutputFormat, String> {
        const HELP: &str = "Run 'puppet lookup --help' for more details";
        let deep_only = self.sort_merged_arrays || self.merge_hash_arrays || self.knock_out_prefix.is_some();
        if deep_only && self.merge.as_deref() != Some("deep") {
            return Err(format!(
                "The options --knock-out-prefix, --sort-merged-arrays, and --merge-hash-arrays are only available \
                 with '--merge deep'\n{HELP}"
            ));
        }
        if let Some(merge) = &self.merge
            && !matches!(merge.as_str(), "first" | "unique" | "hash" | "deep")
        {
            return Err(format!(
                "The --merge option only accepts 'first', 'hash', 'unique', or 'deep'\n{HELP}"
            ));
        }
        if self.origin && (self.explain || self.explain_options) {
            return Err(
                "The option --origin can not be combined with --explain or --explain-options".to_owned()
            );
        }
        if self.keys.is_empty() && (self.explain || !self.explain_options) {
            return Err("No keys were given to lookup.".to_owned());
        }
        let is_explained = self.explain || self.explain_options || self.origin;
        match self.render_as.as_deref().map(str::to_lowercase).as_deref() {
            None => Ok(if is_explained { OutputFormat::Text } else { OutputFormat::Yaml }),
            Some(name @ ("binary" | "msgpack" | "pson" | "console" | "flat" | "dot")) => {
                Err(format!("Rendering as '{name}' is not supported"))
            }
            Some(name) => {
                OutputFormat::named(name).ok_or_else(|| format!("Unknown rendering format '{name}'"))
            }
        }
    }

    /// What of the look-up is to be explained, if anything: origins are found in an explanation, too.
    fn extent(&self) -> Option<Extent> {
        match self {
            Query { explain_options: true, explain: false, .. } => Some(Extent::OptionsOnly),
            Query { explain: true, .. } | Query { origin: true, .. } => Some(Extent::All),
            _ => None,
        }
    }
}
