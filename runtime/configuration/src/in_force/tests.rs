//! Which value goes before which, and what refers to what.

use super::*;
use crate::layout::Layout;
use bunraku_vm::compat::Compat;

/// A configuration of a `puppet.conf`, whose folder is shown as `/c`.
fn shown(conf: &str, given: &[(&str, &str)], ask: &dyn Fn(&Configuration) -> String) -> String {
    let work = tempfile::tempdir().unwrap();
    std::fs::write(work.path().join("puppet.conf"), conf).unwrap();
    let folder = work.path().display().to_string();
    let given: Vec<(String, String)> = [("confdir", folder.as_str())]
        .iter()
        .chain(given)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    match Configuration::read(Compat::V7, Layout::default(), &given) {
        Ok(configuration) => ask(&configuration).replace(&folder, "/c"),
        Err(error) => error.replace(&folder, "/c"),
    }
}

fn get(in_force: InForce<'_>, name: &str) -> String {
    match in_force.get(name) {
        Ok(found) => format!("{} ({})", found.printed, found.origin),
        Err(error) => error,
    }
}

#[test]
fn what_is_nearer_goes_before() {
    let conf = "[main]\nstrict = off\nnoop = true\nlogdir = /m\n[master]\nstrict = error\nnoop = false\n\
        [server]\nstrict = warning\nstrict = error\n[agent]\nlogdir = /a\n";
    let server = |given: &[(&str, &str)], name: &str| {
        shown(conf, given, &|configuration| get(configuration.in_force(), name))
    };
    assert_eq!(server(&[], "strict"), "warning (/c/puppet.conf:9 [server])");
    assert_eq!(server(&[("strict", "off")], "strict"), "off (command line)");
    assert_eq!(server(&[], "noop"), "false (/c/puppet.conf:7 [master])");
    assert_eq!(server(&[], "logdir"), "/m (/c/puppet.conf:4 [main])");
    assert_eq!(server(&[], "puppetdlog"), "/m/puppetd.log (default)");
    assert_eq!(server(&[], "pidfile"), "/run/puppet/server.pid (default)");
    let agent = shown(conf, &[], &|configuration| get(configuration.within("agent"), "puppetdlog"));
    assert_eq!(agent, "/a/puppetd.log (default)");
    assert_eq!(server(&[("nosuch", "1")], "noop"), "There is no setting 'nosuch' in Puppet 7");
}

#[test]
fn environments_go_before_sections() {
    let conf =
        "[main]\nbasemodulepath = $confdir/b:/c2\ndefault_manifest = x/../site\nstatic_catalogs = false\n";
    let ask = |text: Option<&str>, name: &str| {
        let matches = |_: &str| Vec::new();
        let bytes = text.map(str::as_bytes);
        let own = EnvironmentConf::new("/e/test", bytes, Compat::V7, &matches).unwrap();
        shown(conf, &[], &|configuration| {
            get(configuration.in_force().in_environment("test", Some(&own)), name)
        })
    };
    assert_eq!(ask(None, "modulepath"), "/e/test/modules:/c/b:/c2 (folder /e/test)");
    assert_eq!(ask(None, "manifest"), "/e/test/site (folder /e/test)");
    let text = "\nmodulepath = m:$basemodulepath\nmanifest = $confdir/m.pp\nconfig_version = v $environment";
    assert_eq!(ask(Some(text), "modulepath"), "/e/test/m:/c/b:/c2 (/e/test/environment.conf:2)");
    assert_eq!(ask(Some(text), "manifest"), "/c/m.pp (/e/test/environment.conf:3)");
    assert_eq!(ask(Some(text), "config_version"), "/e/test/v test (/e/test/environment.conf:4)");
    assert_eq!(ask(Some(text), "static_catalogs"), "false (/c/puppet.conf:4 [main])");
    assert_eq!(ask(Some("static_catalogs = true"), "static_catalogs"), "true (/e/test/environment.conf:1)");
}

#[test]
fn folders_of_the_base_module_path_may_be_patterns() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().display();
    for name in ["vendor/b", "vendor/a", "other"] {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    let conf = format!("[main]\nbasemodulepath = {root}/vendor/*:{root}/other:{root}/none/*\n");
    let ask = |text: Option<&str>| {
        let own = EnvironmentConf::new("/e", text.map(str::as_bytes), Compat::V7, &|_| Vec::new()).unwrap();
        let found = shown(&conf, &[], &|configuration| {
            get(configuration.in_force().in_environment("e", Some(&own)), "modulepath")
        });
        found.replace(&root.to_string(), "")
    };
    assert_eq!(ask(None), "/e/modules:/vendor/a:/vendor/b:/other (folder /e)");
    // Where the environment names it, Puppet takes it as it is.
    let named = ask(Some("modulepath = m:$basemodulepath"));
    assert_eq!(named, "/e/m:/vendor/*:/other:/none/* (/e/environment.conf:1)");
}

#[test]
fn an_environment_may_have_no_manifest_where_the_default_is_everybodys() {
    let conf = "[main]\ndisable_per_environment_manifest = true\ndefault_manifest = /site\n";
    let own = EnvironmentConf::new("/e/test", Some(b"manifest = own"), Compat::V7, &|_| Vec::new()).unwrap();
    let error = shown(conf, &[], &|configuration| {
        let in_force = configuration.in_force().in_environment("test", Some(&own));
        assert_eq!(get(in_force, "manifest"), "/site (folder /e/test)");
        in_force.check_manifest().unwrap_err()
    });
    assert!(
        error.starts_with("Compilation has been halted because: The 'disable_per_environment_manifest'"),
        "{error}"
    );
}

#[test]
fn without_a_configuration_there_is_no_base_module_path() {
    let configuration = Configuration::none(Compat::V7);
    let own = |text: Option<&str>| {
        let matches = |_: &str| Vec::new();
        let conf = EnvironmentConf::new("/e", text.map(str::as_bytes), Compat::V7, &matches).unwrap();
        configuration.in_force().in_environment("e", Some(&conf)).text("modulepath")
    };
    assert_eq!(own(None).as_deref(), Ok("/e/modules"));
    assert_eq!(own(Some("modulepath = a:$basemodulepath:b")).as_deref(), Ok("/e/a:/e/b"));
}

#[test]
fn references_in_a_circle_are_named() {
    let conf = "[main]\nlogdir = $rundir\nrundir = $logdir/x\n";
    let error = shown(conf, &[], &|configuration| get(configuration.in_force(), "puppetdlog"));
    assert_eq!(error, "Settings refer to each other in a circle: logdir, rundir, logdir");
}
