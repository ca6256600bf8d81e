//! Ruby's `sprintf`.

use super::spec::{Flags, fixed_integer, float, integer, pad, whole_float};
use crate::arith::number::{strict_float, strict_integer};
use crate::budget;
use crate::format::float::float_to_s;
use crate::format::inspect::{inspect, to_ruby_s};
use crate::raised::{FLOAT_DOMAIN_ERROR, KEY_ERROR, MethodError, RANGE_ERROR, TYPE_ERROR};
use crate::value::Value;

/// Formats `args` by `format`.
///
/// # Errors
/// Ruby's messages: too few arguments, malformed formats, values that do not convert.
pub fn sprintf(format: &str, args: &[Value<'_>]) -> Result<String, MethodError> {
    let chars: Vec<char> = format.chars().collect();
    let mut state = Directives { chars: &chars, at: 0, args, next: 0, chosen: None };
    let mut out = String::new();
    while state.at < chars.len() {
        let c = chars[state.at];
        state.at += 1;
        if c != '%' {
            out.push(c);
            continue;
        }
        state.directive(&mut out)?;
    }
    Ok(out)
}

/// Begins a name whose value is put in as it is.
const OPEN_BRACE: char = '{';

struct Directives<'f, 'c> {
    chars: &'f [char],
    at: usize,
    args: &'f [Value<'c>],
    next: usize,
    /// How arguments are chosen: one way for all of a format.
    chosen: Option<Choice>,
}

/// How an argument is chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Next,
    Place,
    Name,
}

impl<'c> Directives<'_, 'c> {
    /// Chooses an argument one way, `what` it is called in the error where another one was chosen otherwise.
    fn choose(&mut self, choice: Choice, what: impl FnOnce() -> String) -> Result<(), MethodError> {
        let before = match self.chosen.replace(choice) {
            Some(before) if before != choice => before,
            _ => return Ok(()),
        };
        let other = match (choice, before) {
            (Choice::Next, Choice::Place) => "mixed with numbered".to_owned(),
            (Choice::Next, _) => "mixed with named".to_owned(),
            (_, Choice::Next) => format!("after unnumbered({})", self.next),
            (_, Choice::Place) => "after numbered".to_owned(),
            (_, Choice::Name) => "after named".to_owned(),
        };
        Err(format!("{} {other}", what()).into())
    }

    fn take(&mut self) -> Result<Value<'c>, MethodError> {
        let number = self.next + 1;
        self.choose(Choice::Next, || format!("unnumbered({number})"))?;
        let value = self.args.get(self.next).copied().ok_or("too few arguments")?;
        self.next += 1;
        Ok(value)
    }

    /// The value that a name in brackets, two of these, has in the hash that is given.
    fn named(&mut self, brackets: &str) -> Result<Value<'c>, MethodError> {
        let (open, close) = brackets.split_at(1);
        let start = self.at;
        let rest = &self.chars[start..];
        let length = rest.iter().position(|c| close.starts_with(*c));
        let length = length.ok_or("malformed name - unmatched parenthesis")?;
        let name: String = rest[..length].iter().collect();
        self.at = start + length + 1;
        self.choose(Choice::Name, || format!("named{open}{name}{close}"))?;
        let [Value::Hash(hash)] = self.args else { return Err("one hash required".into()) };
        let missing = || MethodError::new(KEY_ERROR, format!("key{open}{name}{close} not found"));
        hash.get_str(&name).ok_or_else(missing)
    }

    /// A width or precision; `what` it is. None is 0.
    fn number(&mut self, what: &str) -> Result<usize, MethodError> {
        let mut value = 0usize;
        while let Some(digit) = self.chars.get(self.at).and_then(|c| c.to_digit(10)) {
            value = value * 10 + digit as usize;
            if value > i32::MAX as usize {
                return Err(format!("{what} too big").into());
            }
            self.at += 1;
        }
        Ok(value)
    }

    /// The next argument, which has to be an integer.
    fn integer_argument(&mut self) -> Result<i64, MethodError> {
        match self.take()? {
            Value::Int(n) => Ok(n),
            _ => Err(MethodError::new(TYPE_ERROR, "no implicit conversion into Integer")),
        }
    }

    /// A width, or `n$`: the n-th argument, which is given back.
    fn width_or_place(&mut self, flags: &mut Flags) -> Result<Option<Value<'c>>, MethodError> {
        let n = self.number("width")?;
        if self.chars.get(self.at) == Some(&'$') {
            self.at += 1;
            self.choose(Choice::Place, || format!("numbered({n})"))?;
            return Ok(Some(self.args.get(n - 1).copied().ok_or("too few arguments")?));
        }
        flags.width = Some(n);
        if self.at == self.chars.len() {
            return Err("malformed format string - %*[0-9]".into());
        }
        Ok(None)
    }

    /// What stands behind the dot; a negative one counts as none.
    fn precision(&mut self) -> Result<Option<usize>, MethodError> {
        if self.chars.get(self.at) != Some(&'*') {
            return self.number("precision").map(Some);
        }
        self.at += 1;
        let n = self.integer_argument()?;
        Ok(usize::try_from(whole(n)?).ok())
    }

    /// The text of a value, of the next argument where none is chosen, by the letter that ends a directive.
    fn converted(
        &mut self,
        letter: char,
        flags: Flags,
        value: Option<Value<'c>>,
    ) -> Result<String, MethodError> {
        let value = match value {
            Some(value) => value,
            None if "sdiufgGeEaAxXobBpc".contains(letter) => self.take()?,
            None => return Err(format!("malformed format string - %{letter}").into()),
        };
        convert(letter, flags, value)
    }

    /// What stands behind a percent sign, and its value as text.
    fn directive(&mut self, out: &mut String) -> Result<(), MethodError> {
        let mut flags = Flags::default();
        let mut value = None;
        let start = self.at;
        loop {
            let Some(c) = self.chars.get(self.at).copied() else {
                return Err("incomplete format specifier; use %% (double %) instead".into());
            };
            match c {
                ' ' => flags.space = true,
                '#' => flags.alt = true,
                '+' => flags.plus = true,
                '-' => flags.left = true,
                '0' => flags.zero = true,
                '1'..='9' => {
                    value = self.width_or_place(&mut flags)?.or(value);
                    continue;
                }
                '*' => {
                    let width = self.integer_argument()?;
                    flags.left |= width < 0;
                    flags.width = Some(whole(width)?.unsigned_abs() as usize);
                }
                '.' => {
                    self.at += 1;
                    flags.precision = self.precision()?;
                    continue;
                }
                '<' => {
                    self.at += 1;
                    value = Some(self.named("<>")?);
                    continue;
                }
                OPEN_BRACE => {
                    self.at += 1;
                    let value = self.named("{}")?;
                    budget::push_str(out, &pad(&truncated(to_ruby_s(value), flags), flags));
                    return Ok(());
                }
                '\n' | '\0' => {
                    out.push('%');
                    return Ok(());
                }
                '%' => {
                    self.at += 1;
                    if self.chars[start] != '%' {
                        return Err("invalid format character - %".into());
                    }
                    out.push('%');
                    return Ok(());
                }
                letter => {
                    self.at += 1;
                    budget::push_str(out, &self.converted(letter, flags, value)?);
                    return Ok(());
                }
            }
            self.at += 1;
        }
    }
}

/// A width or precision given as an argument.
fn whole(n: i64) -> Result<i32, MethodError> {
    let size = if n < 0 { "small" } else { "big" };
    let message = || format!("integer {n} too {size} to convert to `int'");
    i32::try_from(n).map_err(|_| MethodError::new(RANGE_ERROR, message()))
}

fn truncated(text: String, flags: Flags) -> String {
    match flags.precision {
        Some(most) if text.chars().count() > most => text.chars().take(most).collect(),
        _ => text,
    }
}

fn convert(letter: char, flags: Flags, value: Value<'_>) -> Result<String, MethodError> {
    Ok(match letter {
        's' => pad(&truncated(to_ruby_s(value), flags), flags),
        'p' => pad(&truncated(inspect(value), flags), flags),
        'c' => {
            let code = |n: i64| match i32::try_from(n) {
                Ok(n) => Ok(u32::try_from(n).ok().and_then(char::from_u32).ok_or("invalid character")?),
                Err(_) => {
                    let message = format!("integer {n} too big to convert to `int'");
                    Err(MethodError::new(RANGE_ERROR, message))
                }
            };
            let c = match value {
                Value::Int(n) => code(n)?,
                Value::Float(f) => code(f as i64)?,
                Value::Str(s) => match (s.chars().next(), s.chars().nth(1)) {
                    (Some(c), None) => c,
                    _ => return Err("%c requires a character".into()),
                },
                Value::Undef => {
                    return Err(MethodError::new(TYPE_ERROR, "no implicit conversion from nil to integer"));
                }
                other => {
                    let message = format!("no implicit conversion of {} into Integer", class(other));
                    return Err(MethodError::new(TYPE_ERROR, message));
                }
            };
            pad(&c.to_string(), flags)
        }
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'b' | 'B' => match value {
            Value::Float(f) if f.is_finite() => whole_float(f.trunc(), letter, flags),
            value => integer(to_integer(value)?, letter, flags),
        },
        'f' if let Value::Int(n) = value => fixed_integer(n, flags),
        'f' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => float(letter, to_float(value)?, flags),
        _ => return Err(format!("malformed format string - %{letter}").into()),
    })
}

fn to_integer(value: Value<'_>) -> Result<i128, MethodError> {
    match value {
        Value::Int(n) => Ok(n.into()),
        Value::Float(f) => Err(MethodError::new(FLOAT_DOMAIN_ERROR, float_to_s(f))),
        Value::Str(s) => Ok(strict_integer(&s, None)?),
        Value::Timestamp(n) | Value::Timespan(n) => Ok(n.div_euclid(crate::time::SECOND)),
        other => Err(no_conversion(other, "Integer")),
    }
}

fn to_float(value: Value<'_>) -> Result<f64, MethodError> {
    match value {
        Value::Int(n) => Ok(n as f64),
        Value::Float(f) => Ok(f),
        Value::Str(s) => Ok(strict_float(&s)?),
        Value::Timestamp(n) | Value::Timespan(n) => Ok(crate::time::to_f(*n)),
        other => Err(no_conversion(other, "Float")),
    }
}

fn no_conversion(value: Value<'_>, into: &str) -> MethodError {
    let class = if value.is_undef() { "nil".to_owned() } else { class(value) };
    MethodError::new(TYPE_ERROR, format!("can't convert {class} into {into}"))
}

/// The class as Ruby's conversion errors name it.
fn class(value: Value<'_>) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        value => crate::label::ruby_class(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bumpalo::Bump;

    #[test]
    fn formats_as_ruby_does() {
        let arena = Bump::new();
        let s = |text: &str| Value::str(&arena, text);
        for (format, args, expected) in [
            (
                "%d %5d|%-5d|%05d",
                vec![Value::Int(1), Value::Int(2), Value::Int(3), Value::Int(-4)],
                "1     2|3    |-0004",
            ),
            ("%x %X %#x %o %b", vec![Value::Int(255); 5], "ff FF 0xff 377 11111111"),
            ("%x %b %+x", vec![Value::Int(-255), Value::Int(-5), Value::Int(-255)], "..f01 ..1011 -ff"),
            (
                "%.2f %8.3f %e %g %g",
                vec![
                    Value::Float(1.555),
                    Value::Float(2.5),
                    Value::Float(12345.678),
                    Value::Float(1e10),
                    Value::Float(0.0001),
                ],
                "1.55    2.500 1.234568e+04 1e+10 0.0001",
            ),
            ("%s %p %-5s|%5s|%.2s", vec![s("a"), s("b"), s("c"), s("d"), s("efg")], "a \"b\" c    |    d|ef"),
            ("%c%c", vec![Value::Int(65), s("b")], "Ab"),
            ("%2$s %1$s", vec![s("a"), s("b")], "b a"),
            ("%+d % d %%", vec![Value::Int(1), Value::Int(2)], "+1  2 %"),
            ("%d %f", vec![s("0x1f"), s("1.5")], "31 1.500000"),
            ("%s", vec![Value::array(&arena, &[Value::Int(1), Value::Undef])], "[1, nil]"),
            ("%a", vec![Value::Float(1.5)], "0x1.8p+0"),
            ("%#.2o %#.1o %#o", vec![Value::Int(1), Value::Int(1), Value::Int(-3)], "01 01 ..75"),
            ("[%.0d][%+.0d][%#.0o]", vec![Value::Int(0); 3], "[][+][0]"),
            (
                "%.1f %#.0f %.0f",
                vec![Value::Int(i64::MAX); 3],
                "9223372036854775807.0 9223372036854775807 9223372036854775807",
            ),
            ("%d", vec![Value::Float(-1e40)], "-10000000000000000303786028427003666890752"),
            ("%#o", vec![Value::Float(-1e50)], "..756711704724031554600000000000000000000000000000000000000"),
            ("%x", vec![Value::Float(1e39)], "2f050fe938943a0000000000000000000"),
        ] {
            assert_eq!(sprintf(format, &args).unwrap(), expected, "{format}");
        }
        for (format, message) in [
            ("%d", "too few arguments"),
            ("%y", "malformed format string - %y"),
            ("%", "incomplete format specifier; use %% (double %) instead"),
        ] {
            assert_eq!(sprintf(format, &[]).unwrap_err().message, message);
        }
        assert_eq!(sprintf("%d", &[s("x")]).unwrap_err().message, "invalid value for Integer(): \"x\"");
    }
}
