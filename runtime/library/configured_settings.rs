//! What a configuration says of compiles: how strict they are, what agents send, where exported resources go.

use crate::configuration::{Configuration, Origin};
use crate::data::Data;
use crate::settings::{Certificates, Exported, Settings};
use bunraku_configuration::puppetdb::PuppetDbConf;
use bunraku_configuration::value::Value;

impl Configuration {
    /// The settings of compiles: how strict they are, whether agents send legacy facts (a setting of theirs), where
    /// exported resources go and come from.
    ///
    /// # Errors
    /// When any setting of it has a value that does not fit, or refers to what there is not: Puppet, too, looks at all of
    /// them before it compiles.
    pub fn settings(&self) -> Result<Settings, String> {
        let in_force = self.own().in_force();
        for setting in self.own().table().all() {
            in_force.get(setting.name)?;
        }
        self.check_disabled_warnings()?;
        let certname = self.get("certname")?;
        if certname.text != certname.text.to_lowercase() {
            return Err(format!("Certificate names must be lower case ({})", certname.origin));
        }
        let mut settings = Settings::of_compat(self.own().compat);
        settings.set("strict", &self.get("strict")?.value)?;
        settings.strict_variables = in_force.is_on("strict_variables")?;
        let sends = self.own().within("agent").get("include_legacy_facts")?;
        if sends.origin != Origin::Default {
            settings.set("include_legacy_facts", &(sends.value == Value::Boolean(true)).into())?;
        }
        if in_force.is_on("storeconfigs")? {
            settings.exported = Some(self.puppetdb()?);
        }
        Ok(settings)
    }

    fn check_disabled_warnings(&self) -> Result<(), String> {
        const KINDS: [&str; 3] = ["deprecations", "undefined_variables", "undefined_resources"];
        let given = self.get("disable_warnings")?;
        let all = given.value.as_list().unwrap_or_default().iter().filter_map(Data::as_str);
        let unknown: Vec<&str> = all.filter(|one| !KINDS.contains(one)).collect();
        match unknown.is_empty() {
            true => Ok(()),
            false => Err(format!(
                "Cannot disable unrecognized warning types '{}'. Valid values are '{}'. ({})",
                unknown.join(","),
                KINDS.join(", "),
                given.origin
            )),
        }
    }

    pub(crate) fn puppetdb(&self) -> Result<Exported, String> {
        let conf = PuppetDbConf::read(self.own())?;
        let soft_write_failure = conf.soft_write_failure;
        let certificates = match conf.server_urls.iter().any(|url| url.starts_with("https://")) {
            true => self.certificates()?,
            false => Certificates::default(),
        };
        let url = conf.server_urls.join(",");
        Ok(Exported::PuppetDb { url, certificates, replace_catalog: false, soft_write_failure })
    }

    /// What a PuppetDB is shown: the agent's own certificate and its authority.
    ///
    /// # Errors
    /// As of [`Configuration::get`].
    pub fn certificates(&self) -> Result<Certificates, String> {
        let in_force = self.own().in_force();
        Ok(Certificates {
            authorities: in_force.path("localcacert")?,
            certificate: in_force.path("hostcert")?,
            key: in_force.path("hostprivkey")?,
        })
    }
}
