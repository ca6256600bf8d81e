//! Whatever the input, the parser and the checks neither panic nor hang, and say the same each time: random
//! bytes, and manifests broken in many ways by a generator with a fixed seed.

use bumpalo::Bump;
use bunraku_compiler::check::{CheckOptions, check};
use bunraku_compiler::{ParseLimits, SourceFile, SourceKind, dump, parse, relative_names, source};
use std::time::{Duration, Instant};

/// Manifests and templates that between them use every construct.
const SEEDS: [(SourceKind, &str); 6] = [
    (
        SourceKind::Manifest,
        r#"$x = 10 + 0x1F * 3 - -2 % 4 / 2 << 1 >> 017
$y = [1, 2.5e3, 'it\'s', "b ${x} c $x \u{41}", undef, true, default, type, function]
$z = { 'a' => 1, b => [1, 2], "c${x}" => { d => /re\/x/ }, type => 1, }
if $x == 1 and !($y != 2) or $z in [1, 2] { notice('a') } elsif $x =~ /^a(b)$/ { notice $1 } else { fail("x") }
unless $x >= 3 { include foo::bar, baz } else { $q = 1 }
case $x { 1, 'two', /three/: { $r = 1 } Integer: { } *$y: { warning "x" } default: { err('no') } }
$s = $x ? { 1 => 'a', default => "b" }
[$a, $b] = [1, 2]
$u = $y[0][1, 2] + $z['a'].foo.bar(1, *$y) |Integer $i, $j = 1, *$k| >> Integer { $i + 1 }
"#,
    ),
    (
        SourceKind::Manifest,
        r#"class foo::bar (
  String $a,
  Optional[Array[Integer[1, 10], 2]] $b = undef, # comment
) inherits foo::params {
  class inner { notice 1 }
  file { '/tmp/x':
    mode => '0644', require => [Package['a'], Service[b]],
    * => $x,
    ;
    ['/a', "/b/${c}"]: owner => root;
    default: group => 'g',
  }
  @@host { $facts['fqdn']: ip => $::ipaddress }
  class { 'baz': a => 1 }
  File { owner => 'root' }
  File['/tmp/x'] { mode => '1', tag +> [1] }
  File <| title == 'x' and (owner != $a or mode == 1) |> { mode => '2' }
  Host <<| tag == 'x' |>>
  Package['a'] -> File <| |> ~> Service['x'] <- Foo::Bar[y] <~ $z
}
define foo::d (Enum['a', 'b'] $e = 'a', Hash $h) { notice $title }
"#,
    ),
    (
        SourceKind::Manifest,
        r#"node 'a.b.c', /^x\d+$/, foo.bar.10.baz, default { }
function m::f(Integer $a, String *$rest) >> Array[String] { $rest.map |$x| { "${x} ${a}" } }
type M::T = Variant[String, Struct[{ a => Integer, Optional['b'] => String }]]
type M::O = { attributes => { x => Integer } }
$h = @("END":json/tn$) + @('B'/L) -1
  a ${x.y} $z[0] \t "q"
  |- END
  foo
  B
notice "a${x}b${y[1]}c$z d${if}e${x.foo(1)} \$x ${ "in${1}ner" }"
Integer('1') + type($x)
"#,
    ),
    (
        SourceKind::Manifest,
        "private attr $x += 1 _x foo-bar ::abs ::Abs::X 1.5.foo /* c */ # d\nfoo { a => 1 } a, b\n",
    ),
    (
        SourceKind::Epp,
        "<%- | String $a, $b = 1 | -%>\ntext <%= $a %> more <%# comment -%>\n  <% if $b { -%>\n  x <%%= y %%>\n  \
         <%- } else { %> z <% } -%>\n<%= { $x = 1 $x + 2 } %>\n<%= { a => 1 }[a] %>",
    ),
    (SourceKind::Epp, "<% $y.each |$k| { -%>\nk <%= @(\"E\") %>\n ${k}\nE\n<% } -%>\nend"),
];

#[rustfmt::skip]
const WORDS: [&str; 64] = [
    "{", "}", "(", ")", "[", "]", ",", ";", ":", "=>", "+>", "=", "==", "=~", "!", "<", "<<", "+", "-", "*", "/",
    "%", "?", ".", "|", "|>", "<|", "<<|", "|>>", "->", "~>", "@", "@@", "$x", "$", "1", "0x", "08", "1.2.3",
    "'a'", "\"b\"", "\"${x}\"", "\"", "'", "/re/", "/(/", "foo", "Foo::", "::X", "foo-bar", "if", "else", "case",
    "class", "define", "node", "type", "default", "@(E)", "\n", "\\", "é", "%>", "<%=",
];

/// A small generator of numbers; the same seed gives the same run everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit.max(1)
    }
}

/// Parses and checks a text, which takes no longer than it should.
fn judge(kind: SourceKind, text: &str) -> Vec<String> {
    let start = Instant::now();
    let arena = Bump::new();
    let file = SourceFile { path: None, text, kind };
    let diagnostics = match parse(&arena, &file, &ParseLimits::default()) {
        Ok(parsed) => {
            assert!(!dump::Notation::of(&parsed.program).pretty().is_empty());
            assert!(!dump::nested(&parsed.program).is_empty());
            relative_names(&parsed.program);
            check(&parsed.program, &file, &CheckOptions::default())
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "{text}");
            diagnostics
        }
    };
    let lines = text.matches('\n').count() as u32 + 1;
    for diagnostic in &diagnostics {
        assert!(diagnostic.place.line.is_none_or(|line| (1..=lines).contains(&line)), "{text}");
        assert!(diagnostic.place.column != Some(0), "{text}");
    }
    assert!(start.elapsed() < Duration::from_secs(2), "too slow: {}", &text[..text.len().min(60)]);
    diagnostics.iter().map(ToString::to_string).collect()
}

/// Breaks a text in a few places, always between characters.
fn broken(seed: &str, random: &mut Random) -> String {
    let mut text: Vec<char> = seed.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len() + 1);
        let end = (at + 1 + random.below(8)).min(text.len());
        match random.below(5) {
            0 => drop(text.drain(at..end)),
            1 => drop(text.splice(at..at, WORDS[random.below(WORDS.len())].chars())),
            2 => drop(text.splice(at..end, WORDS[random.below(WORDS.len())].chars())),
            3 => {
                let from = random.below(text.len() + 1);
                let part: Vec<char> = text[from..(from + 12).min(text.len())].to_vec();
                text.splice(at..at, part);
            }
            _ => text.truncate(at.max(1)),
        }
    }
    text.into_iter().collect()
}

#[test]
fn broken_manifests() {
    let mut random = Random(0x5EED_0001);
    for round in 0..6000 {
        let (kind, seed) = SEEDS[round % SEEDS.len()];
        let text = broken(seed, &mut random);
        let first = judge(kind, &text);
        if round % 50 == 0 {
            assert_eq!(first, judge(kind, &text), "{text}");
        }
    }
}

#[test]
fn words_in_any_order() {
    let mut random = Random(0x5EED_0002);
    for round in 0..4000 {
        let words: Vec<&str> = (0..random.below(40)).map(|_| WORDS[random.below(WORDS.len())]).collect();
        let text = words.join(if round % 2 == 0 { " " } else { "" });
        judge(SourceKind::Manifest, &text);
        judge(SourceKind::Epp, &text);
    }
}

#[test]
fn random_bytes() {
    let mut random = Random(0x5EED_0003);
    for _ in 0..4000 {
        let bytes: Vec<u8> = (0..random.below(200)).map(|_| random.below(256) as u8).collect();
        match source::decode(None, &bytes) {
            Ok(text) => drop(judge(SourceKind::Manifest, text)),
            Err(diagnostic) => assert!(diagnostic.help.is_some()),
        }
        let text: String = bytes.iter().map(|byte| char::from(byte % 128)).collect();
        judge(SourceKind::Manifest, &text);
        judge(SourceKind::Epp, &text);
    }
}

#[test]
fn every_prefix() {
    for (kind, seed) in SEEDS {
        for (end, _) in seed.char_indices() {
            judge(kind, &seed[..end]);
        }
    }
}

#[test]
#[rustfmt::skip]
fn long_inputs_take_linear_time() {
    let repeated = [
        "$x = \"a$ b\" + ''\n", "@", "$", "\"", "'", "/ ", "<%%", "<% %>", "@(E)\n", "\\", "{", "}", "a::", "A::",
        "1.", "|", "[ ", "x { 'a': }\n", "\"${x}\"", "\"${", "# c\n", "/* */", "é", "$x =~ /[/ ", "'\\''", "\r\n",
        "\"$", "$\"", "=/", "<%#", "<%= 1 %>", "\u{a0}", "\"\\u{41}", "/\\/", "- ", "class a {}\n", "$a = {a=>1}\n",
        "=~ /(((", "=\\/", "\"$ ", "\"\\t$ ", "node a.", "a.", "@(\"E\")\n", "{a =>", "notice 1, ", "a->", "a ? ", "\\u{5c}", "\"\\u{5c}u{5c}", "case 1 {", "1;",
    ];
    for part in repeated {
        let text = part.repeat(200_000 / part.len());
        judge(SourceKind::Manifest, &text);
        judge(SourceKind::Epp, &text);
    }
}
