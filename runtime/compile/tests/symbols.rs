//! Names that compiles of a frozen environment have in common change nothing: each job is answered as the first of a
//! process, whatever nodes, environments and threads came before it or run beside it.

mod answer;

use answer::answer;
use bunraku_compile::job::Session;
use bunraku_environment::archive::build::{self, Options};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A template of either environment.
const NAMES: &str = "<%= [@first, @second, @third, @shared, @inherited, @role, @top].join('-') %>";

/// Two environments: the same names in other files, in another order, with other meanings.
const ENVIRONMENTS: [(&str, &[(&str, &str)]); 2] = [
    (
        "one",
        &[
            ("manifests/site.pp", "$top = 'one'\nnotice($role, $first)\n"),
            (
                "modules/web/manifests/init.pp",
                "class web($first = 'w1', $second = $first, $third = $web::params::third) inherits web::params {
  $local = \"${first} ${second} ${web::params::shared} ${inherited} ${::top} ${::role}\"
  notice($local, $third, epp('web/page', { 'first' => $first }), template('web/names.erb'))
  web::site { 'a': second => $local; 'b': second => $second, shared => 'own'; }
}\n",
            ),
            ("modules/web/manifests/params.pp", "class web::params { $third = 3 $shared = 's1' $inherited = 'i1' }\n"),
            (
                "modules/web/manifests/site.pp",
                "define web::site($second, $shared = $web::first) {
  [1, 2].each |$first| { notice($first, $second, $shared, $title, web::join($second, $first)) }
  file { \"/${title}\": content => $shared, tag => [$name, 'first'] }
}\n",
            ),
            ("modules/web/functions/join.pp", "function web::join($second, $first) { \"${first}-${second}\" }\n"),
            ("modules/web/templates/page.epp", "<%- | $first, $shared = 'e1' | -%>\n<%= $first %> <%= $shared %> <%= $web::second %>\n"),
            ("modules/web/templates/names.erb", NAMES),
            ("modules/web/manifests/late.pp", "class web::late { $only_late = $role notice($only_late, $web::late::only_late, $own_fact) }\n"),
        ],
    ),
    (
        "two",
        &[
            ("manifests/site.pp", "$third = 'two'\nnotice($third, $own_fact)\n"),
            ("modules/web/manifests/params.pp", "class web::params { $second = 22 $inherited = 'i2' }\n"),
            (
                "modules/web/manifests/init.pp",
                "class web($third = 'w2', $first = $web::params::second) inherits web::params {
  notice($third, $first, $second, $inherited, $::third, $role, epp('web/page.epp'), template('web/names.erb'))
  create_resources('web::site', { 'x' => { 'first' => $third } })
}\n",
            ),
            ("modules/web/manifests/site.pp", "define web::site($first) { notice($first, $web::second, $title) }\n"),
            ("modules/web/templates/page.epp", "<%= $web::third %> <%= $top %>\n"),
            ("modules/web/templates/names.erb", NAMES),
            ("modules/web/manifests/late.pp", "class web::late { notice($first, $web::inherited) }\n"),
        ],
    ),
];

const CODES: &[&str] = &[
    "include web",
    "include web\ninclude web::late",
    "include web::late\nnotice($role, $unknown)",
    "class { 'web': first => 'given' }",
    "$first = 1 $role_of = $role include web notice($first, $web::third, $web::nothing)",
    "class own($shared, $third = $shared) { notice($shared, $third, $title) } class { 'own': shared => 'x' }",
    "include web\nnotice($facts['own_fact'], $facts['first'], $third)\n$shared = 2\nnotice($shared)",
    "web::site { 'c': second => 1, first => 2 }",
    "notice(inline_epp('<%= $role %> <%= $first %>'))",
    "$first = 'f' notice(inline_template('<%= [@first, @second, @third, @inherited].join(%q(-)) %>'))",
    "$z = 1 $first = 2 $a = 3 notice(inline_template('<%= scope.to_hash.keys.join(%q( )) %>'))",
];

const FACTS: [&str; 3] = [
    r#"{"role": "r1", "own_fact": "f1", "second": "fact"}"#,
    r#"{"own_fact": "f2", "first": "a fact", "zeta": 1, "role": "r2", "alpha": 2}"#,
    r#"{"only_late": "x", "third": 3, "web": 1, "inherited": "from facts"}"#,
];

fn build_all(work: &Path) -> Vec<(PathBuf, PathBuf)> {
    let built = ENVIRONMENTS.iter().map(|(name, files)| {
        let (directory, archive) = (work.join(name), work.join(name).with_extension("bnr"));
        for (name, text) in *files {
            let path = directory.join(name);
            std::fs::create_dir_all(path.parent().expect("a file has a folder"))
                .expect("folders can be made");
            std::fs::write(path, text).expect("files can be written");
        }
        let options = Options { directory: Some(directory.clone()), embed: true, ..Options::default() };
        build::build(&options, &archive, &|_| ()).expect("it builds");
        (directory, archive)
    });
    built.collect()
}

/// Every program for every node of every environment; one as such, one in place of the main manifest.
fn jobs(environments: &[(PathBuf, PathBuf)]) -> Vec<Value> {
    let mut jobs = Vec::new();
    for code in CODES {
        for (node, facts) in FACTS.iter().enumerate() {
            let facts: Value = serde_json::from_str(facts).expect("facts are JSON");
            for (directory, archive) in environments {
                let settings = json!({"strict": "warning", "strict_variables": node == 0});
                let job = json!({
                    "id": 1, "environment": directory, "archive": archive, "frozen": true, "code": code,
                    "node": format!("node{node}"), "facts": facts, "settings": settings,
                });
                let mut own = job.clone();
                own.as_object_mut().expect("a job is an object").remove("code");
                jobs.extend([job, own]);
            }
        }
    }
    jobs
}

#[test]
fn shared_names_do_not_show() {
    let work = TempDir::new().expect("a folder can be made");
    let jobs = jobs(&build_all(work.path()));
    let first: Vec<Value> = jobs.iter().map(|job| answer(&Session::default(), job)).collect();
    let all = json!(first).to_string();
    for expected in [
        "w1 w1 s1 i1  r2",
        "given given s1",
        "w2 22 22 i2 3",
        "Unknown variable",
        "w1 e1 w1",
        "w1-w1-3-s1-i1-r2-",
        "22-22-w2--i2-r2-",
        "f-fact--",
        "1-w1",
        "r2 a fact",
        "z first a",
    ] {
        assert!(all.contains(expected), "no case has {expected}: {all}");
    }
    // In order, backwards, and one environment after the other.
    let session = Session::default();
    let forth = (0..jobs.len()).chain((0..jobs.len()).rev());
    let by_environment = (0..4).flat_map(|part| (part..jobs.len()).step_by(4));
    for n in forth.chain(by_environment) {
        assert_eq!(answer(&session, &jobs[n]), first[n], "{}", jobs[n]);
    }
}

#[test]
fn threads_that_share_names_do_not_see_each_other() {
    let work = TempDir::new().expect("a folder can be made");
    let jobs = jobs(&build_all(work.path()));
    let first: Vec<Value> = jobs.iter().map(|job| answer(&Session::default(), job)).collect();
    for _ in 0..3 {
        let session = Session::default();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (session, jobs, first) = (&session, &jobs, &first);
                scope.spawn(move || {
                    for n in 0..jobs.len() {
                        // Each begins elsewhere, so that bases of many lengths are in use at once.
                        let n = (n + thread * jobs.len() / 4) % jobs.len();
                        assert_eq!(answer(session, &jobs[n]), first[n], "{}", jobs[n]);
                    }
                });
            }
        });
    }
}
