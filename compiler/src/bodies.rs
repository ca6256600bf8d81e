//! Which bodies of definitions differ between two versions of a manifest whose rest is the same: who does not run one of them sees
//! no difference. Compared are tokens, so comments, blanks and lines do not count.
//!
//! What is outside of bodies is seen by everybody who loads the file: code at top level, the heads of definitions (their parameters
//! are checked when the file is read), types. So is a body with a heredoc that names a syntax, for its text is checked then, too.

use crate::ast::{Definition, Expr, ExprKind, HostMatch};
use crate::lex::token::{Tok, Token};
use crate::lex::{self, Lexed};
use crate::parse::{ParseLimits, parse};
use crate::source::SourceFile;
use bumpalo::Bump;
use bunraku_vm::unit::DefKind;

/// A definition, as its body is asked for: of a node each of the names and patterns that it goes by.
pub type Defined = (DefKind, String);

/// What stands for the body of a definition of this name, in lower case without leading `::`; a pattern between slashes.
pub fn key(kind: DefKind, name: &str) -> String {
    format!("{}{name}", before_name(kind))
}

/// What stands before the name in that.
pub fn before_name(kind: DefKind) -> &'static str {
    match kind {
        DefKind::Class => "class ",
        DefKind::Define => "define ",
        DefKind::Function => "function ",
        DefKind::Node => "node ",
        DefKind::TypeAlias | DefKind::ObjectType | DefKind::TypeSet => "type ",
    }
}

/// The definitions whose bodies differ, of two texts that both parse and are the same but for that; none of others.
pub fn changed_bodies(old: &str, new: &str) -> Option<Vec<Defined>> {
    let (arena, limits) = (Bump::new(), ParseLimits::default());
    let both = [old, new].map(|text| Divided::new(&arena, text, &limits));
    let [Some(old), Some(new)] = both else { return None };
    if old.around != new.around || old.bodies.len() != new.bodies.len() {
        return None;
    }
    let pairs = old.bodies.into_iter().zip(new.bodies);
    Some(
        pairs
            .filter(|(old, new)| old.tokens != new.tokens)
            .flat_map(|(old, new)| old.names.into_iter().chain(new.names))
            .collect(),
    )
}

/// A token without its place.
type Word<'a> = (Tok, &'a str);

/// A manifest in parts.
struct Divided<'a> {
    /// All tokens outside of bodies.
    around: Vec<Word<'a>>,
    bodies: Vec<Body<'a>>,
}

struct Body<'a> {
    names: Vec<Defined>,
    tokens: Vec<Word<'a>>,
}

impl<'a> Divided<'a> {
    /// None of a text that does not parse, or with definitions within others.
    fn new(arena: &'a Bump, text: &'a str, limits: &ParseLimits) -> Option<Divided<'a>> {
        let source = SourceFile::manifest(text);
        let program = parse(arena, &source, limits).ok()?.program;
        let Lexed { tokens, fault: None, .. } = lex::lex(arena, text, source.kind, limits.nesting) else {
            return None;
        };
        let mut starts = Vec::new();
        for definition in program.definitions {
            if let Some((start, names)) = named(definition)? {
                starts.push((start, names));
            }
        }
        starts.sort_by_key(|(start, _)| *start);
        let mut divided = Divided { around: Vec::new(), bodies: Vec::new() };
        let (mut at, mut starts) = (0, starts.into_iter().peekable());
        while let Some(token) = tokens.get(at) {
            divided.around.push((token.kind, token.text));
            at += 1;
            let Some((_, names)) = starts.next_if(|(start, _)| *start == token.start) else { continue };
            let (first, last) = body_of(&tokens, at)?;
            if starts.peek().is_some_and(|(next, _)| *next < tokens[last].start) {
                return None;
            }
            divided.around.extend(words(&tokens[at..first]));
            let body = &tokens[first..last];
            match body.iter().any(|token| token.kind == Tok::Heredoc && !token.text.is_empty()) {
                true => divided.around.extend(words(body)),
                false => divided.bodies.push(Body { names, tokens: words(body).collect() }),
            }
            at = last;
        }
        starts.next().is_none().then_some(divided)
    }
}

fn words<'a, 't>(tokens: &'t [Token<'a>]) -> impl Iterator<Item = Word<'a>> + 't {
    tokens.iter().map(|token| (token.kind, token.text))
}

/// Where the name of a definition with a body stands, and what it is called; an inner none of what has no body, an outer one where
/// the name is not to be told.
fn named(definition: &Expr<'_>) -> Option<Option<(u32, Vec<Defined>)>> {
    let plain = |kind: DefKind, def: &Definition<'_>| {
        let name = def.name.trim_start_matches("::").to_lowercase();
        Some(Some((def.name_span.start, vec![(kind, name)])))
    };
    match definition.kind {
        ExprKind::Class { def, .. } => plain(DefKind::Class, def),
        ExprKind::Define(def) => plain(DefKind::Define, def),
        ExprKind::Function { def, .. } => plain(DefKind::Function, def),
        ExprKind::Node { matches, .. } => {
            let mut start = None;
            let mut names = Vec::new();
            for matching in matches {
                let (name, span) = match matching {
                    HostMatch::Name(name, span) => (name.to_lowercase(), span),
                    HostMatch::Regex(source, span) => (format!("/{source}/"), span),
                    HostMatch::Default(span) => ("default".to_owned(), span),
                    HostMatch::Other(_) => return None,
                };
                start.get_or_insert(span.start);
                names.push((DefKind::Node, name));
            }
            Some(Some((start?, names)))
        }
        ExprKind::TypeAlias { .. } => Some(None),
        _ => None,
    }
}

/// The tokens between the braces of the body that comes next: the first, and the one after the last, which is the closing brace.
fn body_of(tokens: &[Token<'_>], from: usize) -> Option<(usize, usize)> {
    let mut depth = 0_usize;
    let mut first = None;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token.kind {
            Tok::LBrace if depth == 0 && first.is_none() => {
                first = Some(at + 1);
                depth = 1;
            }
            Tok::LBrace | Tok::SelBrace | Tok::LBrack | Tok::ListStart | Tok::LParen | Tok::WsLParen => {
                depth += 1;
            }
            Tok::RBrace | Tok::RBrack | Tok::RParen => {
                depth = depth.checked_sub(1)?;
                if let (Some(first), 0) = (first, depth) {
                    return Some((first, at));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "
# A site.
$top = { a => \"${[1, { b => 2 }]}\" }
class a (Hash $x = { y => {} }, $z = 'a') inherits b { notify { 'a': message => @(END) } }
  text
  | END
define c::d { $a ? { 1 => 2, default => { 3 => 4 } } }
function e(Struct[{ a => Integer }] $x) >> Array[Struct[{ b => Integer }]] { [$x] }
node 'One.example.com', /two\\d/, 'three.example.com' { include a }
node default { }
type F = Integer
include a
";

    fn changed(from: &str, to: &str) -> Option<Vec<String>> {
        assert!(MANIFEST.contains(from), "{from}");
        let bodies = changed_bodies(MANIFEST, &MANIFEST.replacen(from, to, 1))?;
        Some(bodies.into_iter().map(|(kind, name)| key(kind, &name)).collect())
    }

    #[test]
    fn what_differs_in_bodies_alone_is_told_by_definition() {
        let is = |from, to, wanted: &[&str]| {
            let mut found = changed(from, to).unwrap_or_else(|| panic!("{from} -> {to}: outside"));
            found.dedup();
            found.sort();
            found.dedup();
            assert_eq!(found, wanted, "{from} -> {to}");
        };
        is("# A site.", "", &[]);
        is("include a\n", "include  a # it\n\n", &[]);
        is("  text", "  other", &["class a"]);
        is("notify { 'a'", "/* why */ notify{ 'a'", &[]);
        is("3 => 4", "3 => 5", &["define c::d"]);
        is("[$x]", "[$x, 1]", &["function e"]);
        is("default { }", "default { include a }", &["node default"]);
        is(
            "{ include a }",
            "{ include b }",
            &["node /two\\d/", "node one.example.com", "node three.example.com"],
        );
    }

    #[test]
    fn what_everybody_sees_is_told_as_such() {
        for (from, to) in [
            ("$top = {", "$top = { z => 1,"),
            ("b => 2", "b => 3"),
            ("class a", "class g"),
            ("y => {}", "y => 1"),
            ("inherits b", "inherits c"),
            ("b => Integer", "b => String"),
            ("/two\\d/", "/two/"),
            ("type F = Integer", "type F = String"),
            ("\ninclude a", "\ninclude b"),
            ("node default { }", ""),
            ("define c::d { ", "define c::d { class h { } "),
            ("@(END)", "@(END:json)"),
            ("$a ?", "$a ? ?"),
        ] {
            assert_eq!(changed(from, to), None, "{from} -> {to}");
        }
        let with_syntax = |text: &str| format!("class a {{ $x = @(END:json)\n  {text}\n  | END\n}}");
        assert_eq!(changed_bodies(&with_syntax("{}"), &with_syntax("[]")), None);
        assert_eq!(changed_bodies("class a { class b { } }", "class a { class b { include c } }"), None);
        assert_eq!(changed_bodies("class a { foo[1] }", "class a { foo [1] }").map(|all| all.len()), Some(2));
    }
}
