//! Archives from end to end, by the library: what they give, when they are stale, what building leaves.

mod answer;

use answer::answer;
use bunraku_compile::job::Session;
use bunraku_environment::archive::build::{self, Options, Summary};
use bunraku_vm::archive::layout::{Section, TABLE};
use bunraku_vm::archive::writer::seal_all;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::path::Path;
use tempfile::TempDir;

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
    std::fs::write(path, text).expect("files can be written");
}

/// An environment with something of everything.
const FILES: &[(&str, &str)] = &[
    ("environment.conf", "modulepath = site:modules\nmanifest = manifests\n"),
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - name: all\n    globs: ['*.yaml']\n  - name: j\n    path: j.json\n    data_hash: json_data\n",
    ),
    ("data/common.yaml", "web::port: 8080\nlist: [1, 2.5, ~, true, 'é']\n"),
    ("data/j.json", "{\"from_json\": {\"a\": [1, null]}}"),
    ("manifests/10-first.pp", "node 'other' { fail('not me') }\n"),
    (
        "manifests/20-site.pp",
        "node default { include web\n  notice(lookup('list'), lookup('from_json'), environment::double(4)) }\n",
    ),
    ("functions/environment/double.pp", "function environment::double($x) { $x * 2 }\n"),
    (
        "site/web/metadata.json",
        "{\"name\": \"me-web\", \"version\": \"1.0.0\", \"author\": \"me\", \"license\": \"none\", \"source\": \"here\", \"dependencies\": [{\"name\": \"me/lib\"}]}",
    ),
    (
        "site/web/manifests/init.pp",
        "class web($port) {\n  web::site { 'a': port => lib::twice($port) }\n  gizmo { 'g': id => 1 }\n  file { '/f': content => file('web/motd') }\n  file { '/e': content => epp('web/t.epp', { 'n' => $port }) }\n  file { '/r': content => template('web/r.erb') } }\n",
    ),
    (
        "site/web/manifests/site.pp",
        "define web::site(Lib::Port $port) { notify { \"${title} ${port}\": } }\n",
    ),
    ("site/web/manifests/broken.pp", "class web::broken {\n  $x = = 1\n}\n"),
    ("site/web/manifests/keys.pp", "class web::keys { $x = { 'a' => 1, 'a' => 2 } }\n"),
    ("site/web/files/motd", "welcome\n"),
    ("site/web/templates/t.epp", "<%- | $n | -%>\nn is <%= $n %>\n"),
    ("site/web/templates/r.erb", "<% [1, 2].each do |n| -%>\nport <%= @port.to_i + n %>\n<% end -%>\n"),
    (
        "site/web/lib/puppet/type/gizmo.rb",
        "Puppet::Type.newtype(:gizmo) do\n newparam(:id, :namevar => true) do\n end\nend\n",
    ),
    ("modules/lib/functions/twice.pp", "function lib::twice(Integer $n) >> Integer { $n * 2 }\n"),
    ("modules/lib/types/port.pp", "type Lib::Port = Integer[1, 65535]\n"),
    ("modules/web/manifests/init.pp", "class web { fail('hidden by site/web') }\n"),
];

fn environment(root: &Path) -> std::path::PathBuf {
    let directory = root.join("production");
    FILES.iter().for_each(|(name, text)| write(&directory.join(name), text));
    directory
}

fn options(directory: &Path, embed: bool) -> Options {
    Options { directory: Some(directory.to_path_buf()), embed, ..Options::default() }
}

fn build(directory: &Path, archive: &Path) -> Summary {
    build::build(&options(directory, true), archive, &|_| ()).expect("it builds")
}

fn ask(session: &Session, directory: &Path, with: Value) -> Value {
    let mut job = json!({"id": 1, "environment": directory});
    for (key, value) in with.as_object().into_iter().flatten() {
        job[key] = value.clone();
    }
    answer(session, &job)
}

fn message(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_default()
}

#[test]
fn a_frozen_archive_knows_the_module_path_it_was_built_with() {
    let work = TempDir::new().expect("a folder can be made");
    let directory = work.path().join("production");
    let (site, more, inner) = (directory.join("site"), work.path().join("more"), work.path().join("other"));
    for (path, text) in [
        // What it says of modules goes for nothing: the archive is built with another path.
        (directory.join("environment.conf"), "modulepath = elsewhere:$basemodulepath\n"),
        (directory.join("manifests/site.pp"), "include web\n"),
        (
            site.join("web/manifests/init.pp"),
            "class web { notify { String(7 =~ More::Port): } include deep }\n",
        ),
        (more.join("more/types/port.pp"), "type More::Port = Integer[1, 65535]\n"),
        (more.join("web/manifests/init.pp"), "class web { fail('hidden by site') }\n"),
        (inner.join("deep/manifests/init.pp"), "class deep { notify { 'deep': } }\n"),
    ] {
        write(&path, text);
    }
    let modulepath = vec![site, more, inner];
    let archive = work.path().join("a.bnr");
    let options = Options { modulepath: Some(modulepath.clone()), ..options(&directory, true) };
    build::build(&options, &archive, &|_| ()).expect("it builds");
    let session = Session::default();
    let sources = ask(&session, &directory, json!({"modulepath": modulepath}));
    assert_eq!(sources["ok"], true, "{sources}");
    // The same but for where files lie.
    let place = |mut answer: Value| {
        answer["catalog"]["resources"].as_array_mut().into_iter().flatten().for_each(|resource| {
            resource.as_object_mut().map(|resource| resource.remove("file"));
        });
        answer["catalog"].clone()
    };
    let frozen = json!({"archive": archive, "frozen": true});
    assert_eq!(place(ask(&session, &directory, frozen.clone())), place(sources.clone()));
    let mut job = frozen;
    job["id"] = 1.into();
    assert_eq!(place(answer(&session, &job)), place(sources));
}

#[test]
fn a_frozen_archive_has_the_module_path_of_its_environment_conf() {
    let work = TempDir::new().expect("a folder can be made");
    let directory = work.path().join("production");
    let more = work.path().join("more");
    let conf = format!("modulepath = modules:{}:$basemodulepath\n", more.display());
    for (path, text) in [
        (directory.join("environment.conf"), &*conf),
        (directory.join("manifests/site.pp"), "include deep\n"),
        (directory.join("modules/web/manifests/init.pp"), "class web { }\n"),
        (
            more.join("deep/manifests/init.pp"),
            "class deep { include web file { module_directory('deep'): content => file('deep/f') } }\n",
        ),
        (more.join("deep/files/f"), "text\n"),
    ] {
        write(&path, text);
    }
    let archive = work.path().join("a.bnr");
    build::build(&options(&directory, true), &archive, &|_| ()).expect("it builds");
    let session = Session::default();
    let sources = ask(&session, &directory, json!({}));
    assert_eq!(sources["ok"], true, "{sources}");
    std::fs::remove_dir_all(more.join("deep")).expect("it can be removed");
    let frozen = ask(&session, &directory, json!({"archive": archive, "frozen": true}));
    assert_eq!(frozen["catalog"], sources["catalog"], "{frozen}");
}

#[test]
fn a_frozen_archive_needs_no_sources() {
    let work = TempDir::new().expect("a folder can be made");
    let (directory, archive) = (environment(work.path()), work.path().join("a.bnr"));
    let summary = build(&directory, &archive);
    assert_eq!(summary.errors.len(), 2, "{:?}", summary.errors);
    let codes = [None, Some("include web::broken"), Some("include web::keys"), Some("include nowhere")];
    let strict = ["error", "warning", "off"];
    let cases: Vec<Value> = codes
        .iter()
        .flat_map(|code| strict.map(|strict| (code, strict)))
        .map(|(code, strict)| match code {
            Some(code) => json!({"code": code, "settings": {"strict": strict}}),
            None => json!({"settings": {"strict": strict}}),
        })
        .collect();
    let sources: Vec<Value> =
        cases.iter().map(|case| ask(&Session::default(), &directory, case.clone())).collect();
    assert_eq!(sources[0]["ok"], true, "{}", sources[0]);
    assert!(sources[0].to_string().contains("n is 8080"), "{}", sources[0]);
    assert!(sources[0].to_string().contains("port 8082"), "{}", sources[0]);
    assert!(message(&sources[3]).contains("Syntax error"), "{}", sources[3]);
    assert_ne!(sources[6], sources[7], "the levels of strict differ");
    for frozen in [false, true] {
        if frozen {
            std::fs::rename(&directory, work.path().join("away")).expect("it can be moved");
        }
        let session = Session::default();
        for (case, source) in cases.iter().zip(&sources) {
            let mut case = case.clone();
            (case["archive"], case["frozen"]) = (json!(archive), json!(frozen));
            assert_eq!(&ask(&session, &directory, case.clone()), source, "frozen {frozen}: {case}");
        }
    }
    // Nothing said of the place: Puppet's.
    let there = answer(&Session::default(), &json!({"id": 1, "archive": archive, "frozen": true}));
    let text = there.to_string();
    assert!(text.contains("/etc/puppet/code/environments/production/site/web/manifests/init.pp"), "{text}");
    assert_eq!(
        there["catalog"]["resources"].as_array().map(Vec::len),
        sources[0]["catalog"]["resources"].as_array().map(Vec::len)
    );
}

#[test]
fn an_archive_has_the_files_of_functions_that_a_tree_has() {
    let new = |name: &str, says: &str| {
        format!(
            "Puppet::Functions.create_function(:'{name}') do\n  dispatch(:x) {{}}\n  def x\n    '{says}'\n  end\nend\n"
        )
    };
    let old = |name: &str, says: &str| {
        format!("Puppet::Parser::Functions.newfunction(:{name}, :type => :rvalue) {{ |_| '{says}' }}\n")
    };
    let asks = |class: &str| {
        let names = ["twice", "ours", "theirs", "hidden", "of_folder"];
        let calls: Vec<_> =
            names.iter().map(|name| format!("  notify {{ \"{class} {name} ${{{name}()}}\": }}\n")).collect();
        format!("class {class} {{\n{}}}\n", calls.concat())
    };
    let depends = r#"{"name": "me-c", "version": "1.0.0", "author": "me", "license": "none", "source": "here", "dependencies": [{"name": "me/b"}]}"#;
    let work = TempDir::new().expect("a folder can be made");
    let directory = work.path().join("production");
    let files = [
        ("environment.conf", "modulepath = first:modules\n".to_owned()),
        // Both have it: each gets its own, others that of the module that they depend on, or the first. As Puppet 7.23 says.
        ("first/a/lib/puppet/functions/twice.rb", new("twice", "a")),
        ("modules/b/lib/puppet/functions/twice.rb", new("twice", "b")),
        ("first/a/manifests/init.pp", asks("a")),
        ("modules/b/manifests/init.pp", asks("b")),
        ("modules/c/manifests/init.pp", asks("c")),
        ("modules/c/metadata.json", depends.to_owned()),
        ("modules/d/manifests/init.pp", asks("d")),
        ("modules/d/lib/puppet/functions/ours.rb", new("ours", "d")),
        ("lib/puppet/functions/ours.rb", new("ours", "environment")),
        ("modules/b/lib/puppet/parser/functions/theirs.rb", old("theirs", "b")),
        ("modules/a/lib/puppet/functions/hidden.rb", new("hidden", "hidden a")),
        ("modules/a/lib/puppet/parser/functions/hidden.rb", old("hidden", "old hidden a")),
        ("modules/no-module/lib/puppet/parser/functions/of_folder.rb", old("of_folder", "folder")),
        ("modules/no-module/lib/puppet/functions/theirs.rb", new("theirs", "folder")),
    ];
    files.iter().for_each(|(name, text)| write(&directory.join(name), text));
    let archive = work.path().join("a.bnr");
    build(&directory, &archive);
    let code = json!({"code": "include a\ninclude b\ninclude c\ninclude d\n"});
    let from_source = ask(&Session::default(), &directory, code.clone());
    let text = from_source.to_string();
    for said in [
        "a twice a",
        "b twice b",
        "c twice b",
        "d twice a",
        "a ours environment",
        "d ours environment",
        "c theirs b",
        "d hidden old hidden a",
        "a of_folder folder",
    ] {
        assert!(text.contains(&format!("\"{said}\"")), "{said}: {text}");
    }
    let mut frozen = code;
    (frozen["archive"], frozen["frozen"]) = (json!(archive), json!(true));
    assert_eq!(ask(&Session::default(), &directory, frozen), from_source);
}

#[test]
fn what_was_not_embedded_says_so() {
    let work = TempDir::new().expect("a folder can be made");
    let (directory, archive) = (environment(work.path()), work.path().join("a.bnr"));
    build::build(&options(&directory, false), &archive, &|_| ()).expect("it builds");
    let with = json!({"archive": archive, "frozen": true, "code": "notice(file('web/motd'))"});
    let got = ask(&Session::default(), &directory, with);
    assert!(message(&got).contains("built without --embed"), "{got}");
    let with = json!({"archive": archive, "frozen": true, "code": "notice(find_file('web/motd'))"});
    assert!(ask(&Session::default(), &directory, with).to_string().contains("web/files/motd"));
    // What a template was lowered to is there.
    std::fs::remove_file(directory.join("site/web/templates/r.erb")).expect("it can be removed");
    let code = "class web { $port = 5\n notify { template('web/r.erb'): } }\ninclude web";
    let with = json!({"archive": archive, "frozen": true, "code": code});
    let got = ask(&Session::default(), &directory, with);
    assert!(got.to_string().contains("port 6"), "{got}");
}

#[test]
fn a_changed_source_is_compiled_anew_with_a_notice() {
    let work = TempDir::new().expect("a folder can be made");
    let (directory, archive) = (environment(work.path()), work.path().join("a.bnr"));
    build(&directory, &archive);
    let session = Session::default();
    let run = |code: &str| ask(&session, &directory, json!({"archive": archive, "code": code}));
    assert!(!run("include web").to_string().contains("archive was built"));
    // The same size, so that only time and content can tell.
    write(
        &directory.join("site/web/manifests/site.pp"),
        "define web::site(Lib::Port $port) { notify { \"${title}+${port}\": } }\n",
    );
    let got = run("include web");
    assert!(got.to_string().contains("a+16160"), "{got}");
    let notice = format!(
        "{} has changed since the archive was built; it was compiled anew",
        directory.join("site/web/manifests/site.pp").display()
    );
    assert_eq!(
        got["logs"][1]["message"].as_str().or(got["logs"][0]["message"].as_str()),
        Some(notice.as_str()),
        "{got}"
    );
    write(
        &directory.join("site/web/templates/r.erb"),
        "<% [3, 4].each do |n| -%>\nport <%= @port.to_i + n %>\n<% end -%>\n",
    );
    assert!(run("include web").to_string().contains("port 8083"));
    // Touched, not changed: no notice.
    write(&directory.join("site/web/manifests/init.pp"), FILES[8].1);
    assert_eq!(run("include web").to_string().matches("archive was built").count(), 1);
    write(&directory.join("data/common.yaml"), "web::port: 81\n");
    assert!(run("include web").to_string().contains("a+162"));
    write(&directory.join("site/web/manifests/new.pp"), "class web::new { notice('new') }\n");
    let got = run("include web::new");
    assert!(got.to_string().contains("new.pp is not in the archive; it was compiled anew"), "{got}");
    std::fs::remove_file(directory.join("site/web/manifests/site.pp")).expect("it can be removed");
    assert!(message(&run("include web")).contains("Unknown resource type: 'web::site'"));
    // The frozen archive knows nothing of all that.
    let with = json!({"archive": archive, "frozen": true, "code": "include web"});
    let got = ask(&session, &directory, with);
    assert!(got.to_string().contains("a 16160") && got.to_string().contains("port 8081"), "{got}");
    // Another in its place is seen by the same session.
    write(&directory.join("site/web/manifests/site.pp"), "define web::site($port) { notify { 'other': } }\n");
    let before = build(&directory, &archive);
    assert_eq!(before.compiled, 2, "{before:?}");
    let with = json!({"archive": archive, "frozen": true, "code": "include web"});
    let got = ask(&session, &directory, with);
    assert!(got.to_string().contains("other") && got.to_string().contains("port 84"), "{got}");
}

#[test]
fn a_type_of_an_archive_holds_as_long_as_what_it_requires_is_what_it_was() {
    let work = TempDir::new().expect("a folder can be made");
    let (directory, archive) = (environment(work.path()), work.path().join("a.bnr"));
    let own =
        "require 'puppet_x/own'\nPuppet::Type.newtype(:gadget) do\n extend PuppetX::Own\n create\nend\n";
    write(&directory.join("modules/lib/lib/puppet/type/gadget.rb"), own);
    let required = |namevar: &str| {
        format!(
            "module PuppetX\n module Own\n  def create\n   newparam(:{namevar}, :namevar => true)\n  end\n end\nend\n"
        )
    };
    let file = directory.join("modules/lib/lib/puppet_x/own.rb");
    write(&file, &required("first"));
    build(&directory, &archive);
    let namevar = || {
        // What a session knows of one environment it need not find out again.
        let code = "gadget { 'x': * => { $facts['namevar'] => 'y' } }";
        let of = |name: &str| {
            let facts = json!({"namevar": name});
            let got = ask(
                &Session::default(),
                &directory,
                json!({"archive": archive, "code": code, "facts": facts}),
            );
            got["ok"] == true
        };
        ["first", "other", "third"].into_iter().filter(|name| of(name)).collect::<Vec<_>>()
    };
    assert_eq!(namevar(), ["first"]);
    // Of the same size.
    write(&file, &required("other"));
    assert_eq!(namevar(), ["other"]);
    write(&file, &required("first"));
    assert_eq!(namevar(), ["first"]);
    // A module that comes before has it, too.
    let before = directory.join("site/web/lib/puppet_x/own.rb");
    write(&before, &required("third"));
    assert_eq!(namevar(), ["third"]);
    std::fs::remove_file(&before).expect("it can be removed");
    std::fs::remove_file(&file).expect("it can be removed");
    // It can't be loaded any more.
    assert_eq!(namevar(), [""; 0]);
}

#[test]
fn a_type_of_an_archive_is_loaded_with_the_providers_that_there_are() {
    let work = TempDir::new().expect("a folder can be made");
    let (directory, archive) = (environment(work.path()), work.path().join("a.bnr"));
    let own = "Puppet::Type.newtype(:gadget) do\n newparam(:name)\nend\n";
    write(&directory.join("modules/lib/lib/puppet/type/gadget.rb"), own);
    build(&directory, &archive);
    let run = |frozen: bool, nodes: usize| {
        let session = Session::default();
        let ask = |_| {
            let code = "gadget { 'x': }";
            let with = json!({"archive": archive, "frozen": frozen, "code": code});
            let got = ask(&session, &directory, with);
            message(&got).to_owned()
        };
        let all: Vec<String> = (0..nodes).map(ask).collect();
        assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
        all[0].clone()
    };
    assert_eq!(run(false, 1), "");
    // Another module gives it a provider.
    let provider = directory.join("site/web/lib/puppet/provider/gadget/one.rb");
    write(&provider, "require 'puppet_x/nowhere'\nPuppet::Type.type(:gadget).provide(:one) { }\n");
    let wanted = "Could not autoload puppet/type/gadget: Could not autoload puppet/provider/gadget/one: cannot load such file \
                  -- puppet_x/nowhere";
    assert!(run(false, 2).contains(wanted), "{}", run(false, 2));
    assert_eq!(run(true, 1), "");
    build(&directory, &archive);
    assert!(run(true, 3).contains(wanted));
    assert!(run(false, 3).contains(wanted));
    write(&directory.join("modules/lib/lib/puppet_x/nowhere.rb"), "module PuppetX; end\n");
    assert_eq!(run(false, 2), "");
    write(&provider, "Puppet::Type.type(:gadget).provide(:one) do\n");
    assert!(run(false, 2).contains("puppet/provider/gadget/one: "));
    std::fs::remove_file(&provider).expect("it can be removed");
    assert_eq!(run(false, 2), "");
}

/// How many sources the note beside an archive has.
fn noted(archive: &Path) -> usize {
    let note = archive.with_extension("bnr.seen");
    std::fs::metadata(note).map_or(0, |note| (note.len() as usize - 32) / 56)
}

#[test]
fn what_one_process_has_compared_the_next_need_not() {
    let work = TempDir::new().expect("a folder can be made");
    let (directory, archive) = (environment(work.path()), work.path().join("a.bnr"));
    build(&directory, &archive);
    let run = || {
        let session = Session::default();
        ask(&session, &directory, json!({"archive": archive, "code": "include web"}))
    };
    // What has just changed is compared each time.
    assert!(run().to_string().contains("a 16160"));
    assert_eq!(noted(&archive), 0);
    std::thread::sleep(std::time::Duration::from_millis(2100));
    assert!(!run().to_string().contains("archive was built"));
    let all = noted(&archive);
    assert!(all > 5, "{all}");
    let before = std::fs::metadata(archive.with_extension("bnr.seen")).expect("it is there");
    assert!(!run().to_string().contains("archive was built"));
    let after = std::fs::metadata(archive.with_extension("bnr.seen")).expect("it is there");
    assert_eq!(before.modified().ok(), after.modified().ok(), "there was nothing to write");
    // The same size and time.
    let source = directory.join("site/web/manifests/site.pp");
    let time = std::fs::metadata(&source).and_then(|found| found.modified()).expect("it has a time");
    write(&source, "define web::site(Lib::Port $port) { notify { \"${title}+${port}\": } }\n");
    let file = std::fs::File::options().write(true).open(&source).expect("it can be opened");
    file.set_modified(time).expect("it can be given a time");
    for _ in 0..2 {
        let got = run().to_string();
        assert!(got.contains("a+16160") && got.contains("archive was built"), "{got}");
    }
    // Another archive, of the source as it is now, in the old one's place.
    build(&directory, &archive);
    let got = run().to_string();
    assert!(got.contains("a+16160") && !got.contains("archive was built"), "{got}");
    assert_eq!(noted(&archive), all - 1, "the one that has just changed is not noted");
    // Back to what it was when the first archive was built.
    write(&source, "define web::site(Lib::Port $port) { notify { \"${title} ${port}\": } }\n");
    assert!(run().to_string().contains("archive was built"));
    // A frozen one compares nothing.
    std::fs::remove_file(archive.with_extension("bnr.seen")).expect("it can be removed");
    let frozen = json!({"archive": archive, "frozen": true, "code": "include web"});
    assert!(ask(&Session::default(), &directory, frozen).to_string().contains("a+16160"));
    assert_eq!(noted(&archive), 0);
    // One that lies in its own tree is built as if there were no note.
    let inside = directory.join("a.bnr");
    build(&directory, &inside);
    let bytes = std::fs::read(&inside).expect("it can be read");
    let with = json!({"archive": inside, "code": "include web"});
    assert!(ask(&Session::default(), &directory, with).to_string().contains("a 16160"));
    assert!(noted(&inside) > 0);
    build(&directory, &inside);
    assert!(std::fs::read(&inside).is_ok_and(|again| again == bytes));
}

#[test]
fn the_same_tree_gives_the_same_bytes() {
    let work = TempDir::new().expect("a folder can be made");
    let first = environment(&work.path().join("one"));
    // Another place, another order of creation, other times.
    let second = work.path().join("elsewhere/deeper/production-2");
    for (name, text) in FILES.iter().rev() {
        write(&second.join(name), text);
        let file = std::fs::File::options().write(true).open(second.join(name)).expect("it is there");
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1)).expect("it can be set");
    }
    let none = work.path().join("none");
    let bytes = |directory: &Path, threads: usize, output: &Path| {
        let options = Options { threads: NonZeroUsize::new(threads), ..options(directory, true) };
        build::bytes(&options, output, &|_| ()).expect("it builds").0
    };
    let one = bytes(&first, 1, &none);
    assert_eq!(one, bytes(&second, 7, &none));
    let archive = work.path().join("a.bnr");
    std::fs::write(&archive, &one).expect("it can be written");
    assert_eq!(one, bytes(&second, 2, &archive), "an incremental build gives what a whole one gives");
    write(&second.join("site/web/manifests/site.pp"), "define web::site($port) { }\n");
    let changed = bytes(&second, 2, &archive);
    assert_eq!(changed, bytes(&second, 2, &none));
    assert_ne!(changed, one);
}

#[test]
fn a_rebuild_compiles_what_changed() {
    let work = TempDir::new().expect("a folder can be made");
    let (directory, archive) = (environment(work.path()), work.path().join("a.bnr"));
    // The module that another one hides is never reached.
    let all = FILES.iter().filter(|(name, _)| name.ends_with("pp")).count() - 1;
    let counts = |summary: Summary| (summary.compiled, summary.kept, summary.errors.len());
    assert_eq!(counts(build(&directory, &archive)), (all, 0, 2));
    assert_eq!(counts(build(&directory, &archive)), (0, all, 2));
    write(
        &directory.join("functions/environment/double.pp"),
        "function environment::double($x) { $x * 3 }\n",
    );
    assert_eq!(counts(build(&directory, &archive)), (1, all - 1, 2));
    // An archive that can't be used costs a whole build, no more.
    std::fs::write(&archive, "no archive").expect("it can be written");
    assert_eq!(counts(build(&directory, &archive)), (all, 0, 2));
    let denied = Options { deny_errors: true, ..options(&directory, true) };
    let before = std::fs::read(&archive).expect("it is there");
    write(
        &directory.join("functions/environment/double.pp"),
        "function environment::double($x) { $x * 4 }\n",
    );
    assert_eq!(build::build(&denied, &archive, &|_| ()).expect("it builds").errors.len(), 2);
    assert_eq!(before, std::fs::read(&archive).expect("it is there"), "nothing is written");
}

#[test]
fn an_archive_has_automata_of_the_expressions_of_its_code_and_data() {
    let work = TempDir::new().expect("a folder can be made");
    let (directory, archive) = (environment(work.path()), work.path().join("a.bnr"));
    let code = "node /^n/ { $all = ['abc' =~ /^[a-c]+$/, 'abc' =~ /bc/, 'abc' =~ Pattern['^b'], 'aa' =~ /(a)\\1/, \"a\\nb\" =~ /^b\\Z/, 'é' =~ /^.$/]\n notice($all) }\n";
    write(&directory.join("manifests/00-expressions.pp"), code);
    write(
        &directory.join("data/common.yaml"),
        "lookup_options:\n  '^web::.*$': {merge: deep}\nweb::port: 8080\n",
    );
    write(
        &directory.join("site/web/lib/puppet/type/pair.rb"),
        "Puppet::Type.newtype(:pair) do\n newparam(:a, :namevar => true)\n newparam(:b, :namevar => true)\n def self.title_patterns\n  [[/^(\\w+)-(\\w+)$/, [[:a], [:b]]]]\n end\nend\n",
    );
    build(&directory, &archive);
    let before = std::fs::read(&archive).expect("it is there");
    build(&directory, &archive);
    assert_eq!(before, std::fs::read(&archive).expect("it is there"), "what was made is taken as it was");
    let opened = bunraku_environment::archive::open(&archive).expect("it is whole");
    let size = |source: &str| opened.archive().automaton(source).expect("it is whole").map(<[u8]>::len);
    for source in ["^n", "^[a-c]+$", "^b", "^b\\Z", "^web::.*$", "^[GEIM]*$"] {
        assert!(size(source) > Some(0), "{source}");
    }
    assert_eq!((size("(a)\\1"), size("^c"), size("bc")), (Some(0), None, None));
    let titles: Vec<_> =
        ["^(\\w+)-(\\w+)$", "(?-mix:^(\\w+)-(\\w+)$)"].into_iter().filter_map(size).collect();
    assert!(titles.iter().any(|size| *size > 0), "{titles:?}");
    let session = Session::default();
    let plain = ask(&session, &directory, json!({"node": "n1"}));
    let job = json!({"node": "n1", "archive": archive, "frozen": true});
    let archived = ask(&session, &directory, job);
    assert_eq!(plain["logs"], archived["logs"]);
    assert!(plain["logs"].to_string().contains("[true, true, false, true, true, true]"), "{}", plain["logs"]);
}

/// Puts `new` for `old`, as long, in some sections of an archive, wherever `old` does not stand behind a tag.
fn replaced(bytes: &[u8], sections: &[Section], old: &str, new: &str) -> Vec<u8> {
    let long = |at: usize| bytes[at..at + 8].iter().rev().fold(0, |n, byte| n << 8 | usize::from(*byte));
    let mut out = bytes.to_vec();
    for section in sections {
        let at = TABLE + 16 * *section as usize;
        for place in long(at)..long(at) + long(at + 8) {
            if bytes[place..].starts_with(old.as_bytes()) && !bytes[..place].ends_with(b"%>") {
                out[place..place + new.len()].copy_from_slice(new.as_bytes());
            }
        }
    }
    seal_all(&mut out);
    out
}

#[test]
fn an_archive_has_templates_that_code_gives_as_text() {
    let work = TempDir::new().expect("a folder can be made");
    let (directory, archive) = (environment(work.path()), work.path().join("a.bnr"));
    let code = "node /^n/ {\n  $kept = '<%= @port %>kept'\n  $port = 80\n  notice(inline_template($kept))\n  notice(inline_template('<%= @port %>direct', 'plain'))\n  notice(inline_template(\"${port}<%= @port %>met\"))\n  notice(inline_epp('<%= $port %>other'))\n  if $port > 80 {\n    notice(inline_template('<%= `date` %>'))\n    notice(inline_epp('<%= 1 + %>'))\n  }\n}\n";
    write(&directory.join("manifests/00-texts.pp"), code);
    let summary = build(&directory, &archive);
    let needs: Vec<_> = summary.ruby.iter().flat_map(|owner| &owner.templates).collect();
    assert_eq!(needs.len(), 1, "{needs:?}");
    assert_eq!(needs[0].0, "manifests/00-texts.pp:9");
    assert!(needs[0].1.contains("line 1"), "{needs:?}");
    let before = std::fs::read(&archive).expect("it is there");
    assert_eq!(build(&directory, &archive).ruby, summary.ruby);
    assert_eq!(before, std::fs::read(&archive).expect("it is there"), "what was made is taken as it was");
    let opened = bunraku_environment::archive::open(&archive).expect("it is whole");
    let has = |text: &str, section| opened.archive().made_of(text, section).expect("it is whole").is_some();
    for text in ["<%= @port %>kept", "<%= @port %>direct", "plain"] {
        assert!(has(text, Section::Templates), "{text}");
    }
    assert!(has("<%= $port %>other", Section::Units));
    assert!(!has("<%= 1 + %>", Section::Units));
    assert!(!has("<%= $port %>other", Section::Templates));
    let logs = |bytes: &[u8]| {
        let session = Session::default();
        let name = Path::new("/archives/texts.bnr");
        session.add_archive(bunraku_environment::archive::from_bytes(name, bytes).expect("it is whole"));
        let job = json!({"id": 1, "node": "n1", "archive": name, "frozen": true});
        answer(&session, &job)["logs"].to_string()
    };
    let plain = logs(&before);
    for text in ["80kept", "80directplain", "8080met", "80other"] {
        assert!(plain.contains(&format!("{text}\"")), "{text}: {plain}");
    }
    // What is run is what the archive has.
    let sections = [Section::Templates, Section::Units];
    for (old, new, is_there) in
        [("kept", "KEPT", true), ("direct", "DIRECT", true), ("other", "OTHER", true), ("met", "MET", false)]
    {
        let got = logs(&replaced(&before, &sections, old, new));
        let wanted =
            if is_there { plain.replace(&format!("80{old}"), &format!("80{new}")) } else { plain.clone() };
        assert_eq!(got, wanted, "{old}");
    }
}

#[test]
fn an_archive_of_a_module_path_says_what_it_needs() {
    let work = TempDir::new().expect("a folder can be made");
    let (directory, archive) = (environment(work.path()), work.path().join("a.bnr"));
    let path = vec![directory.join("site"), directory.join("modules")];
    let options = Options { modulepath: Some(path.clone()), ..Options::default() };
    build::build(&options, &archive, &|_| ()).expect("it builds");
    let session = Session::default();
    let run = |with: Value| {
        let mut job = json!({"id": 1, "archive": archive, "code": "class { 'web': port => 1 }"});
        for (key, value) in with.as_object().into_iter().flatten() {
            job[key] = value.clone();
        }
        let got = answer(&session, &job);
        if got["ok"] == true { got["catalog"]["resources"].to_string() } else { message(&got).to_owned() }
    };
    assert!(run(json!({})).contains("say by --modulepath where they are"), "{}", run(json!({})));
    assert!(
        run(json!({"frozen": true, "environment": directory}))
            .contains("holds a module path and no environment")
    );
    let short = run(json!({"frozen": true, "modulepath": [path[0]]}));
    assert!(short.contains("holds 2 folders of a module path, not 1"), "{short}");
    let by_default = run(json!({"frozen": true}));
    assert!(
        by_default.contains("/etc/puppet/code/modules/web/files/motd: its content is not in the frozen"),
        "{by_default}"
    );
    let missing = Options { modulepath: Some(vec![work.path().join("no")]), ..Options::default() };
    assert!(
        build::build(&missing, &archive, &|_| ()).expect_err("it is not there").contains("does not exist")
    );
}
