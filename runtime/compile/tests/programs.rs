//! Programs that `generate` runs: of those that are called pure, one run serves all compiles that give the same arguments.

use bunraku_compile::job::Session;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with an empty environment and a program that writes a line for each of its runs.
struct World {
    folder: TempDir,
    session: Session,
}

impl World {
    fn new() -> World {
        let folder = TempDir::new().expect("folders can be made");
        std::fs::create_dir(folder.path().join("environment")).expect("folders can be made");
        let world = World { folder, session: Session::default() };
        world.write_program("");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder is there").join(name)
    }

    fn program(&self) -> String {
        self.path("program").to_string_lossy().into_owned()
    }

    /// A program that prints its arguments, and fails where the first is `fail`.
    fn write_program(&self, comment: &str) {
        let runs = self.path("runs");
        let text = format!(
            "#!/bin/sh\n# {comment}\necho \"$@\" >> {}\necho \"$@\"\ntest \"$1\" != fail\n",
            runs.display()
        );
        let write = |path: &Path| {
            std::fs::write(path, &text)?;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        };
        write(&self.path("program")).expect("files can be written");
    }

    /// How often it has run.
    fn runs(&self) -> usize {
        std::fs::read_to_string(self.path("runs")).map_or(0, |text| text.lines().count())
    }

    /// What a compile logs that runs it with an argument, or its error.
    fn ask(&self, argument: &str, settings: Value) -> String {
        let code = format!("notice(generate('{}', '{argument}'))", self.program());
        let job = json!({"id": 1, "environment": self.path("environment"), "code": code, "want": [], "settings": settings});
        let answer: Value =
            serde_json::from_str(&self.session.answer(&job.to_string())).expect("an answer is JSON");
        let told = answer["error"]["message"].as_str().or(answer["logs"][0]["message"].as_str());
        told.unwrap_or_default().trim().to_owned()
    }
}

#[test]
fn others_run_each_time() {
    let world = World::new();
    for runs in 1..=3 {
        assert_eq!(world.ask("a", json!({"pure_programs": ["/bin/other"]})), "a");
        assert_eq!(world.runs(), runs);
    }
}

#[test]
fn a_pure_one_runs_once_for_its_arguments_as_long_as_it_is_the_same() {
    let world = World::new();
    let pure = json!({"pure_programs": [world.program()]});
    for argument in ["a", "b", "a", "b"] {
        assert_eq!(world.ask(argument, pure.clone()), argument);
    }
    assert_eq!(world.runs(), 2);
    // Whoever does not say so runs it.
    assert_eq!(world.ask("a", json!({})), "a");
    assert_eq!(world.runs(), 3);
    world.write_program("another one");
    for _ in 0..2 {
        assert_eq!(world.ask("a", pure.clone()), "a");
    }
    assert_eq!(world.runs(), 4);
    // What fails is run again.
    for _ in 0..2 {
        assert!(world.ask("fail", pure.clone()).contains("returned 1: fail"));
    }
    assert_eq!(world.runs(), 6);
}

#[test]
fn what_is_no_list_of_paths_is_refused() {
    let world = World::new();
    for (given, message) in [
        (json!(["program"]), "The setting 'pure_programs' takes absolute paths, not \"program\""),
        (json!([1]), "The setting 'pure_programs' takes absolute paths, not 1"),
    ] {
        assert_eq!(world.ask("a", json!({"pure_programs": given})), message);
    }
    assert_eq!(world.runs(), 0);
}
