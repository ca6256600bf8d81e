//! What compiles of an environment learn of types changes nothing: each job is answered as the first of a process, from
//! an archive and from sources.

mod answer;

use answer::answer;
use bunraku_compile::job::Session;
use bunraku_environment::archive::build::{self, Options};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const FILES: &[(&str, &str)] = &[
    ("manifests/site.pp", "notice('site')\n"),
    ("modules/lib/types/port.pp", "type Lib::Port = Variant[Integer[1, 65535], Lib::Name]\n"),
    ("modules/lib/types/name.pp", "type Lib::Name = Enum['http', 'https']\n"),
    ("modules/lib/types/tree.pp", "type Lib::Tree = Hash[String, Variant[Integer, Lib::Tree]]\n"),
    ("modules/lib/types/warns.pp", "type Lib::Warns = Struct[{ 'a' => Integer, 'a' => String }]\n"),
    ("modules/lib/types/unknown.pp", "type Lib::Unknown = Variant[String, Lib::Nowhere]\n"),
    ("modules/lib/manifests/late.pp", "class lib::late { notice('late') }\ntype Lib::Name = String\n"),
    (
        "modules/web/manifests/init.pp",
        "class web(Lib::Port $port = 80, Optional[Lib::Tree] $tree = { 'a' => { 'b' => 1 } }, Boolean $on = true) {
  web::site { 'a': port => $port }
  notice(assert_type(Lib::Port, $port), $tree =~ Lib::Tree)
}\n",
    ),
    ("modules/web/manifests/site.pp", "define web::site(Lib::Port $port, String[1] $path = '/') { }\n"),
    ("modules/web/manifests/bad.pp", "class web::bad(Lib::Name $scheme = 'ftp') { }\n"),
    ("modules/web/manifests/good.pp", "class web::good(Lib::Name $scheme = 'http') { }\n"),
    ("modules/web/manifests/warns.pp", "class web::warns(Lib::Warns $x = { 'a' => 'x' }) { }\n"),
    ("modules/web/manifests/unknown.pp", "class web::unknown(Lib::Unknown $x = 'x') { }\n"),
    ("modules/web/manifests/meta.pp", "class web::meta(Lib::Name $tag = 'http') { }\n"),
    ("modules/web/manifests/entry.pp", "class web::entry(Type[Web::Site] $x = Web::Site['a']) { }\n"),
];

const CODES: &[&str] = &[
    "include web",
    "class { 'web': port => 'http' }",
    "class { 'web': port => 'ftp' }",
    "class { 'web': tree => { 'a' => { 'b' => 'c' } } }",
    "class { 'web': tree => undef, on => 'yes' }",
    "web::site { 'x': port => 0 }",
    "web::site { 'x': port => 1, path => '/' }",
    "include web::bad",
    "class { 'web::bad': scheme => 'https' }",
    "include web::warns",
    "include web::unknown",
    "include web::meta",
    "include web::entry",
    // A type that nobody has looked for by its name: before, and after its name has been met.
    "include lib::late\ninclude web::bad",
    "include web::bad\ninclude lib::late",
    "class { 'web::bad': scheme => 'http' }\ninclude lib::late",
    "include web::good",
    "include web::good\ninclude lib::late",
    "include lib::late\ninclude web::good",
    "type Lib::Name = Enum['ftp']\ninclude web::bad",
    "type Lib::Name = Enum['ftp']\ninclude web::good",
    "type Lib::Port = String\ninclude web",
    "class { 'web::bad': scheme => 'http' }",
];

#[test]
fn nothing_learned_shows() {
    let work = TempDir::new().expect("a folder can be made");
    let (directory, archive) = (work.path().join("production"), work.path().join("a.bnr"));
    for (name, text) in FILES {
        let path = directory.join(name);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        std::fs::write(path, text).expect("files can be written");
    }
    let options = Options { directory: Some(directory.clone()), embed: true, ..Options::default() };
    build::build(&options, &archive, &|_| ()).expect("it builds");
    let jobs: Vec<Value> = CODES
        .iter()
        .flat_map(|code| ["warning", "error"].map(|strict| (code, strict)))
        .flat_map(|(code, strict)| {
            [Some(&archive), None].map(|archive| job(&directory, archive, code, strict))
        })
        .collect();
    let first: Vec<Value> = jobs.iter().map(|job| answer(&Session::default(), job)).collect();
    let all = json!(first).to_string();
    for expected in
        ["Attempt to redefine entity", "Lib::Name = Enum", "is declared more than once", "80 true"]
    {
        assert!(all.contains(expected), "no case has {expected}: {all}");
    }
    let session = Session::default();
    for round in 0..3 {
        for (job, first) in jobs.iter().zip(&first) {
            assert_eq!(&answer(&session, job), first, "round {round}: {job}");
        }
    }
}

fn job(directory: &Path, archive: Option<&PathBuf>, code: &str, strict: &str) -> Value {
    let settings = json!({"strict": strict});
    json!({
        "id": 1, "environment": directory, "archive": archive, "frozen": archive.is_some(), "code": code,
        "settings": settings,
    })
}
