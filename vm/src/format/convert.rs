//! `String.new(value, formats)`: Puppet's string converter.

use super::indent::Indentation;
use super::{capitalize, sprintf, to_interpolated};
use crate::error::{Eval, Flow};
use crate::types::{
    Range, Type, equal, infer_set, is_assignable, print, print_value, print_value_indented, quote,
    quote_double,
};
use crate::value::{Array, Hash, Value};
use crate::vm::Vm;
use bumpalo::Bump;
use std::rc::Rc;

/// Formats by type, in order of precedence.
type Formats<'c> = Vec<(&'c Type<'c>, Rc<Format<'c>>)>;

/// One format: `%#10.2s`.
#[derive(Clone)]
struct Format<'c> {
    alt: bool,
    width: Option<usize>,
    precision: Option<usize>,
    letter: char,
    left: bool,
    delimiters: Option<char>,
    separator: Option<&'c str>,
    separator2: Option<&'c str>,
    inner: Option<Rc<Formats<'c>>>,
    original: String,
}

impl<'c> Format<'c> {
    fn parse(text: &str) -> Result<Format<'c>, String> {
        let malformed = || {
            format!("The format '{text}' is not a valid format on the form '%<flags><width>.<prec><format>'")
        };
        const SOURCE: &str = "^%([\\s\\[+#0{<(|-]*)([1-9][0-9]*)?(?:\\.([0-9]+))?([a-zA-Z])$";
        let groups = crate::regex::captures(SOURCE, text)?.ok_or_else(malformed)?;
        let group = |n: usize| groups.get(n).copied().flatten();
        let flags: Vec<char> = group(1).unwrap_or("").chars().collect();
        if flags.iter().enumerate().any(|(n, c)| flags[..n].contains(c)) {
            return Err(format!("The same flag can only be used once, got '{text}'"));
        }
        let chosen: Vec<char> = ['[', '{', '(', '<', '|'].into_iter().filter(|d| flags.contains(d)).collect();
        if chosen.len() > 1 {
            return Err(format!(
                "Only one of the delimiters [ {{ ( < | can be given in the format flags, got '{text}'"
            ));
        }
        let delimiters = chosen.first().copied().or(flags.contains(&' ').then_some(' '));
        Ok(Format {
            alt: flags.contains(&'#'),
            width: group(2).and_then(|w| w.parse().ok()),
            precision: group(3).and_then(|p| p.parse().ok()),
            letter: group(4).and_then(|f| f.chars().next()).ok_or_else(malformed)?,
            left: flags.contains(&'-'),
            delimiters,
            separator: None,
            separator2: None,
            inner: None,
            original: text.to_owned(),
        })
    }

    fn known(text: &str) -> Format<'c> {
        // The texts are Puppet's own defaults.
        Format::parse(text).unwrap_or_else(|_| Format {
            alt: false,
            width: None,
            precision: None,
            letter: 's',
            left: false,
            delimiters: None,
            separator: None,
            separator2: None,
            inner: None,
            original: "%s".into(),
        })
    }

    fn merge(&self, arena: &'c Bump, other: &Format<'c>) -> Format<'c> {
        let mut merged = other.clone();
        merged.separator = other.separator.or(self.separator);
        merged.separator2 = other.separator2.or(self.separator2);
        merged.inner = match (&self.inner, &other.inner) {
            (Some(lower), Some(higher)) => Some(Rc::new(merge_formats(arena, lower, higher))),
            (lower, higher) => higher.clone().or_else(|| lower.clone()),
        };
        merged
    }

    fn pair(&self, default: (&'static str, &'static str)) -> (&'static str, &'static str) {
        match self.delimiters {
            Some('[') => ("[", "]"),
            Some('{') => ("{", "}"),
            Some('(') => ("(", ")"),
            Some('<') => ("<", ">"),
            Some('|') => ("|", "|"),
            Some(_) => ("", ""),
            None => default,
        }
    }

    /// Width, precision and alignment for a text.
    fn apply(&self, text: &str) -> String {
        let cut: String = match self.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text.to_owned(),
        };
        super::spec::align(&cut, self.width.unwrap_or(0), self.left)
    }

    fn with_letter(&self, letter: char) -> String {
        self.original.replace(self.letter, &letter.to_string())
    }
}

/// The value as text; `formats` is `default`, one format, or a hash of type to format.
///
/// # Errors
/// Puppet's, for formats that are none or that the value's type does not take.
pub fn convert<'c>(vm: &mut Vm<'c>, value: Value<'c>, formats: Value<'c>) -> Eval<'c, String> {
    let arena = vm.arena;
    let ty = infer_set(vm, value);
    let user = match formats {
        Value::Default => None,
        Value::Str(text) => {
            let format = Rc::new(Format::parse(&text).map_err(Flow::raw)?);
            if matches!(value, Value::Object(object) if object.type_name == "Error") {
                // A format for a parameterised type is not found again under the bare one.
                return Ok(print_value(value));
            }
            let key: &'c Type<'c> = match value {
                Value::Array(_) => &Type::Array { element: &Type::Any, size: Range::ANY },
                Value::Hash(_) => &Type::Hash { key: &Type::Any, value: &Type::Any, size: Range::ANY },
                _ => ty,
            };
            Some(vec![(key, format)])
        }
        Value::Hash(hash) => Some(formats_of(vm, hash)?),
        other => {
            let class = crate::label::ruby_class(other);
            return Err(Flow::raw(format!(
                "string conversion expects a Default value or a Hash of type to format mappings, got a '{class}'"
            )));
        }
    };
    let defaults = default_formats();
    let all = match user {
        Some(user) => merge_formats(arena, &defaults, &user),
        None => defaults,
    };
    let mut converter = Converter { vm };
    converter.convert(ty, value, &all, Indentation::START)
}

/// The value as `String($value, '%p')` prints it; with the type printer where that fails.
pub fn repr<'c>(vm: &mut Vm<'c>, value: Value<'c>) -> String {
    let format = vm.string("%p");
    convert(vm, value, format).unwrap_or_else(|_| print_value(value))
}

fn default_formats<'c>() -> Formats<'c> {
    let inner = Rc::new(inner_formats());
    let container = |text: &str, separator2: &'static str| {
        Rc::new(Format {
            separator: Some(", "),
            separator2: Some(separator2),
            inner: Some(Rc::clone(&inner)),
            ..Format::known(text)
        })
    };
    vec![
        (&Type::Object { name: None, parent: None, init: None }, Rc::new(Format::known("%p"))),
        (&Type::Float { min: None, max: None }, Rc::new(Format::known("%f"))),
        (&Type::Numeric, Rc::new(Format::known("%d"))),
        (&Type::Array { element: &Type::Any, size: Range::ANY }, container("%a", ", ")),
        (&Type::Hash { key: &Type::Any, value: &Type::Any, size: Range::ANY }, container("%h", " => ")),
        (&Type::Binary, Rc::new(Format::known("%B"))),
        (&Type::Any, Rc::new(Format::known("%s"))),
    ]
}

fn inner_formats<'c>() -> Formats<'c> {
    vec![(&Type::Any, Rc::new(Format::known("%p")))]
}

fn formats_of<'c>(vm: &mut Vm<'c>, hash: Hash<'c>) -> Eval<'c, Formats<'c>> {
    let mut formats = Vec::with_capacity(hash.len());
    for (key, value) in hash.entries() {
        let Value::Type(ty) = key else {
            let class = crate::label::ruby_class(*key);
            return Err(Flow::raw(format!(
                "top level keys in the format hash must be data types, got instance of '{class}'"
            )));
        };
        let format = match value {
            Value::Str(text) => Format::parse(text).map_err(Flow::raw)?,
            Value::Hash(spec) => container_format(vm, *spec)?,
            other => Format::parse(&to_interpolated(*other)).map_err(Flow::raw)?,
        };
        formats.push((*ty, Rc::new(format)));
    }
    Ok(formats)
}

fn container_format<'c>(vm: &mut Vm<'c>, spec: Hash<'c>) -> Eval<'c, Format<'c>> {
    const KEYS: [&str; 4] = ["separator", "separator2", "format", "string_formats"];
    if spec.entries().iter().any(|(key, _)| key.as_str().is_none_or(|key| !KEYS.contains(&key))) {
        let given = super::inspect(Value::Hash(spec));
        return Err(Flow::raw(format!(
            "only 'separator', 'separator2', 'format', 'string_formats' are allowed in a container format, \
             got {given}"
        )));
    }
    let text = spec.get_str("format").and_then(Value::as_str).unwrap_or("%p");
    let mut format = Format::parse(text).map_err(Flow::raw)?;
    format.separator = spec.get_str("separator").and_then(Value::as_str);
    format.separator2 = spec.get_str("separator2").and_then(Value::as_str);
    if let Some(Value::Hash(inner)) = spec.get_str("string_formats") {
        format.inner = Some(Rc::new(formats_of(vm, inner)?));
    }
    Ok(format)
}

fn merge_formats<'c>(arena: &'c Bump, lower: &Formats<'c>, higher: &Formats<'c>) -> Formats<'c> {
    let mut merged: Formats<'c> = Vec::new();
    for (key, format) in lower {
        let shadowed = higher.iter().any(|(h, _)| !equal(h, key) && is_assignable(arena, h, key));
        if shadowed {
            continue;
        }
        match higher.iter().find(|(h, _)| equal(h, key)) {
            Some((_, higher)) => merged.push((key, Rc::new(format.merge(arena, higher)))),
            None => merged.push((key, Rc::clone(format))),
        }
    }
    for (key, format) in higher {
        if !merged.iter().any(|(k, _)| equal(k, key)) {
            merged.push((key, Rc::clone(format)));
        }
    }
    sort_formats(arena, &mut merged);
    merged
}

/// Narrower types first.
fn sort_formats<'c>(arena: &'c Bump, formats: &mut Formats<'c>) {
    fn rank(ty: &Type<'_>) -> u8 {
        match ty {
            Type::Struct(_) => 1,
            Type::Hash { .. } => 2,
            Type::Tuple { .. } => 3,
            Type::Array { .. } => 4,
            Type::Pattern(_) => 10,
            Type::Enum { .. } => 11,
            Type::String { .. } | Type::StringValue(_) => 12,
            _ => 0,
        }
    }
    let order = |a: &'c Type<'c>, b: &'c Type<'c>| {
        if equal(a, b) {
            return std::cmp::Ordering::Equal;
        }
        match (is_assignable(arena, b, a), is_assignable(arena, a, b)) {
            (true, false) => std::cmp::Ordering::Less,
            (false, true) => std::cmp::Ordering::Greater,
            _ if rank(a) == 0 || rank(b) == 0 => print(a).cmp(&print(b)),
            _ => rank(a).cmp(&rank(b)),
        }
    };
    // The order is partial; inserting one by one never panics over that, unlike the library's sort.
    for n in 1..formats.len() {
        let mut at = n;
        while at > 0 && order(formats[at].0, formats[at - 1].0).is_lt() {
            formats.swap(at, at - 1);
            at -= 1;
        }
    }
}

fn is_container(value: Value<'_>) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_) | Value::Object(_))
}

fn is_collection(value: Value<'_>) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_))
}

struct Converter<'v, 'c> {
    vm: &'v mut Vm<'c>,
}

impl<'c> Converter<'_, 'c> {
    fn format_for(&self, ty: &'c Type<'c>, formats: &Formats<'c>) -> Rc<Format<'c>> {
        match formats.iter().find(|(key, _)| is_assignable(self.vm.arena, key, ty)) {
            Some((_, format)) => Rc::clone(format),
            None => Rc::new(Format::known("%s")),
        }
    }

    fn convert(
        &mut self,
        ty: &'c Type<'c>,
        value: Value<'c>,
        formats: &Formats<'c>,
        indentation: Indentation,
    ) -> Eval<'c, String> {
        let format = self.format_for(ty, formats);
        let f = &*format;
        match value {
            Value::Array(items) => self.array(items, formats, f, indentation),
            Value::Hash(hash) => self.hash(hash, formats, f, indentation),
            Value::Iterator(iter) => {
                let items = crate::iterator::collect(self.vm, iter)?;
                let value = self.vm.array(&items);
                let ty = infer_set(self.vm, value);
                self.convert(ty, value, formats, indentation)
            }
            Value::Object(_) => match f.letter {
                'p' => {
                    let indentation = indentation.with_indenting(f.alt || indentation.indenting);
                    Ok(if indentation.indenting {
                        print_value_indented(value, indentation.level)
                    } else {
                        print_value(value)
                    })
                }
                's' | 'q' => Ok(to_interpolated(value)),
                letter => Err(bad_format("Object", letter, "spq")),
            },
            _ => scalar(value, f),
        }
    }

    fn array(
        &mut self,
        items: Array<'c>,
        formats: &Formats<'c>,
        f: &Format<'c>,
        indentation: Indentation,
    ) -> Eval<'c, String> {
        if !matches!(f.letter, 'a' | 's' | 'p') {
            return Err(bad_format("Array", f.letter, "asp"));
        }
        let items = items.items();
        let separator = f.separator.unwrap_or(", ");
        let inner = f.inner.clone().unwrap_or_else(|| Rc::new(inner_formats()));
        let (open, close) = f.pair(("[", "]"));
        let indentation = indentation.with_indenting(f.alt || indentation.indenting);
        let mut out = String::new();
        if indentation.breaks() {
            out.push('\n');
            out.push_str(&indentation.padding());
        }
        out.push_str(open);
        let mut children = indentation.increase(f.alt);
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            if children.first {
                children = children.subsequent();
            }
            let ty = infer_set(self.vm, *item);
            let formats = if is_container(*item) { formats } else { &inner };
            texts.push(self.convert(ty, *item, formats, children)?);
        }
        let breaks = match f.width {
            Some(width) if f.alt => {
                let mut widest = vec![0];
                for (item, text) in items.iter().zip(&texts) {
                    if is_collection(*item) {
                        widest.push(0);
                    } else if let Some(last) = widest.last_mut() {
                        *last += text.chars().count();
                    }
                }
                widest.into_iter().max().unwrap_or(0) > width
            }
            _ => false,
        };
        let children = indentation.increase(f.alt);
        for (n, text) in texts.iter().enumerate() {
            let nested = is_collection(items[n]);
            if n == 0 {
                if breaks && !nested {
                    out.push(' ');
                }
            } else {
                out.push_str(separator);
                if (breaks && !nested) || (f.alt && is_collection(items[n - 1]) && !nested) {
                    if !out.ends_with('\n') {
                        out.truncate(out.trim_end().len());
                    }
                    out.push('\n');
                    out.push_str(&children.padding());
                }
            }
            if out.ends_with(' ') && text.starts_with('\n') {
                out.truncate(out.trim_end().len());
            }
            out.push_str(text);
        }
        out.push_str(close);
        Ok(out)
    }

    fn hash(
        &mut self,
        hash: Hash<'c>,
        formats: &Formats<'c>,
        f: &Format<'c>,
        indentation: Indentation,
    ) -> Eval<'c, String> {
        match f.letter {
            'a' => {
                let pairs: Vec<_> = hash.entries().iter().map(|(k, v)| self.vm.array(&[*k, *v])).collect();
                let value = self.vm.array(&pairs);
                let ty = infer_set(self.vm, value);
                return self.convert(ty, value, formats, indentation);
            }
            'h' | 's' | 'p' => {}
            letter => return Err(bad_format("Hash", letter, "hasp")),
        }
        let mut separator = f.separator.unwrap_or(", ").to_owned();
        if f.alt {
            if !separator.ends_with('\n') {
                separator.truncate(separator.trim_end().len());
            }
            separator.push('\n');
        }
        let assoc = f.separator2.unwrap_or(" => ");
        let inner = f.inner.clone().unwrap_or_else(|| Rc::new(inner_formats()));
        let (open, close) = f.pair(("{", "}"));
        let indentation = indentation.with_indenting(f.alt || indentation.indenting);
        let mut out = String::new();
        if indentation.breaks() {
            out.push('\n');
            out.push_str(&indentation.padding());
        }
        let children = indentation.increase(false);
        let padding = if f.alt { children.padding() } else { String::new() };
        out.push_str(open);
        if f.alt {
            out.push('\n');
        }
        for (n, (key, value)) in hash.entries().iter().enumerate() {
            if n > 0 {
                out.push_str(&separator);
            }
            out.push_str(&padding);
            for (part, value) in [key, value].into_iter().enumerate() {
                let ty = infer_set(self.vm, *value);
                let formats = if is_container(*value) { formats } else { &inner };
                let text = self.convert(ty, *value, formats, children)?;
                out.push_str(&text);
                if part == 0 {
                    out.push_str(assoc);
                }
            }
        }
        if f.alt {
            out.push('\n');
            out.push_str(&indentation.padding());
        }
        out.push_str(close);
        Ok(out)
    }
}

fn bad_format<'c>(name: &str, letter: char, expected: &str) -> Box<Flow<'c>> {
    Flow::raw(format!(
        "Illegal format '{letter}' specified for value of {name} type - expected one of the characters \
         '{expected}'"
    ))
}

fn kernel<'c>(format: &str, value: Value<'c>) -> Eval<'c, String> {
    sprintf(format, &[value]).map_err(Flow::raw)
}

/// Formats a text that is not a value of the arena.
fn kernel_text<'c>(format: &str, text: &str) -> Eval<'c, String> {
    let arena = Bump::new();
    sprintf(format, &[Value::str(&arena, text)]).map_err(Flow::raw)
}

fn scalar<'c>(value: Value<'c>, f: &Format<'c>) -> Eval<'c, String> {
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
            'p' => kernel_text(&f.with_letter('s'), &crate::regex::with_delimiters(&source)),
            's' => {
                let text = if f.alt { quote(&source) } else { source.as_str().to_owned() };
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

fn string<'c>(text: &str, f: &Format<'c>) -> Eval<'c, String> {
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

fn int<'c>(n: i64, f: &Format<'c>) -> Eval<'c, String> {
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

fn float<'c>(x: f64, f: &Format<'c>) -> Eval<'c, String> {
    match f.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => kernel(&f.original, Value::Float(x.trunc())),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' | 'p' => kernel(&f.original, Value::Float(x)),
        's' => {
            let text = super::float_to_s(x);
            kernel_text(&f.original, &if f.alt { format!("\"{text}\"") } else { text })
        }
        letter => Err(bad_format("Float", letter, "dxXobBeEfgGaAsp")),
    }
}

fn boolean<'c>(b: bool, f: &Format<'c>) -> Eval<'c, String> {
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

fn binary<'c>(bytes: &[u8], f: &Format<'c>) -> Eval<'c, String> {
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
