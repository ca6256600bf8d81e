//! What a source costs grows with its length, for every construct: four times as much of it takes about four times as
//! many instructions. These are counted by valgrind, so that no clock and no busy machine has a say; where there is no
//! valgrind the test says so.

use bunraku_tests::bunraku;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often a construct stands in the smaller source, and how many times that in the larger one.
const FEW: usize = 300;
const TIMES: usize = 4;
/// How much more the larger source may take. What grows with the square takes 16 times as much.
const MOST: f64 = 6.5;

/// Repeats what is made of a number.
fn each(n: usize, piece: impl Fn(usize) -> String) -> String {
    (0..n).map(piece).collect()
}

/// The same between commas.
fn list(n: usize, piece: impl Fn(usize) -> String) -> String {
    (0..n).map(piece).collect::<Vec<_>>().join(",")
}

type Case = (&'static str, fn(usize) -> String);

/// A source with a construct so many times, by its name; `.epp` in a name is a template's.
const CASES: &[Case] = &[
    ("array of variables", |n| format!("$a = 1 $x = [{}]", list(n, |_| "$a".into()))),
    ("array of accesses", |n| format!("$a = [1] $x = [{}]", list(n, |_| "$a[0]".into()))),
    ("string of interpolations", |n| format!("$a = 1 $x = \"{}\"", "${a}".repeat(n))),
    ("string of escapes", |n| format!("$x = \"{}\"", "\\n".repeat(20 * n))),
    ("integer", |n| format!("$x = {}", "1".repeat(10 * n))),
    ("hash", |n| format!("$x = {{{}}}", list(n, |i| format!("'k{i}' => {i}")))),
    ("hash of variables", |n| format!("$a = 1 $x = {{{}}}", list(n, |i| format!("'k{i}' => $a")))),
    ("assignments", |n| each(n, |i| format!("$v{i} = {i}\n"))),
    ("assignment to an array", |n| {
        format!("[{}] = [{}]", list(n, |i| format!("$v{i}")), list(n, |i| i.to_string()))
    }),
    ("resources", |n| each(n, |i| format!("notify {{ 'n{i}': message => 'x' }}\n"))),
    ("bodies of a resource", |n| {
        format!("notify {{ {} }}", each(n, |i| format!("'n{i}': message => 'x'; ")))
    }),
    ("attributes and parameters", |n| {
        let params = list(n, |i| format!("$p{i} = 1"));
        format!("define d({params}) {{}} d {{ x: {} }}", list(n, |i| format!("p{i} => 2")))
    }),
    ("parameters of a class", |n| format!("class a({}) {{}} include a", list(n, |i| format!("$p{i} = 1")))),
    ("parameters that name each other", |n| {
        let param = |i: usize| format!("Integer $p{i} = $p{}", i - 1);
        format!("class a($p0 = 1{}) {{}} include a", each(n, |i| format!(", {}", param(i + 1))))
    }),
    ("parameters of a function", |n| {
        let params = list(n, |i| format!("Any $p{i} = 1"));
        format!("function f({params}) {{ 1 }} $x = f()")
    }),
    ("arrows in a chain", |n| {
        let resources = each(n, |i| format!("notify {{ 'n{i}': }}\n"));
        resources + "Notify['n0']" + &each(n - 1, |i| format!(" -> Notify['n{}']", i + 1))
    }),
    ("terms of a sum", |n| "$a = 1 $x = 0".to_owned() + &" + $a".repeat(n)),
    ("terms of a condition", |n| "$a = true $x = $a".to_owned() + &" and $a".repeat(n)),
    ("elsifs", |n| {
        "$a = 0 if $a == 1 { }".to_owned() + &each(n, |i| format!(" elsif $a == {} {{ }}", i + 1))
    }),
    ("options of a case", |n| {
        format!("case 1 {{ {} default: {{}} }}", each(n, |i| format!("'c{i}': {{}} ")))
    }),
    ("options of a selector", |n| {
        format!("$x = 1 ? {{ {}, default => 2 }}", list(n, |i| format!("'c{i}' => 1")))
    }),
    ("values of an option", |n| format!("case 1 {{ {}: {{}} }}", list(n, |i| format!("'c{i}'")))),
    ("conditions", |n| each(n, |i| format!("if $facts == {i} {{ $v{i} = 1 }} else {{ $w{i} = 1 }}\n"))),
    ("heredocs", |n| each(n, |i| format!("$h{i} = @(E)\nabc\nE\n"))),
    ("heredocs of a line", |n| format!("$x = [{}]\n{}", list(n, |_| "@(E)".into()), "abc\nE\n".repeat(n))),
    ("heredocs of JSON", |n| {
        "$v = 1 ".to_owned() + &each(n, |i| format!("$h{i} = @(\"E\":json)\n[1, {{\"a\": $v}}]\nE\n"))
    }),
    ("a heredoc of JSON", |n| {
        let items = list(10 * n, |i| format!("{{\"a\": /* c */ [{i}, \"\\u0041\"]}}"));
        format!("$v = 1 $x = @(\"E\":json)\n[$v,{items}]\nE\n")
    }),
    ("a heredoc of Puppet", |n| {
        format!("$v = 1 $x = @(\"E\":pp)\n{}notice($v)\nE\n", "class a { notice(1) }\n".repeat(n))
    }),
    ("comments", |n| "# c\n".repeat(20 * n)),
    ("long comments", |n| "/* c */\n".repeat(20 * n)),
    ("classes", |n| each(n, |i| format!("class c{i} {{}}\n"))),
    ("defined types", |n| each(n, |i| format!("define c{i} {{}}\n"))),
    ("functions", |n| each(n, |i| format!("function c{i}() {{}}\n"))),
    ("type aliases", |n| each(n, |i| format!("type C{i} = Integer\n"))),
    ("nodes", |n| each(n, |i| format!("node 'c{i}' {{}}\n")) + "node default {}"),
    ("names of a node", |n| format!("node {}, default {{}}", list(n, |i| format!("'c{i}'")))),
    ("defaults", |n| each(n, |i| format!("class c{i} {{ File {{ mode => '0644' }} }}\n"))),
    ("overrides", |n| each(n, |i| format!("notify {{ 'n{i}': }} Notify['n{i}'] {{ message => 'y' }}\n"))),
    ("collectors", |n| each(n, |i| format!("Notify <| title == '{i}' |>\n"))),
    ("relationships", |n| each(n, |i| format!("notify {{ 'a{i}': }} -> notify {{ 'b{i}': }}\n"))),
    ("references", |n| {
        let all = each(n, |i| format!("notify {{ 'n{i}': }}\n"));
        format!("{all}notify {{ x: require => [{}] }}", list(n, |i| format!("Notify['n{i}']")))
    }),
    ("lambdas", |n| each(n, |_| "[1].each |$x| { $x }\n".into())),
    ("calls", |n| each(n, |_| "noop(1)\n".replace("noop", "debug"))),
    ("members of a type", |n| format!("$x = Struct[{{{}}}]", list(n, |i| format!("'k{i}' => Integer")))),
    ("types of a variant", |n| format!("$x = Variant[{}]", list(n, |i| format!("Integer[{i},{i}]")))),
    ("groups", |n| format!("$x = Integer[1, {n}].map |$v| {{ $v }} $y = $x.group_by |$v| {{ $v }} $z = 1")),
    ("tags.epp", |n| "<%= 1 %>x\n".repeat(n)),
    ("comments.epp", |n| "<%# c %>x\n".repeat(4 * n)),
    ("escapes.epp", |n| "<%% x %%>\n".repeat(4 * n)),
];

/// How many instructions the command takes with a source.
fn instructions(arguments: &[&str], file: &Path) -> u64 {
    let mut run = Command::new("valgrind");
    run.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    run.arg(bunraku::binary().expect("Bunraku builds")).args(arguments).arg(file);
    let output = run.stdin(Stdio::null()).stdout(Stdio::null()).output().expect("valgrind starts");
    let text = String::from_utf8_lossy(&output.stderr);
    let count =
        text.lines().rev().find_map(|line| line.split_once("I   refs:").or(line.split_once("I refs:")));
    let count = count.and_then(|(_, count)| count.trim().replace(',', "").parse().ok());
    count.unwrap_or_else(|| panic!("valgrind counts instructions: {text}"))
}

/// How many instructions a source takes; `.epp` in the name of its construct makes it a template.
fn taken(folder: &Path, name: &str, size: usize, text: &str) -> f64 {
    let is_template = name.ends_with(".epp");
    let extension = if is_template { "epp" } else { "pp" };
    let file = folder.join(format!("{}-{size}.{extension}", name.replace([' ', '.'], "_")));
    std::fs::write(&file, text).expect("a file can be written");
    let arguments: &[&str] =
        if is_template { &["check"] } else { &["compile", "-o", "/dev/stdout", "--manifest"] };
    instructions(arguments, &file) as f64
}

/// How many times more the larger source takes, what an empty one takes left out.
fn growth(folder: &Path, (name, source): &Case, empty: f64) -> f64 {
    let more = |size: usize| taken(folder, name, size, &source(size)) - empty;
    more(TIMES * FEW) / more(FEW)
}

#[test]
fn four_times_the_source_takes_four_times_the_instructions() {
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("SKIPPED linear: {} constructs, since there is no valgrind", CASES.len());
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let [manifest, template] = ["empty", "empty.epp"].map(|name| taken(folder.path(), name, 0, ""));
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(String::new()));
    let work = || {
        while let Some(case) = CASES.get(next.fetch_add(1, Ordering::Relaxed)) {
            let growth =
                growth(folder.path(), case, if case.0.ends_with(".epp") { template } else { manifest });
            println!("{}: {growth:.2}", case.0);
            // What is folded away early may take next to nothing more; the square does not.
            if growth > MOST || growth.is_nan() {
                let _ = writeln!(wrong.lock().expect("no panic"), "{}: {growth:.2} times as much", case.0);
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| (0..cores).for_each(|_| _ = scope.spawn(work)));
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{wrong}");
}
