//! Type expressions: nested, most of them valid; and questions about them.

use super::rng::Rng;
use super::values;

const PLAIN: &[&str] = &[
    "Any",
    "Data",
    "RichData",
    "Scalar",
    "ScalarData",
    "Numeric",
    "Integer",
    "Float",
    "String",
    "Enum",
    "Pattern",
    "Regexp",
    "Boolean",
    "Undef",
    "Default",
    "NotUndef",
    "Optional",
    "Variant",
    "Collection",
    "Array",
    "Tuple",
    "Hash",
    "Struct",
    "Iterable",
    "Iterator",
    "Callable",
    "Type",
    "Sensitive",
    "Binary",
    "Timestamp",
    "Timespan",
    "SemVer",
    "SemVerRange",
    "URI",
    "Object",
    "Init",
    "Runtime",
    "CatalogEntry",
    "Resource",
    "Class",
    "Error",
    "Deferred",
    "TypeAlias",
    "TypeReference",
    "RichDataKey",
    "TypeSet",
];
const SCALARS: &[&str] = &[
    "Integer[1, 10]",
    "Integer[0]",
    "Integer[default, 5]",
    "Integer[5, 5]",
    "Float[1.0, 2.5]",
    "Float[0.0]",
    "Float[1, 2]",
    "String[1]",
    "String[2, 4]",
    "String[default, 3]",
    "Enum['a', 'b']",
    "Enum['B', 'a', true]",
    "Enum['abc']",
    "Pattern[/^a/, 'b$']",
    "Pattern[/\\d+/]",
    "Regexp[/x/]",
    "Regexp['a.c']",
    "Boolean[true]",
    "Boolean[false]",
    "Timestamp['2000-01-01', '2030-01-01']",
    "Timespan['0-00:00:10', '1-00:00:00']",
    "Timespan[1, 100]",
    "SemVer['>=1.0.0 <2.0.0']",
    "SemVer['1.x', '3.x']",
    "URI['http://example.com']",
    "URI[{scheme => 'https'}]",
    "Runtime['ruby', 'Puppet::Foo']",
    "Resource['file']",
    "Resource['file', '/a']",
    "File",
    "File['/a']",
    "Class['foo::bar']",
    "My::Thing",
    "TypeReference['Foo::Bar']",
    "Error['kind']",
    "Error[/k/, 'code']",
];
const BROKEN: &[&str] = &[
    "Integer[10, 1]",
    "Integer['a']",
    "Integer[1, 2, 3]",
    "Float['x']",
    "String['a']",
    "String[-1]",
    "String[3, 1]",
    "Enum[1]",
    "Enum['a', 1]",
    "Pattern[1]",
    "Pattern['[']",
    "Regexp[1]",
    "Boolean[1]",
    "Undef[1]",
    "Any[1]",
    "Default['x']",
    "NotUndef[1]",
    "Optional[]",
    "Optional[1, 2]",
    "Variant[1]",
    "Collection['a']",
    "Array[1, 2, 3]",
    "Array[String, 'x']",
    "Tuple[1]",
    "Tuple['x', Integer]",
    "Hash[String]",
    "Hash[1, 2, 3]",
    "Hash[String, String, 'a']",
    "Struct[1]",
    "Struct[{1 => String}]",
    "Struct[{a => 1}]",
    "Struct[{'' => String}]",
    "Iterable[1]",
    "Iterator['a', 'b']",
    "Callable['x']",
    "Callable[1]",
    "Type[1]",
    "Type[Integer, String]",
    "Sensitive[1]",
    "Timestamp['nope']",
    "Timespan['nope']",
    "SemVer[1]",
    "SemVer['nope']",
    "SemVerRange['1']",
    "URI[1]",
    "Init[1]",
    "Runtime['ruby']",
    "Runtime[1, 2]",
    "Resource[1]",
    "Class[1]",
    "Class['Not A Name']",
    "Data[1]",
    "Scalar[String]",
    "Numeric[1]",
    "Object[1]",
    "TypeAlias[1]",
    "CatalogEntry[1]",
    "Binary[1]",
    "Collection[1, 2, 3]",
    "Foo[1]",
    "Nosuch::Type[String]",
    "Integer[1.5]",
    "Float[2.0, 1.0]",
    "Tuple[]",
    "Tuple[String, 1, 2, 3]",
    "Tuple[String, 3, 1]",
    "Array[]",
    "Hash[]",
    "String[]",
    "Enum[]",
    "Struct[]",
    "Callable[]",
    "Boolean['true']",
];

fn key(rng: &mut Rng) -> String {
    match rng.below(6) {
        0 => format!("Optional[{}]", rng.pick(&["a", "b", "opt"])),
        1 => format!("NotUndef[{}]", rng.pick(&["a", "b", "c"])),
        2 => "'key one'".to_owned(),
        _ => rng.pick(&["a", "b", "c", "d"]).to_owned(),
    }
}

fn size(rng: &mut Rng) -> &'static str {
    rng.pick(&["", "", "", ", 1", ", 1, 2", ", 0, 3", ", default, 2", ", 2, default", ", 2"])
}

fn callable(rng: &mut Rng, depth: usize) -> String {
    let params = rng.list(0, 2, |rng| ty(rng, depth));
    let range = if params.is_empty() { rng.pick(&["0, 0", "1, 2", "0, default"]) } else { size(rng) };
    let block = if rng.chance(20) { ", Callable[1, 1]" } else { "" };
    let inside = format!("{params}{range}{block}");
    match rng.below(4) {
        0 => format!("Callable[[{inside}], {}]", ty(rng, depth)),
        _ => format!("Callable[{inside}]"),
    }
}

/// A type expression, valid but for a few.
pub fn ty(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.chance(35) {
        return match rng.below(20) {
            0..=8 => rng.pick(PLAIN).to_owned(),
            19 if depth > 0 => rng.pick(BROKEN).to_owned(),
            _ => rng.pick(SCALARS).to_owned(),
        };
    }
    let inner = depth - 1;
    match rng.below(20) {
        0..=2 => format!("Array[{}{}]", ty(rng, inner), size(rng)),
        3 | 4 => format!("Hash[{}, {}{}]", ty(rng, inner), ty(rng, inner), size(rng)),
        5 | 6 => format!("Tuple[{}{}]", rng.list(1, 3, |rng| ty(rng, inner)), size(rng)),
        7..=9 => {
            format!("Struct[{{{}}}]", rng.list(0, 3, |rng| format!("{} => {}", key(rng), ty(rng, inner))))
        }
        10 | 11 => format!("Variant[{}]", rng.list(1, 3, |rng| ty(rng, inner))),
        12 | 13 => format!("Optional[{}]", ty(rng, inner)),
        14 => format!("NotUndef[{}]", ty(rng, inner)),
        15 => format!("Type[{}]", ty(rng, inner)),
        16 => format!("{}[{}]", rng.pick(&["Iterable", "Iterator", "Sensitive"]), ty(rng, inner)),
        17 => callable(rng, inner),
        18 => format!("Init[{}]", ty(rng, inner)),
        _ => format!("{}[{}]", rng.pick(&["Optional", "NotUndef"]), values::string(rng)),
    }
}

/// A question about types: how they print, what is assignable, what is an instance.
pub fn question(rng: &mut Rng) -> String {
    match rng.below(12) {
        0 | 1 => ty(rng, 3),
        2 => rng.pick(BROKEN).to_owned(),
        3 | 4 => format!("{} {} {}", ty(rng, 2), rng.pick(&["<", "<=", ">", ">=", "=="]), ty(rng, 2)),
        5 => format!("{} {} {}", values::value(rng, 2), rng.pick(&["=~", "!~"]), ty(rng, 2)),
        6 => format!(
            "type({}{})",
            values::value(rng, 3),
            rng.pick(&["", ", detailed", ", reduced", ", generalized"])
        ),
        7 => format!("assert_type({}, {})", ty(rng, 2), values::value(rng, 2)),
        8 => format!("String({}, {})", ty(rng, 2), rng.pick(&["'%p'", "'%#p'", "'%s'", "'%#s'", "'%d'"])),
        9 => format!("{} in {}", values::value(rng, 1), values::value(rng, 2)),
        10 => format!(
            "{} ? {{ {} => 'one', {} => 'two', default => 'none' }}",
            values::value(rng, 2),
            ty(rng, 1),
            ty(rng, 1)
        ),
        _ => format!("type([{}, {}], generalized)", values::value(rng, 1), values::value(rng, 1)),
    }
}
