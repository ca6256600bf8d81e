//! Types that refer to each other: aliases, type sets and objects, through every type that has others in it; and
//! questions about them, with values.

use super::rng::Rng;

const NAMES: &[&str] = &["A", "B", "C"];
const LEAVES: &[&str] = &[
    "Integer",
    "String",
    "Undef",
    "Boolean",
    "Any",
    "Data",
    "RichData",
    "Scalar",
    "Numeric",
    "Integer[1, 3]",
    "String[1]",
    "Enum['a', 'b']",
    "Pattern[/a/]",
    "Collection",
    "Array",
    "Hash",
    "Type",
    "Default",
    "NotUndef",
    "Iterable",
];

/// What a program has defined: names of types that its expressions may use.
struct Known<'n> {
    names: &'n [&'n str],
    /// In how many of a hundred places a name stands rather than a type of Puppet's own.
    share: usize,
}

impl Known<'_> {
    fn leaf(&self, rng: &mut Rng) -> String {
        if rng.chance(self.share) { rng.pick(self.names) } else { rng.pick(LEAVES) }.to_owned()
    }

    fn ty(&self, rng: &mut Rng, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(rng);
        }
        let inner = depth - 1;
        match rng.below(22) {
            0..=2 => self.leaf(rng),
            3..=5 => format!("Array[{}{}]", self.ty(rng, inner), rng.pick(&["", "", ", 0, 2", ", 1"])),
            6 | 7 => format!("Hash[{}, {}]", rng.pick(&["String", "Data", "Integer"]), self.ty(rng, inner)),
            8 => format!("Hash[{}, {}]", self.ty(rng, inner), self.ty(rng, inner)),
            9..=12 => format!("Variant[{}]", rng.list(1, 3, |rng| self.ty(rng, inner))),
            13 => {
                format!("Tuple[{}{}]", rng.list(1, 2, |rng| self.ty(rng, inner)), rng.pick(&["", ", 0, 2"]))
            }
            14 => {
                let key = rng.pick(&["a", "Optional[a]", "NotUndef[a]"]);
                format!(
                    "Struct[{{{key} => {}, Optional[b] => {}}}]",
                    self.ty(rng, inner),
                    self.ty(rng, inner)
                )
            }
            15 => format!("Optional[{}]", self.ty(rng, inner)),
            16 => format!("NotUndef[{}]", self.ty(rng, inner)),
            17 => format!("Type[{}]", self.ty(rng, inner)),
            18 => format!("Sensitive[{}]", self.ty(rng, inner)),
            19 => format!("{}[{}]", rng.pick(&["Iterable", "Iterator"]), self.ty(rng, inner)),
            20 => match rng.below(2) {
                0 => format!("Callable[[{}], {}]", self.ty(rng, inner), self.ty(rng, inner)),
                _ => format!("Callable[{}]", self.ty(rng, inner)),
            },
            _ => format!("Init[{}]", self.ty(rng, inner)),
        }
    }

    fn value(&self, rng: &mut Rng, depth: usize) -> String {
        if depth == 0 || rng.chance(30) {
            let literal = ["1", "2", "'a'", "'x'", "undef", "true", "1.5", "default", "[]", "{}", "''"];
            return match rng.below(8) {
                0 => self.leaf(rng),
                _ => rng.pick(&literal).to_owned(),
            };
        }
        let inner = depth - 1;
        match rng.below(8) {
            0..=3 => format!("[{}]", rng.list(0, 3, |rng| self.value(rng, inner))),
            4 | 5 => {
                let key = rng.pick(&["'a'", "'b'", "1"]);
                format!("{{{key} => {}}}", self.value(rng, inner))
            }
            6 => format!("Sensitive({})", self.value(rng, inner)),
            _ => self.ty(rng, inner),
        }
    }

    fn name(&self, rng: &mut Rng) -> String {
        rng.pick(self.names).to_owned()
    }

    /// A name most of the time, else a type around one.
    fn asked(&self, rng: &mut Rng) -> String {
        if rng.chance(75) { self.name(rng) } else { self.ty(rng, 1) }
    }

    fn question(&self, rng: &mut Rng) -> String {
        match rng.below(20) {
            0..=4 => format!("$r = {} =~ {}", self.value(rng, 3), self.asked(rng)),
            5 | 6 => {
                let operator = rng.pick(&["==", "<=", "<", ">", ">=", "!="]);
                format!("$r = {} {operator} {}", self.asked(rng), self.asked(rng))
            }
            7 => format!("$r = {}", self.asked(rng)),
            8 | 9 => format!("$r = assert_type({}, {})", self.asked(rng), self.value(rng, 2)),
            10 => format!("function f({} $x) {{ $x }}\n$r = f({})", self.asked(rng), self.value(rng, 2)),
            11 => format!("define d({} $x) {{ }}\nd {{ 'x': x => {} }}", self.asked(rng), self.value(rng, 2)),
            12 => {
                let how = rng.pick(&["", ", generalized", ", reduced", ", detailed"]);
                format!("$r = type([{}, {}]{how})", self.asked(rng), self.asked(rng))
            }
            13 => format!("$r = \"${{String({})}}\"", self.asked(rng)),
            14 => format!("$r = {} in [{}]", self.asked(rng), self.asked(rng)),
            15 => format!("$r = {{ {} => 1 }}[{}]", self.asked(rng), self.asked(rng)),
            16 => format!("$r = {} ? {{ {} => 1, default => 2 }}", self.value(rng, 2), self.asked(rng)),
            17 => format!("$r = unique([{}, {}]).size", self.asked(rng), self.asked(rng)),
            18 => format!("$r = with({}) |{} $x| {{ $x }}", self.value(rng, 2), self.asked(rng)),
            _ => format!("$r = {}({})", self.name(rng), self.value(rng, 2)),
        }
    }
}

/// Aliases, each made of some of them, and a question.
fn aliases(rng: &mut Rng) -> String {
    let names = &NAMES[..1 + rng.below(3)];
    let known = Known { names, share: 45 };
    let definitions: String =
        names.iter().map(|name| format!("type {name} = {}\n", known.ty(rng, 2))).collect();
    definitions + &known.question(rng)
}

/// A type set whose types are made of each other.
fn type_set(rng: &mut Rng) -> String {
    let within = Known { names: &["T", "U"], share: 45 };
    let known = Known { names: &["S::T", "S::U", "S"], share: 45 };
    let (first, second) = (within.ty(rng, 2), within.ty(rng, 2));
    format!(
        "type S = TypeSet[{{pcore_version => '1.0.0', version => '1.0.0', types => {{\n  T => {first},\n  \
         U => {second}\n}}}}]\n{}",
        known.question(rng)
    )
}

/// An object whose attributes are made of itself and an alias.
fn object(rng: &mut Rng) -> String {
    let known = Known { names: &["O", "O", "A"], share: 45 };
    let (first, second) = (known.ty(rng, 2), known.ty(rng, 1));
    let alias = known.ty(rng, 1);
    let question = match rng.below(4) {
        0 => {
            let arguments = rng.list(0, 2, |rng| known.value(rng, 1));
            format!("$r = O({arguments})")
        }
        1 => {
            let value = known.value(rng, 1);
            format!("$r = O({value}).tree_each.map |$x| {{ \"${{x}}\" }}")
        }
        _ => known.question(rng),
    };
    format!(
        "type O = Object[{{attributes => {{ x => {first}, y => {{ type => Optional[{second}], value => undef }} }}}}]\n\
         type A = {alias}\n{question}"
    )
}

/// A program.
pub fn program(rng: &mut Rng) -> String {
    match rng.below(10) {
        0..=6 => aliases(rng),
        7 | 8 => object(rng),
        _ => type_set(rng),
    }
}
