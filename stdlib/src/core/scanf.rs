//! `scanf`: values read from a text by a format, as Ruby's library of that name reads them.

use bunraku_vm::error::{Eval, Flow};
use bunraku_vm::function::Call;
use bunraku_vm::regex;
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;

natives! {
    /// Reads values from a text by a format, until one is not found; a block gets the array of them.
    function "scanf" {
        dispatch scanf(param "String" data, param "String" format) [optional_block_param];
    }
}

fn scanf<'c>(vm: &mut Vm<'c>, call: Call<'c, '_>) -> Eval<'c> {
    let text = |n: usize| call.args.get(n).and_then(|value| value.as_str()).unwrap_or_default();
    let values = scan(vm, text(0), text(1)).map_err(Flow::raw)?;
    let values = vm.array(&values);
    match call.block {
        Some(block) => vm.call(block, &[values]),
        None => Ok(values),
    }
}

/// How what was found becomes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conversion {
    Text,
    Decimal,
    Integer,
    Hex,
    Octal,
    Float,
    Nothing,
}

/// One directive of a format: a regular expression for what it takes, and what becomes of that.
struct Directive {
    pattern: String,
    conversion: Conversion,
    /// Whether white space in front belongs to the value.
    keeps_space: bool,
    /// Whether the value is read and dropped: `%*d`.
    suppressed: bool,
}

/// Cuts a format into directives: `%…`, or a run of other characters.
fn directives(format: &str) -> Vec<Directive> {
    let mut all = Vec::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        let trimmed = rest.trim_start();
        if let Some((length, directive)) = directive(&rest[..rest.len() - trimmed.len()], trimmed) {
            all.push(directive);
            rest = &trimmed[length..];
        } else if c == '%' || c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
        } else {
            let end = rest.find(|c: char| c == '%' || c.is_whitespace()).unwrap_or(rest.len());
            all.push(Directive {
                pattern: regex::escape(&rest[..end]),
                conversion: Conversion::Nothing,
                keeps_space: false,
                suppressed: false,
            });
            rest = &rest[end..];
        }
    }
    all
}

/// The directive at the start of a text, and its length; `space` stands in front of it.
fn directive(space: &str, text: &str) -> Option<(usize, Directive)> {
    let body = text.strip_prefix('%')?;
    if body.starts_with('%') {
        let pattern = "\\s*%".to_owned();
        let conversion = Conversion::Nothing;
        return Some((2, Directive { pattern, conversion, keeps_space: false, suppressed: false }));
    }
    let (suppressed, body) = match body.strip_prefix('*') {
        Some(body) => (true, body),
        None => (false, body),
    };
    let digits = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (width, body) = body.split_at(digits);
    let start = text.len() - body.len();
    let length = width.parse::<usize>().ok();
    let done = |taken: usize, pattern: String, conversion, keeps_space| {
        Some((start + taken, Directive { pattern, conversion, keeps_space, suppressed }))
    };
    if body.starts_with('[') {
        let named = regex::captures("\\A\\[\\[:[A-Za-z0-9_]+:\\]\\]", body).ok().flatten();
        let set = named.or_else(|| regex::captures("\\A\\[[^\\]]*\\]", body).ok().flatten())?;
        let set = set.first().copied().flatten()?;
        let keeps_space = !suppressed;
        let pattern = match (length, set.starts_with("[[:")) {
            (Some(n), _) => format!("{set}{{1,{n}}}"),
            (None, true) => format!("{set}+"),
            (None, false) => {
                let yes = &set[1..set.len() - 1];
                let no = yes.strip_prefix('^').map_or_else(|| format!("^{yes}"), str::to_owned);
                format!("[{yes}]+(?=[{no}]|\\z)")
            }
        };
        return done(set.len(), pattern, Conversion::Text, keeps_space);
    }
    let letter = body.chars().next()?;
    let number = |forms: &[(usize, &str)]| -> String {
        // Forms in order, each where the width leaves it at least one digit.
        let n = length.unwrap_or(0);
        let fitting: Vec<String> = forms
            .iter()
            .filter(|(before, _)| n > *before)
            .map(|(before, form)| form.replace("N", &(n - before).to_string()))
            .collect();
        fitting.join("|")
    };
    const FLOAT: &str = "[-+]?(?:0[xX](?:\\.\\h+|\\h+(?:\\.\\h*)?)[pP][-+]?\\d+|\\d+(?![\\d.])|\
                         \\d*\\.\\d*(?:[eE][-+]?\\d+)?)";
    let (pattern, conversion) = match (letter, length) {
        ('i', None) => ("[-+]?(?:0[0-7]+|0[Xx]\\h+|[1-9]\\d*)".to_owned(), Conversion::Integer),
        ('i', Some(_)) => {
            let forms = [
                (1, "[1-9]\\d{1,N}"),
                (1, "0[0-7]{1,N}"),
                (2, "[-+]0[0-7]{1,N}"),
                (2, "[-+][1-9]\\d{1,N}"),
                (2, "0[Xx]\\h{1,N}"),
                (3, "[-+]0[Xx]\\h{1,N}"),
            ];
            let forms = number(&forms);
            let any = if forms.is_empty() { "\\d".to_owned() } else { format!("{forms}|\\d") };
            (any, Conversion::Integer)
        }
        ('d' | 'u', None) => ("[-+]?\\d+".to_owned(), Conversion::Decimal),
        ('d' | 'u', Some(_)) => (number(&[(1, "[-+]\\d{1,N}"), (0, "\\d{1,N}")]), Conversion::Decimal),
        ('x' | 'X', None) => ("[-+]?(?:0[Xx])?\\h+".to_owned(), Conversion::Hex),
        ('x' | 'X', Some(_)) => {
            let forms =
                [(3, "[-+]0[Xx]\\h{1,N}"), (2, "0[Xx]\\h{1,N}"), (1, "[-+]\\h{1,N}"), (0, "\\h{1,N}")];
            (number(&forms), Conversion::Hex)
        }
        ('o', None) => ("[-+]?[0-7]+".to_owned(), Conversion::Octal),
        ('o', Some(_)) => (number(&[(1, "[-+][0-7]{1,N}"), (0, "[0-7]{1,N}")]), Conversion::Octal),
        ('a' | 'e' | 'f' | 'g' | 'A' | 'E' | 'F' | 'G', None) => (FLOAT.to_owned(), Conversion::Float),
        ('a' | 'e' | 'f' | 'g' | 'A' | 'E' | 'F' | 'G', Some(n)) => {
            (format!("(?={FLOAT})\\S{{1,{n}}}"), Conversion::Float)
        }
        ('s', None) => ("\\S+".to_owned(), Conversion::Text),
        ('s', Some(n)) => (format!("\\S{{1,{n}}}"), Conversion::Text),
        ('c', None) => (".".to_owned(), Conversion::Text),
        ('c', Some(n)) => (format!(".{{1,{n}}}"), Conversion::Text),
        // Ruby takes these for directives and then finds that they are none: they stand for themselves.
        ('D' | 'I' | 'U' | 'O' | 'S' | 'C', _) => {
            let literal = format!("{space}{}", &text[..start + 1]);
            return done(1, regex::escape(&literal), Conversion::Nothing, false);
        }
        _ => return None,
    };
    if pattern.is_empty() {
        return None;
    }
    done(1, pattern, conversion, letter == 'c' && space.is_empty())
}

fn scan<'c>(vm: &mut Vm<'c>, text: &str, format: &str) -> Result<Vec<Value<'c>>, String> {
    let mut values = Vec::new();
    if format.trim().is_empty() {
        return Ok(values);
    }
    let mut rest = text;
    for directive in directives(format) {
        let left = if directive.keeps_space { rest } else { rest.trim_start() };
        let pattern = regex::with_options(&format!("\\A(?:{})", directive.pattern), false, true, false);
        let Some(found) = regex::captures_from(&pattern, left, 0)? else { break };
        let taken = &left[found.start()..found.end()];
        if !directive.suppressed
            && let Some(value) = convert(vm, taken, directive.conversion)?
        {
            values.push(value);
        }
        rest = &left[found.end()..];
        if rest.is_empty() {
            break;
        }
    }
    Ok(values)
}

fn convert<'c>(vm: &mut Vm<'c>, text: &str, conversion: Conversion) -> Result<Option<Value<'c>>, String> {
    let (digits, radix) = match conversion {
        Conversion::Nothing => return Ok(None),
        Conversion::Text => return Ok(Some(vm.string(text))),
        Conversion::Float => return Ok(Some(Value::Float(float(text)))),
        Conversion::Decimal => (text.to_owned(), 10),
        Conversion::Octal => (text.to_owned(), 8),
        Conversion::Hex => (text.replacen("0x", "", 1).replacen("0X", "", 1), 16),
        Conversion::Integer => {
            let (sign, digits) = text.split_at(usize::from(text.starts_with(['-', '+'])));
            match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
                Some(digits) => (format!("{sign}{digits}"), 16),
                None if digits.starts_with('0') && digits.len() > 1 => (text.to_owned(), 8),
                None => (text.to_owned(), 10),
            }
        }
    };
    match i64::from_str_radix(&digits, radix) {
        Ok(number) => Ok(Some(Value::Int(number))),
        Err(_) => Err(format!("scanf: the number {text} does not fit into 64 bits")),
    }
}

/// What Ruby makes of the text of a number: the longest start that is one.
fn float(text: &str) -> f64 {
    let (sign, digits) = text.split_at(usize::from(text.starts_with(['-', '+'])));
    let sign = if sign == "-" { -1.0 } else { 1.0 };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))
        && let Some((mantissa, exponent)) = hex.split_once(['p', 'P'])
    {
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let value = |digits: &str| {
            digits
                .chars()
                .filter_map(|c| c.to_digit(16))
                .fold(0.0, |all, digit| all * 16.0 + f64::from(digit))
        };
        let fraction = value(part) / 16f64.powi(part.len() as i32);
        return sign * (value(whole) + fraction) * 2f64.powi(exponent.parse().unwrap_or(0));
    }
    let number =
        regex::captures("\\A\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?|\\A\\.\\d+(?:[eE][-+]?\\d+)?", digits);
    let joined = digits.replace(".e", "e").replace(".E", "e");
    let found = match number {
        Ok(Some(groups)) if joined == digits => groups.first().copied().flatten().map(str::to_owned),
        _ if joined != digits => Some(joined),
        _ => None,
    };
    sign * found.and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0)
}
