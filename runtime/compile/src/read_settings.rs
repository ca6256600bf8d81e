//! Puppet's settings as the code of a compile sees them: what the compile knows itself, what its job has set, and for the
//! rest Puppet's defaults.

use crate::compile::Compile;
use crate::settings::{self, Kind};
use bunraku_data::json as data;
use bunraku_vm::host::Strict;
use bunraku_vm::value::{HashBuilder, Value};
use serde_json::Value as Json;

impl<'c> Compile<'c> {
    /// Whether exported resources are kept: there is a place for them, or the job says so by `storeconfigs`.
    pub(crate) fn stores_configs(&self) -> bool {
        self.asked.store.is_some()
            || self.asked.given.get("storeconfigs").is_some_and(|value| value == &Json::Bool(true))
    }

    /// The value of a setting with what it is; none where there is no such setting.
    pub(crate) fn setting_value(&self, name: &str) -> Option<(Kind, Value<'c>)> {
        let kind = settings::find(name)?.kind;
        let own = |name: &str| self.own_setting(name);
        let value = settings::value(name, self.asked.given, &own)?;
        Some((
            kind,
            match (kind, &value) {
                // No end of a time is written so.
                (Kind::Number, Json::String(text)) if text == "Infinity" => Value::Float(f64::INFINITY),
                _ => data::value(self.arena, &value),
            },
        ))
    }

    /// `$settings::…`, `all_local` being all of them.
    pub(crate) fn setting_variable(&self, name: &str) -> Option<Value<'c>> {
        if name == "all_local" {
            let mut all = HashBuilder::new(self.arena);
            for setting in settings::all() {
                let value = self.setting_value(setting.name).map_or(Value::Undef, |(_, value)| value);
                all.insert_str(setting.name, value);
            }
            return Some(Value::Hash(all.finish()));
        }
        self.setting_value(name).map(|(_, value)| value)
    }

    fn own_setting(&self, name: &str) -> Option<Json> {
        Some(match name {
            "strict" => Json::from(match self.asked.settings.strict {
                Strict::Off => "off",
                Strict::Warning => "warning",
                Strict::Error => "error",
            }),
            "strict_variables" => Json::from(self.asked.settings.strict_variables),
            "environment" => Json::from(self.environment.name.as_str()),
            "certname" => Json::from(self.asked.node_name),
            "storeconfigs" => Json::from(self.stores_configs()),
            _ => return None,
        })
    }
}
