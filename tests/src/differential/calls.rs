//! Calls of the core functions: arguments that fit, and arguments that do not.

use super::rng::Rng;
use super::{formats, types, values};

/// What an argument is drawn from.
#[derive(Clone, Copy)]
pub(super) enum Arg {
    Any,
    Int,
    Num,
    Str,
    Arr,
    Hash,
    Many,
    Type,
    Regexp,
    Version,
    Range,
    Path,
    Time,
    One(&'static [&'static str]),
    /// The argument and what follows may be left out.
    Maybe,
}
use Arg::*;

const SEPARATORS: Arg = One(&["','", "' '", "'.'", "''", "/[,.]/", "/\\s+/", "Regexp[/l/]", "'l'"]);
const CHOMPED: Arg =
    One(&["'a'", "\"abc\\n\"", "\"x\\r\\n\"", "['a', \" b \"]", "['abc', 1]", "\"  \\t x  \""]);

const FUNCTIONS: &[(&str, &[Arg])] = &[
    ("abs", &[Num]),
    ("all", &[Many]),
    ("any", &[Many]),
    ("annotate", &[Type, Any]),
    ("assert_type", &[Type, Any]),
    ("binary_file", &[Path]),
    ("call", &[One(&["'join'", "'abs'", "'nosuch'", "'max'", "'upcase'"]), Any]),
    ("camelcase", &[One(&["'hello_world'", "['a_b', 'c_d']", "'_x_'", "'ABC_def'", "'a__b'"])]),
    ("capitalize", &[One(&["'hello'", "['ab', 'CD']", "'ÉCOLE'", "'1a'"])]),
    ("ceiling", &[Num]),
    ("chomp", &[CHOMPED]),
    ("chop", &[CHOMPED]),
    ("compare", &[Any, Any, Maybe, One(&["true", "false", "1"])]),
    ("compare", &[Num, Num]),
    ("compare", &[Str, Str, Maybe, One(&["true", "false"])]),
    ("contain", &[Str]),
    ("convert_to", &[Any, Type]),
    ("create_resources", &[One(&["notify", "'nosuch'", "'class'"]), Hash]),
    ("crit", &[Any]),
    (
        "defined",
        &[One(&["'notify'", "File", "'$x'", "Notify['a']", "'nosuch'", "Class['a']", "1", "'file'"])],
    ),
    ("dig", &[Many, One(&["0", "'a'", "1"]), Maybe, One(&["0", "'b'", "'c'"])]),
    ("digest", &[Str]),
    ("downcase", &[One(&["'ABC'", "['A', 'B']", "'ÉCOLE'", "{'A' => 'B'}", "1", "['A', ['B']]"])]),
    ("each", &[Many]),
    ("empty", &[Any]),
    ("eyaml_lookup_key", &[Str, Hash, Any]),
    ("fail", &[Any, Maybe, Any]),
    ("file", &[Path]),
    ("filter", &[Many]),
    ("find_file", &[Path, Maybe, Path]),
    ("find_template", &[Path]),
    ("flatten", &[Any, Maybe, Any]),
    ("floor", &[Num]),
    ("fqdn_rand", &[One(&["10", "100", "'20'", "'x'", "0"]), Maybe, Any]),
    ("get", &[Any, Str, Maybe, Any]),
    ("get", &[Many, One(&["'a'", "'0'", "'a.b'", "'0.a'", "'a..b'", "''", "'\"a'"])]),
    ("getvar", &[One(&["'x'", "'facts'", "'facts.os'", "'nosuch'", "'a b'", "''", "'::x'"]), Maybe, Any]),
    ("group_by", &[Many]),
    ("hiera", &[Str]),
    ("hocon_data", &[Hash, Any]),
    ("import", &[Str]),
    ("include", &[Any]),
    ("index", &[Many, Any]),
    ("index", &[Str, One(&["'l'", "'hello'", "''"])]),
    ("inline_epp", &[One(&["'<%= 1 + 1 %>'", "'x <%= $a %>'", "'<%- | $a | -%><%= $a %>'"]), Maybe, Hash]),
    ("join", &[Arr, Maybe, Str]),
    ("json_data", &[Hash, Any]),
    ("keys", &[Hash]),
    ("length", &[Any]),
    ("lest", &[Any]),
    ("lookup", &[Str]),
    ("lstrip", &[CHOMPED]),
    ("map", &[Many]),
    (
        "match",
        &[
            Str,
            One(&["/l+/", "/(a)(b)?/", "Pattern[/a/, /l/]", "Regexp[/o/]", "'h'", "Integer", "[/a/, /h/]"]),
        ],
    ),
    ("match", &[Arr, Regexp]),
    ("max", &[Num, Num, Maybe, Any]),
    ("max", &[Arr]),
    ("min", &[Str, Str, Maybe, Any]),
    ("min", &[Arr]),
    ("md5", &[Str]),
    ("module_directory", &[Str]),
    ("new", &[Type, Any]),
    ("next", &[Any]),
    ("notice", &[Any, Maybe, Any]),
    ("partition", &[Many]),
    ("realize", &[Any]),
    ("reduce", &[Many]),
    (
        "regsubst",
        &[
            Str,
            One(&["'l'", "/l/", "'(h)(e)'", "/(?<x>l)/", "Regexp[/o/]", "'['"]),
            One(&["'X'", "'\\2\\1'", "'<\\0>'", "'\\\\k<x>'"]),
            Maybe,
            One(&["'G'", "'I'", "'GI'", "'M'", "'X'", "''", "'E'"]),
        ],
    ),
    ("regsubst", &[Arr, Regexp, Str]),
    ("reverse_each", &[Many]),
    ("round", &[Num]),
    ("rstrip", &[CHOMPED]),
    (
        "scanf",
        &[
            One(&["'10 abc'", "'0x1f 3.5'", "'a'", "''"]),
            One(&["'%d %s'", "'%i %f'", "'%c'", "'%x'", "'%[a-z]'"]),
        ],
    ),
    ("sha1", &[Str]),
    ("sha256", &[Str]),
    ("shellquote", &[Any, Maybe, Any]),
    ("size", &[Any]),
    ("slice", &[Many, One(&["1", "2", "3", "0", "-1", "'a'"])]),
    (
        "sort",
        &[One(&[
            "[3, 1, 2]",
            "['b', 'A', 'c']",
            "'hello'",
            "[1, 'a']",
            "[1.5, 1]",
            "[]",
            "[[1], [0]]",
            "{a => 1}",
        ])],
    ),
    ("split", &[Str, SEPARATORS]),
    ("step", &[Many, One(&["1", "2", "3", "0"])]),
    (
        "strftime",
        &[
            Time,
            One(&[
                "'%Y-%m-%dT%H:%M:%S'",
                "'%s'",
                "'%j %A %B %e'",
                "'%D %L %N'",
                "'%-H:%_M'",
                "'%q'",
                "'%10Y %^a'",
                "'%F %T %p'",
            ]),
            Maybe,
            One(&["'UTC'", "'CET'", "'+02:00'"]),
        ],
    ),
    ("strip", &[CHOMPED]),
    ("tag", &[Str]),
    ("tagged", &[Str]),
    ("then", &[Any]),
    (
        "tree_each",
        &[
            Many,
            Maybe,
            One(&[
                "{'include_root' => false}",
                "{'order' => 'breadth_first'}",
                "{'x' => 1}",
                "{'include_containers' => false}",
                "{'container_type' => Hash}",
            ]),
        ],
    ),
    ("type", &[Any, Maybe, One(&["detailed", "'reduced'", "generalized", "'x'"])]),
    (
        "unique",
        &[One(&["[1, 2, 1, 1.0]", "'hello'", "{a => 1, b => 1}", "['a', 'A', 'a']", "5", "true", "undef"])],
    ),
    ("unwrap", &[Any]),
    ("upcase", &[One(&["'abc'", "['a', 'b']", "'straße'", "{'a' => 'b'}", "1.5", "['a', 1]"])]),
    ("values", &[Hash]),
    ("versioncmp", &[Version, Version, Maybe, One(&["true", "false"])]),
    ("warning", &[Any]),
    ("with", &[Any, Maybe, Any]),
    ("yaml_data", &[Hash, Any]),
    ("sprintf", &[Str, Any]),
    ("range", &[Int, Int]),
    ("epp", &[Path]),
    ("template", &[Path]),
    ("inline_template", &[One(&["'x'", "'<%= 1 %>'"])]),
    ("generate", &[Path]),
    ("SemVerRange", &[Range]),
    ("SemVer", &[Version]),
];

/// The functions that take a lambda; how many parameters fit, and bodies that may do.
const LAMBDAS: &[(&str, &str)] = &[
    ("all", "$a =~ Integer"),
    ("any", "$a == 1"),
    ("each", "notice($a)"),
    ("filter", "$a =~ String"),
    ("group_by", "type($a, generalized)"),
    ("map", "$a"),
    ("partition", "$a =~ Numeric"),
    ("lest", "5"),
    ("then", "[$a]"),
    ("with", "[$a]"),
    ("reverse_each", "$a"),
    ("step", "$a"),
    ("slice", "$a"),
    ("reduce", "[$a]"),
    ("tree_each", "notice($a)"),
    ("index", "$a == 'a'"),
    ("sort", "compare(\"${a}\", 'b')"),
    ("unique", "String($a)"),
    ("match", "$a"),
    ("max", "1"),
    ("dig", "1"),
    ("abs", "1"),
];

fn argument(rng: &mut Rng, kind: Arg) -> String {
    match kind {
        Any | Maybe => values::value(rng, 2),
        Int => values::integer(rng),
        Num => values::number(rng),
        Str => values::string(rng),
        Arr => values::array(rng, 2),
        Hash => values::hash(rng, 2),
        Many => match rng.below(6) {
            0..=2 => values::array(rng, 2),
            3 | 4 => values::hash(rng, 2),
            _ => rng
                .pick(&[
                    "3",
                    "0",
                    "-1",
                    "'abc'",
                    "Integer[1, 4]",
                    "Enum['x', 'y']",
                    "[1, 2, 3].reverse_each",
                    "1.5",
                ])
                .to_owned(),
        },
        Type => types::ty(rng, 2),
        Regexp => values::regexp(rng),
        Version => rng
            .pick(&["'1.2.3'", "'1.10'", "'2.0.0-rc1'", "'1.2.3a'", "'1:2.3-4'", "''", "'1..2'"])
            .to_owned(),
        Range => rng
            .pick(&[
                "'>=1.0.0'",
                "'1.x'",
                "'~1.2'",
                "'^1.2.3'",
                "'1.0.0 - 2.0.0'",
                "'<1.0 || >2.0'",
                "'*'",
                "'x y'",
            ])
            .to_owned(),
        Path => rng
            .pick(&["'/nosuch/file'", "'nosuch/file'", "'x'", "['/nosuch', 'b/c']", "''", "'/'"])
            .to_owned(),
        Time => rng
            .pick(&[
                "Timestamp('2020-01-02T03:04:05.678')",
                "Timestamp(1.5e9)",
                "Timespan('1-02:03:04.5')",
                "Timespan(-90)",
            ])
            .to_owned(),
        One(pool) => rng.pick(pool).to_owned(),
    }
}

/// Arguments drawn from their kinds, now and then one too few, one too many or another.
pub(super) fn arguments(rng: &mut Rng, kinds: &[Arg]) -> Vec<String> {
    let mut all = Vec::new();
    for kind in kinds {
        if matches!(kind, Maybe) {
            if rng.chance(50) {
                break;
            }
            continue;
        }
        all.push(argument(rng, *kind));
    }
    match rng.below(12) {
        0 => drop(all.pop()),
        1 => all.push(values::value(rng, 1)),
        2 | 3 if !all.is_empty() => {
            let at = rng.below(all.len());
            all[at] = values::value(rng, 2);
        }
        _ => {}
    }
    all
}

/// A call of a function.
pub fn call(rng: &mut Rng) -> String {
    let (name, kinds) = FUNCTIONS[rng.below(FUNCTIONS.len())];
    let args = arguments(rng, kinds);
    let block = if rng.chance(6) { " |$x| { $x }" } else { "" };
    if let [first, rest @ ..] = args.as_slice()
        && rng.chance(15)
        && !first.starts_with('-')
    {
        return format!("({first}).{name}({}){block}", rest.join(", "));
    }
    format!("{name}({}){block}", args.join(", "))
}

/// A call with a lambda.
pub fn iteration(rng: &mut Rng) -> String {
    let (name, body) = LAMBDAS[rng.below(LAMBDAS.len())];
    let kinds = FUNCTIONS.iter().find(|(other, _)| *other == name).map_or(&[][..], |(_, kinds)| kinds);
    let args = arguments(rng, kinds);
    let params = match rng.below(12) {
        0 => String::new(),
        1 => "$a, $b, $c".to_owned(),
        2 | 3 => "$a, $b".to_owned(),
        4 => format!("{} $a", types::ty(rng, 1)),
        5 => "*$a".to_owned(),
        6 => "$a, $b = 1".to_owned(),
        _ if name == "reduce" => "$a, $b".to_owned(),
        _ => "$a".to_owned(),
    };
    let body = match rng.below(10) {
        0 => "next($a)",
        1 => "break()",
        2 => "$a",
        _ => body,
    };
    let body = if params.is_empty() { "1" } else { body };
    let then = if rng.chance(10) {
        rng.pick(&[".map |$v| { [$v] }", ".step(2)", ".reverse_each", ".size"])
    } else {
        ""
    };
    format!("{name}({}) |{params}| {{ {body} }}{then}", args.join(", "))
}

/// A new value of a type.
pub fn new(rng: &mut Rng) -> String {
    const TARGETS: &[(&str, &[&str])] = &[
        (
            "Integer",
            &[
                "'10'",
                "'0xff'",
                "'ff', 16",
                "'0b11'",
                "'z', 36",
                "3.9",
                "'-5', 10, true",
                "'1.5'",
                "true",
                "'12abc'",
                "Timestamp(5)",
                "Timespan(5)",
                "'077'",
                "'0b12'",
                "{from => '1'}",
                "'10', 2",
                "'10', 7",
                "' 5'",
                "'+5'",
                "'1_0'",
                "'- 5'",
            ],
        ),
        (
            "Float",
            &[
                "'1.5'",
                "1",
                "'abc'",
                "true",
                "'1e3'",
                "'0x10'",
                "-2, true",
                "Timespan(1.5)",
                "{from => 2}",
                "'.5'",
                "'1.'",
            ],
        ),
        (
            "Numeric",
            &["'10'", "'1.5'", "'0x1F'", "true", "'abc'", "'-3.5', true", "'1e2'", "'0b11'", "'010'"],
        ),
        ("Boolean", &["'true'", "'FALSE'", "1", "0", "0.0", "'yes'", "'n'", "'x'", "undef", "2"]),
        (
            "Array",
            &[
                "'abc'",
                "{a => 1}",
                "1",
                "[1], true",
                "undef",
                "Binary('aGVsbG8=')",
                "1, true",
                "'abc', true",
                "Integer[1, 3]",
                "{}, true",
                "true",
            ],
        ),
        ("Tuple", &["[1, 2]", "'abc'", "{a => 1}"]),
        (
            "Hash",
            &[
                "[['a', 1]]",
                "['a', 1]",
                "{a => 1}",
                "[1]",
                "[[['a'], 1], [['b', 'c'], 2]], 'tree'",
                "[[[0], 'x'], [[1], 'y']], 'hash_tree'",
                "'abc'",
                "undef",
                "[]",
                "[[1, 2, 3]]",
            ],
        ),
        ("Struct[{a => Integer}]", &["{a => 1}", "{a => 'x'}", "['a', 1]"]),
        (
            "String",
            &[
                "1",
                "'x'",
                "[1, 'a']",
                "{a => 1}",
                "undef",
                "default",
                "/x/",
                "Integer",
                "true, '%y'",
                "1.5, '%d'",
                "Sensitive(1)",
            ],
        ),
        (
            "Binary",
            &[
                "'aGVsbG8='",
                "'abc', '%s'",
                "'abc', '%r'",
                "'!!', '%B'",
                "'aGVsbG8', '%b'",
                "'aGVsbG8=', '%u'",
                "[65, 66]",
                "[300]",
                "1",
                "{value => 'YQ==', format => '%B'}",
                "'abc', '%x'",
            ],
        ),
        (
            "Timestamp",
            &[
                "'2020-01-02'",
                "'2020-01-02T03:04:05.123 UTC'",
                "0",
                "1.5",
                "'x'",
                "'02/01/2020', '%d/%m/%Y'",
                "'2020', ['%Y-%m', '%Y']",
                "'2020-01-02 03:04:05 CET', '%F %T %Z'",
                "'2020-01-02T03:04:05', default, 'CET'",
                "{string => '2020', format => '%Y'}",
                "undef",
                "'2020-13-45'",
            ],
        ),
        (
            "Timespan",
            &[
                "'1-02:03:04'",
                "90",
                "1.5",
                "1, 2, 3, 4",
                "1, 2, 3, 4, 5",
                "1, 2, 3, 4, 5, 6, 7",
                "'90', '%S'",
                "'x'",
                "{days => 1, hours => 2}",
                "{string => '1:2', format => '%H:%M'}",
                "-5",
                "'-1:00', '%H:%M'",
                "'10:20', ['%H:%M:%S', '%H:%M']",
                "1, 2",
            ],
        ),
        (
            "SemVer",
            &[
                "'1.2.3'",
                "1, 2, 3",
                "1, 2, 3, 'rc1', 'b5'",
                "'1.2'",
                "{major => 1, minor => 2, patch => 3}",
                "'01.2.3'",
                "1",
                "-1, 2, 3",
            ],
        ),
        (
            "SemVerRange",
            &[
                "'>=1.0.0'",
                "'1.x'",
                "SemVer('1.0.0'), SemVer('2.0.0')",
                "SemVer('1.0.0'), SemVer('2.0.0'), true",
                "{min => SemVer('1.0.0')}",
                "'~> 1.0'",
                "'1.0.0 - 2'",
                "'<=1.2.3-rc1'",
                "default, SemVer('1.0.0')",
            ],
        ),
        (
            "URI",
            &[
                "'http://u:p@example.com:80/p?q#f'",
                "{scheme => 'http', host => 'x'}",
                "'::bad::'",
                "'mailto:a@b.c'",
                "1",
                "'/path/only'",
                "{scheme => 'http', port => 'x'}",
                "'file:///a b'",
            ],
        ),
        ("Regexp", &["'a.c'", "/x/", "'['", "'a', true", "1", "'a.c', false"]),
        ("Sensitive", &["'x'", "Sensitive('x')", "[1]", "undef"]),
        ("Error", &["'m'", "'m', 'k', 'c', {a => 1}", "1", "{msg => 'x'}", "'m', undef, undef, undef, 5"]),
        ("Deferred", &["'f'", "'f', [1]", "1", "{name => 'x'}", "'f', 1"]),
        ("Init[Integer]", &["'5'", "'x'", "['10', 16]"]),
        ("Init[Timestamp, '%Y']", &["'2020'"]),
        ("Init[Integer, 16]", &["'ff'", "'zz'"]),
        ("Optional[Integer]", &["'5'", "undef", "'x'"]),
        ("NotUndef[String]", &["5", "undef"]),
        ("Iterable", &["3"]),
        ("Callable", &["1"]),
        ("Any", &["1"]),
        ("Enum['a']", &["'a'", "'b'"]),
        ("Pattern[/a/]", &["'a'"]),
        ("Variant[Integer, String]", &["'5'", "[1]"]),
        ("Type", &["'Integer'", "'Array[String]'", "'nosuch'", "1"]),
        ("Integer[1, 5]", &["'3'", "'9'"]),
        ("String[3]", &["'a'", "12345", "1, '%5d'"]),
        ("Array[Integer]", &["'ab'", "[1]", "{a => 1}"]),
        ("Hash[String, Integer]", &["[['a', 1]]", "[['a', 'b']]"]),
        ("TypeSet", &["{}"]),
        ("Object", &["{}"]),
        ("Runtime", &["1"]),
        ("Undef", &["undef"]),
        ("Default", &["default"]),
        ("Collection", &["[1]"]),
        ("Class", &["'x'"]),
        ("Resource", &["'file'"]),
    ];
    let (target, pool) = TARGETS[rng.below(TARGETS.len())];
    let args = match rng.below(8) {
        0 => values::value(rng, 2),
        1 => format!("{}, {}", values::value(rng, 1), values::value(rng, 1)),
        2 if target == "String" => return formats::new_string(rng),
        _ => rng.pick(pool).to_owned(),
    };
    match rng.below(4) {
        0 => format!("{target}.new({args})"),
        1 => format!("new({target}, {args})"),
        2 if target.contains('[') => format!("{target}.new({args})"),
        _ => format!("{target}({args})"),
    }
}
