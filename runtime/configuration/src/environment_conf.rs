//! An environment's own configuration, `environment.conf`: what it may set goes before `puppet.conf`.
//! Source: Puppet 7.23.0, messages included.

use crate::file::{ConfigFile, Written};
use crate::paths;
use crate::value::Raw;
use bunraku_files::glob::glob_all;
use bunraku_files::tree::Tree;
use bunraku_vm::compat::Compat;

/// The settings that an `environment.conf` may have, and no `puppet.conf`.
pub const ONLY_HERE: [&str; 3] = ["modulepath", "manifest", "config_version"];

/// Whether an `environment.conf` may have the setting.
pub fn may_set(name: &str, compat: Compat) -> bool {
    ONLY_HERE.contains(&name)
        || matches!(name, "environment_timeout" | "static_catalogs" | "rich_data")
        || name == "environment_data_provider" && compat < Compat::V9
}

/// What an environment's folder says of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnvironmentConf {
    /// The environment's folder, from the root on.
    pub directory: String,
    /// Its `environment.conf`, where it has one.
    file: Option<ConfigFile>,
    /// The folders of its module path as they are written, patterns replaced by what they match.
    modulepath: Option<Vec<String>>,
    /// What Puppet warns of: sections, settings that it may not have; and what is not honoured here.
    pub warnings: Vec<String>,
}

/// The folders that a pattern like `/a/*/modules` matches.
pub type Matches<'a> = &'a dyn Fn(&str) -> Vec<String>;

impl EnvironmentConf {
    /// That of an environment in the folder `directory` (from the root on); `text` is the content of its `environment.conf`, if
    /// there is one.
    ///
    /// # Errors
    /// Puppet's message where it has a line that is none, with file and line.
    pub fn new(
        directory: &str,
        text: Option<&[u8]>,
        compat: Compat,
        matches: Matches<'_>,
    ) -> Result<EnvironmentConf, String> {
        let path = format!("{}/environment.conf", directory.trim_end_matches('/'));
        let file = text.map(|text| ConfigFile::parse(&path, text, &[])).transpose()?;
        let warnings = file.as_ref().map_or_else(Vec::new, |file| warnings(file, compat));
        let mut own = EnvironmentConf { directory: directory.to_owned(), file, modulepath: None, warnings };
        if let Some((Raw::Text(text), _)) = own.written("modulepath") {
            own.modulepath = Some(own.folders(text, matches));
        }
        Ok(own)
    }

    fn folders(&self, text: &str, matches: Matches<'_>) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for folder in text.split(':') {
            let folder = self.absolute(folder);
            match is_pattern(&folder) {
                true => all.extend(matches(&folder)),
                false => all.push(folder),
            }
        }
        // As Ruby's `split`.
        if text.trim_end_matches(':') != text {
            let kept = text.trim_end_matches(':').split(':').count();
            all.truncate(kept.min(all.len()));
        }
        all
    }

    /// The path of its `environment.conf`, whether it is there or not.
    pub fn path(&self) -> String {
        format!("{}/environment.conf", self.directory.trim_end_matches('/'))
    }

    /// The folders of its module path, where it says so; `$name` in them is a setting.
    pub fn modulepath(&self) -> Option<&[String]> {
        self.modulepath.as_deref()
    }

    /// What its file says of a setting, and in which line.
    pub fn written(&self, name: &str) -> Option<(&Raw, u32)> {
        let Written { value, line, .. } = self.file.as_ref()?.section("main")?.find(name)?;
        Some((value, *line))
    }

    /// What its file says of a path, which begins at its folder; one that begins with a setting stays as it is.
    pub fn written_path(&self, name: &str) -> Option<String> {
        match self.written(name)?.0 {
            Raw::Text(text) => Some(self.absolute(text)),
            other => Some(self.absolute(&format!("{other:?}").to_lowercase())),
        }
    }

    fn absolute(&self, path: &str) -> String {
        if path.starts_with('$') { path.to_owned() } else { paths::expanded(path, &self.directory) }
    }
}

/// Whether a folder of a module path stands for those that it matches.
pub(crate) fn is_pattern(folder: &str) -> bool {
    folder.contains(['*', '?', '[', '{'])
}

/// What a pattern of folders matches in a tree.
pub fn matching(tree: &Tree, pattern: &str) -> Vec<String> {
    let found = glob_all(tree, pattern).unwrap_or_default();
    found.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// What Puppet puts behind a warning that has no place.
const NO_PLACE: &str = "\n   (file & line not available)";

fn warnings(file: &ConfigFile, compat: Compat) -> Vec<String> {
    let mut all = Vec::new();
    let path = &file.path;
    let sections: Vec<&str> =
        file.sections.iter().map(|section| section.name.as_str()).filter(|name| *name != "main").collect();
    if !sections.is_empty() {
        all.push(format!(
            "Invalid sections in environment.conf at '{path}'. Environment conf may not have sections. The following \
             sections are being ignored: '{}'{NO_PLACE}",
            sections.join(",")
        ));
    }
    let settings = file.section("main").map_or(&[][..], |main| &main.settings[..]);
    let unknown: Vec<&str> =
        settings.iter().map(|written| written.name.as_str()).filter(|name| !may_set(name, compat)).collect();
    if !unknown.is_empty() {
        all.push(format!(
            "Invalid settings in environment.conf at '{path}'. The following unknown setting(s) are being ignored: {}{NO_PLACE}",
            unknown.join(", ")
        ));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conf(text: &str) -> EnvironmentConf {
        let matches = |pattern: &str| vec![format!("{pattern}!")];
        EnvironmentConf::new("/e/production", Some(text.as_bytes()), Compat::V7, &matches)
            .expect("it can be read")
    }

    #[test]
    fn paths_begin_at_its_folder() {
        let own = conf("modulepath = site:../x/:/abs:$basemodulepath:more/*\nmanifest = $codedir/m\n");
        let folders = ["/e/production/site", "/e/x", "/abs", "$basemodulepath", "/e/production/more/*!"];
        assert_eq!(own.modulepath(), Some(&folders.map(str::to_owned)[..]));
        assert_eq!(own.written_path("manifest").as_deref(), Some("$codedir/m"));
        assert_eq!(own.written("manifest").map(|(_, line)| line), Some(2));
        assert_eq!(conf("").modulepath(), None);
    }

    #[test]
    fn what_it_may_not_have_is_a_warning() {
        let own = conf("strict = off\nnosuch = 1\n[server]\nx = 1\n");
        assert_eq!(
            own.warnings,
            [
                "Invalid sections in environment.conf at '/e/production/environment.conf'. Environment conf may not have \
                 sections. The following sections are being ignored: 'server'\n   (file & line not available)",
                "Invalid settings in environment.conf at '/e/production/environment.conf'. The following unknown \
                 setting(s) are being ignored: strict, nosuch\n   (file & line not available)",
            ]
        );
    }
}
