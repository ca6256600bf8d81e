//! What trees the parser makes, and the errors that no corpus shows.

use super::{ParseLimits, parse};
use crate::source::SourceFile;
use bumpalo::Bump;

/// The tree of a manifest.
fn tree(text: &str) -> String {
    shown(&SourceFile::manifest(text), &ParseLimits::default())
}

/// The tree of a template.
fn template(text: &str) -> String {
    shown(&SourceFile::epp(text), &ParseLimits::default())
}

/// The tree, or the errors one a line.
fn shown(source: &SourceFile<'_>, limits: &ParseLimits) -> String {
    let arena = Bump::new();
    match parse(&arena, source, limits) {
        Ok(parsed) => crate::dump(&parsed.program, false),
        Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn precedence() {
    assert_eq!(tree("1 + 2 * 3 - 4"), "(- (+ (int 1) (* (int 2) (int 3))) (int 4))");
    assert_eq!(tree("-$a * !$b in $c"), "(* (neg (var a)) (in (! (var b)) (var c)))");
    assert_eq!(tree("1 < 2 == 3"), "(< (int 1) (== (int 2) (int 3)))");
    assert_eq!(tree("$a or $b and $c"), "(or (var a) (and (var b) (var c)))");
    assert_eq!(tree("$a = $b = 1"), "(= (var a) (= (var b) (int 1)))");
    assert_eq!(tree("$a = b -> c"), "(= (var a) (-> (name b) (name c)))");
    assert_eq!(tree("$a -> $b ~> $c"), "(~> (-> (var a) (var b)) (var c))");
    assert_eq!(tree("-$a[1].b"), "(neg (method (access (var a) (int 1)) (name b)))");
    assert_eq!(tree("1 << 2 + 3"), "(<< (int 1) (+ (int 2) (int 3)))");
    assert_eq!(tree("$a =~ b in c"), "(=~ (var a) (in (name b) (name c)))");
}

#[test]
fn selectors() {
    assert_eq!(
        tree("$a == 1 ? { 2 => 3, default => 4, } + 5"),
        "(+ (? (== (var a) (int 1)) (=> (int 2) (int 3)) (=> (default) (int 4))) (int 5))"
    );
    assert_eq!(tree("$a and $b ? 1 => 2"), "(and (var a) (? (var b) (=> (int 1) (int 2))))");
}

#[test]
fn calls_without_parentheses() {
    assert_eq!(tree("notice 1, 2"), "(invoke (name notice) (int 1) (int 2))");
    assert_eq!(
        tree("include a include b"),
        "(block (invoke (name include) (name a)) (invoke (name include) (name b)))"
    );
    assert_eq!(tree("foo 1"), "(block (name foo) (int 1))");
    assert_eq!(
        tree("foo 1, 2"),
        "attempt to pass argument list to the function 'foo' which cannot be called without parentheses \
         (line: 1, column: 6)"
    );
    assert_eq!(tree("1, 2"), "illegal comma separated argument list (line: 1, column: 2)");
    assert_eq!(
        tree("notice { a => 1 }"),
        "(invoke (name notice) (hash (=> (str a) (int 1))))".replace("(str a)", "(str \"a\")")
    );
}

#[test]
fn white_space_before_brackets() {
    assert_eq!(tree("$a[1]"), "(access (var a) (int 1))");
    assert_eq!(tree("$a [1]"), "(block (var a) (array (int 1)))");
    assert_eq!(tree("foo\n(1)"), "(block (name foo) (paren (int 1)))");
    assert_eq!(tree("foo (1)"), "(invoke (name foo) (int 1))");
}

#[test]
fn regular_expressions_and_division() {
    assert_eq!(tree("$a / 2 / 3"), "(/ (/ (var a) (int 2)) (int 3))");
    assert_eq!(tree(r"$a =~ /x\/\d/"), "(=~ (var a) (regex \"x/\\\\d\"))");
    assert_eq!(tree("$a =~ /[/"), "premature end of char-class: /[/");
}

#[test]
fn interpolation() {
    assert_eq!(tree(r#""a${b}c$d""#), "(concat (str \"a\") (var b) (str \"c\") (var d))");
    assert_eq!(
        tree(r#""${if}${x[1]}${x.y}${1}""#),
        "(concat (var if) (access (var x) (int 1)) (method (var x) (name y)) (var 1))"
    );
    assert_eq!(tree(r#""${x + 1}${-1}""#), "(concat (+ (name x) (int 1)) (neg (int 1)))");
    assert_eq!(tree(r#""${"b${c}"}""#), "(concat (concat (str \"b\") (var c)))");
    assert_eq!(tree(r#""$ \$x \u{41}\t""#), "(str \"$ $x A\\t\")");
    assert_eq!(tree("'''"), "(str \"'\")");
}

#[test]
fn heredocs() {
    assert_eq!(
        tree("f(@(A), @(\"B\":json/t))\n  a\\t\n  | A\nb${c}\\t\n-B\n1"),
        "(block (invoke (name f) (heredoc \"\" (str \"a\\\\t\\n\")) (heredoc \"json\" (concat (str \"b\") (var c) \
         (str \"\\t\")))) (int 1))"
    );
    assert_eq!(tree("@(A)\nx"), "Heredoc without end-tagged line (line: 2, column: 1)");
}

#[test]
fn resources() {
    assert_eq!(
        tree("@foo { 'a': b => 1, * => $c; default: d +> 2, }"),
        "(@resource (name foo) (body (str \"a\") (=> b (int 1)) (*=> (var c))) (body (default) (+> d (int 2))))"
    );
    assert_eq!(tree("Foo { a => 1 }"), "(defaults (type-name Foo) (=> a (int 1)))");
    assert_eq!(tree("Foo[1] { a => 1 }"), "(override (access (type-name Foo) (int 1)) (=> a (int 1)))");
    assert_eq!(
        tree("Foo <| a == 1 |> { b => 2 }"),
        "(collect (type-name Foo) (virtual-query (== (name a) (int 1))) (=> b (int 2)))"
    );
    assert_eq!(tree("Foo <<| |>>"), "(collect (type-name Foo) (exported-query))");
    assert_eq!(tree("@$x"), "Virtual (@) can only be applied to a Resource Expression (line: 1, column: 1)");
}

#[test]
fn definitions() {
    assert_eq!(
        tree("class a (String $b = 'c', *$d) inherits ::e { class f { } }"),
        "(class a (inherits ::e) (params (param b (type (type-name String)) (default (str \"c\"))) (rest d)) \
         (block (class a::f (params) ())))"
    );
    assert_eq!(
        tree("function a::b($c) >> Array[String] { $c }"),
        "(function a::b (returns (access (type-name Array) (type-name String))) (params (param c)) (block (var c)))"
    );
    assert_eq!(tree("node a.b, /c/, default { }"), "(node (str \"a.b\") (regex \"c\") (default) ())");
    assert_eq!(tree("type A = B[1]"), "(type-alias A (access (type-name B) (int 1)))");
}

#[test]
fn definitions_come_inner_first() {
    let arena = Bump::new();
    let source = SourceFile::manifest("class a { class b { } define c { } } class d { }");
    let parsed = parse(&arena, &source, &ParseLimits::default()).unwrap();
    let names: Vec<_> = parsed
        .program
        .definitions
        .iter()
        .map(|definition| match definition.kind {
            crate::ast::ExprKind::Class { def, .. } | crate::ast::ExprKind::Define(def) => def.name,
            _ => "?",
        })
        .collect();
    assert_eq!(names, ["a::b", "a::c", "a", "d"]);
}

#[test]
fn templates() {
    assert_eq!(
        template("<%- | $a | -%>\nx <%= $a %> <%# no -%>\n<%% y"),
        "(epp (params (param a)) (block (text \"x \") (render (var a)) (text \" <% y\")))"
    );
    assert_eq!(
        template("<%= { a => 1 }[a] %>"),
        "(epp (block (render (access (hash (=> (name a) (int 1))) (name a)))))"
    );
    assert_eq!(template("<%= { 1 2 } %>"), "(epp (block (render (block (int 1) (int 2)))))");
    assert_eq!(
        template("<% $a"),
        "Unbalanced epp tag, reached <eof> without closing tag. (line: 1, column: 6)"
    );
}

#[test]
fn several_syntax_errors() {
    let errors = tree("class a {\n  $x = = 1\n}\nclass b {\n}\ndefine c {\n  )\n}\n");
    assert_eq!(errors, "Syntax error at '=' (line: 2, column: 8)\nSyntax error at ')' (line: 7, column: 3)");
}

#[test]
fn nesting_is_limited() {
    let limits = ParseLimits::default();
    let deep = 100_000;
    let texts = [
        "(".repeat(deep),
        "[".repeat(deep),
        "{a=>".repeat(deep),
        "!".repeat(deep),
        "- ".repeat(deep),
        "if 1 { ".repeat(deep),
        "$a = ".repeat(deep),
        "1 + ".repeat(deep),
        "1 -> ".repeat(deep),
        "a.b".to_owned() + &".b".repeat(deep),
        "a".to_owned() + &"[1]".repeat(deep),
        "f(".repeat(deep),
        "\"${".repeat(deep),
        "@".repeat(deep),
        "class a { ".repeat(deep),
        "$a ? 1 => ".repeat(deep),
        "x |$a = ".repeat(deep),
        "f() |$a = ".repeat(deep),
        "if 1 { } else { ".repeat(deep),
        "if 1 { } elsif 1 { } ".to_owned() + &"elsif 1 { } ".repeat(deep),
        "a { 'b': ".repeat(deep),
        "a {} ".to_owned() + &"{}".repeat(deep),
        "A<| ".repeat(deep),
        "case 1 { 1: { ".repeat(deep),
        "class { ".repeat(deep),
        "class { 'a': b => ".repeat(deep),
        "function f($a = ".repeat(deep),
        "type A = { a => ".repeat(deep),
        "type A = A[".repeat(deep),
        "@(\"E\") ${ ".repeat(100),
        "/(".to_owned() + &"(".repeat(deep) + "/",
    ];
    on_small_stack(move || {
        for text in &texts {
            let arena = Bump::new();
            let found = parse(&arena, &SourceFile::manifest(text), &limits);
            assert!(found.is_err(), "{}", &text[..20]);
        }
    });
}

/// Runs a test on less stack than a thread has by default.
fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1_750_000).spawn(test).unwrap();
    thread.join().unwrap();
}

#[test]
fn what_is_allowed_fits_the_stack() {
    let limits = ParseLimits::default();
    // Each of these takes as much of the limit as it nests.
    let depth = limits.nesting as usize - 3;
    let texts = [
        "(".repeat(depth) + "1" + &")".repeat(depth),
        "[".repeat(depth) + &"]".repeat(depth),
        "if 1 { ".repeat(depth) + &"}".repeat(depth),
        "$x = 1".to_owned() + &" + 1".repeat(depth - 1),
        "f(".repeat(depth / 2) + &")".repeat(depth / 2),
        "f() |$x| { ".repeat(depth / 2) + &"}".repeat(depth / 2),
        "class a { ".repeat(depth) + &"}".repeat(depth),
    ];
    on_small_stack(move || {
        for text in &texts {
            let arena = Bump::new();
            let source = SourceFile::manifest(text);
            let parsed = parse(&arena, &source, &limits).unwrap();
            crate::check::check(&parsed.program, &source, &crate::check::CheckOptions::default());
            crate::relative_names(&parsed.program);
            assert!(!crate::dump(&parsed.program, true).is_empty());
        }
    });
}
