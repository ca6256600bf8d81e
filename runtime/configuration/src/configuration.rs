//! What has been read: a version's settings, the folders of a layout, `puppet.conf`, and what the command line says.

use crate::environment_conf;
use crate::file::{ConfigFile, Section, Written};
use crate::in_force::InForce;
use crate::layout::Layout;
use crate::origin::Origin;
use crate::table::Table;
use crate::value::Raw;
use bunraku_files::read;
use bunraku_vm::compat::Compat;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The sections that a `puppet.conf` may have.
pub const SECTIONS: [&str; 5] = ["main", "server", "master", "agent", "user"];
/// The settings whose defaults depend on what lies on the disk.
const FROM_THE_DISK: [&str; 2] = ["hiera_config", "cadir"];
/// Bytes that a `puppet.conf` may hold.
const MAX_CONF: u64 = 16 << 20;

/// What has been read. Two are equal if they say the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Configuration {
    /// Whose settings and defaults they are.
    pub compat: Compat,
    pub(crate) layout: Layout,
    given: Vec<(String, Raw)>,
    file: Option<ConfigFile>,
    fault: Option<String>,
    is_read: bool,
}

impl Configuration {
    /// No configuration: a version's defaults, as Puppet has them for root. The base module path of such a one is not
    /// used: environments on their own have none.
    pub fn none(compat: Compat) -> Configuration {
        Configuration::new(compat, Layout::default(), false)
    }

    fn new(compat: Compat, layout: Layout, is_read: bool) -> Configuration {
        Configuration { compat, layout, given: Vec::new(), file: None, fault: None, is_read }
    }

    /// Reads the `puppet.conf` of a configuration's folder, if there is one; `given` is what the command line says, by name
    /// (`confdir`, `codedir`, `vardir` among them). Without `confdir` the folder is that of `layout`.
    ///
    /// # Errors
    /// When a setting is given that there is not; when the file can't be read, or has settings that only environments may
    /// have: Puppet's message, with file and line. A malformed file is none, as in Puppet:
    /// [`Configuration::fault`] has what is wrong with it, and the defaults are in force.
    pub fn read(compat: Compat, layout: Layout, given: &[(String, String)]) -> Result<Configuration, String> {
        let mut own = Configuration::new(compat, layout, true);
        for (name, value) in given {
            let setting = Table::of(compat).find(name);
            let setting =
                setting.ok_or_else(|| format!("There is no setting '{name}' in Puppet {compat}"))?;
            own.given.retain(|(known, _)| known != name);
            own.given.push((setting.name.to_owned(), Raw::written(value)));
        }
        let path = own.within(SERVER).get("config")?.value.text().unwrap_or_default().to_owned();
        match read::regular(Path::new(&path), MAX_CONF) {
            Ok(bytes) => match ConfigFile::parse(&path, &bytes, &SECTIONS) {
                Ok(file) => own.file = Some(file),
                Err(error) => own.fault = Some(format!("Could not parse {path}: {error}")),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("Could not load {path}: {error}")),
        }
        own.refuse_settings_of_environments()?;
        own.refuse_manifests_of_environments()?;
        Ok(own)
    }

    /// One main manifest for all environments has to be one. What is wrong with either setting's value is said elsewhere.
    fn refuse_manifests_of_environments(&self) -> Result<(), String> {
        let in_force = self.in_force();
        if in_force.is_on("disable_per_environment_manifest") != Ok(true)
            || in_force.text("default_manifest").map_or(true, |path| path.starts_with('/'))
        {
            return Ok(());
        }
        Err("The 'default_manifest' setting must be set to an absolute path when 'disable_per_environment_manifest' is true"
            .to_owned())
    }

    fn refuse_settings_of_environments(&self) -> Result<(), String> {
        let Some(file) = &self.file else { return Ok(()) };
        for section in &file.sections {
            let all = section.settings.iter();
            let forbidden: Vec<_> =
                all.filter(|w| environment_conf::ONLY_HERE.contains(&w.name.as_str())).collect();
            if let Some(first) = forbidden.first() {
                let names: Vec<&str> = forbidden.iter().map(|written| written.name.as_str()).collect();
                return Err(format!(
                    "Cannot set {} settings in puppet.conf (file: {}, line: {})",
                    names.join(", "),
                    file.path,
                    first.line
                ));
            }
        }
        Ok(())
    }

    /// The same for another machine, where what follows from this one's disk is said as it is here.
    ///
    /// # Errors
    /// When such a setting can't be told.
    pub fn for_elsewhere(&self) -> Result<Configuration, String> {
        let mut own = self.clone();
        for name in FROM_THE_DISK {
            if self.table().find(name).is_some() {
                let found = self.in_force().get(name)?;
                if found.origin == Origin::Default {
                    own.given.push((name.to_owned(), Raw::Text(found.value.to_string())));
                }
            }
        }
        Ok(own)
    }

    /// Why nothing of its `puppet.conf` is in force: the file is malformed. Whoever reads a configuration says so.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Whether there was a configuration to be read.
    pub fn is_read(&self) -> bool {
        self.is_read
    }

    /// Its `puppet.conf`, where there is one.
    pub fn file(&self) -> Option<&ConfigFile> {
        self.file.as_ref()
    }

    /// The settings that there are.
    pub fn table(&self) -> &'static Table {
        Table::of(self.compat)
    }

    /// What is in force for a section, outside of environments.
    pub fn within<'a>(&'a self, section: &'a str) -> InForce<'a> {
        InForce::new(self, section)
    }

    /// What is in force for a server. One that was not read has a user's defaults.
    pub fn in_force(&self) -> InForce<'_> {
        self.within(if self.is_read { SERVER } else { "user" })
    }

    /// The sections that count, first of all that of the name.
    pub(crate) fn sections(&self, section: &str) -> impl Iterator<Item = &Section> {
        let names: &[&str] = match section {
            "server" | "master" => &["server", "master", "main"],
            "agent" => &["agent", "main"],
            "user" => &["user", "main"],
            _ => &["main"],
        };
        names.iter().filter_map(|name| self.file.as_ref()?.section(name))
    }

    /// Where an environment's folder is: the first of the folders of `environmentpath` that has one of the name.
    ///
    /// # Errors
    /// Puppet's message where there is none; when `environmentpath` can't be told.
    pub fn environment(&self, name: &str) -> Result<PathBuf, String> {
        let in_force = self.in_force();
        let path = in_force.text("environmentpath")?;
        let follow = in_force.is_on("versioned_environment_dirs")?
            && !in_force.is_on("report_configured_environmentpath")?;
        crate::environments::find(&path, name, follow)
    }

    /// The version that an environment's folder links to, where settings speak of that and files of catalogs of the folder: with
    /// `versioned_environment_dirs`, unless the link is followed for all.
    ///
    /// # Errors
    /// When a setting can't be told.
    pub fn linked_version(&self, name: &str, folder: &Path) -> Result<Option<PathBuf>, String> {
        let in_force = self.in_force();
        if !in_force.is_on("versioned_environment_dirs")?
            || !in_force.is_on("report_configured_environmentpath")?
        {
            return Ok(None);
        }
        let path = in_force.text("environmentpath")?;
        let [own, version] = [false, true].map(|follow| crate::environments::find(&path, name, follow).ok());
        Ok(version.filter(|version| own.as_deref() == Some(folder) && version != folder))
    }

    /// What of it Puppet warns of, or would be honoured by Puppet only; in the order of the file.
    pub fn warnings(&self) -> Vec<String> {
        crate::unsupported::warnings(self)
    }

    /// The same of the command line alone, each by its setting.
    pub fn warnings_of_command_line(&self) -> Vec<(String, String)> {
        crate::unsupported::of_command_line(self)
    }

    /// The same of its file alone, but for settings that Puppet does not know: of those Puppet says nothing.
    pub fn warnings_of_known(&self) -> Vec<String> {
        crate::unsupported::of_file_known(self)
    }

    /// What is said of the settings of its file that Puppet does not know, which it ignores without a word.
    pub fn warnings_of_unknown(&self) -> Vec<String> {
        crate::unsupported::of_file_unknown(self)
    }

    /// The settings of its file that count for a server, each with its section.
    pub(crate) fn written(&self) -> impl Iterator<Item = (&Section, &Written)> {
        let sections = self.sections(SERVER);
        sections.flat_map(|section| section.settings.iter().map(move |written| (section, written)))
    }

    /// What the command line says, by name.
    pub fn given(&self) -> impl Iterator<Item = (&str, &Raw)> {
        self.given.iter().map(|(name, raw)| (name.as_str(), raw))
    }
}

/// The section of what compiles catalogs.
pub const SERVER: &str = "server";
