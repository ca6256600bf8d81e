//! Archives broken at random with fixed seeds, over every section: each is refused with one named error, or gives
//! some catalog or error; nothing panics and everything ends.

use bunraku_compile::job::Session;
use bunraku_environment::archive;
use bunraku_environment::archive::build::{self, Options};
use bunraku_vm::archive::layout::{BLOCK, HEADER_SUM, Section, TABLE};
use bunraku_vm::archive::writer::{seal, seal_all};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

const FILES: &[(&str, &str)] = &[
    ("hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    path: common.yaml\n"),
    ("data/common.yaml", "one::port: 80\ndeep: [[[{a: {b: [1, 2.5, ~, true, text]}}]]]\n"),
    (
        "manifests/site.pp",
        "node default { include one\n notice(lookup('deep'), one::f({'a' => [1, [2, {'b' => /x/}]]})) }",
    ),
    (
        "modules/one/metadata.json",
        "{\"name\": \"me-one\", \"version\": \"1.0.0\", \"author\": \"me\", \"license\": \"none\", \"source\": \"here\", \"dependencies\": [{\"name\": \"me/two\"}]}",
    ),
    (
        "modules/one/manifests/init.pp",
        "class one(Two::Port $port, $list = [1, 'two', {'three' => 3.5}]) {\n  one::site { $list.map |$n| { String($n) }: port => $port }\n  if $port > 1 and $port =~ Integer { notify { \"${port} ${list}\": } } else { fail('no') }\n  gizmo { 'g': id => 1 }\n  file { '/x': content => epp('one/t.epp', {'n' => $list}), mode => '0644' }\n  file { '/y': content => template('one/t.erb') }\n  file { '/i': content => inline_template('<% @list.each do |one| %><%= one.to_s * 2 %>;<% end %>') }\n  file { '/j': content => inline_epp('<% $list.each |$i| { %><%= $i %>,<% } %>') }\n  One::Site <| port == 80 |> -> Notify <| |>\n}\n",
    ),
    (
        "modules/one/manifests/site.pp",
        "define one::site($port) { file { \"/s/${title}\": content => \"${port}\" } }\n",
    ),
    ("modules/one/manifests/bad.pp", "class one::bad { $x = = }\n"),
    (
        "modules/one/functions/f.pp",
        "function one::f($x) { case $x { Hash: { $x.map |$k, $v| { [$k, $v] } } default: { undef } } }\n",
    ),
    ("modules/one/templates/t.epp", "<%- | $n | -%>\n<% $n.each |$i| { %><%= $i %>,<% } %>\n"),
    (
        "modules/one/templates/t.erb",
        "<% twice = @port + 2; def inc(n) return n + 1 end -%>\n<% @list.each_with_index do |one, n| next if one.to_s =~ /^b(.)$/i -%>\n<%= \"#{n}:#{one}\" %> <%= inc(n) %> <%= twice > 9 ? $1.inspect : [*@list, :s].length %>\n<% end -%>\n<% case @port when 80..90, 'x' then %>web<% else %>none<% end %><% n = 0; while n < 3 do n += 1 end -%>\n<%= { 'k' => 1.5, :s => nil }.map { |k, v| [k, v] }.inspect %><%= scope['::facts'].class unless defined?(@none) %>\n",
    ),
    (
        "modules/one/lib/puppet/type/gizmo.rb",
        "Puppet::Type.newtype(:gizmo) do\n newparam(:id, :namevar => true)\nend\n",
    ),
    ("modules/two/types/port.pp", "type Two::Port = Integer[1, 65535]\n"),
];

fn archive() -> Vec<u8> {
    let work = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in FILES {
        let file = work.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a file has a folder")).expect("folders can be made");
        std::fs::write(file, text).expect("files can be written");
    }
    let options = Options { directory: Some(work.path().to_path_buf()), embed: true, ..Options::default() };
    build::bytes(&options, Path::new("none"), &|_| ()).expect("it builds").0
}

fn name() -> PathBuf {
    PathBuf::from("/archives/mutant.bnr")
}

/// What comes of two compiles: a catalog or a message each.
fn run(bytes: &[u8]) -> Vec<String> {
    let opened = match archive::from_bytes(&name(), bytes) {
        Ok(opened) => opened,
        Err(message) => return vec![message],
    };
    // It is shown whatever it holds.
    let _ = bunraku_environment::archive::inspect::inspect(&opened);
    let session = Session::default();
    session.add_archive(opened);
    let settings = json!({"max_calls": 20_000, "max_memory": 100_000_000, "max_depth": 100});
    let ask = |code: Option<&str>| {
        // A template that is not what it was may be Ruby's.
        let mut job =
            json!({"id": 1, "archive": name(), "frozen": true, "ruby": "/no/ruby", "settings": settings});
        if let Some(code) = code {
            job["code"] = code.into();
        }
        let mut answer: Value =
            serde_json::from_str(&session.answer(&job.to_string())).expect("an answer is JSON");
        match answer["error"]["message"].as_str() {
            Some(message) => message.to_owned(),
            None => {
                answer["catalog"]["catalog_uuid"] = Value::Null;
                answer["catalog"]["version"] = Value::Null;
                answer.to_string()
            }
        }
    };
    vec![ask(None), ask(Some("include one::bad"))]
}

fn long(bytes: &[u8], at: usize) -> usize {
    bytes[at..at + 8].iter().rev().fold(0, |n, byte| n << 8 | usize::from(*byte))
}

fn section(bytes: &[u8], section: Section) -> std::ops::Range<usize> {
    let at = TABLE + 16 * section as usize;
    long(bytes, at)..long(bytes, at) + long(bytes, at + 8)
}

fn is_named(message: &str) -> bool {
    message.starts_with("Archive /archives/mutant.bnr is damaged: ")
        || message.starts_with("Archive /archives/mutant.bnr can't be used: ")
}

#[test]
fn a_broken_archive_is_one_named_error() {
    let good = archive();
    let expected = run(&good);
    assert!(expected[0].contains("two") && expected[1].contains("Syntax error"), "{expected:?}");
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut refused = 0;
    for n in 0..3_000 {
        let mut bad = good.clone();
        let section = section(&good, Section::ALL[n % Section::ALL.len()]);
        if n % 5 == 0 {
            bad.truncate(random.below(good.len()));
        } else if n % 7 == 0 {
            bad[random.below(HEADER_SUM + 8)] ^= 1 << random.below(8);
        } else {
            for _ in 0..=random.below(3) {
                let at = section.start + random.below(section.len());
                bad[at] ^= 1 << random.below(8);
            }
        }
        let got = run(&bad);
        // Blocks that were not reached do not matter; all others are found by their checksums.
        if got != expected {
            refused += 1;
            assert!(
                got.iter().all(|message| is_named(message) || expected.contains(message)),
                "mutant {n}: {got:?}"
            );
        }
    }
    assert!(refused > 2_500, "{refused} refused: the test has lost its point");
}

#[test]
fn hostile_bytes_under_right_checksums_harm_nothing() {
    let good = archive();
    let expected = run(&good);
    // A longer hunt: MUTANTS=100000 SEED=7 cargo test …
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let mut random = Random(number("SEED", 0x9e37_79b9_7f4a_7c15));
    let mut outcomes: HashMap<&str, usize> = HashMap::new();
    for n in 0..number("MUTANTS", 6_000) as usize {
        let mut bad = good.clone();
        let which = Section::ALL[n % (Section::ALL.len() - 1)];
        let within = section(&good, which);
        for _ in 0..=random.below(4) {
            if within.len() < 4 {
                break;
            }
            let at = within.start + random.below(within.len() / 4) * 4;
            let word = u32::from_le_bytes([bad[at], bad[at + 1], bad[at + 2], bad[at + 3]]);
            let value = match random.below(8) {
                0 => 0,
                1 => u32::MAX,
                2 => 1 << random.below(32),
                3 => word.wrapping_add(1),
                4 => word.wrapping_sub(1),
                5 => random.below(within.len()) as u32,
                6 => word ^ 1 << random.below(32),
                _ => random.0 as u32,
            };
            bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        seal_all(&mut bad);
        let got = run(&bad);
        for message in &got {
            assert!(!message.contains("Internal error"), "mutant {n} of {which}: {message}");
        }
        let outcome = match () {
            () if got == expected => "same",
            () if got.iter().any(|message| is_named(message)) => "damaged",
            () if got.iter().any(|message| message.contains("Compiled code is damaged")) => "refused code",
            () => "other",
        };
        *outcomes.entry(outcome).or_default() += 1;
    }
    assert!(
        ["same", "damaged", "refused code", "other"].iter().all(|kind| outcomes[kind] > 50),
        "{outcomes:?}"
    );
}

#[test]
fn hostile_headers_are_refused() {
    let good = archive();
    let hostile =
        [0, 1, 7, BLOCK as u64 - 8, BLOCK as u64, good.len() as u64, u64::MAX, u64::MAX - 7, 1 << 63];
    for at in (TABLE..HEADER_SUM).step_by(8) {
        for value in hostile {
            let mut bad = good.clone();
            bad[at..at + 8].copy_from_slice(&value.to_le_bytes());
            seal(&mut bad);
            let got = run(&bad);
            assert!(got.iter().all(|message| !message.contains("Internal error")), "{at} {value}: {got:?}");
        }
    }
    let one = |at: usize, value: u8| {
        let mut bad = good.clone();
        bad[at] ^= value;
        seal(&mut bad);
        run(&bad).remove(0)
    };
    let again = "build it again: bunraku build DIR -o /archives/mutant.bnr";
    let version = one(8, 4);
    assert!(version.contains("its format version is 2, expected 6") && version.contains(again), "{version}");
    let compiler = one(30, 1);
    assert!(
        compiler.contains("built by another version of Bunraku") && compiler.contains(again),
        "{compiler}"
    );
    assert!(one(0, 1).contains("it is not a Bunraku archive"));
    assert!(one(16, 1).contains("and its header says"));
    assert!(run(b"").remove(0).contains("it is not a Bunraku archive"));
    assert!(run(&good[..100]).remove(0).contains("it has 100 bytes"));
}
