//! What a plain YAML scalar means to Ruby's Psych: YAML 1.1 with Psych's own exceptions (`psych/scalar_scanner.rb`).

use crate::data_file::data::Data;

/// The value of a plain scalar.
///
/// # Errors
/// The name of the Ruby class that would be needed and is not allowed: `Date`, `Time`.
pub fn scan(text: &str) -> Result<Data, &'static str> {
    let plain = || Ok(Data::Text(text.to_owned()));
    if text.is_empty() {
        return Ok(Data::Null);
    }
    let first = text.chars().next().unwrap_or_default();
    if text.contains('\n') || begins_as_word(text, first) {
        return Ok(word(text));
    }
    if is_time(text) {
        return Err("Time");
    }
    if is_date(text) {
        return Err("Date");
    }
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        ".inf" | "+.inf" => return Ok(Data::Float(f64::INFINITY)),
        "-.inf" => return Ok(Data::Float(f64::NEG_INFINITY)),
        ".nan" => return Ok(Data::Float(f64::NAN)),
        _ => {}
    }
    if first == ':' && text.len() > 1 {
        let name = &text[1..];
        let quoted = ['"', '\''].iter().find_map(|q| name.strip_prefix(*q)?.strip_suffix(*q));
        return Ok(Data::Symbol(quoted.unwrap_or(name).to_owned()));
    }
    if let Some(number) = sexagesimal(text).or_else(|| float(text)).or_else(|| integer(text)) {
        return Ok(number);
    }
    plain()
}

/// Psych's quick test for what can only be a word.
fn begins_as_word(text: &str, first: char) -> bool {
    let is_word = |c: char| c.is_alphabetic() || c.is_whitespace() || "_!@#$%^&*(){}<>|/\\~;=".contains(c);
    if is_word(first) {
        return true;
    }
    let second = text.chars().nth(1);
    !(first.is_ascii_digit() || ".:-".contains(first)) && second.is_some_and(is_word)
}

fn word(text: &str) -> Data {
    if text.len() > 5 {
        return Data::Text(text.to_owned());
    }
    match text.to_ascii_lowercase().as_str() {
        "~" | "null" => Data::Null,
        "yes" | "true" | "on" => Data::Bool(true),
        "no" | "false" | "off" => Data::Bool(false),
        _ => Data::Text(text.to_owned()),
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// `2001-12-14t21:59:43.10-05:00` and its like.
fn is_time(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let mut rest = text;
    for (least, most, sign) in [(4, 4, "-"), (1, 2, "-"), (1, 2, "")] {
        let count = digits(rest);
        if count < least || count > most {
            return false;
        }
        let Some(next) = rest[count..].strip_prefix(sign) else { return false };
        rest = next;
    }
    let Some(time) = rest.strip_prefix(['T', 't']).or_else(|| {
        let trimmed = rest.trim_start();
        (trimmed.len() < rest.len()).then_some(trimmed)
    }) else {
        return false;
    };
    let mut rest = time;
    for (n, (least, most)) in [(1, 2), (2, 2), (2, 2)].into_iter().enumerate() {
        let count = digits(rest);
        if count < least || count > most {
            return false;
        }
        rest = &rest[count..];
        if n < 2 {
            let Some(next) = rest.strip_prefix(':') else { return false };
            rest = next;
        }
    }
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = &fraction[digits(fraction)..];
    }
    let zone = rest.trim_start();
    zone.is_empty()
        || zone == "Z"
        || zone.strip_prefix(['-', '+']).is_some_and(|zone| {
            let hours = digits(zone);
            let minutes = zone[hours..].strip_prefix(':').unwrap_or("");
            (1..=4).contains(&hours) && digits(minutes) == minutes.len()
        })
}

/// `2001-12-14`; Psych refuses the class before it minds whether there is such a day.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let all_digits =
        |part: &str, most: usize| !part.is_empty() && part.len() <= most && digits(part) == part.len();
    if year.len() != 4 || !all_digits(year, 4) || !all_digits(month, 2) || !all_digits(day, 2) {
        return false;
    }
    let number = |part: &str| part.parse::<u32>().unwrap_or_default();
    number(month) <= 12 && number(day) <= 31
}

/// `1:30:00` in base 60.
fn sexagesimal(text: &str) -> Option<Data> {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let unsigned = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    let parts: Vec<&str> = unsigned.split(':').collect();
    if !(2..=3).contains(&parts.len()) || !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let small = |part: &str| match part.as_bytes() {
        [_] => part.parse::<i64>().ok(),
        [b'0'..=b'5', _] => part.parse::<i64>().ok(),
        _ => None,
    };
    let first = parts[0].replace('_', "").parse::<i64>().ok()?;
    let first = if whole.starts_with('-') { -first } else { first };
    let mut numbers = vec![first];
    for part in &parts[1..] {
        numbers.push(small(part)?);
    }
    let weight = |n: usize| 60_i64.pow((n as i64 - 2).unsigned_abs() as u32);
    if let Some(fraction) = fraction {
        if !fraction.bytes().all(|b| b.is_ascii_digit() || b == b'_') {
            return None;
        }
        let last = format!("{}.{}", numbers.pop()?, fraction.replace('_', "")).parse::<f64>().ok()?;
        let count = numbers.len();
        let sum: i64 = numbers.iter().enumerate().map(|(n, number)| number * weight(n)).sum();
        return Some(Data::Float(sum as f64 + last * weight(count) as f64));
    }
    let terms = numbers.iter().enumerate().map(|(n, number)| number.checked_mul(weight(n)));
    terms.collect::<Option<Vec<_>>>().map(|all| Data::Int(all.iter().sum()))
}

/// A number with a point; an exponent needs a sign.
fn float(text: &str) -> Option<Data> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, rest) = unsigned.split_once('.')?;
    let whole_fits = whole.is_empty()
        || whole.starts_with(|c: char| c.is_ascii_digit())
            && whole.bytes().all(|b| b.is_ascii_digit() || b == b'_' || b == b',');
    let count = digits(rest);
    let exponent = &rest[count..];
    let exponent_fits = exponent.is_empty()
        || exponent
            .strip_prefix(['e', 'E'])
            .and_then(|e| e.strip_prefix(['+', '-']))
            .is_some_and(|e| !e.is_empty() && digits(e) == e.len());
    if !whole_fits || !exponent_fits || unsigned == "." {
        return None;
    }
    let text: String = text.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    text.parse().ok().map(Data::Float)
}

/// Whole numbers in base 2, 8, 10 and 16, with `_` and `,` between digits.
fn integer(text: &str) -> Option<Data> {
    let (sign, unsigned) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (if text.starts_with('-') { "-" } else { "" }, rest),
        None => ("", text),
    };
    let (radix, body) = if let Some(body) = unsigned.strip_prefix("0b") {
        (2, body)
    } else if let Some(body) = unsigned.strip_prefix("0x") {
        (16, body)
    } else if unsigned.len() > 1 && unsigned.starts_with('0') {
        (8, &unsigned[1..])
    } else {
        (10, unsigned)
    };
    // In base 10 each separator stands before a digit; `0,` is in base 8, and begins with one.
    let is_well_parted = || {
        let begins = body == "0" || body.starts_with(|c: char| matches!(c, '1'..='9'));
        let mut pairs = body.bytes().zip(body.bytes().skip(1).chain([b',']));
        begins && !pairs.any(|(one, next)| matches!(one, b'_' | b',') && !next.is_ascii_digit())
    };
    if radix == 10 && !is_well_parted() || body.is_empty() {
        return None;
    }
    if !body.chars().all(|c| c.is_digit(radix) || c == '_' || c == ',') {
        return None;
    }
    let mut body: String = body.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    if radix == 8 {
        body.insert(0, '0');
    }
    i64::from_str_radix(&format!("{sign}{body}"), radix).ok().map(Data::Int)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_mean_what_they_mean_to_psych() {
        let text = |t: &str| Data::Text(t.to_owned());
        let cases = [
            ("yes", Data::Bool(true)),
            ("Off", Data::Bool(false)),
            ("y", text("y")),
            ("~", Data::Null),
            ("Null", Data::Null),
            ("010", Data::Int(8)),
            ("08", text("08")),
            ("1_000", Data::Int(1000)),
            ("1,0_0", Data::Int(100)),
            ("80,", text("80,")),
            ("8__0", text("8__0")),
            ("0,", Data::Int(0)),
            ("0_7", Data::Int(7)),
            ("0x1F", Data::Int(31)),
            ("0b11", Data::Int(3)),
            ("-7", Data::Int(-7)),
            ("1.5", Data::Float(1.5)),
            ("1e3", text("1e3")),
            ("1.0e+3", Data::Float(1000.0)),
            ("1:30", Data::Int(5400)),
            (":sym", Data::Symbol("sym".into())),
            ("1.2.3", text("1.2.3")),
            ("-", text("-")),
        ];
        for (source, expected) in cases {
            assert_eq!(scan(source), Ok(expected), "{source}");
        }
        assert_eq!(scan("2001-01-31"), Err("Date"));
        assert_eq!(scan("2001-02-31"), Err("Date"));
        assert_eq!(scan("2001-13-31"), Ok(text("2001-13-31")));
        assert_eq!(scan("2001-01-31 10:00:00"), Err("Time"));
    }
}
