//! `String.new` of everything but arrays, hashes and objects.

use crate::error::{Eval, Flow};
use crate::format::float::float_to_s;
use crate::format::formats::Format;
use crate::format::sprintf::sprintf;
use crate::types::print::{print, print_value};
use crate::types::quote::{quote, quote_double};
use crate::value::Value;
use bumpalo::Bump;

pub(super) fn bad_format<'c>(name: &str, letter: char, expected: &str) -> Box<Flow<'c>> {
    Flow::raw(format!(
        "Illegal format '{letter}' specified for value of {name} type - expected one of the characters \
         '{expected}'"
    ))
}

pub(super) fn kernel<'c>(format: &str, value: Value<'c>) -> Eval<'c, String> {
    sprintf(format, &[value]).map_err(Flow::of_method)
}

/// Formats a text that is not a value of the arena.
pub(super) fn kernel_text<'c>(format: &str, text: &str) -> Eval<'c, String> {
    let arena = Bump::new();
    sprintf(format, &[Value::str(&arena, text)]).map_err(Flow::of_method)
}

pub(super) fn scalar<'c>(value: Value<'c>, f: &Format<'c>) -> Eval<'c, String> {
    match value {
        Value::Str(s) => string(&s, f),
        Value::Int(n) => int(n, f),
        Value::Float(x) => float(x, f),
        Value::Bool(b) => boolean(b, f),
        Value::Undef => {
            let text = match f.letter {
                'n' => {
                    if f.alt {
                        "null"
                    } else {
                        "nil"
                    }
                }
                'u' => {
                    if f.alt {
                        "undefined"
                    } else {
                        "undef"
                    }
                }
                'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => "NaN",
                'v' => "n/a",
                'V' => "N/A",
                's' => {
                    if f.alt {
                        "\"\""
                    } else {
                        ""
                    }
                }
                'p' => {
                    if f.alt {
                        "\"undef\""
                    } else {
                        "undef"
                    }
                }
                letter => return Err(bad_format("Undef", letter, "nudxXobBeEfgGaAvVsp")),
            };
            Ok(f.apply(text))
        }
        Value::Default => {
            let text = match f.letter {
                'd' | 's' | 'p' => {
                    if f.alt {
                        "\"default\""
                    } else {
                        "default"
                    }
                }
                'D' => {
                    if f.alt {
                        "\"Default\""
                    } else {
                        "Default"
                    }
                }
                letter => return Err(bad_format("Default", letter, "dDsp")),
            };
            Ok(f.apply(text))
        }
        Value::Regexp(source) => match f.letter {
            'p' => kernel_text(&f.with_letter('s'), &crate::regex::shown(&source)),
            's' => {
                let text = crate::regex::to_text(&source);
                let text = if f.alt { quote(&text) } else { text };
                kernel_text(&f.original, &text)
            }
            letter => Err(bad_format("Regexp", letter, "sp")),
        },
        Value::Type(ty) => match f.letter {
            's' if f.alt => kernel_text(&f.original, &format!("\"{}\"", print(ty))),
            's' | 'p' => kernel_text(&f.with_letter('s'), &print(ty)),
            letter => Err(bad_format("Type", letter, "sp")),
        },
        Value::Uri(text) => match f.letter {
            'p' => Ok(print_value(value)),
            's' => kernel_text(&f.original, &if f.alt { quote(&text) } else { text.as_str().to_owned() }),
            letter => Err(bad_format("URI", letter, "sp")),
        },
        Value::Binary(bytes) => binary(bytes, f),
        value => kernel(&f.original, value),
    }
}

pub(super) fn string<'c>(text: &str, f: &Format<'c>) -> Eval<'c, String> {
    let changed = match f.letter {
        's' => return kernel_text(&f.original, text),
        'p' => return Ok(f.apply(&if f.alt { quote_double(text) } else { quote(text) })),
        'c' => capitalize(text),
        'C' => text.split("::").map(capitalize).collect::<Vec<_>>().join("::"),
        'u' => text.to_uppercase(),
        'd' => text.to_lowercase(),
        't' => text.trim_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '\0' | '\x0b')).to_owned(),
        letter => return Err(bad_format("String", letter, "cCudspt")),
    };
    if f.alt { Ok(f.apply(&quote(&changed))) } else { kernel_text(&f.with_letter('s'), &changed) }
}

pub(super) fn int<'c>(n: i64, f: &Format<'c>) -> Eval<'c, String> {
    match f.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'p' => kernel(&f.original, Value::Int(n)),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => kernel(&f.original, Value::Float(n as f64)),
        'c' => {
            let c = u32::try_from(n)
                .ok()
                .and_then(char::from_u32)
                .ok_or_else(|| Flow::raw("pack(U): value out of range"))?;
            let text = if f.alt { format!("\"{c}\"") } else { c.to_string() };
            kernel_text(&f.with_letter('s'), &text)
        }
        's' => kernel_text(&f.with_letter(if f.alt { 'p' } else { 's' }), &n.to_string()),
        letter => Err(bad_format("Integer", letter, "dxXobBeEfgGaAspc")),
    }
}

pub(super) fn float<'c>(x: f64, f: &Format<'c>) -> Eval<'c, String> {
    match f.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => kernel(&f.original, Value::Float(x.trunc())),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' | 'p' => kernel(&f.original, Value::Float(x)),
        's' => {
            let text = float_to_s(x);
            kernel_text(&f.original, &if f.alt { format!("\"{text}\"") } else { text })
        }
        letter => Err(bad_format("Float", letter, "dxXobBeEfgGaAsp")),
    }
}

pub(super) fn boolean<'c>(b: bool, f: &Format<'c>) -> Eval<'c, String> {
    let text = match f.letter {
        't' => {
            if b {
                "true"
            } else {
                "false"
            }
        }
        'T' => {
            if b {
                "True"
            } else {
                "False"
            }
        }
        'y' => {
            if b {
                "yes"
            } else {
                "no"
            }
        }
        'Y' => {
            if b {
                "Yes"
            } else {
                "No"
            }
        }
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => return int(b.into(), f),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => return float(f64::from(u8::from(b)), f),
        's' | 'p' => return Ok(f.apply(if b { "true" } else { "false" })),
        letter => return Err(bad_format("Boolean", letter, "tTyYdxXobBeEfgGaAsp")),
    };
    Ok(f.apply(if f.alt { &text[..1] } else { text }))
}

pub(super) fn binary<'c>(bytes: &[u8], f: &Format<'c>) -> Eval<'c, String> {
    let letter = if f.alt { 'p' } else { 's' };
    let text = match f.letter {
        's' => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) if f.alt => {
                let escaped: String = bytes.iter().map(|b| format!("\\x{b:02X}")).collect();
                return Ok(f.apply(&format!("\"{escaped}\"")));
            }
            Err(_) => return Err(Flow::raw("\"\\xFF\" from ASCII-8BIT to UTF-8")),
        },
        'p' => {
            let text = kernel_text(&f.with_letter('s'), &crate::base64::encode(bytes))?;
            return Ok(format!("Binary(\"{text}\")"));
        }
        'b' => crate::base64::encode_lines(bytes),
        'B' => crate::base64::encode(bytes),
        'u' => crate::base64::encode_url(bytes),
        't' => "Binary".to_owned(),
        'T' => "BINARY".to_owned(),
        other => return Err(bad_format("Binary", other, "bButTsp")),
    };
    kernel_text(&f.with_letter(letter), &text)
}

/// Ruby's `capitalize`: the first letter upper case, the rest lower case.
pub fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars.flat_map(char::to_lowercase)).collect(),
        None => String::new(),
    }
}
