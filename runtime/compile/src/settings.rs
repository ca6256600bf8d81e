//! Settings of Puppet that a job says, by name: for code that reads them (`$settings::…` in manifests, `Puppet[:…]` in
//! Ruby). Their tables are in `bunraku-configuration`.

use bunraku_configuration::table::{Kind, Setting, Table};
use bunraku_configuration::typed::typed;
use bunraku_configuration::value::Raw;
use bunraku_vm::compat::Compat;
use serde_json::Value as Json;

pub use bunraku_configuration::in_force::Given;

/// The setting of a name in the newest version that has it.
fn newest(name: &str) -> Option<&'static Setting> {
    Compat::ALL.into_iter().rev().find_map(|compat| Table::of(compat).find(name))
}

/// Takes a setting's value from a job.
///
/// # Errors
/// Says which setting there is not, or which value does not fit the one there is.
pub fn give(given: &mut Given, name: &str, value: &Json) -> Result<(), String> {
    let setting = newest(name).ok_or_else(|| format!("The setting '{name}' is not supported yet"))?;
    let raw = match (setting.kind, Raw::of_json(value)) {
        (Kind::Text | Kind::File | Kind::Path, Some(Raw::Integer(number))) => {
            Some(Raw::Text(number.to_string()))
        }
        (_, raw) => raw,
    };
    let fits = |raw: &Raw| match raw {
        Raw::Undef => true,
        // Others are to stand in it.
        Raw::Text(text) if text.contains('$') => true,
        raw => typed(setting, raw).is_ok(),
    };
    let raw = raw.filter(fits).ok_or_else(|| format!("The setting '{name}' can't be {value}"))?;
    given.insert(name.to_owned(), raw);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_configuration::configuration::Configuration;

    fn get(name: &str, given: &[(&str, Json)]) -> Option<Json> {
        let mut all = Given::default();
        for (name, value) in given {
            give(&mut all, name, value).expect("it can be set");
        }
        let configuration = Configuration::none(Compat::V7);
        let found = configuration.in_force().of_compile(&|_| None, &all).get(name);
        found.ok().map(|found| found.value.json())
    }

    #[test]
    fn settings_refer_to_others() {
        assert_eq!(get("statedir", &[]), Some("/var/cache/puppet/state".into()));
        assert_eq!(get("statedir", &[("vardir", "/v".into())]), Some("/v/state".into()));
        assert_eq!(get("splaylimit", &[("runinterval", "1h".into())]), Some(3600.into()));
        assert_eq!(get("pidfile", &[]), Some("/run/puppet/user.pid".into()));
        assert_eq!(get("nothing", &[]), None);
    }

    #[test]
    fn values_that_do_not_fit_are_named() {
        let mut given = Given::default();
        let error = give(&mut given, "storeconfigs", &Json::from("maybe")).unwrap_err();
        assert_eq!(error, "The setting 'storeconfigs' can't be \"maybe\"");
        assert!(give(&mut given, "nothing", &Json::Null).unwrap_err().contains("'nothing'"));
    }
}
