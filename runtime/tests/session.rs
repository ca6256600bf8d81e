//! What a session keeps between jobs is remade when what it was made from changes.

use bunraku_runtime::job::Session;
use serde_json::{Value, json};
use std::path::Path;

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
    std::fs::write(path, text).expect("files can be written");
}

#[test]
fn changed_files_and_new_modules_are_seen() {
    let root = std::env::temp_dir().join(format!("bunraku-session-{}", std::process::id()));
    let session = Session::default();
    let ask = |code: &str| -> String {
        let job = json!({"id": 1, "environment": root, "code": code, "want": []});
        let answer: Value =
            serde_json::from_str(&session.answer(&job.to_string())).expect("an answer is JSON");
        match answer["error"]["message"].as_str() {
            Some(message) => message.to_owned(),
            None => answer["logs"][0]["message"].as_str().unwrap_or_default().to_owned(),
        }
    };
    write(&root.join("modules/one/manifests/init.pp"), "class one { notice('first') }");
    assert_eq!(ask("include one"), "first");
    write(&root.join("modules/one/manifests/init.pp"), "class one { notice('the second text') }");
    assert_eq!(ask("include one"), "the second text");
    assert!(ask("include two").contains("Could not find class ::two"));
    // Times of folders may be as coarse as the clock's tick.
    std::thread::sleep(std::time::Duration::from_millis(20));
    write(&root.join("modules/two/manifests/init.pp"), "class two { notice('new') }");
    assert_eq!(ask("include two"), "new");
    let _ = std::fs::remove_dir_all(root);
}
