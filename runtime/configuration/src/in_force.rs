//! The settings in force in one place: a section of `puppet.conf`, an environment, a compile.
//!
//! The order is that of Puppet's server (7.23.0): what the compile knows itself, the command line, the environment's own
//! `environment.conf` for what that may set, `[server]`, `[master]`, `[main]`, the layout's folders, defaults.

use crate::configuration::Configuration;
use crate::environment_conf::{self, EnvironmentConf};
use crate::interpolation::{Piece, pieces};
use crate::origin::Origin;
use crate::paths;
use crate::table::{Kind, Setting};
use crate::typed::typed;
use crate::value::{Raw, Value};
use bunraku_files::tree::Tree;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// How many settings may be looked at for one value, and how long it may become: settings refer to each other a few deep.
const MAX_LOOKS: usize = 10_000;
const MAX_TEXT: usize = 1 << 20;

/// A setting that is in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its value.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
    /// It as `puppet config print` writes it.
    pub printed: String,
}

/// What a compile knows of settings itself.
pub type Own<'a> = &'a dyn Fn(&str) -> Option<Value>;
/// Settings by name, as a job says them.
pub type Given = HashMap<String, Raw>;

/// The settings in force in one place.
#[derive(Clone, Copy)]
pub struct InForce<'a> {
    configuration: &'a Configuration,
    section: &'a str,
    environment: Option<(&'a str, Option<&'a EnvironmentConf>)>,
    own: Option<Own<'a>>,
    given: Option<&'a Given>,
}

/// One look at a setting, with all those that it refers to.
#[derive(Default)]
struct Look {
    trail: Vec<String>,
    count: usize,
}

impl<'a> InForce<'a> {
    /// What is in force for a section, outside of environments.
    pub(crate) fn new(configuration: &'a Configuration, section: &'a str) -> InForce<'a> {
        InForce { configuration, section, environment: None, own: None, given: None }
    }

    /// The same within an environment of a name, which may have a folder.
    pub fn in_environment(self, name: &'a str, conf: Option<&'a EnvironmentConf>) -> InForce<'a> {
        InForce { environment: Some((name, conf)), ..self }
    }

    /// The same where a compile knows some better, and its job says others.
    pub fn of_compile(self, own: Own<'a>, given: &'a Given) -> InForce<'a> {
        InForce { own: Some(own), given: Some(given), ..self }
    }

    /// A setting.
    ///
    /// # Errors
    /// When there is none of that name; when a value does not fit, or refers to what there is not or to itself.
    pub fn get(&self, name: &str) -> Result<Found, String> {
        let setting = self.configuration.table().find(name);
        let setting = setting
            .ok_or_else(|| format!("There is no setting '{name}' in Puppet {}", self.configuration.compat))?;
        let look = RefCell::new(Look::default());
        self.found(setting, &look)
    }

    /// A setting as text; empty where it has no value.
    ///
    /// # Errors
    /// As of [`InForce::get`].
    pub fn text(&self, name: &str) -> Result<String, String> {
        self.get(name).map(|found| found.value.to_string())
    }

    /// Whether a setting is true: one that the version has not is not.
    ///
    /// # Errors
    /// As of [`InForce::get`].
    pub fn is_on(&self, name: &str) -> Result<bool, String> {
        if self.configuration.table().find(name).is_none() {
            return Ok(false);
        }
        self.get(name).map(|found| found.value == Value::Boolean(true))
    }

    /// The folders of a setting like `modulepath`. Where no configuration was read, those of the base module path are left
    /// out.
    ///
    /// # Errors
    /// As of [`InForce::get`].
    pub fn folders(&self, name: &str) -> Result<Vec<PathBuf>, String> {
        let text = self.text(name)?;
        Ok(text.split(':').filter(|one| !one.is_empty()).map(|one| paths::from_here(one).into()).collect())
    }

    /// The path that a setting names; none where it names none.
    ///
    /// # Errors
    /// As of [`InForce::get`].
    pub fn path(&self, name: &str) -> Result<Option<PathBuf>, String> {
        Ok(Some(self.text(name)?).filter(|text| !text.is_empty()).map(PathBuf::from))
    }

    /// Puppet's error where an environment has a main manifest of its own, and may not
    /// (`disable_per_environment_manifest`).
    ///
    /// # Errors
    /// That one; as of [`InForce::get`].
    pub fn check_manifest(&self) -> Result<(), String> {
        let Some((name, Some(conf))) = self.environment else { return Ok(()) };
        let Some((Raw::Text(own), line)) = conf.written("manifest") else { return Ok(()) };
        let conflicts = !own.is_empty() && *own != self.text("default_manifest")?;
        if !conflicts || !self.is_on("disable_per_environment_manifest")? {
            return Ok(());
        }
        Err(format!(
            "Compilation has been halted because: The 'disable_per_environment_manifest' setting is true, and the '{name}' \
             environment has an environment.conf manifest that conflicts with the 'default_manifest' setting. For more \
             information, see https://puppet.com/docs/puppet/latest/environments_about.html (file: {}, line: {line})",
            conf.path()
        ))
    }

    fn found(&self, setting: &Setting, look: &RefCell<Look>) -> Result<Found, String> {
        let name = setting.name;
        if let Some(value) = self.own.and_then(|own| own(name)) {
            return Ok(Found { printed: value.printed(setting.kind), value, origin: Origin::Compile });
        }
        {
            let mut look = look.borrow_mut();
            look.count += 1;
            if let Some(at) = look.trail.iter().position(|known| known == name) {
                let circle = [&look.trail[at..], &[name.to_owned()][..]].concat();
                return Err(format!("Settings refer to each other in a circle: {}", circle.join(", ")));
            }
            if look.count > MAX_LOOKS {
                return Err(format!("The setting '{name}' refers to too many others"));
            }
            look.trail.push(name.to_owned());
        }
        let found = self.converted(setting, look);
        look.borrow_mut().trail.pop();
        found
    }

    fn converted(&self, setting: &Setting, look: &RefCell<Look>) -> Result<Found, String> {
        let (raw, origin) = self.raw(setting, look)?;
        let raw = match raw {
            Raw::Text(text) if setting.name != "code" => Raw::Text(self.interpolated(setting, &text, look)?),
            other => other,
        };
        if raw == Raw::Undef && origin == Origin::Compile {
            return Ok(Found { value: Value::Undef, origin, printed: String::new() });
        }
        let setting = match setting.kind {
            Kind::Alias(of) => self.configuration.table().find(of).unwrap_or(setting),
            _ => setting,
        };
        let value = typed(setting, &raw)?;
        let printed = match (setting.kind, raw) {
            // Puppet prints a list of servers as somebody wrote it.
            (Kind::Servers, Raw::Text(text)) => text,
            _ => value.printed(setting.kind),
        };
        Ok(Found { value, origin, printed })
    }

    /// A value as somebody has written it, or as it follows from the environment.
    fn raw(&self, setting: &Setting, look: &RefCell<Look>) -> Result<(Raw, Origin), String> {
        let name = setting.name;
        if let Some(raw) = self.given.and_then(|given| given.get(name)) {
            return Ok((raw.clone(), Origin::Compile));
        }
        let configuration = self.configuration;
        if let Some((_, raw)) = configuration.given().find(|(known, _)| *known == name) {
            return Ok((raw.clone(), Origin::CommandLine));
        }
        if let Some((_, Some(conf))) = self.environment
            && let Some(found) = self.of_environment(name, conf, look)?
        {
            return Ok(found);
        }
        for section in configuration.sections(self.section) {
            if let Some(written) = section.find(name) {
                let file = configuration.file().map(|file| file.path.clone()).unwrap_or_default();
                let origin = Origin::Section { section: section.name.clone(), file, line: written.line };
                return Ok((written.value.clone(), origin));
            }
        }
        if let Kind::Alias(of) = setting.kind
            && let Some(other) = configuration.table().find(of)
        {
            return self.raw(other, look);
        }
        Ok((self.default(setting, look)?, Origin::Default))
    }

    fn default(&self, setting: &Setting, look: &RefCell<Look>) -> Result<Raw, String> {
        let text = |name: &str| self.other(name, look).map(|value| value.to_string());
        Ok(match setting.name {
            "hiera_config" => {
                let of_code = format!("{}/hiera.yaml", text("codedir")?);
                let is_there = self.configuration.is_read() && Path::new(&of_code).exists();
                Raw::Text(if is_there { of_code } else { format!("{}/hiera.yaml", text("confdir")?) })
            }
            "cadir" => {
                let old = format!("{}/ca", text("ssldir")?);
                let is_there = self.configuration.is_read() && Path::new(&old).is_dir();
                match self.configuration.layout.folder("cadir") {
                    Some(new) if !is_there => Raw::Text(new),
                    _ => Raw::Text(old),
                }
            }
            name => self.configuration.layout.folder(name).map_or_else(|| setting.default(), Raw::Text),
        })
    }

    /// What an environment says of a setting, or what follows from its folder.
    fn of_environment(
        &self,
        name: &str,
        conf: &EnvironmentConf,
        look: &RefCell<Look>,
    ) -> Result<Option<(Raw, Origin)>, String> {
        if !environment_conf::may_set(name, self.configuration.compat) {
            return Ok(None);
        }
        let written = conf.written(name);
        let origin = Origin::Environment { file: conf.path(), line: written.map(|(_, line)| line) };
        Ok(match name {
            "modulepath" => Some((Raw::Text(self.modulepath(conf, look)?), origin)),
            "manifest" => {
                let default = self.other("default_manifest", look)?.to_string();
                let fallback = match default.starts_with('/') {
                    true => default,
                    false => format!("{}/{}", conf.directory, default.trim_start_matches("./")),
                };
                let ignored = self.other("disable_per_environment_manifest", look)? == Value::Boolean(true);
                match conf.written_path("manifest").filter(|_| !ignored) {
                    Some(path) => Some((Raw::Text(path), origin)),
                    None => {
                        let origin = Origin::Environment { file: conf.path(), line: None };
                        Some((Raw::Text(fallback), origin))
                    }
                }
            }
            "config_version" => conf.written_path(name).map(|path| (Raw::Text(path), origin)),
            _ => written.map(|(raw, _)| (raw.clone(), origin)),
        })
    }

    fn modulepath(&self, conf: &EnvironmentConf, look: &RefCell<Look>) -> Result<String, String> {
        let is_base =
            |folder: &str| matches!(pieces(folder).first(), Some(Piece::Setting(_, "basemodulepath")));
        let read = self.configuration.is_read();
        let folders = match conf.modulepath() {
            Some(folders) => folders.iter().filter(|one| read || !is_base(one)).cloned().collect(),
            None => {
                let mut folders = vec![format!("{}/modules", conf.directory)];
                if read {
                    let base = self.other("basemodulepath", look)?.to_string();
                    folders.extend(base.split(':').flat_map(matched));
                }
                folders
            }
        };
        Ok(folders.join(":"))
    }

    /// A setting that another needs.
    fn other(&self, name: &str, look: &RefCell<Look>) -> Result<Value, String> {
        match self.configuration.table().find(name) {
            Some(setting) => self.found(setting, look).map(|found| found.value),
            None => Ok(Value::Undef),
        }
    }

    fn interpolated(&self, setting: &Setting, text: &str, look: &RefCell<Look>) -> Result<String, String> {
        let name = setting.name;
        let mut out = String::with_capacity(text.len());
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => out.push_str(text),
                // Puppet leaves it as it is; see `unsupported`.
                Piece::Setting(written, "environment") if name != "config_version" => out.push_str(written),
                Piece::Setting(_, "environment") if self.environment.is_some() => {
                    out.push_str(self.environment.map_or("", |(name, _)| name));
                }
                Piece::Setting(_, "run_mode") => out.push_str(self.section),
                Piece::Setting(written, other) => match self.other(other, look)? {
                    Value::Undef => {
                        let whole = format!("Could not find value for {written}");
                        let trail = &look.borrow().trail;
                        return Err(trail.iter().rev().fold(whole, |error, name| {
                            format!("Error converting value for param '{name}': {error}")
                        }));
                    }
                    value => out.push_str(&value.to_string()),
                },
            }
            if out.len() > MAX_TEXT {
                return Err(format!("The value of the setting '{name}' is longer than {MAX_TEXT} bytes"));
            }
        }
        Ok(out)
    }
}

/// The folders that one of the base module path stands for. Puppet takes patterns there only in the module path that an environment has
/// by default.
fn matched(folder: &str) -> Vec<String> {
    match environment_conf::is_pattern(folder) {
        true => environment_conf::matching(&Tree::default(), folder),
        false => vec![folder.to_owned()],
    }
}

#[cfg(test)]
mod tests;
