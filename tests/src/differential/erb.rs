//! Generated ERB templates: tags in every arrangement, and expressions over variables of every kind. They need no
//! golden: Ruby itself renders them beside the native renderer.

use super::rng::Rng;

/// The seed of the templates that every run of the tests renders.
pub const SEED: u64 = 31;

/// The variables that templates name, as a program sets them, and their kinds.
const VARIABLES: &[(&str, &str, Kind)] = &[
    ("s", "'Hello World'", Kind::Text),
    ("e", "''", Kind::Text),
    ("multi", "\"one\\ntwo \\n\"", Kind::Text),
    ("num", "'10'", Kind::Text),
    ("ver", "'2.4.1'", Kind::Text),
    ("csv", "'a,b,,c,'", Kind::Text),
    ("quoted", "\"it's \\\"q\\\" #{x}\\t\"", Kind::Text),
    ("path", "'/etc/x.conf'", Kind::Text),
    ("spaced", "'  two  words '", Kind::Text),
    ("uni", "'grüße'", Kind::Text),
    ("n", "42", Kind::Number),
    ("z", "0", Kind::Number),
    ("neg", "-7", Kind::Number),
    ("big", "9007199254740993", Kind::Number),
    ("f", "1.5", Kind::Number),
    ("w", "20.0", Kind::Number),
    ("t", "true", Kind::Other),
    ("b", "false", Kind::Other),
    ("u", "undef", Kind::Other),
    ("secret", "Sensitive('pw')", Kind::Other),
    ("d", "default", Kind::Other),
    ("a", "['b', 'a', 'c']", Kind::List),
    ("ai", "[3, 1, 2, 3]", Kind::List),
    ("am", "['x', 1, undef, ['y', ['z']], true, 1.0]", Kind::List),
    ("ae", "[]", Kind::List),
    ("ah", "[{'n' => 'p', 'v' => 2}, {'n' => 'o', 'v' => 1}]", Kind::List),
    ("h", "{'k' => 'v', 'a' => 1, 'l' => [1, 2], 'u' => undef}", Kind::Hash),
    ("he", "{}", Kind::Hash),
    ("hh", "{'x' => {'y' => 'z'}, 'w' => {}}", Kind::Hash),
    ("hs", "{'b' => '2', 'a' => '1', 'c' => '0'}", Kind::Hash),
    ("hm", "{1 => 'one', true => 'yes'}", Kind::Hash),
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Number,
    List,
    Hash,
    Other,
}

/// The program that sets the variables.
pub fn prelude() -> String {
    VARIABLES.iter().map(|(name, value, _)| format!("${name} = {value}\n")).collect()
}

/// Templates of a seed.
pub fn templates(seed: u64, count: usize) -> Vec<String> {
    let mut rng = Rng::new(seed);
    (0..count)
        .map(|n| {
            // Half are one expression: where one of many is an error, the others say nothing.
            let mut made = Maker { rng: &mut rng, locals: Vec::new() };
            if n % 2 == 0 { format!("<%= {} %>", made.any(3)) } else { made.body(3) }
        })
        .collect()
}

struct Maker<'r> {
    rng: &'r mut Rng,
    /// Names of block parameters and locals in reach.
    locals: Vec<String>,
}

impl Maker<'_> {
    fn one<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.rng.below(all.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.rng.below(100) < percent
    }

    fn variable(&mut self, kind: Kind) -> String {
        if self.chance(12) {
            return self.leaf();
        }
        let of: Vec<&str> = VARIABLES.iter().filter(|(.., k)| *k == kind).map(|(name, ..)| *name).collect();
        let name = self.one(&of);
        match self.rng.below(8) {
            0 => format!("scope['{name}']"),
            1 => format!("scope.lookupvar('{name}')"),
            2 => format!("scope['::{name}']"),
            _ => format!("@{name}"),
        }
    }

    /// Something of any kind at all.
    fn leaf(&mut self) -> String {
        if !self.locals.is_empty() && self.chance(60) {
            let at = self.rng.below(self.locals.len());
            return self.locals[at].clone();
        }
        let (name, ..) = VARIABLES[self.rng.below(VARIABLES.len())];
        match self.rng.below(14) {
            0 => "nil".to_owned(),
            1 => "true".to_owned(),
            2 => ":sym".to_owned(),
            3 => "@missing".to_owned(),
            4 => "[]".to_owned(),
            5 => "(1..4)".to_owned(),
            6 => "/l+(o)?/".to_owned(),
            _ => format!("@{name}"),
        }
    }

    fn any(&mut self, depth: usize) -> String {
        match self.rng.below(12) {
            0..=3 => self.text(depth),
            4 | 5 => self.number(depth),
            6 | 7 => self.list(depth),
            8 => self.hash(depth),
            9 | 10 => self.condition(depth),
            _ => self.leaf(),
        }
    }

    fn text(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.below(6) {
                0 => {
                    self.one(&["'a'", "'lo'", "\"x\\ty\"", "''", "'a,b'", "' '", "%q(q)", "'o W'"]).to_owned()
                }
                _ => self.variable(Kind::Text),
            };
        }
        let d = depth - 1;
        match self.rng.below(20) {
            0 => format!("({} + {})", self.text(d), self.text(d)),
            1 => format!("\"<#{{{}}}|#{{{}}}>\"", self.any(d).replace('"', "'"), self.leaf()),
            2 => format!("{}.to_s", self.any(d)),
            3 => format!("{}.inspect", self.any(d)),
            4 => format!("{}.join({})", self.list(d), self.one(&["", "', '", "\"\\n\"", "nil"])),
            5 => {
                let method = self.one(&[
                    "upcase",
                    "downcase",
                    "capitalize",
                    "strip",
                    "lstrip",
                    "rstrip",
                    "chomp",
                    "chop",
                    "reverse",
                    "squeeze",
                    "dup",
                    "to_str",
                ]);
                format!("{}.{method}", self.text(d))
            }
            6 => {
                let args = self.one(&[
                    "'l', 'L'",
                    "/[lo]/, '<\\0>'",
                    "/(\\w)o/, '\\\\1'",
                    "'.', '\\\\.'",
                    "/\\s+/, ''",
                    "/^/, '# '",
                    "/x*/, '-'",
                    "/(?i)h/, ''",
                ]);
                let method = self.one(&["sub", "gsub"]);
                format!("{}.{method}({args})", self.text(d))
            }
            7 => format!("{}.gsub(/[aeo]/) {{ |m| m.upcase }}", self.text(d)),
            8 => {
                let index = self.one(&[
                    "0",
                    "-1",
                    "1, 3",
                    "0..2",
                    "-3..-1",
                    "1...-1",
                    "/l+/",
                    "'lo'",
                    "99",
                    "/(o)(x)?/, 1",
                ]);
                format!("{}[{index}]", self.text(d))
            }
            9 => {
                let args = self.one(&["12", "3", "9, '.'", "14, 'ab'"]);
                let method = self.one(&["ljust", "rjust", "center"]);
                format!("{}.{method}({args})", self.text(d))
            }
            10 => {
                let args = self.one(&[
                    "tr('lo', '01')",
                    "tr('a-z', 'A-Z')",
                    "delete('l')",
                    "tr('el', 'x')",
                    "delete_prefix('H')",
                    "delete_suffix('d')",
                ]);
                format!("{}.{args}", self.text(d))
            }
            11 => {
                let format = self.one(&["'%s'", "'%5s|'", "'%03d'", "'%-6s|'", "'%.2f'", "'%x'", "'%%%s'"]);
                format!("{format} % [{}]", self.any(d))
            }
            12 => format!("({} ? {} : {})", self.condition(d), self.text(d), self.any(d)),
            13 => format!("({} || {})", self.leaf(), self.text(d)),
            14 => format!("({} * 2)", self.text(d)),
            15 => format!("{}.fetch('{}', 'none')", self.hash(d), self.one(&["k", "x", "a"])),
            16 => format!("String({})", self.any(d)),
            17 => format!("{}.first", self.list(d)),
            _ => self.variable(Kind::Text),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.below(4) {
                0 => self.one(&["1", "0", "-3", "2.5", "100", "1.0"]).to_owned(),
                _ => self.variable(Kind::Number),
            };
        }
        let d = depth - 1;
        match self.rng.below(12) {
            0..=2 => {
                let operator = self.one(&["+", "-", "*", "/", "%", "**"]);
                format!("({} {operator} {})", self.number(d), self.number(d))
            }
            3 => format!("{}.to_i", self.text(d)),
            4 => format!("{}.{}", self.any(d), self.one(&["length", "size", "count"])),
            5 => {
                let method = self.one(&[
                    "to_i", "to_f", "abs", "round", "floor", "ceil", "succ", "pred", "zero?", "to_s(16)",
                    "to_s(2)", "even?", "odd?",
                ]);
                format!("{}.{method}", self.number(d))
            }
            6 => format!("{}.index('{}')", self.any(d), self.one(&["a", "l", "zz"])),
            7 => format!("Integer({})", self.any(d)),
            8 => format!("({} <=> {})", self.any(d), self.any(d)),
            9 => format!(
                "scope.function_versioncmp([{}, '{}'])",
                self.text(d),
                self.one(&["2.4", "2.4.1", "10"])
            ),
            10 => format!("({} =~ /{}/)", self.text(d), self.one(&["l+", "^two", "\\d", "o W", "$", "z"])),
            _ => self.variable(Kind::Number),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.below(5) {
                0 => self
                    .one(&["[]", "%w[x y z]", "[1, nil, 'a']", "[[1, 2], [3]]", "['b', 'a', 'b']"])
                    .to_owned(),
                _ => self.variable(Kind::List),
            };
        }
        let d = depth - 1;
        match self.rng.below(18) {
            0 => {
                let method = self.one(&[
                    "sort",
                    "uniq",
                    "compact",
                    "flatten",
                    "reverse",
                    "to_a",
                    "first(2)",
                    "last(2)",
                    "drop(1)",
                    "take(1)",
                    "dup",
                    "flatten(1)",
                    "sort.reverse",
                ]);
                format!("{}.{method}", self.list(d))
            }
            1 => {
                let operator = self.one(&["+", "-", "&", "|"]);
                format!("({} {operator} {})", self.list(d), self.list(d))
            }
            2 => {
                let method = self.one(&[
                    "map",
                    "collect",
                    "select",
                    "reject",
                    "sort_by",
                    "flat_map",
                    "partition",
                    "group_by",
                    "find",
                    "any?",
                    "all?",
                    "none?",
                    "count",
                    "min_by",
                    "max_by",
                    "uniq",
                    "each",
                    "take_while",
                    "index",
                    "find_index",
                ]);
                let body = self.block(&["i"], d);
                format!("{}.{method} {{ |i| {body} }}", self.list(d))
            }
            3 => {
                let method = self.one(&[
                    "map",
                    "select",
                    "reject",
                    "sort_by",
                    "each",
                    "any?",
                    "find",
                    "all?",
                    "min_by",
                    "count",
                    "flat_map",
                    "each_with_index",
                    "group_by",
                    "partition",
                    "sort",
                ]);
                let params = self.one(&["|k, v|", "|(k, v)|", "|k, (v, w)|", "|k, *v|"]);
                let body = self.block(&["k", "v"], d);
                format!("{}.{method} {{ {params} {body} }}", self.hash(d))
            }
            4 => format!(
                "{}.{}",
                self.hash(d),
                self.one(&["keys", "values", "to_a", "sort", "keys.sort", "first"])
            ),
            5 => {
                let args = self.one(&["','", "", "' '", "/,\\s*/", "''", "'.'", "/[eo]/", "',', 2"]);
                format!("{}.split({args})", self.text(d))
            }
            6 => format!("Array({})", self.any(d)),
            7 => format!("[{}].flatten", self.list_of(d)),
            8 => format!("[{}]", self.list_of(d)),
            9 => format!("{}[{}]", self.list(d), self.one(&["0", "-1", "1", "0, 2", "0..1", "1..-1", "9"])),
            10 => format!(
                "{}.map(&:{})",
                self.list(d),
                self.one(&["to_s", "upcase", "inspect", "to_i", "first", "size"])
            ),
            11 => format!("{}.each_with_index.map {{ |x, n| n }}", self.list(d)),
            12 => format!(
                "{}.{}",
                self.text(d),
                self.one(&["chars", "lines", "scan(/\\w+/)", "scan(/(\\w)(o)/)"])
            ),
            13 => format!("{}.zip({})", self.list(d), self.list(d)),
            14 => format!("{}.inject {{ |m, x| m.to_s + x.to_s }}", self.list(d)),
            15 => format!("{}.grep({})", self.list(d), self.one(&["String", "/a/", "Integer", "1"])),
            _ => self.variable(Kind::List),
        }
    }

    fn list_of(&mut self, depth: usize) -> String {
        let count = self.rng.below(4);
        let mut items = Vec::new();
        for _ in 0..count {
            let item = self.any(depth);
            items.push(if self.chance(10) { format!("*{}", self.list(depth)) } else { item });
        }
        items.join(", ")
    }

    /// What stands in a block with these parameters.
    fn block(&mut self, params: &[&str], depth: usize) -> String {
        let before = self.locals.len();
        self.locals.extend(params.iter().map(|name| (*name).to_owned()));
        let body = self.any(depth);
        self.locals.truncate(before);
        body
    }

    fn hash(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.below(5) {
                0 => self.one(&["{}", "{ 'a' => 1 }", "{ a: 1, 'b' => nil }", "{ 1 => [2] }"]).to_owned(),
                _ => self.variable(Kind::Hash),
            };
        }
        let d = depth - 1;
        match self.rng.below(10) {
            0 => format!("{}.merge({})", self.hash(d), self.hash(d)),
            1 => {
                let method =
                    self.one(&["select", "reject", "transform_values", "map", "each_value", "each_pair"]);
                let params = if method.ends_with("s") || method == "each_value" { "|v|" } else { "|k, v|" };
                let body = self.block(if params == "|v|" { &["v"] } else { &["k", "v"] }, d);
                format!("{}.{method} {{ {params} {body} }}", self.hash(d))
            }
            2 => format!("{}.{}", self.hash(d), self.one(&["compact", "invert", "to_h", "dup", "sort.to_h"])),
            3 => format!("{}[{}]", self.hash(d), self.one(&["'x'", "'k'", ":a", "1"])),
            4 => format!("{}.dig('x', 'y')", self.hash(d)),
            5 => format!("{{ {} => {} }}", self.any(d), self.any(d)),
            _ => self.variable(Kind::Hash),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let d = depth - 1;
        match self.rng.below(20) {
            0 | 1 => {
                let operator = self.one(&["==", "!="]);
                format!("({} {operator} {})", self.any(d), self.any(d))
            }
            2 => {
                let operator = self.one(&["<", ">", "<=", ">="]);
                format!("({} {operator} {})", self.number(d), self.number(d))
            }
            3 => format!("{}.nil?", self.any(d)),
            4 => format!("{}.empty?", self.any(d)),
            5 => format!("!{}", self.condition(d)),
            6 => format!("({} && {})", self.condition(d), self.condition(d)),
            7 => format!("({} or {})", self.condition(d), self.condition(d)),
            8 => {
                let class = self.one(&[
                    "String",
                    "Array",
                    "Hash",
                    "Integer",
                    "Numeric",
                    "NilClass",
                    "TrueClass",
                    "Symbol",
                    "Enumerable",
                ]);
                let method = self.one(&["is_a?", "kind_of?", "instance_of?"]);
                format!("{}.{method}({class})", self.any(d))
            }
            9 => format!("{}.include?({})", self.any(d), self.text(d)),
            10 => format!(
                "{}.{}('{}')",
                self.hash(d),
                self.one(&["key?", "has_key?", "has_value?"]),
                self.one(&["k", "z", "v"])
            ),
            11 => format!(
                "{}.{}('{}')",
                self.text(d),
                self.one(&["start_with?", "end_with?"]),
                self.one(&["H", "d", "", "/"])
            ),
            12 => format!("has_variable?('{}')", self.one(&["s", "u", "nope", "::a"])),
            13 => format!("defined?(@{})", self.one(&["s", "u", "missing"])),
            14 => format!("({} === {})", self.one(&["String", "/l/", "(1..5)", "'a'"]), self.any(d)),
            15 => format!("{}.{}", self.list(d), self.one(&["any?", "all?", "none?", "empty?"])),
            16 => format!(
                "{}.respond_to?(:{})",
                self.any(d),
                self.one(&["each", "keys", "upcase", "join", "to_a"])
            ),
            17 => format!("({} !~ /{}/)", self.any(d), self.one(&["l", "^a", "x"])),
            18 => format!("{}.match?(/{}/)", self.text(d), self.one(&["l", "\\A\\w+\\z", "W$"])),
            _ => self.leaf(),
        }
    }

    /// A piece of template: texts and tags.
    fn body(&mut self, depth: usize) -> String {
        let count = 1 + self.rng.below(4);
        let before = self.locals.len();
        let mut out = String::new();
        for _ in 0..count {
            out += self.one(&[
                "",
                "text ",
                "\n",
                "line\n",
                "  ",
                "<%% x %%>",
                "a\tb\n  ",
                "\r\n",
                "# no comment\n",
                "-%> ",
                "%>",
            ]);
            out += &self.tag(depth);
        }
        out += self.one(&["", "\n", "end", " \n\n"]);
        self.locals.truncate(before);
        out
    }

    fn tag(&mut self, depth: usize) -> String {
        let (open, close) = (self.one(&["<%", "<%-", "<%"]), self.one(&["%>", "-%>", "%>\n", "-%>\n"]));
        if depth == 0 {
            return format!("<%= {} {close}", self.any(1));
        }
        let d = depth - 1;
        match self.rng.below(12) {
            0 | 1 => format!("<%= {} {close}", self.any(2)),
            2 => format!("<%# {} {close}", self.one(&["a comment", "-%", "it's", "x = 1"])),
            3 => format!("{open} # {} {close}", self.one(&["a comment", "if x", ""])),
            4 => {
                let (condition, word) = (self.condition(2), self.one(&["if", "unless"]));
                let (then, other) = (self.body(d), self.body(d));
                format!("{open} {word} {condition} {close}{then}{open} else {close}{other}{open} end {close}")
            }
            5 => {
                let (first, second) = (self.condition(1), self.condition(1));
                let (then, other) = (self.body(d), self.body(d));
                format!(
                    "{open} if {first} {close}{then}{open} elsif {second} {close}{other}{open} end {close}"
                )
            }
            6 => {
                let list = self.list(2);
                self.locals.push("item".to_owned());
                let body = self.body(d);
                self.locals.pop();
                format!("{open} {list}.each do |item| {close}{body}{open} end {close}")
            }
            7 => {
                let hash = self.hash(1);
                self.locals.extend(["key".to_owned(), "value".to_owned()]);
                let body = self.body(d);
                self.locals.truncate(self.locals.len() - 2);
                let jump = self.one(&["", "next if key == 'a'; ", "break unless value; "]);
                format!("{open} {hash}.each do |key, value| {jump}{close}{body}{open} end {close}")
            }
            8 => {
                let value = self.any(2);
                self.locals.push("x".to_owned());
                format!("{open} x = {value} {close}")
            }
            9 => {
                let (subject, one, two) = (self.any(1), self.any(1), self.leaf());
                let (body, other) = (self.body(d), self.body(d));
                format!(
                    "{open} case {subject}\n when {one}, {two} {close}{body}{open} else {close}{other}{open} end {close}"
                )
            }
            10 => {
                let value = self.any(1);
                format!("{open} y = []; y << {value}; y.push(1) {close}<%= y.inspect %>")
            }
            _ => {
                let value = self.text(1);
                format!("{open} out = ''; out << {value} if {} {close}<%= out %>", self.condition(1))
            }
        }
    }
}
