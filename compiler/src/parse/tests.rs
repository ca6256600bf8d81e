//! What trees the parser makes, in Puppet's notation and as Puppet 7.23 makes them, and the errors that no corpus shows.

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
        Ok(parsed) => crate::dump::Notation::of(&parsed.program).to_string(),
        Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn precedence() {
    assert_eq!(tree("1 + 2 * 3 - 4"), "(- (+ 1 (* 2 3)) 4)");
    assert_eq!(tree("-$a * !$b in $c"), r#"(* (- (var "a")) (in (! (var "b")) (var "c")))"#);
    assert_eq!(tree("1 < 2 == 3"), "(< 1 (== 2 3))");
    assert_eq!(tree("$a or $b and $c"), r#"(or (var "a") (and (var "b") (var "c")))"#);
    assert_eq!(tree("$a = $b = 1"), r#"(= (var "a") (= (var "b") 1))"#);
    assert_eq!(tree("$a = b -> c"), r#"(= (var "a") (-> (qn "b") (qn "c")))"#);
    assert_eq!(tree("$a -> $b ~> $c"), r#"(~> (-> (var "a") (var "b")) (var "c"))"#);
    assert_eq!(
        tree("-$a[1].b"),
        r#"(- (call-method {:functor (. (access (var "a") 1) (qn "b")) :args []}))"#
    );
    assert_eq!(tree("1 << 2 + 3"), "(<< 1 (+ 2 3))");
    assert_eq!(tree("$a =~ b in c"), r#"(=~ (var "a") (in (qn "b") (qn "c")))"#);
}

#[test]
fn selectors() {
    assert_eq!(
        tree("$a == 1 ? { 2 => 3, default => 4, } + 5"),
        r#"(+ (? (== (var "a") 1) [(=> 2 3) (=> (default) 4)]) 5)"#
    );
    assert_eq!(tree("$a and $b ? 1 => 2"), r#"(and (var "a") (? (var "b") [(=> 1 2)]))"#);
}

#[test]
fn calls_without_parentheses() {
    assert_eq!(tree("notice 1, 2"), r#"(invoke {:functor (qn "notice") :args [1 2]})"#);
    assert_eq!(
        tree("include a include b"),
        r#"(block (invoke {:functor (qn "include") :args [(qn "a")]}) (invoke {:functor (qn "include") :args [(qn "b")]}))"#
    );
    assert_eq!(tree("foo 1"), r#"(block (qn "foo") 1)"#);
    assert_eq!(
        tree("foo 1, 2"),
        "attempt to pass argument list to the function 'foo' which cannot be called without parentheses (line: 1, column: 6)"
    );
    assert_eq!(tree("1, 2"), "illegal comma separated argument list (line: 1, column: 2)");
    assert_eq!(tree("notice { a => 1 }"), r#"(invoke {:functor (qn "notice") :args [(hash (=> "a" 1))]})"#);
}

#[test]
fn white_space_before_brackets() {
    assert_eq!(tree("$a[1]"), r#"(access (var "a") 1)"#);
    assert_eq!(tree("$a [1]"), r#"(block (var "a") (array 1))"#);
    assert_eq!(tree("foo\n(1)"), r#"(block (qn "foo") (paren 1))"#);
    assert_eq!(tree("foo (1)"), r#"(invoke {:functor (qn "foo") :args [1]})"#);
}

#[test]
fn regular_expressions_and_division() {
    assert_eq!(tree("$a / 2 / 3"), r#"(/ (/ (var "a") 2) 3)"#);
    assert_eq!(tree(r"$a =~ /x\/\d/"), r#"(=~ (var "a") (regexp "x/\\d"))"#);
    assert_eq!(tree("$a =~ /[/"), "premature end of char-class: /[/");
}

#[test]
fn interpolation() {
    assert_eq!(tree(r#""a${b}c$d""#), r#"(concat "a" (str (var "b")) "c" (str (var "d")))"#);
    assert_eq!(
        tree(r#""${if}${x[1]}${x.y}${1}""#),
        r#"(concat (str (var "if")) (str (access (var "x") 1)) (str (call-method {:functor (. (var "x") (qn "y")) :args []})) (str (var "1")))"#
    );
    assert_eq!(tree(r#""${x + 1}${-1}""#), r#"(concat (str (+ (qn "x") 1)) (str -1))"#);
    assert_eq!(tree(r#""${"b${c}"}""#), r#"(concat (str (concat "b" (str (var "c")))))"#);
    assert_eq!(tree(r#""$ \$x \u{41}\t""#), r#""$ $x A\t""#);
    assert_eq!(tree("'''"), r#""'""#);
}

#[test]
fn heredocs() {
    assert_eq!(
        tree("f(@(A), @(\"B\":json/t))\n  a\\t\n  | A\nb${c}\\t\n-B\n1"),
        r#"(block (invoke {:functor (qn "f") :args [(heredoc {:text "a\\t\n"}) (heredoc {:syntax "json" :text (concat "b" (str (var "c")) "\t")})]}) 1)"#
    );
    assert_eq!(tree("@(A)\nx"), "Heredoc without end-tagged line (line: 2, column: 1)");
}

#[test]
fn resources() {
    assert_eq!(
        tree("@foo { 'a': b => 1, * => $c; default: d +> 2, }"),
        r#"(resource {:type (qn "foo") :bodies [{:title "a" :ops [(=> "b" 1) (splat-hash (var "c"))]} {:title (default) :ops [(+> "d" 2)]}] :form "virtual"})"#
    );
    assert_eq!(tree("Foo { a => 1 }"), r#"(resource-defaults {:type (qr "Foo") :ops [(=> "a" 1)]})"#);
    assert_eq!(
        tree("Foo[1] { a => 1 }"),
        r#"(resource-override {:resources (access (qr "Foo") 1) :ops [(=> "a" 1)]})"#
    );
    assert_eq!(
        tree("Foo <| a == 1 |> { b => 2 }"),
        r#"(collect {:type (qr "Foo") :query (virtual-query (== (qn "a") 1)) :ops [(=> "b" 2)]})"#
    );
    assert_eq!(tree("Foo <<| |>>"), r#"(collect {:type (qr "Foo") :query (exported-query)})"#);
    assert_eq!(tree("@$x"), "Virtual (@) can only be applied to a Resource Expression (line: 1, column: 1)");
}

#[test]
fn definitions() {
    assert_eq!(
        tree("class a (String $b = 'c', *$d) inherits ::e { class f { } }"),
        r#"(class {:name "a" :parent "::e" :params {:b {:type (qr "String") :value "c"} :d {:splat true}} :body [(class {:name "a::f"})]})"#
    );
    assert_eq!(
        tree("function a::b($c) >> Array[String] { $c }"),
        r#"(function {:name "a::b" :params {:c {}} :body [(var "c")] :returns (access (qr "Array") (qr "String"))})"#
    );
    assert_eq!(tree("node a.b, /c/, default { }"), r#"(node {:matches ["a.b" (regexp "c") (default)]})"#);
    assert_eq!(tree("type A = B[1]"), r#"(type-alias "A" (access (qr "B") 1))"#);
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
        r#"(lambda {:params {:a {}} :body [(epp (render-s "x ") (render (var "a")) (render-s " <% y"))]})"#
    );
    assert_eq!(
        template("<%= { a => 1 }[a] %>"),
        r#"(lambda {:body [(epp (render (access (hash (=> (qn "a") 1)) (qn "a"))))]})"#
    );
    assert_eq!(template("<%= { 1 2 } %>"), "(lambda {:body [(epp (render (block 1 2)))]})");
    assert_eq!(
        template("<% $a"),
        "Unbalanced epp tag, reached <eof> without closing tag. (line: 1, column: 6)"
    );
}

#[test]
fn several_syntax_errors() {
    let text = "class a {\n  $x = = 1\n}\nclass b {\n}\ndefine c {\n  )\n}\n";
    assert_eq!(tree(text), "Syntax error at '=' (line: 2, column: 8)");
    let errors = shown(&SourceFile::manifest(text), &ParseLimits { errors: 20, ..ParseLimits::default() });
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
    let links = limits.links as usize - 1;
    let chains = [
        "$x = 1".to_owned() + &" + 1".repeat(links),
        "A[1]".to_owned() + &" -> A[1]".repeat(links),
        "$x = a".to_owned() + &" and a".repeat(links),
        "$x = a".to_owned() + &"[1]".repeat(links),
        "if 1 { } ".to_owned() + &"elsif 1 { } ".repeat(links),
    ];
    let texts = [
        "$x = 1".to_owned() + &" + 1".repeat(depth),
        "(".repeat(depth) + "1" + &")".repeat(depth),
        "[".repeat(depth) + &"]".repeat(depth),
        "if 1 { ".repeat(depth) + &"}".repeat(depth),
        "f(".repeat(depth / 2) + &")".repeat(depth / 2),
        "f() |$x| { ".repeat(depth / 2) + &"}".repeat(depth / 2),
        "class a { ".repeat(depth) + &"}".repeat(depth),
    ];
    on_small_stack(move || {
        for text in chains.iter().chain(&texts) {
            let arena = Bump::new();
            let source = SourceFile::manifest(text);
            let parsed = parse(&arena, &source, &limits).unwrap();
            crate::check::check(&parsed.program, &source, &crate::check::CheckOptions::default());
            crate::relative_names(&parsed.program);
            // What is told of the tree of a long chain is white space for the most part.
            if !chains.contains(text) {
                assert!(!crate::dump::Notation::of(&parsed.program).pretty().is_empty());
            }
        }
    });
}
