//! Puppet's settings as the code of a compile sees them: what the compile knows itself, what its job has set, and for the
//! rest what is in force in its environment.

use crate::compile::Compile;
use bunraku_configuration::environment_conf::ONLY_HERE;
use bunraku_configuration::value::{Raw, Value as Setting};
use bunraku_data::json as data;
use bunraku_vm::host::Strict;
use bunraku_vm::value::{HashBuilder, Value};
use std::path::Path;

impl<'c> Compile<'c> {
    /// Whether exported resources are kept: there is a place for them, or a setting says so.
    pub(crate) fn stores_configs(&self) -> bool {
        let in_force = || match self.options.given.get("storeconfigs") {
            Some(raw) => *raw == Raw::Boolean(true),
            None => self.environment.in_force().is_on("storeconfigs").unwrap_or(false),
        };
        self.options.store.is_some() || in_force()
    }

    /// A setting in force; none where there is no such setting. One that can't be told (a job's may refer to itself) is
    /// empty: those of a configuration are looked at before a compile begins.
    pub(crate) fn setting_in_force(&self, name: &str) -> Option<Setting> {
        self.environment.configuration().table().find(name)?;
        let own = |name: &str| self.own_setting(name);
        let found = self.environment.in_force().of_compile(&own, self.options.given).get(name);
        let value = found.map_or(Setting::Undef, |found| found.value);
        Some(match (&self.environment.version, value) {
            (Some(version), Setting::Text(text)) if ONLY_HERE.contains(&name) => {
                Setting::Text(self.of_version(version, &text))
            }
            (_, value) => value,
        })
    }

    /// Paths that are joined by colons, those below the environment's folder as they are in the version that it links to.
    fn of_version(&self, version: &Path, text: &str) -> String {
        let Some(folder) = &self.environment.directory else { return text.to_owned() };
        let moved = |path: &str| match Path::new(path).strip_prefix(folder) {
            Ok(rest) => version.join(rest).to_string_lossy().into_owned(),
            Err(_) => path.to_owned(),
        };
        text.split(':').map(moved).collect::<Vec<_>>().join(":")
    }

    /// The value of a setting, and whether it is a symbol in Ruby; none where there is no such setting.
    pub(crate) fn setting_value(&self, name: &str) -> Option<(bool, Value<'c>)> {
        let value = self.setting_in_force(name)?;
        Some(match &value {
            Setting::Unlimited => (false, Value::Float(f64::INFINITY)),
            Setting::Symbol(_) => (true, data::value(self.arena, &value.json())),
            _ => (false, data::value(self.arena, &value.json())),
        })
    }

    /// `$settings::…`, `all_local` being all of them.
    pub(crate) fn setting_variable(&self, name: &str) -> Option<Value<'c>> {
        if name == "all_local" {
            let mut all = HashBuilder::new(self.arena);
            for setting in self.environment.configuration().table().all() {
                let value = self.setting_value(setting.name).map_or(Value::Undef, |(_, value)| value);
                all.insert_str(setting.name, value);
            }
            return Some(Value::Hash(all.finish()));
        }
        self.setting_value(name).map(|(_, value)| value)
    }

    fn own_setting(&self, name: &str) -> Option<Setting> {
        // A server's own name and environment are not the node's.
        let is_read = self.environment.configuration().is_read();
        Some(match name {
            "strict" => Setting::Symbol(
                match self.options.settings.strict {
                    Strict::Off => "off",
                    Strict::Warning => "warning",
                    Strict::Error => "error",
                }
                .to_owned(),
            ),
            "strict_variables" => Setting::Boolean(self.options.settings.strict_variables),
            "environment" if !is_read => Setting::Text(self.environment.name.clone()),
            "certname" if !is_read => Setting::Text(self.options.node_name.to_owned()),
            "storeconfigs" => Setting::Boolean(self.stores_configs()),
            _ => return None,
        })
    }
}
