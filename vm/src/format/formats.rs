//! Formats of `String.new`: single ones, and maps of them by type.

use crate::error::{Eval, Flow};
use crate::format::inspect::inspect;
use crate::format::interpolate::to_interpolated;
use crate::format::spec::{padded_before, padded_behind};
use crate::types::assign::is_assignable;
use crate::types::equal::equal;
use crate::types::print::print;
use crate::types::ty::{Range, Type};
use crate::value::{Hash, Value};
use bumpalo::Bump;
use std::rc::Rc;

/// Formats by type, in order of precedence.
pub(super) type Formats<'c> = Vec<(&'c Type<'c>, Rc<Format<'c>>)>;

/// The brackets that a flag, the first of the two, puts around a container.
const DELIMITERS: [&str; 5] = ["[]", "{}", "()", "<>", "||"];

/// One format: `%#10.2s`.
#[derive(Clone)]
pub(super) struct Format<'c> {
    pub(super) alt: bool,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
    pub(super) letter: char,
    pub(super) left: bool,
    /// What a container stands in: two brackets, or nothing.
    pub(super) delimiters: Option<&'static str>,
    pub(super) separator: Option<&'c str>,
    pub(super) separator2: Option<&'c str>,
    pub(super) inner: Option<Rc<Formats<'c>>>,
    pub(super) original: String,
}

impl<'c> Format<'c> {
    pub(super) fn parse(text: &str) -> Result<Format<'c>, String> {
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
        let chosen: Vec<&str> =
            DELIMITERS.into_iter().filter(|pair| pair.starts_with(flags.as_slice())).collect();
        if chosen.len() > 1 {
            return Err(format!(
                "Only one of the delimiters [ {{ ( < | can be given in the format flags, got '{text}'"
            ));
        }
        let delimiters = chosen.first().copied().or(flags.contains(&' ').then_some(""));
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

    pub(super) fn known(text: &str) -> Format<'c> {
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

    pub(super) fn merge(&self, arena: &'c Bump, other: &Format<'c>) -> Format<'c> {
        let mut merged = other.clone();
        merged.separator = other.separator.or(self.separator);
        merged.separator2 = other.separator2.or(self.separator2);
        merged.inner = match (&self.inner, &other.inner) {
            (Some(lower), Some(higher)) => Some(Rc::new(merge_formats(arena, lower, higher))),
            (lower, higher) => higher.clone().or_else(|| lower.clone()),
        };
        merged
    }

    pub(super) fn pair(&self, default: (&'static str, &'static str)) -> (&'static str, &'static str) {
        self.delimiters.map_or(default, |pair| pair.split_at(pair.len() / 2))
    }

    /// Width, precision and alignment for a text.
    pub(super) fn apply(&self, text: &str) -> String {
        let cut: String = match self.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text.to_owned(),
        };
        let width = self.width.unwrap_or(0);
        if self.left { padded_behind(&cut, width) } else { padded_before(&cut, width) }
    }

    pub(super) fn with_letter(&self, letter: char) -> String {
        self.original.replace(self.letter, &letter.to_string())
    }
}

pub(super) fn default_formats<'c>() -> Formats<'c> {
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
        (&Type::Object { name: None, parent: None, definition: None }, Rc::new(Format::known("%p"))),
        (&Type::Float { min: None, max: None }, Rc::new(Format::known("%f"))),
        (&Type::Numeric, Rc::new(Format::known("%d"))),
        (&Type::Array { element: &Type::Any, size: Range::ANY }, container("%a", ", ")),
        (&Type::Hash { key: &Type::Any, value: &Type::Any, size: Range::ANY }, container("%h", " => ")),
        (&Type::Binary, Rc::new(Format::known("%B"))),
        (&Type::Any, Rc::new(Format::known("%s"))),
    ]
}

pub(super) fn inner_formats<'c>() -> Formats<'c> {
    vec![(&Type::Any, Rc::new(Format::known("%p")))]
}

pub(super) fn formats_of<'c>(hash: Hash<'c>) -> Eval<'c, Formats<'c>> {
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
            Value::Hash(spec) => container_format(*spec)?,
            other => Format::parse(&to_interpolated(*other)).map_err(Flow::raw)?,
        };
        formats.push((*ty, Rc::new(format)));
    }
    Ok(formats)
}

pub(super) fn container_format<'c>(spec: Hash<'c>) -> Eval<'c, Format<'c>> {
    const KEYS: [&str; 4] = ["separator", "separator2", "format", "string_formats"];
    if spec.entries().iter().any(|(key, _)| key.as_str().is_none_or(|key| !KEYS.contains(&key))) {
        let given = inspect(Value::Hash(spec));
        let keys = KEYS.map(|key| format!("'{key}'")).join(", ");
        let message = format!("only {keys} are allowed in a container format, got {given}");
        return Err(Flow::raw(message));
    }
    let text = spec.get_str("format").and_then(Value::as_str).unwrap_or_default();
    let mut format = Format::parse(text).map_err(Flow::raw)?;
    format.separator = spec.get_str("separator").and_then(Value::as_str);
    format.separator2 = spec.get_str("separator2").and_then(Value::as_str);
    if let Some(Value::Hash(inner)) = spec.get_str("string_formats") {
        format.inner = Some(Rc::new(formats_of(inner)?));
    }
    Ok(format)
}

pub(super) fn merge_formats<'c>(arena: &'c Bump, lower: &Formats<'c>, higher: &Formats<'c>) -> Formats<'c> {
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
pub(super) fn sort_formats<'c>(arena: &'c Bump, formats: &mut Formats<'c>) {
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
