//! Tasks of modules. That the answers are Puppet Server's, `tests/tests/server.rs` says.

use super::*;
use crate::exchange::Body;
use crate::testing::get;
use bunraku::archive::{Options, build};
use bunraku::{Compat, Configuration};

struct World {
    folder: tempfile::TempDir,
    tasks: Tasks,
}

fn world(files: &[(&str, &str)], archives: bool) -> World {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().display().to_string();
    let given = ["confdir", "codedir", "vardir"].map(|name| (name.to_owned(), root.clone()));
    for (path, content) in files {
        let path = folder.path().join("environments/production").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let configuration = Configuration::read(Compat::V7, &given).unwrap();
    let environments = Environments::new(configuration);
    let environments = environments.with_archives(archives.then(|| folder.path().join("archives")));
    let tasks = Tasks::new(Arc::new(environments));
    World { folder, tasks }
}

fn body(response: Result<Response, Failure>) -> (StatusCode, Json) {
    let response = response.unwrap();
    let Body::Bytes(body) = response.body else { panic!("bytes") };
    (response.status, serde_json::from_slice(&body).unwrap_or_default())
}

#[test]
fn what_is_malformed_is_left_out_of_the_list_and_told_of() {
    let files = [
        ("modules/m/tasks/good.sh", "x"),
        ("modules/m/tasks/good.json", r#"{"private": true /* for now */}"#),
        ("modules/m/tasks/list.sh", "x"),
        ("modules/m/tasks/list.json", "[]"),
        ("modules/m/tasks/alone.json", "{}"),
    ];
    let mut world = world(&files, false);
    let (notices, told) = Notices::kept(10);
    world.tasks = world.tasks.with_notices(notices);
    let (status, all) = body(world.tasks.all(&get("/puppet/v3/tasks?environment=production")));
    assert_eq!(status, 200);
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert_eq!((&all[0]["name"], &all[0]["private"]), (&json!("m::good"), &json!(true)));
    assert_eq!(told.lock().unwrap().len(), 2);
    assert!(world.folder.path().exists());
}

#[test]
fn files_lie_where_modules_hand_them_out_and_nowhere_else() {
    for (name, kind) in [
        ("m/files/../secret", "puppet.tasks/invalid-metadata"),
        ("m/files/./a", "puppet.tasks/invalid-metadata"),
        ("m/files//a/../../x", "puppet.tasks/invalid-metadata"),
        ("m/manifests/init.pp", "puppet.tasks/invalid-metadata"),
        ("m", "puppet.tasks/invalid-metadata"),
        ("../m/files/a", "puppet.tasks/invalid-metadata"),
        ("", "puppet.tasks/invalid-metadata"),
        ("m/files/missing", "puppet.tasks/invalid-file"),
    ] {
        let metadata = json!({"files": [name]}).to_string();
        let files = [
            ("modules/m/tasks/t.sh", "x"),
            ("modules/m/tasks/t.json", &metadata),
            ("modules/m/files/a", "a"),
        ];
        let world = world(&files, false);
        let (status, answer) = body(world.tasks.one(&get("/?environment=production"), "m", "t"));
        assert_eq!((status.as_u16(), &answer["kind"]), (500, &json!(kind)), "{name}: {answer}");
    }
}

#[test]
fn files_of_a_version_are_handed_out_by_it() {
    let files = [("modules/m/tasks/init.sh", "x"), ("manifests/site.pp", "")];
    let world = world(&files, true);
    let archives = world.folder.path().join("archives/production");
    std::fs::create_dir_all(&archives).unwrap();
    let directory = Some(world.folder.path().join("environments/production"));
    let options = Options { directory, ..Options::default() };
    build(&options, &archives.join("1.bnr"), &|_| ()).unwrap();
    std::os::unix::fs::symlink("1.bnr", archives.join("current")).unwrap();
    let (status, answer) = body(world.tasks.one(&get("/?environment=production"), "m", "init"));
    assert_eq!(status, 200, "{answer}");
    let uri = &answer["files"][0]["uri"];
    assert_eq!(uri["path"], "/puppet/v3/static_file_content/modules/m/tasks/init.sh");
    assert_eq!(uri["params"]["code_id"].as_str().map(str::len), Some(40));
}
