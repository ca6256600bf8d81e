//! Programs that `generate` runs: of those that are called pure, one run serves all compiles that give the same arguments.

use bunraku_compile::job::Session;
use serde_json::{Value, json};
use std::fs::Permissions;
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
            std::fs::set_permissions(path, Permissions::from_mode(0o755))
        };
        write(&self.path("program")).expect("files can be written");
    }

    /// This process ends, and another one begins.
    fn next_process(&mut self) {
        std::mem::take(&mut self.session).end_without_freeing();
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

/// A program that has not changed a moment ago, for what it prints is only kept for others then.
fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(2200));
}

#[test]
fn what_a_pure_one_printed_is_kept_for_the_next_process() {
    let mut world = World::new();
    let file = world.path("outputs");
    let pure = json!({"pure_programs": [world.program()], "pure_outputs": file});
    // It has just been written: a change might not show.
    assert_eq!(world.ask("early", pure.clone()), "early");
    settle();
    assert_eq!(world.ask("a", pure.clone()), "a");
    world.next_process();
    for (argument, runs) in [("a", 2), ("early", 3), ("early", 3)] {
        assert_eq!(world.ask(argument, pure.clone()), argument);
        assert_eq!(world.runs(), runs, "{argument}");
    }
    // Two that run at once lose nothing of each other.
    let other = std::mem::take(&mut world.session);
    assert_eq!(world.ask("b", pure.clone()), "b");
    world.next_process();
    other.end_without_freeing();
    for argument in ["a", "b", "early"] {
        assert_eq!(world.ask(argument, pure.clone()), argument);
    }
    assert_eq!(world.runs(), 4);
    // Another program has printed nothing yet.
    world.write_program("another one");
    world.next_process();
    assert_eq!(world.ask("a", pure.clone()), "a");
    assert_eq!(world.runs(), 5);
}

#[test]
fn a_file_that_is_no_file_of_outputs_is_refused_and_stays() {
    let mut world = World::new();
    let ask = |world: &World, name: &str| {
        let file = world.path("environment").with_file_name(name);
        world.ask("a", json!({"pure_programs": [world.program()], "pure_outputs": file}))
    };
    let refused = |name: &str, why: &str| {
        format!(
            "The setting 'pure_outputs': {}: {why}",
            world.path("environment").with_file_name(name).display()
        )
    };
    let whose = "is not believed: it is no regular file, belongs to somebody else, or others may write to it";
    std::fs::write(world.path("other"), "mine").expect("files can be written");
    std::fs::write(world.path("open"), "").expect("files can be written");
    std::fs::set_permissions(world.path("open"), Permissions::from_mode(0o666)).expect("modes can be set");
    std::fs::create_dir(world.path("folder")).expect("folders can be made");
    let nowhere = format!("there is no folder {}", world.path("nowhere").display());
    for (name, why) in [
        ("other", "is no file of outputs, and stays as it is"),
        ("open", whose),
        ("folder", whose),
        ("nowhere/x", &nowhere),
    ] {
        assert_eq!(ask(&world, name), refused(name, why));
    }
    assert_eq!(world.runs(), 0);
    // One that is damaged, by any change of a byte, is an error or has other outputs; nothing worse.
    settle();
    assert_eq!(ask(&world, "outputs"), "a");
    world.next_process();
    let whole = std::fs::read(world.path("outputs")).expect("it was written");
    for (at, _) in whole.iter().enumerate() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(world.path("outputs"), &damaged).expect("files can be written");
        let told = ask(&world, "outputs");
        assert!(!told.contains("panicked"), "{at}: {told}");
        world.session = Session::default();
    }
    assert_eq!(std::fs::read(world.path("other")).ok().as_deref(), Some(&b"mine"[..]));
    let relative = world.ask("a", json!({"pure_outputs": "outputs"}));
    assert_eq!(relative, "The setting 'pure_outputs' takes absolute paths, not \"outputs\"");
}
