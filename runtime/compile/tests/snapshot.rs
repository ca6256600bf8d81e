//! An environment at one moment is a snapshot: the next compile sees what has changed since, compiles that are under
//! way are not disturbed, and what a snapshot keeps shows in no answer.

use bunraku_compile::job::Session;
use bunraku_environment::archive::build::{self, Options};
use bunraku_environment::snapshot::EnvironmentSpec;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
    std::fs::write(path, text).expect("files can be written");
    // Times of folders may be as coarse as the clock's tick.
    std::thread::sleep(std::time::Duration::from_millis(10));
}

fn answer(session: &Session, job: &Value) -> Value {
    serde_json::from_str(&session.answer(&job.to_string())).expect("an answer is JSON")
}

/// The error, or else the first message of the log.
fn ask(session: &Session, environment: &Path, code: &str) -> String {
    let job = json!({"id": 1, "environment": environment, "code": code, "want": [], "settings": {"strict": "warning"}});
    told(&answer(session, &job))
}

fn told(answer: &Value) -> String {
    match answer["error"]["message"].as_str() {
        Some(message) => message.to_owned(),
        None => answer["logs"][0]["message"].as_str().unwrap_or_default().to_owned(),
    }
}

/// A file, code that depends on it, and what comes of it: before there is one, and for each content.
struct Case {
    file: &'static str,
    code: &'static str,
    missing: &'static str,
    contents: [(&'static str, &'static str); 2],
}

const CASES: &[Case] = &[
    Case {
        file: "modules/one/manifests/init.pp",
        code: "include one",
        missing: "Could not find class ::one",
        contents: [
            ("class one { notice('first') }", "first"),
            ("class one { notice('the second') }", "the second"),
        ],
    },
    Case {
        file: "modules/one/manifests/deep/er.pp",
        code: "include one::deep::er",
        missing: "Could not find class ::one::deep::er",
        contents: [
            ("class one::deep::er { notice(1) }", "1"),
            ("class one::deep::er { notice('two') }", "two"),
        ],
    },
    Case {
        file: "modules/one/functions/number.pp",
        code: "notice(one::number())",
        missing: "Unknown function: 'one::number'",
        contents: [("function one::number() { 1 }", "1"), ("function one::number() { 'two' }", "two")],
    },
    Case {
        file: "modules/one/types/port.pp",
        code: "notice(80 =~ One::Port)",
        missing: "Resource type not found: One::Port",
        contents: [("type One::Port = Integer", "true"), ("type One::Port = Integer[81]", "false")],
    },
    Case {
        file: "modules/one/lib/puppet/type/thing.rb",
        code: "thing { 'a': size => 1 }\nnotice('made')",
        missing: "Unknown resource type: 'thing'",
        contents: [
            ("Puppet::Type.newtype(:thing) do\n newparam(:name)\n newparam(:size)\nend\n", "made"),
            ("Puppet::Type.newtype(:thing) do\n newparam(:name)\nend\n", "no parameter named 'size'"),
        ],
    },
    // The words are Ruby's where there is one, else ours.
    Case {
        file: "modules/one/lib/puppet/provider/given/a.rb",
        code: "given { 'a': }\nnotice('made')",
        missing: "made",
        contents: [
            ("raise 'never'", "puppet/provider/given/a"),
            ("Puppet::Type.type(:given).provide(:a)", "made"),
        ],
    },
    Case {
        file: "modules/one/lib/puppet_x/one/needed.rb",
        code: "needing { 'a': }\nnotice('made')",
        missing: "puppet_x/one/needed",
        contents: [("require 'puppet_x/one/nothing'", "puppet_x/one/nothing"), ("NEEDED = 1", "made")],
    },
    Case {
        file: "modules/one/templates/a.epp",
        code: "notice(epp('one/a.epp'))",
        missing: "Could not find template 'one/a.epp'",
        contents: [("<%= 1 + 1 -%>", "2"), ("<%= 'three' -%>", "three")],
    },
    Case {
        file: "modules/one/templates/a.erb",
        code: "notice(template('one/a.erb'))",
        missing: "Could not find template 'one/a.erb'",
        contents: [("<%= 1 + 1 -%>", "2"), ("<%= 'three' -%>", "three")],
    },
    Case {
        file: "modules/one/files/a",
        code: "notice(file('one/a'))",
        missing: "Could not find any files from one/a",
        contents: [("1", "1"), ("two", "two")],
    },
    Case {
        file: "data/common.yaml",
        code: "notice(lookup('a', default_value => 'none'))",
        missing: "none",
        contents: [("a: 1", "1"), ("a: two", "two")],
    },
    Case {
        file: "modules/two/data/common.yaml",
        code: "notice(lookup('two::a', default_value => 'none'))",
        missing: "none",
        contents: [("two::a: 1", "1"), ("two::a: two", "two")],
    },
    Case {
        file: "modules/one/hiera.yaml",
        code: "notice(lookup('one::b', default_value => 'none'))",
        missing: "none",
        contents: [
            ("version: 5\n", "of common"),
            ("version: 5\nhierarchy: [{name: a, path: other.yaml}]\n", "of other"),
        ],
    },
    Case {
        file: "environment.conf",
        code: "include only",
        missing: "Could not find class ::only",
        contents: [
            ("modulepath = other\n", "here"),
            ("modulepath = modules\n", "Could not find class ::only"),
        ],
    },
];

fn environment() -> TempDir {
    let work = TempDir::new().expect("a folder can be made");
    write(&work.path().join("modules/one/README"), "");
    write(&work.path().join("modules/two/hiera.yaml"), "version: 5\n");
    write(&work.path().join("modules/one/data/common.yaml"), "one::b: of common\n");
    write(&work.path().join("modules/one/data/other.yaml"), "one::b: of other\n");
    write(&work.path().join("hiera.yaml"), "version: 5\n");
    let types = work.path().join("modules/two/lib/puppet/type");
    write(&types.join("given.rb"), "Puppet::Type.newtype(:given) do\n newparam(:name)\nend\n");
    let needing = "require 'puppet_x/one/needed'\nPuppet::Type.newtype(:needing) do\n newparam(:name)\nend\n";
    write(&types.join("needing.rb"), needing);
    write(&work.path().join("other/only/manifests/init.pp"), "class only { notice('here') }");
    work
}

#[test]
fn what_comes_is_seen_by_the_next_compile() {
    for case in CASES {
        let (work, session) = (environment(), Session::default());
        let file = work.path().join(case.file);
        let ask = || ask(&session, work.path(), case.code);
        let is = |wanted: &str| {
            let answer = ask();
            assert!(answer.contains(wanted), "{}: {answer} in place of {wanted}", case.file);
            assert_eq!(ask(), answer, "{}: asked again", case.file);
        };
        is(case.missing);
        for (content, wanted) in case.contents {
            write(&file, content);
            is(wanted);
        }
        std::fs::remove_file(&file).expect("it can be removed");
        std::thread::sleep(std::time::Duration::from_millis(10));
        is(case.missing);
    }
}

/// As a deploy does that sets all times alike: a link is switched to another tree, whose files have the sizes and times of the first.
#[test]
fn another_tree_with_the_same_sizes_and_times_is_seen() {
    let (work, session) = (environment(), Session::default());
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1);
    for version in ["1", "2"] {
        let file = work.path().join(format!("versions/{version}/manifests/init.pp"));
        write(&file, &format!("class switched {{ notice('version {version}') }}"));
        for path in file.ancestors().take(3) {
            let opened = std::fs::File::open(path).expect("it can be opened");
            opened.set_modified(time).expect("it can be given a time");
        }
    }
    let link = work.path().join("modules/switched");
    for version in ["1", "2", "1"] {
        let new = work.path().join("new");
        std::os::unix::fs::symlink(format!("../versions/{version}"), &new).expect("a link can be made");
        std::fs::rename(&new, &link).expect("it can be renamed");
        let answer = ask(&session, work.path(), "include switched");
        assert!(answer.contains(&format!("version {version}")), "{answer}");
    }
}

#[test]
fn compiles_under_way_are_not_disturbed() {
    let (work, session, stop) = (environment(), Session::default(), AtomicBool::new(false));
    // Of one generation, whichever: the class is loaded once, so all of a compile's answers are the same.
    let text = |n: usize| format!("class one {{ notice(inline_epp('<%= {n} %>')) }}");
    let file = work.path().join("modules/one/manifests/init.pp");
    let next = work.path().join("next.pp");
    write(&file, &text(0));
    std::thread::scope(|scope| {
        let compile = || {
            let mut last = 0;
            while !stop.load(Ordering::Relaxed) {
                let answer = ask(&session, work.path(), "include one");
                let n = answer.parse::<usize>().unwrap_or_else(|_| panic!("no generation: {answer}"));
                assert!(n >= last, "generation {n} after {last}");
                last = n;
            }
            last
        };
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(compile)).collect();
        for n in 1..=100 {
            std::fs::write(&next, text(n)).expect("a file can be written");
            std::fs::rename(&next, &file).expect("a file can be renamed");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        stop.store(true, Ordering::Relaxed);
        threads.into_iter().for_each(|thread| assert!(thread.join().is_ok()));
    });
    assert_eq!(ask(&session, work.path(), "include one"), "100");
}

#[test]
fn an_archive_has_one_snapshot_as_long_as_its_content_is_the_same() {
    let (work, session) = (environment(), Session::default());
    let archive = TempDir::new().expect("a folder can be made");
    let archive = archive.path().join("a.bnr");
    let directory = Some(work.path().to_path_buf());
    let build = || {
        let options = Options { directory: directory.clone(), embed: true, ..Options::default() };
        std::fs::create_dir_all(archive.parent().expect("a file has a folder")).expect("folders can be made");
        build::build(&options, &archive, &|_| ()).expect("it builds");
    };
    let spec = EnvironmentSpec {
        directory: directory.clone(),
        archive: Some(archive.clone()),
        frozen: true,
        ..EnvironmentSpec::default()
    };
    let snapshot = || session.snapshot(spec.clone()).expect("it opens");
    build();
    let first = snapshot();
    // Another file of the same content takes its place, twice: no compile begins anew.
    for _ in 0..2 {
        build();
        assert!(std::sync::Arc::ptr_eq(&first, &snapshot()));
        assert!(first.is_current());
    }
    write(&work.path().join("modules/one/manifests/init.pp"), "class one { }");
    build();
    assert!(!std::sync::Arc::ptr_eq(&first, &snapshot()));
}

#[test]
fn a_settled_session_stays_with_what_it_has_seen() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("modules/one/manifests/init.pp");
    write(&file, "class one { notice('first') }");
    let (settled, session) = (Session::default().with_fixed_environments(), Session::default());
    for session in [&settled, &session] {
        assert_eq!(ask(session, folder.path(), "include one"), "first");
    }
    write(&file, "class one { notice('the second') }");
    assert_eq!(ask(&settled, folder.path(), "include one"), "first");
    assert_eq!(ask(&session, folder.path(), "include one"), "the second");
}

#[test]
fn settled_trees_share_what_their_archives_have_of_equal_files() {
    let (work, session) =
        (TempDir::new().expect("a folder can be made"), Session::default().with_fixed_environments());
    let tree = |name: &str, case: &Case, content: &str| {
        let tree = work.path().join(name);
        let copied = environment();
        std::fs::rename(copied.keep(), &tree).expect("a folder can be moved");
        for folder in ["modules", "other"] {
            write(&tree.join(folder).join("broken/manifests/init.pp"), "class broken { $a = }");
        }
        write(&tree.join(case.file), content);
        let options = Options { directory: Some(tree.clone()), ..Options::default() };
        build::build(&options, &tree.join("a.bka"), &|_| ()).expect("it builds");
        tree
    };
    let ask = |tree: &Path, code: &str| {
        let archive = tree.join("a.bka");
        let job = json!({"id": 1, "environment": tree, "archive": archive, "code": code, "want": []});
        let answer = answer(&session, &job);
        format!("{} {}", told(&answer), answer["error"]["file"].as_str().unwrap_or_default())
    };
    for (number, case) in CASES.iter().enumerate() {
        let [(one, of_one), (other, of_other)] = case.contents;
        for (name, content, wanted) in [("a", one, of_one), ("b", other, of_other), ("c", one, of_one)] {
            let tree = tree(&format!("{name}{number}"), case, content);
            let answer = ask(&tree, case.code);
            assert!(answer.contains(wanted), "{} in {name}: {answer} in place of {wanted}", case.file);
            // What a message says of the place is that of each.
            let broken = ask(&tree, "include broken");
            assert!(broken.contains(&*tree.to_string_lossy()), "{broken}");
        }
    }
    let unit = |name: &str| {
        let tree = work.path().join(name);
        let (directory, archive) = (Some(tree.clone()), Some(tree.join("a.bka")));
        let spec = EnvironmentSpec { directory, archive, ..EnvironmentSpec::default() };
        let snapshot = session.snapshot(spec).expect("it opens");
        let file = tree.join(CASES[0].file);
        let unit =
            snapshot.units.file(snapshot.tree(), &file, Default::default(), Some("one/manifests/init.pp"));
        unit.expect("it compiles").passed
    };
    assert!(std::sync::Arc::ptr_eq(&unit("a0"), &unit("c0")));
    assert!(!std::sync::Arc::ptr_eq(&unit("a0"), &unit("b0")));
}
