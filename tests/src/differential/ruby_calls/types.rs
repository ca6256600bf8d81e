//! Values of a type: read from the type as a signature in Ruby writes it, aliases by way of the modules' files.

use super::super::rng::Rng;
use super::literal::Literal::{self, *};
use regex_lite::Regex;
use std::collections::BTreeMap;

/// A type expression.
#[derive(Clone, Debug)]
enum Expression {
    Type(String, Vec<Expression>),
    Value(Literal),
    /// A hash of member names, as a `Struct` has it.
    Members(Vec<(Expression, Expression)>),
}

/// What values are drawn from.
pub(super) struct Pools<'p> {
    /// Types that modules define, by name in lower case.
    pub(super) aliases: &'p BTreeMap<String, String>,
    /// Texts that stand near the function.
    pub(super) texts: &'p [String],
}

struct Reader<'t>(&'t str);

impl Reader<'_> {
    fn skip(&mut self) {
        loop {
            self.0 = self.0.trim_start();
            if !self.0.starts_with('#') {
                return;
            }
            self.0 = self.0.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip();
        match self.0.strip_prefix(token) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn while_(&mut self, test: impl Fn(char) -> bool) -> String {
        let end = self.0.find(|c| !test(c)).unwrap_or(self.0.len());
        let (head, rest) = self.0.split_at(end);
        self.0 = rest;
        head.to_owned()
    }

    fn until(&mut self, quote: char) -> String {
        let mut out = String::new();
        let mut chars = self.0[1..].char_indices();
        let mut end = self.0.len();
        while let Some((at, c)) = chars.next() {
            if c == quote {
                end = at + 2;
                break;
            }
            out.push(c);
            if c == '\\'
                && let Some((_, next)) = chars.next()
            {
                if next == quote {
                    out.pop();
                }
                out.push(next);
            }
        }
        self.0 = self.0.get(end..).unwrap_or_default();
        out
    }

    fn expression(&mut self) -> Option<Expression> {
        self.skip();
        match self.0.chars().next()? {
            quote @ ('\'' | '"') => Some(Expression::Value(Text(self.until(quote)))),
            '/' => Some(Expression::Value(Regex(self.until('/')))),
            '{' => {
                self.take("{");
                let mut members = Vec::new();
                while !self.take("}") {
                    let key = self.expression()?;
                    if !self.take("=>") {
                        return None;
                    }
                    members.push((key, self.expression()?));
                    self.take(",");
                }
                Some(Expression::Members(members))
            }
            '-' | '0'..='9' => {
                let text = self.while_(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
                let value = text.parse().map(Int).or_else(|_| text.parse().map(Float)).ok();
                value.map(Expression::Value)
            }
            c if c.is_ascii_alphabetic() || c == ':' => {
                let name = self.while_(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'));
                match name.as_str() {
                    "default" => return Some(Expression::Value(Default)),
                    "true" | "false" => return Some(Expression::Value(Bool(name == "true"))),
                    "undef" => return Some(Expression::Value(Undef)),
                    _ => {}
                }
                let mut args = Vec::new();
                if self.take("[") {
                    while !self.take("]") {
                        args.push(self.expression()?);
                        if !self.take(",") && !self.0.starts_with(']') {
                            return None;
                        }
                    }
                }
                let lower = name.starts_with(|c: char| c.is_ascii_lowercase());
                Some(if lower { Expression::Value(Text(name)) } else { Expression::Type(name, args) })
            }
            _ => None,
        }
    }
}

/// The text of the alias that a file of a type defines, with its name.
pub(super) fn alias(file: &str) -> Option<(String, String)> {
    let at = file.lines().find(|line| line.starts_with("type "))?;
    let rest = &file[file.find(at)? + 5..];
    let (name, text) = rest.split_once('=')?;
    Some((name.trim().to_lowercase(), text.to_owned()))
}

/// A value of a type; now and then one that is near it.
pub(super) fn value(rng: &mut Rng, text: &str, pools: &Pools<'_>) -> Literal {
    match Reader(text).expression() {
        Some(expression) => of(rng, &expression, pools, 0),
        None => super::any(rng, pools.texts, 2),
    }
}

/// Texts of some shapes that patterns ask for.
pub(super) const SHAPES: &[&str] = &[
    "/etc/foo.conf",
    "/",
    "C:\\foo\\bar",
    "http://example.com/x?y=1",
    "https://user:pw@host.example.com:8443/a/b.tar.gz",
    "puppet:///modules/a/b",
    "10.0.0.1",
    "192.168.1.0/24",
    "::1",
    "fe80::1/64",
    "2001:db8::8a2e:370:7334",
    "01:23:45:67:89:ab",
    "host.example.com",
    "example",
    "a@b.example",
    "1.2.3",
    "2.0.0-rc.1",
    "0644",
    "u=rw,go=r",
    "42",
    "0",
    "-1",
    "8080",
    "1024-2048",
    "10.0.0.0-10.0.0.9",
    "present",
    "absent",
    "yes",
    "true",
    "abc_def",
    "AbC",
    "Foo::Bar",
    "foo::bar",
    "aGVsbG8=",
    "deadbeef",
    "1h",
    "30s",
    "512M",
    "10%",
    "a=b",
    "x y",
    "*",
    "é",
    "",
    "tcp",
    "any",
    "DEAD-BEEF",
    "d41d8cd98f00b204e9800998ecf8427e",
    "2019-01-01T00:00:00Z",
    "12:30",
    "%{facts}",
    "{\"a\": 1}",
    "a\nb",
    "key: value",
];

fn of(rng: &mut Rng, expression: &Expression, pools: &Pools<'_>, depth: usize) -> Literal {
    let (name, args) = match expression {
        Expression::Value(value) => return value.clone(),
        Expression::Members(_) => return Hash(Vec::new()),
        Expression::Type(name, args) => (name.as_str(), args.as_slice()),
    };
    let any = |rng: &mut Rng| super::any(rng, pools.texts, 1);
    if depth > 8 {
        return any(rng);
    }
    let next = |rng: &mut Rng, expression: &Expression| of(rng, expression, pools, depth + 1);
    let inner = |rng: &mut Rng| match args.first() {
        Some(first) => next(rng, first),
        None => any(rng),
    };
    let int = |at: usize| match args.get(at) {
        Some(Expression::Value(Int(value))) => Some(*value),
        _ => None,
    };
    let is_type = |at: usize| matches!(args.get(at), Some(Expression::Type(..)));
    match name.trim_start_matches("::") {
        "Optional" => {
            if rng.chance(25) {
                return Undef;
            }
            inner(rng)
        }
        "Variant" | "Enum" if !args.is_empty() => {
            let at = rng.below(args.len());
            next(rng, &args[at])
        }
        "NotUndef" => inner(rng),
        "Undef" => Undef,
        "Default" => Default,
        "Boolean" => Bool(match args.first() {
            Some(Expression::Value(Bool(value))) => *value,
            _ => rng.chance(50),
        }),
        "Integer" => {
            let (least, most) = (int(0), int(1));
            Int(match (least, most) {
                (Some(least), Some(most)) => {
                    least + rng.below((most - least).clamp(0, 1 << 40) as usize + 1) as i64
                }
                (Some(least), None) => least + [0, 1, 2, 7, 1000][rng.below(5)],
                _ => [0, 1, -1, 2, 3, 8, 10, 42, 255, 1024, i64::MAX, -7][rng.below(12)],
            })
        }
        "Float" => Float([0.0, 1.5, -2.25, 3.0, 1e10, 0.1][rng.below(6)]),
        "Numeric" => [Int(3), Float(2.5), Int(-4), Int(0), Float(-0.5), Int(100)][rng.below(6)].clone(),
        "String" => {
            let text = super::text(rng, pools.texts);
            match int(0) {
                Some(least) if least > 0 && text.is_empty() => Text("x".repeat(least.min(40) as usize)),
                _ => Text(text),
            }
        }
        "Pattern" => {
            let Some(Expression::Value(Regex(source))) = args.get(rng.below(args.len().max(1))) else {
                return any(rng);
            };
            let source =
                source.replace("\\A", "^").replace("\\Z", "$").replace("\\z", "$").replace("\\/", "/");
            let Ok(pattern) = Regex::new(&source) else { return Text(super::text(rng, pools.texts)) };
            let all = pools.texts.iter().map(String::as_str).chain(SHAPES.iter().copied());
            let fitting: Vec<&str> = all.filter(|text| pattern.is_match(text)).collect();
            Text(match fitting.is_empty() {
                true => super::text(rng, pools.texts),
                false => rng.pick(&fitting).to_owned(),
            })
        }
        "Array" => {
            let size = if is_type(0) { 1 } else { 0 };
            let least = int(size).unwrap_or(0).clamp(0, 4) as usize;
            let most = int(size + 1).unwrap_or(3).clamp(least as i64, 5) as usize;
            let count = least + rng.below(most - least + 1);
            Array((0..count).map(|_| if is_type(0) { next(rng, &args[0]) } else { any(rng) }).collect())
        }
        "Hash" => {
            let count = rng.below(4).max(int(2).unwrap_or(0).clamp(0, 3) as usize);
            let mut entries: Vec<(Literal, Literal)> = Vec::new();
            for _ in 0..count {
                let key = if is_type(0) { next(rng, &args[0]) } else { Text(super::text(rng, pools.texts)) };
                let value = if is_type(1) { next(rng, &args[1]) } else { any(rng) };
                if entries.iter().all(|(other, _)| *other != key) {
                    entries.push((key, value));
                }
            }
            Hash(entries)
        }
        "Struct" => {
            let Some(Expression::Members(members)) = args.first() else { return any(rng) };
            let mut entries = Vec::new();
            for (key, value) in members {
                let optional = matches!(key, Expression::Type(name, _) if name == "Optional")
                    || matches!(value, Expression::Type(name, _) if name == "Optional");
                let key = match key {
                    Expression::Type(_, args) => args.first().map_or(Undef, |key| next(rng, key)),
                    key => next(rng, key),
                };
                if !optional || rng.chance(50) {
                    entries.push((key, next(rng, value)));
                }
            }
            Hash(entries)
        }
        "Tuple" => Array(
            args.iter().filter(|arg| matches!(arg, Expression::Type(..))).map(|arg| next(rng, arg)).collect(),
        ),
        "Sensitive" => {
            Sensitive(Box::new(args.first().map_or_else(|| Text("secret".to_owned()), |arg| next(rng, arg))))
        }
        "Regexp" => Regex(rng.pick(&["a", "^h", "l+", "\\d+", "(x)(y)?"]).to_owned()),
        "Type" | "CatalogEntry" => {
            Code(rng.pick(&["String", "Integer[1]", "File", "Class['a']", "Array[String]"]).to_owned())
        }
        "Any" | "Data" | "Scalar" | "ScalarData" | "RichData" | "Collection" | "Iterable" | "Object" => {
            match name {
                "Scalar" | "ScalarData" => match rng.below(4) {
                    0 => Int(7),
                    1 => Bool(true),
                    _ => Text(super::text(rng, pools.texts)),
                },
                "Collection" | "Iterable" if rng.chance(50) => Array(vec![any(rng), any(rng)]),
                "Collection" => Hash(vec![(Text("a".to_owned()), any(rng))]),
                _ => super::any(rng, pools.texts, 2),
            }
        }
        name => match pools.aliases.get(&name.to_lowercase()).and_then(|text| Reader(text).expression()) {
            Some(expression) => of(rng, &expression, pools, depth + 1),
            None => any(rng),
        },
    }
}
