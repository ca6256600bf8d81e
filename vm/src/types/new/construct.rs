//! `new` of each type.

use crate::error::{Eval, Flow};
use crate::format::convert::convert;
use crate::regex;
use crate::types::conversion::unsupported;
use crate::types::instance::is_instance;
use crate::types::mismatch::value::assert_instance;
use crate::types::new::check::{Params, check};
use crate::types::new::{binary, collection, init, number, object, time, version};
use crate::types::parse::parse_of_puppet;
use crate::types::print::print;
use crate::types::ty::Type;
use crate::value::{Str, Value};
use crate::vm::Vm;

/// `T.new(args…)`, `T(args…)`.
///
/// # Errors
/// For a type that has no `new`, for arguments it does not take, and for a result that is no instance.
pub fn new_instance<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>, args: &[Value<'c>]) -> Eval<'c> {
    if let [only] = args
        && !matches!(ty, Type::Init { .. })
        && is_instance(vm, ty, *only)
    {
        return Ok(*only);
    }
    let value = construct(vm, ty, args)?;
    let subject = format!("Converted value from {}.new()", print(ty));
    assert_instance(vm, &subject, ty, value)?;
    Ok(value)
}

pub(super) fn construct<'c>(vm: &mut Vm<'c>, ty: &'c Type<'c>, args: &[Value<'c>]) -> Eval<'c> {
    match ty {
        Type::Integer(_) => number::integer(vm, args),
        Type::Float { .. } => number::float(vm, args),
        Type::Numeric => number::numeric(vm, args),
        Type::Boolean(_) => number::boolean(vm, args),
        Type::String { .. } | Type::StringValue(_) => string(vm, args),
        Type::Array { .. } | Type::Tuple { .. } => collection::array(vm, args),
        Type::Hash { .. } | Type::Struct(_) => collection::hash(vm, args),
        Type::Optional(inner) if !inner.is_unit() => construct(vm, inner, args),
        Type::NotUndef(Type::Any) => {
            check(vm, "new_unit", &[], &[&[("Any", "from", true)]], args)?;
            Ok(args[0])
        }
        Type::NotUndef(inner) => construct(vm, inner, args),
        Type::Alias(alias) => match alias.target.get() {
            Some(target) => construct(vm, target, args),
            None => Err(Flow::raw(format!("Reference to unresolved type {}", alias.name))),
        },
        Type::Regexp(_) => regexp(vm, args),
        Type::Sensitive(_) => {
            check(
                vm,
                "new_Sensitive",
                &[],
                &[&[("Sensitive", "value", true)], &[("Any", "value", true)]],
                args,
            )?;
            match args[0] {
                value @ Value::Sensitive(_) => Ok(value),
                value => Ok(Value::Sensitive(vm.arena.alloc(value))),
            }
        }
        Type::Timestamp { .. } => time::timestamp(vm, args),
        Type::Timespan { .. } => time::timespan(vm, args),
        Type::SemVer(_) => version::version(vm, args),
        Type::SemVerRange => version::range(vm, args),
        Type::Binary => binary::binary(vm, args),
        Type::Uri(_) => object::uri(vm, args),
        Type::Type(_) => {
            check(vm, "new_type", &[], &[&[("String[1]", "type_string", true)]], args)?;
            let Value::Str(text) = args[0] else { return Ok(Value::Undef) };
            parse_of_puppet(vm, &text).map(Value::Type)
        }
        Type::Init { ty: Some(inner), args: more } => init::init(vm, inner, more, args),
        Type::Object { .. } | Type::ObjectExtension { .. } => object::object(vm, ty, args),
        _ => Err(Flow::raw(unsupported(ty))),
    }
}

fn string<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    const FORMAT: &str = "Pattern[/^%([\\s\\[+#0{<(|-]*)([1-9][0-9]*)?(?:\\.([0-9]+))?([a-zA-Z])$/]";
    let locals = [
        ("Format", FORMAT),
        (
            "ContainerFormat",
            "Struct[{Optional[format] => Format, Optional[separator] => String, Optional[separator2] => String, \
             Optional[string_formats] => Hash[Type, Format]}]",
        ),
        ("TypeMap", "Hash[Type, Variant[Format, ContainerFormat]]"),
        ("Convertible", "Any"),
        ("Formats", "Variant[Default, String[1], TypeMap]"),
    ];
    let formats = match args {
        [_] => Value::Default,
        [_, formats @ (Value::Default | Value::Str(_))] if !matches!(formats, Value::Str(s) if s.is_empty()) => {
            *formats
        }
        _ => {
            let params: &Params = &[("Convertible", "from", true), ("Formats", "string_formats", false)];
            check(vm, "new_string", &locals, &[params], args)?;
            args[1]
        }
    };
    let text = convert(vm, args[0], formats)?;
    Ok(vm.string(&text))
}

fn regexp<'c>(vm: &mut Vm<'c>, args: &[Value<'c>]) -> Eval<'c> {
    let params: &Params = &[("String", "pattern", true), ("Boolean", "escape", false)];
    check(vm, "new_float", &[], &[params], args)?;
    let Value::Str(source) = args[0] else { return Ok(Value::Undef) };
    let source = match args.get(1) {
        Some(Value::Bool(true)) => regex::escape(&source),
        _ => source.as_str().to_owned(),
    };
    regex::check(&source).map_err(Flow::of_pattern)?;
    Ok(Value::Regexp(Str::new(vm.arena, &source)))
}
