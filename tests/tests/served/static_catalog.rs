//! The metadata of files in static catalogs is what Puppet puts there when it compiles them.

use crate::exchange::{Case, configuration, puppet};
use crate::files::{tree, write};
use bunraku_server::environments::Environments;
use bunraku_server::files::Files;
use bunraku_tests::oracle::seven_and_eight;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A file each, by its attributes.
const FILES: &str = "
source => 'puppet:///modules/a/d/f'
source => 'puppet:///modules/a/d/f', checksum => 'md5'
source => 'puppet:///modules/a/d/f', checksum => 'none', links => 'follow'
source => 'puppet:///modules/a/d/x', source_permissions => 'use'
source => 'puppet:///modules/a/d/l'
source => 'puppet:///modules/a/d/l', links => 'follow'
source => 'puppet:///modules/a/d/'
source => 'puppet:///modules/a/d', ensure => directory
source => 'puppet://other:8140/modules/a/d/f'
source => ['puppet:///modules/a/none', 'puppet:///modules/a/d/f']
source => ['puppet:///modules/a/d/f', 'puppet:///modules/a/none']
source => ['puppet:///modules/a/d/f', '/etc/hostname']
source => 'puppet:///modules/c/x'
source => 'puppet:///one/inner/deep'
source => 'puppet:///plugins/x/y.rb'
source => '/etc/hostname'
source => 'puppet:///modules/a/d/f', ensure => absent
content => 'x'
source => 'puppet:///modules/a/dd', recurse => true
source => 'puppet:///modules/a/dd', recurse => true, recurselimit => 1
source => 'puppet:///modules/a/dd', recurse => remote, ignore => ['.svn', 'e*']
source => 'puppet:///modules/a/dd', recurse => 'true', ignore => '1', max_files => 100
source => 'puppet:///modules/a/dd/', recurse => true, links => 'follow', source_permissions => 'use'
source => ['puppet:///modules/a/dd/e', 'puppet:///modules/a/dd/e2'], recurse => true
source => ['puppet:///modules/a/dd/e', 'puppet:///modules/a/dd/e2'], recurse => true, sourceselect => all
source => ['puppet:///modules/a/none', 'puppet:///modules/a/dd/e2'], recurse => true
source => ['puppet:///modules/a/dd/e2', 'puppet:///modules/c/d'], recurse => true, sourceselect => all
source => 'puppet:///modules/a/none', recurse => true
source => 'puppet:///modules/c/d', recurse => true
source => 'puppet:///modules/a/dd', recurse => false
source => 'puppet:///modules/a/d/sp ace%20#+'
";

/// The same, each in a catalog of its own that Puppet does not compile.
const FAULTY: &str = "
source => 'puppet:///modules/a/none'
source => ['puppet:///modules/a/none', 'puppet:///modules/none/b']
source => 'puppet:///nomount/x'
source => 'puppet:///modules/a/dd', recurse => true, max_files => 1
source => 'puppet:///modules/a/d/../f'
";

#[test]
fn static_catalogs_have_puppets_metadata() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    tree(root);
    write(&root.join("environments/production/modules/a/files/d/sp ace%20#+"), "odd");
    write(&root.join("modules/c/files/x"), "outside of the environment");
    write(&root.join("modules/c/files/d/e"), "outside of the environment");
    let declared = |text: &str, first: usize| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.is_empty()).enumerate();
        lines.map(|(number, line)| format!("file {{ '/f{:02}': {line} }}\n", first + number)).collect()
    };
    let good: String = declared(FILES, 0).concat();
    let mut manifest = format!("node good {{ {good} }}\n");
    let faulty = declared(FAULTY, 50);
    for (number, file) in faulty.iter().enumerate() {
        manifest += &format!("node bad{number} {{ {file} }}\n");
    }
    write(&root.join("environments/production/manifests/site.pp"), &manifest);
    let names = ["good".to_owned()].into_iter().chain((0..faulty.len()).map(|number| format!("bad{number}")));
    let query = "environment=production&static_catalog=true&checksum_type=sha999.sha256.md5&code_id=abc";
    let case = |url: String| Case { accept: Some("application/vnd.puppet.rich+json"), ..Case::get(url) };
    let cases: Vec<Case> = names.map(|name| case(format!("/puppet/v3/catalog/{name}?{query}"))).collect();
    for oracle in seven_and_eight("static catalogs") {
        let modules = root.join("modules").display().to_string();
        let settings = [("basemodulepath", modules.as_str()), ("facts_terminus", "memory")];
        let answers = puppet(oracle, root, &settings, &cases);
        let environments = Arc::new(Environments::new(configuration(oracle, root, &settings)));
        let files = Files::new(environments.clone(), &root.join("fileserver.conf")).expect("files");
        let served = environments.get("production").expect("an environment");
        let client = case(String::from("/puppet/v3/catalog/x")).request().0.client;
        let ours = |catalog: &Value| {
            files.static_metadata(&catalog.to_string(), &served, "sha999.sha256.md5", &client)
        };

        assert_eq!(answers[0].status, 200, "{}", answers[0].comparable());
        let mut catalog = answers[0].comparable();
        let map = catalog.as_object_mut().expect("a catalog");
        let keys = ["metadata", "recursive_metadata"];
        let expected: Map<String, Value> =
            keys.iter().filter_map(|key| Some(((*key).to_owned(), map.shift_remove(*key)?))).collect();
        let found = ours(&catalog).expect("metadata");
        assert_eq!(sorted(expected.clone()), sorted(found.clone()));
        assert_eq!(keys.map(|key| found[key].as_object().expect("entries").len()), [13, 8]);
        assert_eq!(expected["metadata"].to_string(), found["metadata"].to_string());

        for (file, answer) in faulty.iter().zip(&answers[1..]) {
            let source = file.split_once("source => ").expect("a source").1;
            let catalog = as_catalog(source);
            let failure = ours(&catalog).expect_err(file);
            let said = answer.comparable()["message"].as_str().expect("a message").to_owned();
            assert_eq!(answer.status, 500);
            assert!(said.contains(&failure.message), "{said}\n{}", failure.message);
        }
        let types = files
            .static_metadata(&catalog.to_string(), &served, "sha999", &client)
            .expect_err("no type is known");
        assert!(types.message.starts_with("Unable to find a common checksum type between agent 'sha999'"));
    }
}

/// Lists of files by their names: Puppet has them in the order of the disk.
fn sorted(mut metadata: Map<String, Value>) -> Map<String, Value> {
    let recursive = metadata.get_mut("recursive_metadata").and_then(Value::as_object_mut);
    for (_, sources) in recursive.into_iter().flatten() {
        for (_, list) in sources.as_object_mut().into_iter().flatten() {
            let list = list.as_array_mut().expect("a list");
            list.sort_by_key(|file| file["relative_path"].as_str().unwrap_or_default().to_owned());
        }
    }
    metadata
}

/// A catalog of one file, by what stands behind `source =>`.
fn as_catalog(text: &str) -> Value {
    let text = text.trim_end().trim_end_matches('}').trim();
    let (source, rest) = match text.strip_prefix('[') {
        Some(list) => list.split_once(']').expect("a list"),
        None => text.split_once(',').unwrap_or((text, "")),
    };
    let all: Vec<String> = source.split(',').map(|one| one.trim().trim_matches('\'').to_owned()).collect();
    let source = if text.starts_with('[') { Value::from(all) } else { Value::from(all[0].clone()) };
    let mut parameters = serde_json::json!({"source": source});
    if rest.contains("recurse => true") {
        parameters["recurse"] = Value::from(true);
        parameters["max_files"] = Value::from(1);
    }
    serde_json::json!({"resources": [{"type": "File", "title": "/f", "parameters": parameters}]})
}
