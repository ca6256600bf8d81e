//! Where code declares classes and resources, and calls functions, and under which conditions: for whoever tells why something is not in
//! a catalog.

use crate::ast::{Expr, ExprKind, Lambda, ResourceForm, Span};
use crate::extent::{short_text, tree_text};
use crate::lower::Fork;
use crate::parse::{ParseLimits, parse};
use crate::source::{LineIndex, SourceFile};
use crate::visit::{Lambdas, deeper, each_child, named_call};
use bumpalo::Bump;
use bunraku_vm::unit::DefKind;

/// Bytes of a text that are kept.
const MAX_TEXT: usize = 120;

/// How a place declares something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaredBy {
    /// `include`, `hiera_include` and what else a class is included by.
    Include,
    /// `contain`
    Contain,
    /// `require`
    Require,
    /// A resource expression; of a class the form that looks like one.
    Resource,
    /// `inherits`
    Inherits,
    /// `create_resources`, `ensure_resource` and their like.
    CreateResources,
    /// Not by itself: it calls a function, which may declare something. The type of such a place is [`CALLED`], its title the function.
    Call,
}

/// The type of places that call functions. No resource has it: it is a word of the language.
pub const CALLED: &str = "function";

/// In whose body code stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// What it is; none of code outside of definitions.
    pub kind: Option<DefKind>,
    /// Its name, in lower case without leading `::`; empty of nodes and code outside.
    pub name: String,
    /// Line and column of the definition.
    pub place: (u32, u32),
    /// What is written of a node: its names.
    pub text: String,
}

/// A part of a condition that has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Where it stands.
    pub span: Span,
    /// What is written.
    pub text: String,
}

/// An arm of a condition that code stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// What it is an arm of.
    pub fork: Fork,
    /// Where that is written, as in [`crate::lower::Arm`].
    pub of: Span,
    /// The arm, likewise.
    pub body: Span,
    /// Whether it is the arm for whatever fits no other.
    pub is_rest: bool,
    /// What is asked: the test.
    pub condition: String,
    /// The options of the arm, of `case` and selectors.
    pub options: String,
    /// The line of the condition.
    pub line: u32,
    /// What has a value in the test and the options.
    pub operands: Vec<Operand>,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaringPlace {
    /// How.
    pub how: DeclaredBy,
    /// The type, in lower case without leading `::`; `class` of classes. None where that is computed.
    pub ty: Option<String>,
    /// The title, of a class its name as it is written; none where that is computed.
    pub title: Option<String>,
    /// What is written there.
    pub text: String,
    /// Whether what is declared is virtual or exported.
    pub is_virtual: bool,
    /// Where it stands.
    pub span: Span,
    /// The line.
    pub line: u32,
    /// In whose body.
    pub inside: Inside,
    /// In which arms, outermost first.
    pub guards: Vec<Guard>,
    /// The functions whose blocks it stands in, outermost first, each with its line.
    pub blocks: Vec<(String, u32)>,
}

/// All places of a source, in its order; none where it does not parse.
pub fn declaring_places(source: &SourceFile<'_>) -> Vec<DeclaringPlace> {
    let arena = Bump::new();
    let Ok(parsed) = parse(&arena, source, &ParseLimits::default()) else { return Vec::new() };
    let inside = Inside { kind: None, name: String::new(), place: (1, 1), text: String::new() };
    let mut reader = Reader {
        text: source.text,
        lines: LineIndex::new(source.text),
        all: Vec::new(),
        inside,
        guards: Vec::new(),
        blocks: Vec::new(),
    };
    reader.walk(parsed.program.body);
    reader.all
}

struct Reader<'s> {
    text: &'s str,
    lines: LineIndex,
    all: Vec<DeclaringPlace>,
    inside: Inside,
    guards: Vec<Guard>,
    blocks: Vec<(String, u32)>,
}

impl Reader<'_> {
    fn walk(&mut self, expr: &Expr<'_>) {
        deeper(|| self.look(expr));
    }

    fn look(&mut self, expr: &Expr<'_>) {
        match &expr.kind {
            ExprKind::Class { def, parent } => {
                let kind = Some((DefKind::Class, def.name));
                self.within(kind, expr, |reader| {
                    if let Some((parent, _)) = parent {
                        reader.add(expr, DeclaredBy::Inherits, Some("class"), Some(parent));
                    }
                    each_child(expr, Lambdas::Skip, &mut |child| reader.walk(child));
                });
            }
            ExprKind::Define(def) => self.definition(DefKind::Define, def.name, expr),
            ExprKind::Function { def, .. } => self.definition(DefKind::Function, def.name, expr),
            ExprKind::Node { .. } => self.definition(DefKind::Node, "", expr),
            ExprKind::If { negated, test, then, otherwise } => {
                self.walk(test);
                let fork = if *negated { Fork::Unless } else { Fork::If };
                self.arm((fork, expr), (test, &[]), then, false);
                if let Some(otherwise) = otherwise {
                    self.arm((fork, expr), (test, &[]), otherwise, true);
                }
            }
            ExprKind::Case { test, options } => {
                self.walk(test);
                for option in *options {
                    let is_rest = option.values.iter().any(|value| matches!(value.kind, ExprKind::Default));
                    self.arm((Fork::Case, expr), (test, option.values), option.body, is_rest);
                }
            }
            ExprKind::Selector { left, arms } => {
                self.walk(left);
                for arm in *arms {
                    let is_rest = matches!(arm.matching.kind, ExprKind::Default);
                    let options = std::slice::from_ref(&arm.matching);
                    self.arm((Fork::Selector, expr), (left, options), &arm.value, is_rest);
                }
            }
            _ => {
                self.note(expr);
                each_child(expr, Lambdas::Skip, &mut |child| self.walk(child));
                let (name, lambda) = match expr.kind {
                    ExprKind::Call { functor: Expr { kind: ExprKind::Name(name), .. }, lambda, .. }
                    | ExprKind::MethodCall {
                        name: Expr { kind: ExprKind::Name(name), .. }, lambda, ..
                    } => (*name, lambda),
                    _ => return,
                };
                if let Some(lambda) = lambda {
                    self.block(name, expr, lambda);
                }
            }
        }
    }

    fn definition(&mut self, kind: DefKind, name: &str, expr: &Expr<'_>) {
        self.within(Some((kind, name)), expr, |reader| {
            each_child(expr, Lambdas::Skip, &mut |child| reader.walk(child));
        });
    }

    /// Reads the body of a definition.
    fn within(&mut self, kind: Option<(DefKind, &str)>, expr: &Expr<'_>, read: impl FnOnce(&mut Self)) {
        let (kind, name) = kind.map_or((None, ""), |(kind, name)| (Some(kind), name));
        let text = match kind {
            Some(DefKind::Node) => {
                let all = tree_text(expr, self.text);
                all.split('{').next().unwrap_or_default().trim_start_matches("node").trim().to_owned()
            }
            _ => String::new(),
        };
        let place = self.lines.line_column(self.text, expr.span.start);
        let name = lower(name);
        let outer = std::mem::replace(&mut self.inside, Inside { kind, name, place, text });
        let (guards, blocks) = (std::mem::take(&mut self.guards), std::mem::take(&mut self.blocks));
        read(self);
        (self.inside, self.guards, self.blocks) = (outer, guards, blocks);
    }

    fn arm(
        &mut self,
        (fork, expr): (Fork, &Expr<'_>),
        (test, options): (&Expr<'_>, &[Expr<'_>]),
        body: &Expr<'_>,
        is_rest: bool,
    ) {
        let mut operands = Vec::new();
        std::iter::once(test).chain(options).for_each(|part| self.operands(part, &mut operands));
        let options: Vec<String> = options.iter().map(|option| self.short(option)).collect();
        self.guards.push(Guard {
            fork,
            of: expr.span,
            body: body.span,
            is_rest,
            condition: self.short(test),
            options: options.join(", "),
            line: self.lines.line_column(self.text, test.span.start).0,
            operands,
        });
        self.walk(body);
        self.guards.pop();
    }

    fn block(&mut self, name: &str, call: &Expr<'_>, lambda: &Lambda<'_>) {
        let line = self.lines.line_column(self.text, call.span.start).0;
        self.blocks.push((name.to_owned(), line));
        self.walk(lambda.body);
        self.blocks.pop();
    }

    /// What has a value in a condition: variables, parts of them, calls.
    fn operands(&self, expr: &Expr<'_>, all: &mut Vec<Operand>) {
        match expr.kind {
            ExprKind::Access { left: Expr { kind: ExprKind::TypeName(_), .. }, .. } => {}
            ExprKind::Var(_)
            | ExprKind::Access { .. }
            | ExprKind::Call { .. }
            | ExprKind::MethodCall { .. } => {
                all.push(Operand { span: expr.span, text: self.short(expr) });
            }
            _ => each_child(expr, Lambdas::Skip, &mut |child| self.operands(child, all)),
        }
    }

    fn short(&self, expr: &Expr<'_>) -> String {
        short_text(expr, self.text, MAX_TEXT)
    }

    /// Notes what an expression declares, if it does.
    fn note(&mut self, expr: &Expr<'_>) {
        match &expr.kind {
            ExprKind::Call { .. } | ExprKind::MethodCall { .. } => {
                if let Some((name, args)) = named_call(expr) {
                    self.call(expr, name, &args);
                }
            }
            ExprKind::Resource { form, type_expr, bodies } => {
                let ty = match type_expr.kind {
                    ExprKind::Name(name) | ExprKind::TypeName(name) => Some(name),
                    _ => None,
                };
                let is_virtual = !matches!(form, ResourceForm::Regular);
                for body in *bodies {
                    let before = self.all.len();
                    self.titles(&body.title, &mut |reader, title| {
                        reader.add(expr, DeclaredBy::Resource, ty, title);
                    });
                    let text = format!("{} {{ {}: }}", ty.unwrap_or("…"), self.short(&body.title));
                    let line = self.lines.line_column(self.text, body.title.span.start).0;
                    for place in &mut self.all[before..] {
                        (place.text, place.line, place.is_virtual) = (text.clone(), line, is_virtual);
                    }
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, expr: &Expr<'_>, function: &str, args: &[&Expr<'_>]) {
        let how = match function.trim_start_matches("::") {
            "include" | "hiera_include" => DeclaredBy::Include,
            "contain" => DeclaredBy::Contain,
            "require" => DeclaredBy::Require,
            "create_resources" | "ensure_resource" | "ensure_resources" => {
                return self.made(expr, function, args);
            }
            _ => return self.called(expr, function, args),
        };
        let is_looked_up = function.ends_with("hiera_include");
        for arg in args {
            self.titles(arg, &mut |reader, title| {
                reader.add(expr, how, Some("class"), title.filter(|_| !is_looked_up));
            });
        }
    }

    /// Notes a call of a function that declares nothing itself; of `call`, of the function that it names.
    fn called(&mut self, expr: &Expr<'_>, function: &str, args: &[&Expr<'_>]) {
        let function = match (function, args) {
            ("call", [Expr { kind: ExprKind::Str(name), .. }, ..]) => name,
            _ => function,
        };
        self.add(expr, DeclaredBy::Call, Some(CALLED), Some(&lower(function)));
    }

    /// Notes what functions declare whose first argument is a type.
    fn made(&mut self, expr: &Expr<'_>, function: &str, args: &[&Expr<'_>]) {
        let [ty, titles, ..] = args else { return };
        let ty = match ty.kind {
            ExprKind::Str(name) | ExprKind::Name(name) | ExprKind::TypeName(name) => Some(name),
            _ => None,
        };
        match function {
            "ensure_resource" => self.titles(titles, &mut |reader, title| {
                reader.add(expr, DeclaredBy::CreateResources, ty, title);
            }),
            _ => match titles.kind {
                ExprKind::Hash(entries) => entries.iter().for_each(|entry| {
                    self.titles(&entry.key, &mut |reader, title| {
                        reader.add(expr, DeclaredBy::CreateResources, ty, title);
                    });
                }),
                _ => self.add(expr, DeclaredBy::CreateResources, ty, None),
            },
        }
    }

    /// Calls back for each title that an expression stands for; with none where it is computed.
    fn titles(&mut self, expr: &Expr<'_>, each: &mut dyn FnMut(&mut Self, Option<&str>)) {
        match expr.kind {
            ExprKind::Str(text) | ExprKind::Name(text) => each(self, Some(text)),
            ExprKind::Paren(inner) => self.titles(inner, each),
            ExprKind::Array(items) => items.iter().for_each(|item| self.titles(item, each)),
            ExprKind::Access { left: Expr { kind: ExprKind::TypeName(_), .. }, keys } => {
                keys.iter().for_each(|key| match key.kind {
                    ExprKind::TypeName(name) => each(self, Some(name)),
                    _ => self.titles(key, each),
                });
            }
            ExprKind::Undef | ExprKind::Default => {}
            _ => each(self, None),
        }
    }

    fn add(&mut self, expr: &Expr<'_>, how: DeclaredBy, ty: Option<&str>, title: Option<&str>) {
        let text = match how {
            DeclaredBy::Inherits => format!("inherits {}", title.unwrap_or_default()),
            _ => self.short(expr),
        };
        self.all.push(DeclaringPlace {
            how,
            ty: ty.map(lower),
            title: title.map(str::to_owned),
            text,
            is_virtual: false,
            span: expr.span,
            line: self.lines.line_column(self.text, expr.span.start).0,
            inside: self.inside.clone(),
            guards: self.guards.clone(),
            blocks: self.blocks.clone(),
        });
    }
}

/// A name as it is compared.
fn lower(name: &str) -> String {
    name.trim_start_matches("::").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_with_their_conditions() {
        let text = "node 'a', /b/ {\n  if $x == 1 and f($y) {\n    include '::A', 'b'\n  } else {\n    contain c\n  }\n}\n\
                    class d inherits e {\n  case $facts['os'] {\n    'x', 'y': { file { ['/f', \"/${g}\"]: } }\n    default: { }\n  }\n\
                      [1].each |$i| {\n    @user { 'h': }\n    create_resources('Cron', { 'i' => {} })\n  }\n}\n";
        let all = declaring_places(&SourceFile::manifest(text));
        let told: Vec<String> = all
            .iter()
            .map(|one| {
                let guards: Vec<String> = one
                    .guards
                    .iter()
                    .map(|guard| {
                        let operands: Vec<&str> =
                            guard.operands.iter().map(|one| one.text.as_str()).collect();
                        let word = guard.fork.word();
                        format!(
                            "{word} {} [{}] {} {}",
                            guard.condition,
                            guard.options,
                            guard.is_rest,
                            operands.join(" ")
                        )
                    })
                    .collect();
                let (ty, title) = (one.ty.as_deref().unwrap_or("?"), one.title.as_deref().unwrap_or("?"));
                let blocks: Vec<&str> = one.blocks.iter().map(|(name, _)| name.as_str()).collect();
                format!(
                    "{}:{:?} {ty} {title} in {}{} if {} by {}",
                    one.line,
                    one.how,
                    one.inside.name,
                    one.inside.text,
                    guards.join(", "),
                    blocks.join(",")
                )
            })
            .collect();
        let expected = [
            "2:Call function f in 'a', /b/ if  by ",
            "3:Include class ::A in 'a', /b/ if if $x == 1 and f($y) [] false $x f($y) by ",
            "3:Include class b in 'a', /b/ if if $x == 1 and f($y) [] false $x f($y) by ",
            "5:Contain class c in 'a', /b/ if if $x == 1 and f($y) [] true $x f($y) by ",
            "8:Inherits class e in d if  by ",
            "10:Resource file /f in d if case $facts['os'] ['x', 'y'] false $facts['os'] by ",
            "10:Resource file ? in d if case $facts['os'] ['x', 'y'] false $facts['os'] by ",
            "13:Call function each in d if  by ",
            "14:Resource user h in d if  by each",
            "15:CreateResources cron i in d if  by each",
        ];
        assert_eq!(told, expected);
    }
}
