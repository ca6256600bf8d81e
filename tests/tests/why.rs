//! `bunraku why`: what it names is there. Lines of a site that has each kind of origin carry a mark of their own; over the control
//! repos every parameter has an origin, and what stands at the place that it names gives the value.

use bunraku::bench::Target;
use bunraku::origins::{
    Code, CodePlace, DataPlace, EdgeSource, How, Leaf, Origins, Parameter, ParameterOrigin, Step, Via,
    WrittenKind,
};
use bunraku::{Compiler, Data, Environment, Facts, Node, Settings, Strict};
use bunraku_tests::corpus::fetch;
use bunraku_tests::{bunraku as program, control_repo, paths, repository};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const FILES: [(&str, &str); 9] = [
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - {name: Nodes, path: \"%{trusted.certname}.yaml\"}\n  - {name: Common, path: common.yaml}\n",
    ),
    ("data/n.example.com.yaml", "motd::mode: '0600' # hiera-mode\n"),
    (
        "data/common.yaml",
        "motd::mode: '0644'\nmotd::lines:\n  - one # hiera-one\n  - two # hiera-two\nclasses:\n  - role # hiera-role\n",
    ),
    ("manifests/site.pp", "node /^n\\./ { # the-node\n  lookup('classes').include # include-role\n}\n"),
    (
        "modules/motd/manifests/init.pp",
        "class motd(\n  String $mode,\n  Array $lines,\n  String $owner = 'root', # owner-default\n) {\n  \
         $text = $lines.join(\"\\n\") # text-assigned\n  File { group => 'adm' } # file-default\n  \
         file { '/etc/motd': # motd-file\n    mode    => $mode, # file-mode\n    owner   => $owner, # file-owner\n    \
         content => $text, # file-content\n  }\n  notify { 'os': message => $facts['os']['name'] } # notify-os\n}\n",
    ),
    (
        "modules/role/manifests/init.pp",
        "class role inherits role::base { # inherits\n  contain motd # contain-motd\n  require motd # require-motd\n  \
         role::thing { 'a': path => '/a' } # the-thing\n  \
         create_resources('file', { '/c' => { 'mode' => '0700' } }) # created\n  @file { '/v': ensure => file } # virtual\n  \
         realize(File['/v']) # realized\n  @notify { 'w': } # virtual-w\n  File['/a'] -> File['/c'] # arrow\n  \
         Notify <| title == 'w' |> { message => 'c' } # collector\n  class { 'role::like': x => 1 } # like-class\n  \
         File['/b'] { mode => '0755' } # override\n}\n",
    ),
    ("modules/role/manifests/base.pp", "class role::base {\n  file { '/b': mode => '0700' }\n}\n"),
    (
        "modules/role/manifests/like.pp",
        "class role::like(\n  $x,\n  $y = $facts['kernel'], # like-y\n) {\n  \
         notify { \"like ${y}\": require => File['/c'], message => \"${trusted['certname']}\" } # like-notify\n}\n",
    ),
    (
        "modules/role/manifests/thing.pp",
        "define role::thing(\n  String $path,\n  String $mode = '0640', # thing-mode\n) {\n  \
         file { $path: mode => $mode } # thing-file\n}\n",
    ),
];

fn site() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    paths::write_all(folder.path(), &FILES);
    fs::write(folder.path().join("facts.json"), FACTS).expect("files can be written");
    folder
}

const FACTS: &str = r#"{"os": {"name": "Debian", "family": "Debian"}, "kernel": "Linux"}"#;

/// The modules of the control repo are of Puppet 7's time.
fn lenient() -> Settings {
    Settings { strict: Strict::Warning, strict_variables: false, ..Settings::default() }
}

fn told(environment: Environment, node: &str, facts: &str) -> (Origins, Value) {
    let data: Value = serde_json::from_str(facts).expect("facts are JSON");
    let values = data.get("values").cloned().unwrap_or(data);
    let facts = Facts::from_data(Data::from_json(&values.to_string()).expect("facts are data"));
    let target = Target { environment, node: Node::new(node).with_facts(facts), settings: lenient() };
    let told = Compiler::new().origins(&target).result;
    (told.unwrap_or_else(|error| panic!("{node}: {error}")), values)
}

/// The mark of the line that a place names.
fn mark(place: &CodePlace) -> String {
    line_mark(place.file.as_deref().expect("a file"), place.line)
}

fn line_mark(file: &str, line: u32) -> String {
    let text = fs::read_to_string(file).expect("it can be read");
    let line = text.lines().nth(line as usize - 1).unwrap_or_default();
    line.rsplit_once("# ").map_or_else(|| line.to_owned(), |(_, mark)| mark.to_owned())
}

fn parameter<'t>(told: &'t Origins, reference: &str, name: &str) -> &'t Parameter {
    let number = told.find(reference).unwrap_or_else(|close| panic!("no {reference}: {close:?}"));
    told.resource(number).parameter(name).unwrap_or_else(|| panic!("{reference} has no {name}"))
}

fn via(code: &Code) -> &Via {
    code.written.as_ref().and_then(|written| written.via.as_deref()).expect("it is a variable")
}

#[test]
fn each_way_that_leads_to_a_resource_is_told() {
    let folder = site();
    let (told, _) = told(Environment::at(folder.path()), "n.example.com", FACTS);
    let chain = |reference: &str| -> Vec<(How, String)> {
        let number = told.find(reference).unwrap_or_else(|close| panic!("no {reference}: {close:?}"));
        let chain = told.chain(number).into_iter();
        chain.map(|(_, Step { how, place, .. })| (how.clone(), mark(place))).collect()
    };
    let step = |how: How, mark: &str| (how, mark.to_owned());
    let role = || vec![step(How::Include, "include-role"), step(How::Node, "the-node")];
    let with = |first: Vec<(How, String)>| first.into_iter().chain(role()).collect::<Vec<_>>();
    let motd = || step(How::Contain, "contain-motd");
    assert_eq!(chain("file['/etc/motd']"), with(vec![step(How::Expression, "motd-file"), motd()]));
    assert_eq!(
        chain("File[/a]"),
        with(vec![step(How::Expression, "thing-file"), step(How::Expression, "the-thing")])
    );
    assert_eq!(chain("File[/c]"), with(vec![step(How::CreateResources, "created")]));
    assert_eq!(chain("Class[role::base]"), with(vec![step(How::Inherited, "inherits")]));
    assert_eq!(chain("Class[role::like]"), with(vec![step(How::Expression, "like-class")]));
    let of = |reference: &str| told.resource(told.find(reference).expect("it is there"));
    let also: Vec<_> =
        of("Class[motd]").steps.iter().map(|step| (step.how.clone(), mark(&step.place))).collect();
    assert_eq!(also, [motd(), step(How::Require, "require-motd")]);
    let named = &of("Class[role]").steps[0].data;
    let places: Vec<_> = named.iter().flat_map(|leaf| &leaf.places).collect();
    assert!(
        matches!(&places[..], [DataPlace::File(file, Some(line))] if line_mark(file, *line) == "hiera-role")
    );
    let realized = |reference: &str| of(reference).realized.iter().map(mark).collect::<Vec<_>>();
    assert_eq!(
        (realized("File[/v]"), realized("Notify[w]")),
        (vec!["realized".to_owned()], vec!["collector".to_owned()])
    );
}

#[test]
fn each_kind_of_value_is_told() {
    let folder = site();
    let (told, _) = told(Environment::at(folder.path()), "n.example.com", FACTS);
    let number = |reference: &str| told.find(reference).expect("it is there");
    let origin = |reference: &str, name: &str| &parameter(&told, reference, name).origin;
    let ParameterOrigin::Attribute(code) = origin("File[/etc/motd]", "mode") else { panic!("no attribute") };
    assert_eq!(mark(&code.place), "file-mode");
    assert_eq!(via(code), &Via::Parameter(number("Class[motd]"), "mode".to_owned()));
    let ParameterOrigin::Hiera { key, leaves, .. } = origin("Class[motd]", "mode") else {
        panic!("not of Hiera")
    };
    assert_eq!((key.as_str(), leaves[0].value.as_str()), ("motd::mode", "'0600'"));
    assert!(
        matches!(&leaves[0].places[..], [DataPlace::File(file, Some(1))] if line_mark(file, 1) == "hiera-mode")
    );
    let ParameterOrigin::Hiera { leaves, .. } = origin("Class[motd]", "lines") else {
        panic!("not of Hiera")
    };
    let marks: Vec<String> = leaves
        .iter()
        .flat_map(|leaf| &leaf.places)
        .map(|place| match place {
            DataPlace::File(file, Some(line)) => line_mark(file, *line),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(marks, ["hiera-one", "hiera-two"]);
    let ParameterOrigin::Definition(code) = origin("Class[motd]", "owner") else { panic!("no default") };
    assert_eq!(mark(&code.place), "owner-default");
    assert_eq!(code.written.as_ref().map(|written| written.kind.clone()), Some(WrittenKind::Literal));
    let ParameterOrigin::Definition(code) = origin("Class[role::like]", "y") else { panic!("no default") };
    assert_eq!((mark(&code.place).as_str(), via(code)), ("like-y", &Via::Fact("kernel".to_owned())));
    let ParameterOrigin::Definition(code) = origin("Role::Thing[a]", "mode") else { panic!("no default") };
    assert_eq!(mark(&code.place), "thing-mode");
    let ParameterOrigin::ResourceDefault(code, class) = origin("File[/etc/motd]", "group") else {
        panic!("no default")
    };
    assert_eq!((mark(&code.place).as_str(), class.as_deref()), ("file-default", Some("motd")));
    let ParameterOrigin::Attribute(code) = origin("File[/etc/motd]", "content") else {
        panic!("no attribute")
    };
    assert!(matches!(via(code), Via::Assigned(all) if mark(&all[0].place) == "text-assigned"));
    let ParameterOrigin::Attribute(code) = origin("Notify[os]", "message") else { panic!("no attribute") };
    assert_eq!(via(code), &Via::Fact("os.name".to_owned()));
    let ParameterOrigin::Attribute(code) = origin("Notify[like Linux]", "message") else {
        panic!("no attribute")
    };
    assert_eq!(via(code), &Via::Trusted("certname".to_owned()));
    let ParameterOrigin::Attribute(code) = origin("File[/a]", "mode") else { panic!("no attribute") };
    assert_eq!(via(code), &Via::Parameter(number("Role::Thing[a]"), "mode".to_owned()));
    let ParameterOrigin::Override(code) = origin("File[/b]", "mode") else { panic!("no override") };
    assert_eq!(mark(&code.place), "override");
    let ParameterOrigin::Collector(code, at) = origin("Notify[w]", "message") else { panic!("no collector") };
    assert_eq!((mark(&code.place).as_str(), mark(at).as_str()), ("collector", "collector"));
    assert!(
        matches!(origin("File[/c]", "mode"), ParameterOrigin::CreateResources(at) if mark(at) == "created")
    );
    assert!(matches!(origin("File[/a]", "before"), ParameterOrigin::Arrows(all) if mark(&all[0]) == "arrow"));
    assert!(
        matches!(origin("Class[role]", "require"), ParameterOrigin::Require(at) if mark(at) == "require-motd")
    );
}

#[test]
fn edges_have_reasons() {
    let folder = site();
    let (told, _) = told(Environment::at(folder.path()), "n.example.com", FACTS);
    let reasons = |from: &str, to: &str| {
        let number = |reference: &str| told.find(reference).expect("it is there");
        told.edges(number(from), number(to))
    };
    assert!(
        matches!(&reasons("File[/a]", "File[/c]")[..], [one] if matches!(&one.by, EdgeSource::Arrow(false, at) if mark(at) == "arrow"))
    );
    let required = reasons("File[/c]", "Notify[like Linux]");
    assert!(
        matches!(&required[..], [one] if matches!(&one.by, EdgeSource::Parameter(_, name) if name == "require"))
    );
    // Of what contains them.
    let around = reasons("File[/etc/motd]", "File[/c]");
    assert!(around.iter().any(|one| told.reference(one.to) == "Class[Role]"), "{around:?}");
    assert!(reasons("Class[motd]", "File[/etc/motd]").iter().any(|one| one.by == EdgeSource::Containment));
    assert!(reasons("File[/c]", "File[/a]").is_empty());
    // Of the shortest chain, where nothing is said of the two.
    let chain: Vec<_> =
        reasons("File[/a]", "Notify[like Linux]").iter().map(|one| (one.from, one.to)).collect();
    let number = |reference: &str| told.find(reference).expect("it is there");
    assert_eq!(
        chain,
        [(number("File[/a]"), number("File[/c]")), (number("File[/c]"), number("Notify[like Linux]"))]
    );
    assert_eq!(told.find("File[/etc/modt]"), Err(vec!["File[/etc/motd]".to_owned()]));
}

/// Classes and parameters of a classifier, and code without a file.
#[test]
fn classifiers_and_code_as_text_are_told() {
    let code = "class a($p, $q = 1) { notify { 'x': message => $p } }\nclass b { notice($role) notify { 'y': message => $role } }";
    let target =
        |node: Node| Target { environment: Environment::of_code(code), node, settings: Settings::default() };
    let node = Node::new("n")
        .with_class("a", &[("p".to_owned(), "given".into())])
        .with_class("b", &[])
        .with_parameter("role", "web");
    let told = Compiler::new().origins(&target(node)).result.expect("it compiles");
    let first =
        |reference: &str| told.resource(told.find(reference).expect("it is there")).steps[0].how.clone();
    assert_eq!((first("Class[a]"), first("Class[b]")), (How::Classifier, How::Classifier));
    assert_eq!(parameter(&told, "Class[a]", "p").origin, ParameterOrigin::Classifier);
    let ParameterOrigin::Attribute(code) = &parameter(&told, "Notify[y]", "message").origin else {
        panic!("none")
    };
    assert_eq!((code.place.line, via(code)), (2, &Via::Classifier("role".to_owned())));
    let ParameterOrigin::Definition(code) = &parameter(&told, "Class[a]", "q").origin else { panic!("none") };
    assert_eq!(code.written.as_ref().map(|written| written.text.as_str()), Some("1"));
}

/// The command: text and JSON, names that are close, statuses.
#[test]
fn the_command_answers() {
    let folder = site();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(program::binary().expect("it is built"));
        command.args(["why", "n.example.com"]).args(arguments).arg("--environment").arg(folder.path());
        command.arg("--facts").arg(folder.path().join("facts.json"));
        let output = command.output().expect("it runs");
        let text = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes).replace(&folder.path().display().to_string(), "{site}")
        };
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, out, _) = run(&["File[/etc/motd]", "mode"]);
    assert_eq!(
        (status, out.as_str()),
        (
            Some(0),
            "File[/etc/motd]\n  \
        is there by a resource expression at {site}/modules/motd/manifests/init.pp:8, in Class[Motd]\n  \
        Class[Motd] is there by contain at {site}/modules/role/manifests/init.pp:2, in Class[Role]\n  \
        Class[Role] is there by include at {site}/manifests/site.pp:2, in Node[__node_regexp__n.]\n    \
        named by Hiera's classes.0: {site}/data/common.yaml:6\n  \
        Node[__node_regexp__n.] is there as the node's definition at {site}/manifests/site.pp:1\n  \
        mode => '0600'\n    set at {site}/modules/motd/manifests/init.pp:9: $mode\n    \
        which is the parameter mode of Class[Motd]\n      Hiera's motd::mode\n        \
        motd::mode = '0600': {site}/data/n.example.com.yaml:1\n        \
        motd::mode shadows '0644': {site}/data/common.yaml:1\n"
        )
    );
    let (status, out, _) = run(&["Class[motd]", "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(status, Some(0));
    assert_eq!(json["parameters"]["owner"]["origin"]["kind"], "definition");
    assert_eq!(json["chain"][1]["data"][0]["key"], "classes.0");
    let (status, out, err) = run(&["File[/etc/modt]"]);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(err.contains("has no File[/etc/modt]; is it File[/etc/motd]?"), "{err}");
    let (status, _, err) = run(&["File[/etc/motd]", "mod"]);
    assert!(status == Some(1) && err.contains("has no parameter 'mod' set; is it mode?"), "{err}");
    let (status, out, _) = run(&["--edge", "File[/a]", "File[/c]"]);
    assert!(status == Some(0) && out.starts_with("File[/a] -> File[/c]: arrow at"), "{out}");
    let (status, out, _) = run(&["--edge", "File[/c]", "File[/a]"]);
    assert!(status == Some(0) && out.contains("but the other way round"), "{out}");
    assert_eq!(run(&[]).0, Some(2));
}

/// What is checked of a catalog, and how often.
#[derive(Default)]
struct Replayed {
    counts: BTreeMap<&'static str, usize>,
    texts: HashMap<PathBuf, String>,
    /// What literals come to.
    values: HashMap<String, Value>,
    wrong: Vec<String>,
}

impl Replayed {
    fn line(&mut self, place: &CodePlace) -> String {
        let Some(file) = &place.file else { return String::new() };
        let text = self
            .texts
            .entry(file.into())
            .or_insert_with(|| fs::read_to_string(file).expect("it can be read"));
        text.lines().nth(place.line.saturating_sub(1) as usize).unwrap_or_default().to_owned()
    }

    fn value_of(&mut self, code: &str) -> Value {
        if let Some(known) = self.values.get(code) {
            return known.clone();
        }
        let evaluated =
            Compiler::new().evaluate(&Environment::of_code(code), &Node::new("n"), &Settings::default());
        let value = evaluated
            .result
            .ok()
            .flatten()
            .map_or(Value::Null, |value| serde_json::from_str(&value.json).expect("JSON"));
        self.values.insert(code.to_owned(), value.clone());
        value
    }

    fn replay(&mut self, told: &Origins, facts: &Value, owner: &str, one: &Parameter) {
        let value: Value = serde_json::from_str(&one.json).expect("JSON");
        let is_hidden = one.value.starts_with("Sensitive");
        let mut fail = |why: String| self.wrong.push(format!("{owner} {}: {why}", one.name));
        let kind = match &one.origin {
            ParameterOrigin::Attribute(code) => ("attribute", Some(code)),
            ParameterOrigin::ResourceDefault(code, _) => ("resource default", Some(code)),
            ParameterOrigin::Override(code) => ("override", Some(code)),
            ParameterOrigin::Collector(code, _) => ("collector", Some(code)),
            ParameterOrigin::Definition(code) => ("definition", Some(code)),
            ParameterOrigin::Hiera { leaves, .. } => {
                if leaves.is_empty() {
                    fail("no leaf".to_owned());
                }
                ("Hiera", None)
            }
            ParameterOrigin::Classifier => ("classifier", None),
            ParameterOrigin::CreateResources(_) => ("create_resources", None),
            ParameterOrigin::Arrows(_) => ("arrows", None),
            ParameterOrigin::Changed => ("changed by Ruby", None),
            ParameterOrigin::Require(_) => ("require", None),
            ParameterOrigin::Container(number) => {
                let handed = told.resource(*number).parameter(&one.name).map(|one| one.json.clone());
                if handed.as_deref() != Some(&one.json) {
                    fail("its container has another".to_owned());
                }
                ("container", None)
            }
            ParameterOrigin::Exported(_) => ("exported", None),
            ParameterOrigin::Own => {
                fail("of nobody".to_owned());
                ("own", None)
            }
        };
        *self.counts.entry(kind.0).or_default() += 1;
        if let (_, Some(code)) = kind {
            self.replay_code(told, facts, (owner, one), (&value, is_hidden), code);
        }
    }

    fn replay_code(
        &mut self,
        told: &Origins,
        facts: &Value,
        (owner, one): (&str, &Parameter),
        (value, is_hidden): (&Value, bool),
        code: &Code,
    ) {
        let line = self.line(&code.place);
        let Some(written) = &code.written else {
            return self.wrong.push(format!("{owner} {}: nothing is written at {}", one.name, code.place));
        };
        let named = [one.name.as_str(), "*", "$"].iter().any(|name| line.contains(name));
        if !named {
            self.wrong.push(format!("{owner} {}: {} has it not: {line}", one.name, code.place));
        }
        let is_relationship = matches!(one.name.as_str(), "require" | "before" | "notify" | "subscribe");
        if is_hidden || is_relationship || line.contains('*') {
            return;
        }
        let expected = match (&written.kind, written.via.as_deref()) {
            (WrittenKind::Literal, _) if !written.text.ends_with('…') => {
                Some(("literal", self.value_of(&written.text)))
            }
            (_, Some(Via::Parameter(number, name))) => {
                told.resource(*number).parameter(name).and_then(|one| {
                    let whole: Value = serde_json::from_str(&one.json).expect("JSON");
                    let keys: &[String] = match &written.kind {
                        WrittenKind::Part(_, keys) => keys,
                        _ => &[],
                    };
                    let part = keys.iter().try_fold(&whole, |at, key| at.get(key))?;
                    Some(("variable of a parameter", part.clone()))
                })
            }
            (_, Some(Via::Fact(keys))) => {
                let found = keys.split('.').try_fold(facts, |at, key| at.get(key));
                found.map(|found| ("fact", found.clone()))
            }
            _ => None,
        };
        let Some((kind, expected)) = expected else { return };
        *self.counts.entry(kind).or_default() += 1;
        if *value != expected && !is_text_of(value, &expected) {
            self.wrong.push(format!("{owner} {}: {value} is not {expected}, at {}", one.name, code.place));
        }
    }
}

/// Whether one is the other in a string: `"${x}"`.
fn is_text_of(text: &Value, value: &Value) -> bool {
    text.as_str().is_some_and(|text| serde_json::from_str::<Value>(text).is_ok_and(|read| read == *value))
}

fn replay(
    name: &str,
    nodes: &[&str],
    environment: &dyn Fn() -> Environment,
    facts: &dyn Fn(&str) -> PathBuf,
) {
    let mut replayed = Replayed::default();
    for node in nodes {
        let (told, facts) =
            told(environment(), node, &fs::read_to_string(facts(node)).expect("facts can be read"));
        assert!(told.count() > 10, "{node}");
        for number in 0..told.count() {
            let resource = told.resource(number);
            let owner = format!("{node}: {}", told.reference(number));
            let (_, last) = told.chain(number).pop().expect("a step");
            if !matches!(last.how, How::Always | How::Node | How::Classifier) {
                replayed.wrong.push(format!("{owner}: its chain ends with {last:?}"));
            }
            resource.parameters.iter().for_each(|one| replayed.replay(&told, &facts, &owner, one));
        }
    }
    println!("{name}: {:?}", replayed.counts);
    let wrong = &replayed.wrong;
    assert!(wrong.is_empty(), "{} of {name}:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn origins_of_the_fixture_give_the_values() {
    let repo = || paths::root().join("fixtures/control-repo");
    let environment = || Environment::at(repo()).with_name("production");
    replay("the fixture", &["web01.example.com", "db01.example.com"], &environment, &|node| {
        repo().join("facts").join(format!("{node}.json"))
    });
}

#[test]
fn origins_of_the_control_repo_give_the_values() {
    if let Err(reason) = fetch::fetch() {
        eprintln!("SKIPPED origins of the control repo, since {reason}");
        return;
    }
    let environment = || {
        Environment::at(control_repo::root())
            .with_modulepath(control_repo::modulepath())
            .with_name("production")
    };
    replay("the control repo", &control_repo::NODES, &environment, &|node: &str| -> PathBuf {
        control_repo::facts(node)
    });
}

/// What lower layers have for a key: whole where the first one wins, part by part where hashes are merged.
#[test]
fn what_a_value_shadows_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        (
            "hiera.yaml",
            "version: 5\nhierarchy:\n  - {name: A, path: a.yaml}\n  - {name: B, path: b.yaml}\n  - {name: C, path: c.yaml}\n",
        ),
        (
            "data/a.yaml",
            "s::first: 1\ns::merged:\n  x: 1\n  z: {q: 1}\ns::list: [1]\nlookup_options:\n  s::merged: {merge: deep}\n  s::list: {merge: unique}\n  s::secret: {convert_to: Sensitive}\n  s::number: {convert_to: Integer}\ns::secret: hidden # a-secret\ns::number: '4'\n",
        ),
        (
            "data/b.yaml",
            "s::first: 2 # b-first\ns::merged:\n  x: 2 # b-x\n  y: 2\ns::list: [1, 2]\ns::alone: 5\ns::secret: old # b-secret\n",
        ),
        ("data/c.yaml", "s::first: [3] # c-first\ns::merged:\n  y: 3 # c-y\n  z:\n    q: 3 # c-q\n"),
        ("manifests/site.pp", "include s\n"),
        ("modules/s/manifests/init.pp", "class s($first, $merged, $list, $alone, $secret, $number) {\n}\n"),
    ];
    paths::write_all(folder.path(), &files);
    let (told, _) = told(Environment::at(folder.path()), "n.example.com", FACTS);
    let shadowed = |name: &str| -> Vec<(String, String, String)> {
        let ParameterOrigin::Hiera { shadowed, .. } = &parameter(&told, "Class[s]", name).origin else {
            panic!("{name} is not of Hiera")
        };
        let mark = |place: &DataPlace| match place {
            DataPlace::File(file, Some(line)) => line_mark(file, *line),
            other => panic!("{other:?}"),
        };
        let told = |leaf: &Leaf| (leaf.key.clone(), leaf.value.clone(), mark(&leaf.places[0]));
        shadowed.iter().map(told).collect()
    };
    let of = |key: &str, value: &str, mark: &str| (key.to_owned(), value.to_owned(), mark.to_owned());
    assert_eq!(shadowed("first"), [of("s::first", "2", "b-first"), of("s::first", "[3]", "c-first")]);
    assert_eq!(
        shadowed("merged"),
        [of("s::merged.y", "3", "c-y"), of("s::merged.z.q", "3", "c-q"), of("s::merged.x", "2", "b-x")]
    );
    assert_eq!(shadowed("list"), []);
    assert_eq!(shadowed("alone"), []);
    assert_eq!(shadowed("secret"), [of("s::secret", "Sensitive [value redacted]", "b-secret")]);
    assert_eq!(shadowed("number"), []);
    let output = Command::new(program::binary().expect("Bunraku builds"))
        .args(["why", "n.example.com", "Class[s]", "first", "--environment"])
        .arg(folder.path())
        .output()
        .expect("Bunraku starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("s::first = 1: ") && printed.contains("s::first shadows 2: "), "{printed}");
}

/// An archive, frozen or not, and a version in git tell what the folder tells.
#[test]
fn archives_and_versions_tell_the_same() {
    let folder = site();
    repository::of_folder(folder.path());
    let work = tempfile::tempdir().expect("a folder");
    let (archive, cache) = (work.path().join("site.bnr").display().to_string(), work.path().join("cache"));
    let place = folder.path().display().to_string();
    program::build(folder.path(), Path::new(&archive), &["--embed"]);
    let told = |tree: &[&str], resource: &str| {
        let output = Command::new(program::binary().expect("Bunraku builds"))
            .current_dir(folder.path())
            .args(["why", "n.example.com", resource, "--json", "--facts"])
            .arg(folder.path().join("facts.json"))
            .args(tree)
            .output()
            .expect("Bunraku starts");
        assert!(output.status.success(), "{tree:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let cache = cache.display().to_string();
    for resource in ["File[/etc/motd]", "Class[role::like]", "File[/b]", "Notify[w]"] {
        // An archive's files are named as where it is used has them, those of a version lie in a folder of the cache.
        let short = |text: String| short(&serde_json::from_str(&text).expect("JSON"));
        let plain = short(told(&["--environment", &place], resource));
        assert!(plain.to_string().contains("/manifests/"), "{plain}");
        for tree in [archive.as_str(), "git:HEAD"] {
            let of_tree = told(&["--tree", tree, "--cache", &cache], resource);
            assert_eq!(short(of_tree), plain, "{resource} of {tree}");
        }
    }
}

/// The same with files named by their ends alone.
fn short(told: &Value) -> Value {
    match told {
        Value::String(text) => {
            match ["/data/", "/manifests/", "/modules/"].iter().filter_map(|part| text.find(part)).min() {
                Some(at) if text.starts_with('/') => Value::from(&text[at..]),
                _ => told.clone(),
            }
        }
        Value::Array(items) => items.iter().map(short).collect(),
        Value::Object(all) => all.iter().map(|(name, value)| (name.clone(), short(value))).collect(),
        other => other.clone(),
    }
}
