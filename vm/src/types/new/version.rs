//! `SemVer` and `SemVerRange` from text and parts.

use crate::error::{Eval, Flow};
use crate::semver::{self, Version};
use crate::types::new::check::{Params, check};
use crate::value::{Str, Value};
use crate::vm::Vm;

const LOCALS: [(&str, &str); 4] = [
    ("PositiveInteger", "Integer[0,default]"),
    ("SemVerQualifier", "Pattern[/\\A(?<part>[0-9A-Za-z-]+)(?:\\.\\g<part>)*\\Z/]"),
    (
        "SemVerPattern",
        "Pattern[/\\A(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?\
         (?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?\\Z/]",
    ),
    (
        "SemVerHash",
        "Struct[{major=>PositiveInteger,minor=>PositiveInteger,patch=>PositiveInteger,\
         Optional[prerelease]=>SemVerQualifier,Optional[build]=>SemVerQualifier}]",
    ),
];

/// `SemVer.new`
pub(super) fn version<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let version = match args {
        [Value::Str(text)] => {
            if Version::parse(text).is_err() && !is_shaped(text) {
                let text = text.as_str();
                return Err(Flow::raw(format!(
                    "'new_Version' The string '{text}' cannot be converted to a SemVer"
                )));
            }
            Version::parse(text)
        }
        _ => {
            let parts: &Params = &[
                ("PositiveInteger", "major", true),
                ("PositiveInteger", "minor", true),
                ("PositiveInteger", "patch", true),
                ("SemVerQualifier", "prerelease", false),
                ("SemVerQualifier", "build", false),
            ];
            let signatures: [&Params; 3] =
                [&[("SemVerPattern", "str", true)], parts, &[("SemVerHash", "hash_args", true)]];
            check(vm, "new_Version", &LOCALS, &signatures, args)?;
            let number = |value: Option<Value<'c>>| match value {
                Some(Value::Int(n)) => n.unsigned_abs(),
                _ => 0,
            };
            let text = |value: Option<Value<'c>>| value.and_then(Value::as_str);
            let (numbers, prerelease, build) = match args {
                [Value::Hash(hash)] => {
                    let get = |key| hash.get_str(key);
                    (
                        [number(get("major")), number(get("minor")), number(get("patch"))],
                        text(get("prerelease")),
                        text(get("build")),
                    )
                }
                args => {
                    let get = |n: usize| args.get(n).copied();
                    ([number(get(0)), number(get(1)), number(get(2))], text(get(3)), text(get(4)))
                }
            };
            Version::new(numbers, prerelease, build)
        }
    };
    let text = version.map_err(Flow::raw)?.to_string();
    Ok(Value::SemVer(Str::new(vm.arena, &text)))
}

/// Whether only a numeric identifier with leading zeroes keeps the text from being a version.
fn is_shaped(text: &str) -> bool {
    let source = LOCALS[2].1.trim_start_matches("Pattern[/").trim_end_matches("/]");
    crate::regex::is_match(source, text).unwrap_or(false)
}

/// `SemVerRange.new`
pub(super) fn range<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let locals = [
        ("SemVerRangeString", "String[1]"),
        (
            "SemVerRangeHash",
            "Struct[{min=>Variant[Default,SemVer],Optional[max]=>Variant[Default,SemVer],\
             Optional[exclude_max]=>Boolean}]",
        ),
    ];
    let ends: &Params = &[
        ("Variant[Default,SemVer]", "min", true),
        ("Variant[Default,SemVer]", "max", true),
        ("Boolean", "exclude_max", false),
    ];
    let signatures: [&Params; 3] =
        [&[("SemVerRangeString", "str", true)], ends, &[("SemVerRangeHash", "hash_args", true)]];
    check(vm, "new_VersionRange", &locals, &signatures, args)?;
    let (min, max, exclude) = match args {
        [Value::Str(text)] => {
            let named = semver::named_range(text).map_err(Flow::raw)?;
            return Ok(Value::SemVerRange(Str::new(vm.arena, named)));
        }
        [Value::Hash(hash)] => (
            hash.get_str("min").unwrap_or(Value::Default),
            hash.get_str("max").unwrap_or(Value::Default),
            hash.get_str("exclude_max").is_some_and(Value::truthy),
        ),
        [min, max, rest @ ..] => (*min, *max, rest.first().is_some_and(|v| v.truthy())),
        _ => return Ok(Value::Undef),
    };
    let text = match (min, max) {
        (Value::SemVer(min), Value::SemVer(max)) if exclude => {
            format!(">={} <{}", min.as_str(), max.as_str())
        }
        (Value::SemVer(min), Value::SemVer(max)) => format!("{} - {}", min.as_str(), max.as_str()),
        (Value::SemVer(min), _) => format!(">={}", min.as_str()),
        (_, Value::SemVer(max)) if exclude => format!("<{}", max.as_str()),
        (_, Value::SemVer(max)) => format!("<={}", max.as_str()),
        _ => ">=0.0.0".to_owned(),
    };
    Ok(Value::SemVerRange(Str::new(vm.arena, &text)))
}
