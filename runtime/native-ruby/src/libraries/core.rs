//! Classes of Ruby itself: what `new` makes of arguments, regular expressions, mathematics.

use crate::eval::{Done, Run};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::tree::{Block, Captures};
use crate::value::{Class, HashValue, Regexp, V, text};
use bunraku_vm::regex;
use std::rc::Rc;

/// Longer arrays are left to Ruby.
const LONGEST: i64 = 1 << 20;

/// Calls a method of such a class; none for what is not known.
pub(super) fn call<'c>(
    run: &mut Run<'_, 'c>,
    class: Class,
    name: &str,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c, Option<V<'c>>> {
    Ok(match (class, name, block) {
        (Class::Array, "new", _) => array(run, args, block)?,
        (Class::Hash, "new", None) => match args {
            [] => Some(V::hash(HashValue::default())),
            [default @ (V::Nil | V::Bool(_) | V::Int(_) | V::Float(_) | V::Symbol(_))] => {
                let mut made = HashValue::default();
                made.default = Some(default.clone()).filter(|default| !matches!(default, V::Nil));
                Some(V::hash(made))
            }
            [default @ (V::Str(_) | V::Made(_) | V::List(_) | V::Map(_))] => {
                let mut made = HashValue::default();
                made.default = Some(default.clone());
                Some(V::hash(made))
            }
            _ => None,
        },
        // Locals of a block around it would be those of another round when it is called.
        (Class::Hash, "new", Some(Block::Body(body)))
            if args.is_empty() && body.captures != Captures::Block =>
        {
            let mut made = HashValue::default();
            made.default_block = Some(Rc::new(run.proc_of(body, false)));
            Some(V::hash(made))
        }
        (Class::Proc, "new", Some(Block::Body(body)))
            if args.is_empty() && body.captures != Captures::Block =>
        {
            Some(V::Proc(Rc::new(run.proc_of(body, false))))
        }
        (Class::Hash, "[]", None) => match args {
            [hash @ (V::Hash(_) | V::Map(_))] => Some(V::map(hash.entries()?.unwrap_or_default())?),
            [pairs @ (V::Array(_) | V::List(_))] => {
                Some(crate::methods::pairs_to_hash(pairs.items()?.unwrap_or_default())?)
            }
            args if args.len() % 2 == 0 => {
                Some(V::map(args.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())))?)
            }
            _ => None,
        },
        (Class::String, "new", None) => match args {
            // It has no encoding, nor has what is appended to it: a catalog holds it as a Binary.
            [] => return Err(ForRuby("a string without an encoding").into()),
            [text] => Some(V::made(text.text().ok_or(ForRuby("String.new of such a value"))?.to_string())),
            _ => None,
        },
        (Class::Regexp, name, None) => regexp(name, args)?,
        (Class::Math, name, None) => math(name, args)?,
        (Class::Integer, "sqrt", None) => match args {
            [V::Int(n)] if *n >= 0 => Some(V::Int(n.isqrt())),
            _ => None,
        },
        _ => None,
    })
}

fn array<'c>(run: &mut Run<'_, 'c>, args: &[V<'c>], block: Option<&'c Block>) -> Done<'c, Option<V<'c>>> {
    Ok(match (args, block) {
        ([], None) => Some(V::list(Vec::new())),
        ([V::Int(n)], None) if (0..LONGEST).contains(n) => Some(V::list(vec![V::Nil; *n as usize])),
        ([V::Int(n), value], None) if (0..LONGEST).contains(n) => {
            Some(V::list(vec![value.clone(); *n as usize]))
        }
        ([list @ (V::Array(_) | V::List(_))], None) => Some(V::list(list.items()?.unwrap_or_default())),
        ([V::Int(n)], Some(block)) if (0..LONGEST).contains(n) => {
            let mut items = Vec::new();
            for at in 0..*n {
                items.push(run.yield_one(block, V::Int(at))?);
            }
            Some(V::list(items))
        }
        _ => None,
    })
}

fn regexp<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let made = |source: &str, options: u8| {
        let regexp = Regexp::new(source, options);
        regexp.check().map_err(|_| ForRuby("a regular expression that is not understood"))?;
        Ok(Some(V::Regexp(Rc::new(regexp))))
    };
    match (name, args) {
        ("escape" | "quote", [text]) => {
            let text = match text {
                V::Symbol(name) => (*name).to_owned(),
                text => text.text().ok_or(ForRuby("Regexp.escape of such a value"))?.to_string(),
            };
            Ok(Some(V::made(regex::escape(&text))))
        }
        ("new" | "compile", [V::Regexp(_)]) => Ok(Some(args[0].clone())),
        ("new" | "compile", [source, options @ ..]) => {
            let source = source.text().ok_or(ForRuby("Regexp.new of such a value"))?;
            let options = match options {
                [] | [V::Nil | V::Bool(false)] => 0,
                [V::Bool(true)] => Regexp::IGNORE_CASE,
                [V::Int(n @ 0..=7)] => *n as u8,
                _ => return Ok(None),
            };
            made(&source, options)
        }
        ("union", args) => {
            let list = match args {
                [list] => list.items()?,
                _ => None,
            };
            let patterns = list.unwrap_or_else(|| args.to_vec());
            match &patterns[..] {
                [] => made("(?!)", 0),
                [V::Regexp(_)] => Ok(Some(patterns[0].clone())),
                // Beside others, Ruby takes no symbol.
                [V::Symbol(name)] => made(&regex::escape(name), 0),
                patterns => made(&union(patterns)?, 0),
            }
        }
        _ => Ok(None),
    }
}

fn union(patterns: &[V<'_>]) -> OrRuby<String> {
    let mut sources = Vec::new();
    for pattern in patterns {
        sources.push(match pattern {
            V::Regexp(_) => text::to_s(pattern)?,
            V::Symbol(_) => return Err(ForRuby("Regexp.union of such a value")),
            pattern => regex::escape(&pattern.text().ok_or(ForRuby("Regexp.union of such a value"))?),
        });
    }
    Ok(sources.join("|"))
}

fn math<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let number = |value: &V<'c>| match value {
        V::Int(n) if n.unsigned_abs() <= 1 << 53 => Ok(*n as f64),
        V::Float(n) if n.is_finite() => Ok(*n),
        _ => Err(ForRuby("mathematics of such a value")),
    };
    let positive =
        |value: &V<'c>| number(value).and_then(|n| if n > 0.0 { Ok(n) } else { Err(ForRuby("a logarithm")) });
    Ok(Some(V::Float(match (name, args) {
        ("sqrt", [n]) => Some(number(n)?).filter(|n| *n >= 0.0).ok_or(ForRuby("a root"))?.sqrt(),
        ("log", [n]) => positive(n)?.ln(),
        ("log", [n, base]) => positive(n)?.ln() / positive(base)?.ln(),
        ("log2", [n]) => positive(n)?.log2(),
        ("log10", [n]) => positive(n)?.log10(),
        ("hypot", [a, b]) => number(a)?.hypot(number(b)?),
        _ => return Ok(None),
    })))
}
