//! Types from text: signatures of native functions, `Type.new('…')`, `assert_type('…', …)`.
//!
//! A small parser of its own, because the compiler is not at hand here: names, literals, lists, hashes,
//! access in brackets.

use crate::arith::number::to_number;
use crate::cause::Cause;
use crate::error::{Eval, Flow};
use crate::raised::PARSE_ERROR;
use crate::types::access::specialize;
use crate::types::named::{by_name, of_puppet};
use crate::types::ty::{Range, Type};
use crate::value::{HashBuilder, Value};
use crate::vm::Vm;

/// The type a text denotes.
///
/// # Errors
/// For text that is no type expression, and those of specialising a type.
pub fn parse<'c>(vm: &mut Vm<'c>, text: &str) -> Eval<'c, &'c Type<'c>> {
    parse_with(vm, text, &[])
}

/// The type a text denotes to `Type.new`, which knows Puppet's own types only: neither those of modules nor defined types.
///
/// # Errors
/// Those of [`parse`].
pub(super) fn parse_of_puppet<'c>(vm: &mut Vm<'c>, text: &str) -> Eval<'c, &'c Type<'c>> {
    whole(Parser { vm, text, at: 0, locals: &[], depth: 0, only_puppets: true })
}

/// The type a text of the program itself denotes; parsed once a compile.
///
/// # Errors
/// Those of [`parse`].
pub fn constant<'c>(vm: &mut Vm<'c>, text: &'static str) -> Eval<'c, &'c Type<'c>> {
    if let Some((_, ty)) = vm.types.constants.iter().find(|(known, _)| std::ptr::eq(*known, text)) {
        return Ok(ty);
    }
    let ty = parse(vm, text)?;
    vm.types.constants.push((text, ty));
    Ok(ty)
}

/// The type a text denotes, with names of types that only this text knows (a function's local types).
///
/// # Errors
/// Those of [`parse`].
pub fn parse_with<'c>(
    vm: &mut Vm<'c>,
    text: &str,
    locals: &[(&str, &'c Type<'c>)],
) -> Eval<'c, &'c Type<'c>> {
    if text == "Array[1]" {
        // Puppet's parser knows a few texts by heart; this one would not parse.
        return Ok(&Type::Array { element: &Type::Any, size: Range { min: Some(1), max: None } });
    }
    whole(Parser { vm, text, at: 0, locals, depth: 0, only_puppets: false })
}

/// The type that all of a text is.
fn whole<'c>(mut parser: Parser<'_, '_, 'c>) -> Eval<'c, &'c Type<'c>> {
    let value = parser.expression()?;
    parser.space();
    if parser.at < parser.text.len() {
        return Err(parser.fail());
    }
    match value {
        Value::Type(ty) => Ok(ty),
        _ => Err(Flow::of_class(
            PARSE_ERROR,
            format!("The expression <{}> is not a valid type specification.", parser.text),
        )),
    }
}

struct Parser<'v, 't, 'c> {
    vm: &'v mut Vm<'c>,
    text: &'t str,
    at: usize,
    locals: &'t [(&'t str, &'c Type<'c>)],
    depth: u32,
    /// Names mean Puppet's own types, or nothing that is known.
    only_puppets: bool,
}

impl<'t, 'c> Parser<'_, 't, 'c> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        loop {
            let trimmed = self.rest().trim_start();
            self.at = self.text.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.space();
        self.rest().chars().next()
    }

    fn eat(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Puppet's message for text its parser does not take.
    fn fail(&mut self) -> Box<Flow<'c>> {
        self.space();
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let token: String = match self.rest().chars().next() {
            None => return Flow::caused(Cause::Syntax, "Syntax error at end of input"),
            Some(c) if c.is_alphanumeric() => {
                self.rest().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
            }
            Some(c) => c.to_string(),
        };
        Flow::caused(Cause::Syntax, format!("Syntax error at '{token}' (line: {line}, column: {column})"))
    }

    fn expression(&mut self) -> Eval<'c> {
        self.depth += 1;
        if self.depth > 100 {
            return Err(Flow::raw("The type expression is nested too deeply"));
        }
        let value = self.primary()?;
        self.depth -= 1;
        Ok(value)
    }

    fn primary(&mut self) -> Eval<'c> {
        match self.peek() {
            Some('[') => {
                self.at += 1;
                let items = self.list("]")?;
                Ok(self.vm.array(&items))
            }
            Some('{') => self.hash(),
            Some('/') => self.regexp(),
            Some(quote @ ('\'' | '"')) => self.string(quote),
            Some('-' | '0'..='9') => self.number(),
            Some(c) if c.is_ascii_uppercase() || self.rest().starts_with("::") => self.type_expression(),
            Some(c) if c.is_alphabetic() || c == '_' => Ok(self.word()),
            _ => Err(self.fail()),
        }
    }

    fn list(&mut self, end: &str) -> Eval<'c, Vec<Value<'c>>> {
        let mut items = Vec::new();
        loop {
            if self.eat(end) {
                return Ok(items);
            }
            items.push(self.expression()?);
            if !self.eat(",") {
                if self.eat(end) {
                    return Ok(items);
                }
                return Err(self.fail());
            }
        }
    }

    fn hash(&mut self) -> Eval<'c> {
        self.at += 1;
        let mut builder = HashBuilder::new(self.vm.arena);
        loop {
            if self.eat("}") {
                break;
            }
            let key = self.expression()?;
            if !self.eat("=>") {
                return Err(self.fail());
            }
            let value = self.expression()?;
            builder.insert(key, value);
            if !self.eat(",") {
                if self.eat("}") {
                    break;
                }
                return Err(self.fail());
            }
        }
        Ok(Value::Hash(builder.finish()))
    }

    fn regexp(&mut self) -> Eval<'c> {
        self.at += 1;
        let mut source = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((n, c)) = chars.next() {
            match c {
                '/' => {
                    self.at += n + 1;
                    return Ok(Value::Regexp(crate::value::Str::new(self.vm.arena, &source)));
                }
                '\\' => match chars.next() {
                    Some((_, '/')) => source.push('/'),
                    Some((_, next)) => {
                        source.push('\\');
                        source.push(next);
                    }
                    None => break,
                },
                c => source.push(c),
            }
        }
        Err(self.fail())
    }

    fn string(&mut self, quote: char) -> Eval<'c> {
        self.at += 1;
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((n, c)) = chars.next() {
            if c == quote {
                self.at += n + 1;
                return Ok(self.vm.string(&text));
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next() {
                Some((_, c)) if c == quote || c == '\\' => text.push(c),
                Some((_, 'n')) if quote == '"' => text.push('\n'),
                Some((_, 't')) if quote == '"' => text.push('\t'),
                Some((_, 'r')) if quote == '"' => text.push('\r'),
                Some((_, 's')) if quote == '"' => text.push(' '),
                Some((_, '$')) if quote == '"' => text.push('$'),
                Some((_, c)) => {
                    text.push('\\');
                    text.push(c);
                }
                None => break,
            }
        }
        Err(self.fail())
    }

    fn number(&mut self) -> Eval<'c> {
        let negative = self.eat("-");
        self.space();
        let rest = self.rest();
        let end = rest
            .char_indices()
            .find(|(n, c)| {
                !(c.is_ascii_alphanumeric()
                    || *c == '.'
                    || (*c == '-' && rest[..*n].ends_with(['e', 'E']) && !rest.starts_with("0x")))
            })
            .map_or(rest.len(), |(n, _)| n);
        let text = format!("{}{}", if negative { "-" } else { "" }, &rest[..end]);
        match to_number(&text) {
            Some(value) => {
                self.at += end;
                Ok(value)
            }
            None => Err(self.fail()),
        }
    }

    fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let mut end = if rest.starts_with("::") { 2 } else { 0 };
        loop {
            let part = &rest[end..];
            end += part.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(part.len());
            let next = &rest[end..];
            if next.starts_with("::") && next[2..].starts_with(|c: char| c.is_alphabetic() || c == '_') {
                end += 2;
            } else {
                break;
            }
        }
        self.at += end;
        &rest[..end]
    }

    fn word(&mut self) -> Value<'c> {
        match self.name() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "undef" => Value::Undef,
            "default" => Value::Default,
            name => self.vm.string(name),
        }
    }

    fn type_expression(&mut self) -> Eval<'c> {
        let start = self.at;
        let written = self.name();
        let name = written.strip_prefix("::").unwrap_or(written);
        let local = self.locals.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, ty)| *ty);
        let mut value = Value::Type(match local {
            Some(ty) => ty,
            None if self.only_puppets => of_puppet(self.vm, written)?,
            None => by_name(self.vm, name)?,
        });
        while self.rest().starts_with('[') {
            self.at += 1;
            let keys = self.list("]")?;
            let Value::Type(ty) = value else { return Err(self.fail()) };
            value = match ty {
                Type::Reference("UnresolvedReference") if self.only_puppets => {
                    return Err(Flow::of_class(PARSE_ERROR, "Not a parameterized type <TypeReference>"));
                }
                Type::Reference(_) => {
                    let text = self.vm.arena.alloc_str(&self.text[start..self.at]);
                    Value::Type(Type::Reference(text).alloc(self.vm.arena))
                }
                _ => specialize(self.vm, None, ty, &keys)?,
            };
        }
        Ok(value)
    }
}
