//! A catalog in memory has what its JSON has: the nodes of the control repo, programs with every kind of value, and the
//! classes of the corpus.

use bunraku::bench::Target;
use bunraku::{Catalog, CatalogView, Compiler, Data, ParameterView, ResourceView, threads};
use bunraku_benches::target;
use bunraku_tests::control_repo;
use bunraku_tests::corpus::{self, classes, fetch};
use serde_json::json;

/// All that a view says, with the resources' parameters in order.
fn described(view: &CatalogView<'_>) -> Vec<String> {
    let parameter = |one: ParameterView<'_, '_>| {
        // Masks are for those who show it; here the values themselves are compared.
        format!("{}={}", one.name(), one.data().to_json())
    };
    let resource = |one: ResourceView<'_, '_>| {
        let parameters: Vec<String> = one.parameters().map(parameter).collect();
        format!(
            "{}[{}] {:?} {:?} exported {} tags {:?} sensitive {:?} {parameters:?}",
            one.type_name(),
            one.title(),
            one.kind(),
            one.place(),
            one.exported(),
            one.tags(),
            one.sensitive(),
        )
    };
    let mut all: Vec<String> = view.resources().map(resource).collect();
    all.extend(view.edges().iter().map(|edge| format!("{edge:?}")));
    all.push(format!("{:?}", view.classes()));
    all
}

/// What the two forms of a target's catalog say, or the message of its failure twice.
fn both(compiler: &Compiler, target: &Target) -> (Vec<String>, Vec<String>) {
    let json = match compiler.trial(target).result {
        Ok(catalog) => described(&CatalogView::from(&catalog)),
        Err(error) => vec![error.message],
    };
    let live = match compiler.see(target, described).result {
        Ok(live) => live,
        Err(error) => vec![error.message],
    };
    (json, live)
}

const VALUES: &str = r#"
    notify { 'values': message => [1, -2.5, true, undef, default, /a.b/, Integer[1, 2], Timestamp('2020-01-01'),
      Timespan('1-02:00:00'), SemVer('1.2.3'), Binary('aGVsbG8='), {1 => 2}, {'__ptype' => 'x'}, {'a' => {'b' => [[]]}}] }
    notify { 'secret': message => Sensitive('hidden') }
    notify { 'secrets': message => [Sensitive('hidden'), {'deep' => Sensitive({'x' => 1})}] }
    notify { 'later': message => Deferred('join', [['a', 'b'], '-']) }
    file { 'named': path => '/tmp/named', ensure => file, require => [Notify['values'], [Notify['secret'], undef]] }
    file { '/tmp/plain/': ensure => directory, before => File['named'], content => undef }
    file { '/tmp/same': path => '/tmp/same', notify => Class['c'] }
    user { 'u': name => 'other', groups => [Group['g'], ['h']] }
    group { 'g': }
    @notify { 'virtual': }
    @@notify { 'exported': }
    @notify { 'found': tag => 'x' }
    Notify <| tag == 'x' |>
    class c(Integer $n = 1, $nothing = undef) { notify { "in class ${n}": alias => 'also' } }
    define d($a, *$rest) { contain c notify { "d ${title}": } }
    define e(Hash $h = {}) { notify { "e ${title} ü\n\"": tag => ['one', 'two::three'] } }
    e { 'first': h => {'k' => File['/tmp/plain']} }
    include c
    stage { 'late': } Stage['main'] -> Stage['late']
    class s { } class { 's': stage => late }
    create_resources('notify', {'created' => {'message' => 'x'}, 5 => {'message' => 'y'}})
    exec { 'a thing': command => '/bin/true', unless => ['/bin/a', '/bin/b'], loglevel => 'debug' }
"#;

fn check(targets: &[(String, Target)]) -> usize {
    let compiler = Compiler::new();
    let check = || {
        let mut compared = 0;
        for (name, target) in targets {
            let (json, live) = both(&compiler, target);
            let differing = json.iter().zip(&live).find(|(json, live)| json != live);
            assert_eq!(differing, None, "{name}");
            assert_eq!(json.len(), live.len(), "{name}");
            compared += usize::from(json.len() > 1);
        }
        compared
    };
    threads::within(check).expect("a thread")
}

#[test]
fn a_view_has_what_the_json_has() {
    let code = VALUES.replace(", *$rest", "");
    let settings = json!({"strict": "warning"});
    let target = target::target(&json!({"code": code, "settings": settings})).expect("a target");
    assert_eq!(check(&[("values".to_owned(), target)]), 1, "it compiles");
}

#[test]
fn views_of_the_control_repo_have_what_the_json_has() {
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED control repo: no views compared, since {reason}");
        return;
    }
    let target = |node| (format!("{node:?}"), target::target(&control_repo::job(node)).expect("a target"));
    assert_eq!(check(&control_repo::NODES.map(target)), control_repo::NODES.len());
}

#[test]
fn views_of_the_corpus_have_what_the_json_has() {
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED corpus: no views compared, since {reason}");
        return;
    }
    corpus::write_facts().expect("facts can be written");
    let classes = classes::read();
    // Every seventh: all of them take minutes in a debug build.
    let some = classes.iter().step_by(7).map(|class| corpus::job(&class.name, "debian12"));
    let target = |job| target::target(&job).expect("a target");
    let targets: Vec<(String, Target)> = some.map(|job| (job["id"].to_string(), target(job))).collect();
    assert!(check(&targets) > targets.len() / 3);
}

#[test]
fn two_catalogs_are_in_memory_at_once() {
    threads::within(two_at_once).expect("a thread");
    let outside = Compiler::new().see(&target::target(&json!({"code": ""})).expect("a target"), |_| ());
    assert!(outside.result.is_err_and(|error| error.message.contains("threads that are made for compiles")));
}

fn two_at_once() {
    let of = |code: &str| target::target(&json!({"code": code})).expect("a target");
    let (one, other) = (of("notify { a: message => 'x' }"), of("notify { a: message => 'x' } notify { b: }"));
    let compiler = Compiler::new();
    let seen = compiler.see(&one, |one| {
        let inner = compiler.see(&other, |other| {
            let find = |view: &CatalogView<'_>| {
                let found = view.resources().find(|resource| resource.title() == "a");
                found.map(|resource| resource.parameters().len())
            };
            let pairs = one.resources().zip(other.resources());
            let same = pairs.filter(|(one, other)| one.title() == other.title()).count();
            (find(one), find(other), same, other.len() - one.len())
        });
        inner.result.map_err(|error| error.message)
    });
    assert_eq!(seen.result.map_err(|error| error.message), Ok(Ok((Some(1), Some(1), one_len(&one), 1))));
    let failing = of("fail('no')");
    let seen = compiler.see(&one, |_| compiler.see(&failing, |_| ()).result.is_err());
    assert_eq!(seen.result.map_err(|error| error.message), Ok(true));
}

fn one_len(target: &Target) -> usize {
    let catalog: Catalog = Compiler::new().trial(target).result.expect("it compiles");
    catalog.resources().len()
}

#[test]
fn values_of_one_text_are_the_same_and_no_others() {
    threads::within(each_by_each).expect("a thread");
}

fn each_by_each() {
    let of = |value: &str| {
        target::target(&json!({"code": format!("notify {{ a: message => {value} }}")})).expect("one")
    };
    let values = [
        "1",
        "1.0",
        "'1'",
        "[1]",
        "['1']",
        "{'a' => 1, 'b' => 2}",
        "{'b' => 2, 'a' => 1}",
        "File['/x']",
        "'File[/x]'",
        "[[File['/x']]]",
        "[File['/x']]",
        "/x/",
        "Sensitive('x')",
        "'x'",
        "default",
        "[undef]",
        "[]",
        "true",
        "Integer",
        "String[1]",
    ];
    let compiler = Compiler::new();
    let message = |view: &CatalogView<'_>| -> Option<Data> {
        let notify = view.resources().find(|resource| resource.title() == "a")?;
        Some(notify.parameter("message")?.data())
    };
    for one in values {
        for other in values {
            let same = compiler.see(&of(one), |one| {
                let inner = compiler.see(&of(other), |other| {
                    let find = |resource: &ResourceView<'_, '_>| resource.title() == "a";
                    let (own, others) = (one.resources().find(find)?, other.resources().find(find)?);
                    let is_same = own.parameter("message")?.is_same(&others.parameter("message")?);
                    Some((is_same, message(one)?.to_json() == message(other)?.to_json()))
                });
                inner.result.ok().flatten()
            });
            let (is_same, in_json) = same.result.ok().flatten().expect("both have a message");
            assert_eq!(is_same, in_json, "{one} {other}");
        }
    }
}
