//! Classes of environments as they are on the disk. That the answers are Puppet Server's, `tests/tests/server.rs` says.

use super::*;
use crate::exchange::Body;
use crate::testing::get;
use bunraku::{Compat, Configuration};
use http::{StatusCode, header};

struct World {
    folder: tempfile::TempDir,
    classes: Classes,
}

fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().display().to_string();
    let given = ["confdir", "codedir", "vardir"].map(|name| (name.to_owned(), root.clone()));
    std::fs::create_dir_all(folder.path().join("environments/production")).unwrap();
    let configuration = Configuration::read(Compat::V7, &given).unwrap();
    let classes = Classes::new(Arc::new(Environments::new(configuration)), Strict::Warning).unwrap();
    World { folder, classes }
}

impl World {
    fn write(&self, path: &str, content: &str) {
        let path = self.folder.path().join("environments").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
    }

    fn ask(&self, environment: &str, has: Option<&str>) -> (StatusCode, Option<String>, Json) {
        let url = format!("/puppet/v3/environment_classes?environment={environment}");
        let request = Request { if_none_match: has.map(str::to_owned), ..get(&url) };
        let response = self.classes.answer(&request).unwrap();
        let tag = response.headers.iter().find(|(name, _)| name == header::ETAG);
        let Body::Bytes(body) = response.body else { panic!("bytes") };
        let tag = tag.map(|(_, tag)| tag.to_str().unwrap().to_owned());
        (response.status, tag, serde_json::from_slice(&body).unwrap_or_default())
    }

    /// The paths from the environments on, and what each file came to.
    fn told(&self, environment: &str) -> Vec<(String, Json)> {
        let (status, _, body) = self.ask(environment, None);
        assert_eq!(status, 200);
        let root = format!("{}/environments/", self.folder.path().display());
        let file = |file: &Json| {
            let path = file["path"].as_str().unwrap().replace(&root, "");
            let names =
                file["classes"].as_array().map(|all| all.iter().map(|class| class["name"].clone()).collect());
            (path, names.map_or_else(|| json!("error"), Json::Array))
        };
        body["files"].as_array().unwrap().iter().map(file).collect()
    }
}

#[test]
fn answers_follow_the_files_and_have_tags() {
    let world = world();
    world.write("production/manifests/site.pp", "class a { }");
    let (status, tag, _) = world.ask("production", None);
    assert_eq!(status, 200);
    let tag = tag.unwrap();
    assert_eq!(world.ask("production", Some(&tag)).0, 304);
    assert_eq!(world.ask("production", Some(&format!("{tag}--gzip"))).0, 304);
    assert_eq!(world.ask("production", Some("other")).0, 200);
    world.write("production/manifests/site.pp", "class a { class b { } }");
    let (status, other, _) = world.ask("production", Some(&tag));
    assert_eq!(status, 200);
    assert_ne!(other, Some(tag));
    assert_eq!(world.told("production"), [("production/manifests/site.pp".to_owned(), json!(["a::b", "a"]))]);
}

#[test]
fn manifests_are_found_below_the_main_manifest_and_in_modules() {
    let world = world();
    for (path, content) in [
        ("production/manifests/deep/z.pp", "class z { }"),
        ("production/manifests/.hidden.pp", "class hidden { }"),
        ("production/manifests/text.txt", "no code"),
        ("production/modules/m/manifests/init.pp", "class m { }"),
        ("production/modules/m/manifests/a/b.pp", "class m::a::b { }"),
        ("production/modules/m/examples/init.pp", "include m"),
        ("production/modules/m/manifests/misplaced.pp", "class elsewhere { }"),
        ("other/modules/m/manifests/misplaced.pp", "class elsewhere { }"),
    ] {
        world.write(path, content);
    }
    let named = |path: &str, names: Json| (path.to_owned(), names);
    let wanted = [
        named("production/manifests/deep/z.pp", json!(["z"])),
        named("production/modules/m/manifests/a/b.pp", json!(["m::a::b"])),
        named("production/modules/m/manifests/init.pp", json!(["m"])),
        // The server is in production itself.
        named("production/modules/m/manifests/misplaced.pp", json!("error")),
    ];
    assert_eq!(world.told("production"), wanted);
    assert_eq!(world.told("other"), [named("other/modules/m/manifests/misplaced.pp", json!(["elsewhere"]))]);
    assert_eq!(world.ask("nowhere", None).0, 404);
    assert_eq!(world.ask("no-name", None).0, 400);
}

#[test]
fn files_that_stay_are_not_read_again() {
    let world = world();
    world.write("production/manifests/site.pp", "class a { }");
    let site = world.folder.path().join("environments/production/manifests/site.pp");
    let place = Place { manifest: String::new(), modulepath: Vec::new() };
    world.classes.entry(&site, &place);
    assert!(world.classes.kept.lock().unwrap().is_empty(), "it has just been written");
    std::thread::sleep(std::time::Duration::from_millis(3100));
    let first = world.classes.entry(&site, &place);
    assert!(Arc::ptr_eq(&first, &world.classes.entry(&site, &place)));
}
