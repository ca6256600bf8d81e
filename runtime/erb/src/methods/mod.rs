//! The methods that templates call, by the kind of what they are called on. What is not in the tables, and what Ruby
//! would raise an error for, is Ruby's.

mod array;
mod array_blocks;
mod common;
mod hash;
mod list;
mod number;
mod pattern;
mod scope;
mod string;
mod yaml;

pub(super) use scope::{SHARED, function, of_puppet, of_scope};

use super::eval::{Done, Rendering};
use super::tree::Block;
use super::value::{ForRuby, V};

macro_rules! methods {
    ({ $($function:ident = $function_name:literal,)* } { $($method:ident = $($name:literal)|+,)* }) => {
        /// A method, or a function that is called without a receiver.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Method { $($function,)* $($method,)* }

        impl Method {
            /// All of them, by their numbers.
            pub(crate) const ALL: &[Method] = &[$(Method::$function,)* $(Method::$method,)*];

            /// The method of a name.
            pub(crate) fn by_name(name: &str) -> Option<Method> {
                Some(match name {
                    $($function_name => Method::$function,)*
                    $($($name)|+ => Method::$method,)*
                    _ => return None,
                })
            }

            /// Whether it is called without a receiver only.
            pub(crate) fn is_function(self) -> bool {
                matches!(self, $(Method::$function)|*)
            }
        }
    };
}

methods! {
    {
    ToArray = "Array",
    ToInteger = "Integer",
    ToFloat = "Float",
    ToString = "String",
    ToAddress = " IPAddr",
    Base64 = " strict_encode64",
    HasVariable = "has_variable?",
    Log = " log",
    Puppet = " puppet",
    Template = " template",
    LookUp = " lookupvar",
    Variables = " to_hash",
    IsVariable = " exist?",
    }
    {
    Abs = "abs",
    AllIs = "all?",
    Any = "any?",
    Append = "<<",
    Between = "between?",
    Captures = "captures",
    Capitalize = "capitalize",
    CaseEqual = "===",
    Ceil = "ceil",
    Center = "center",
    Chars = "chars",
    Chomp = "chomp",
    Chop = "chop",
    Class = "class",
    Compact = "compact",
    CompactIn = "compact!",
    Compare = "<=>",
    Concat = "concat",
    Count = "count",
    Delete = "delete",
    DeleteIf = "delete_if",
    DeletePrefix = "delete_prefix",
    DeleteSuffix = "delete_suffix",
    Dig = "dig",
    Divide = "/",
    Downcase = "downcase",
    DownTo = "downto",
    Drop = "drop",
    DropWhile = "drop_while",
    Dup = "dup" | "clone",
    Each = "each",
    EachIndex = "each_index",
    EachKey = "each_key",
    EachLine = "each_line",
    EachPair = "each_pair",
    EachSlice = "each_slice",
    EachValue = "each_value",
    EachWithIndex = "each_with_index",
    WithIndex = "with_index",
    EachWithObject = "each_with_object",
    Element = "[]",
    Empty = "empty?",
    EndsWith = "end_with?",
    Eql = "eql?",
    Equal = "==",
    Even = "even?",
    Except = "except",
    Fetch = "fetch",
    Find = "find" | "detect",
    FindIndex = "find_index",
    First = "first",
    FlatMap = "flat_map" | "collect_concat",
    Flatten = "flatten",
    FlattenIn = "flatten!",
    Floor = "floor",
    Freeze = "freeze",
    Gsub = "gsub",
    Greater = ">",
    GreaterOrEqual = ">=",
    Grep = "grep",
    GroupBy = "group_by",
    HasKey = "key?" | "has_key?",
    HasValue = "value?" | "has_value?",
    Include = "include?" | "member?",
    Index = "index",
    Inject = "inject" | "reduce",
    Inspect = "inspect",
    InstanceOf = "instance_of?",
    Intersection = "&",
    Invert = "invert",
    IsA = "is_a?" | "kind_of?",
    Join = "join",
    KeyOf = "key",
    Keys = "keys",
    Last = "last",
    Less = "<",
    LessOrEqual = "<=",
    Lines = "lines",
    Ljust = "ljust",
    Lstrip = "lstrip",
    Map = "map" | "collect",
    MapWithIndex = " map with index",
    MapIn = "map!" | "collect!",
    Match = "match",
    MatchIs = "match?",
    Matches = "=~",
    Max = "max",
    MaxBy = "max_by",
    Merge = "merge",
    MergeIn = "merge!" | "update",
    Min = "min",
    MinBy = "min_by",
    Minus = "-",
    Modulo = "%",
    Name = "name",
    NilIs = "nil?",
    NoneIs = "none?",
    Odd = "odd?",
    OneIs = "one?",
    Partition = "partition",
    Plus = "+",
    Pop = "pop",
    Positive = "positive?",
    Power = "**",
    Pred = "pred",
    Push = "push" | "append",
    Reject = "reject",
    RejectIn = "reject!",
    RespondTo = "respond_to?",
    Reverse = "reverse",
    ReverseEach = "reverse_each",
    Rindex = "rindex",
    Rjust = "rjust",
    Round = "round",
    Rstrip = "rstrip",
    Scan = "scan",
    Select = "select" | "filter",
    SetVariable = " setvar",
    SetElement = "[]=" | "store",
    Shift = "shift",
    Size = "size" | "length",
    Slice = "slice",
    Sort = "sort",
    SortBy = "sort_by",
    SortIn = "sort!",
    Split = "split",
    Squeeze = "squeeze",
    StartsWith = "start_with?",
    Strip = "strip",
    Sub = "sub",
    Succ = "succ" | "next",
    Sum = "sum",
    Take = "take",
    TakeWhile = "take_while",
    Times = "times",
    Times2 = "*",
    ToA = "to_a" | "entries",
    ToAry = "to_ary",
    ToF = "to_f",
    ToH = "to_h",
    ToI = "to_i",
    ToS = "to_s",
    ToStr = "to_str",
    ToSym = "to_sym" | "intern",
    ToYaml = "to_yaml",
    Tr = "tr",
    TransformKeys = "transform_keys",
    TransformValues = "transform_values",
    Transpose = "transpose",
    Truncate = "truncate",
    Union = "|",
    Uniq = "uniq",
    UniqIn = "uniq!",
    Unshift = "unshift" | "prepend",
    Unwrap = "unwrap",
    Upcase = "upcase",
    UpTo = "upto",
    Values = "values",
    ValuesAt = "values_at",
    Zero = "zero?",
    Zip = "zip",
    }
}

impl Method {
    /// Whether it changes an array or hash in place.
    pub(crate) fn changes(self) -> bool {
        list::changes(self) || self == Method::MergeIn
    }
}

/// Calls a method.
pub(super) fn call<'c>(
    renderer: &mut Rendering<'_, 'c>,
    on: V<'c>,
    method: Method,
    args: &[V<'c>],
    block: Option<&'c Block>,
) -> Done<'c> {
    // Most calls are of these kinds, and none of what follows is about them.
    match (method, &on, args, block) {
        (Method::Element, V::Hash(_) | V::Map(_), [key @ (V::Str(_) | V::Made(_))], None) => {
            return Ok(hash::get(&on, key)?.unwrap_or(V::Nil));
        }
        (Method::Equal, V::Str(_) | V::Made(_), [other @ (V::Str(_) | V::Made(_))], None) => {
            return Ok(V::Bool(on.text() == other.text()));
        }
        (Method::Empty, V::Str(text), [], None) => return Ok(V::Bool(text.is_empty())),
        (Method::Empty, V::Array(items), [], None) => return Ok(V::Bool(items.size() == 0)),
        _ => {}
    }
    let given_pattern = args.iter().any(|arg| matches!(arg, V::Regexp(_)));
    if given_pattern || matches!(on, V::Regexp(_)) {
        // A match may go back and forth for long: the time is looked at soon.
        super::budget::spend(64)?;
    }
    if matches!(method, Method::Matches | Method::Match)
        && let Some(value) = pattern::call(renderer, &on, method, args)?
    {
        return Ok(value);
    }
    if given_pattern && renderer.names_groups() && method != Method::MatchIs {
        renderer.forget_last();
    }
    if let Some(value) = common::call(&on, method, args, block)? {
        return Ok(value);
    }
    if method == Method::ToYaml {
        return Ok(yaml::dump(renderer, &on, args, block)?);
    }
    match &on {
        V::Str(_) | V::Made(_) => string::call(renderer, &on, method, args, block),
        V::Array(_) | V::List(_) => array::call(renderer, &on, method, args, block),
        V::Hash(_) | V::Map(_) => hash::call(renderer, &on, method, args, block),
        V::Int(_) | V::Float(_) => number::call(renderer, &on, method, args, block),
        V::Range(from, to, open) => {
            let items = number::range(*from, *to, *open)?;
            match (method, block) {
                (Method::ToA, None) => Ok(V::list(items)),
                (Method::Map | Method::Select | Method::Reject | Method::Inject, Some(_)) => {
                    array::call(renderer, &V::list(items), method, args, block)
                }
                (Method::Each | Method::EachWithIndex, Some(_)) => {
                    array::call(renderer, &V::list(items), method, args, block)?;
                    Ok(on)
                }
                _ => Err(ForRuby("a method of a range").into()),
            }
        }
        V::Match(groups) => Ok(pattern::of_match(groups, method, args)?),
        V::Scope => scope::call(renderer, method, args),
        _ => Err(ForRuby("a method of such a value").into()),
    }
}

/// Whether a value of the kind has the method, as `respond_to?` says: only where it is plain.
pub(super) fn responds(on: &V<'_>, name: &str) -> Option<bool> {
    let of = |list: &[&str]| list.contains(&name);
    const LISTS: &[&str] = &["each", "join", "map", "to_a", "include?", "empty?", "length", "size", "first"];
    const HASHES: &[&str] =
        &["each", "keys", "has_key?", "key?", "each_pair", "values", "empty?", "to_a", "map"];
    const STRINGS: &[&str] = &["to_str", "gsub", "split", "empty?", "upcase", "strip", "length", "include?"];
    let all = of(LISTS) || of(HASHES) || of(STRINGS);
    match on {
        _ if !all => None,
        V::Array(_) | V::List(_) => Some(of(LISTS)),
        V::Hash(_) | V::Map(_) => {
            Some(of(HASHES) || matches!(name, "include?" | "length" | "size" | "first"))
        }
        V::Str(_) | V::Made(_) => Some(of(STRINGS) || name == "size"),
        V::Nil => Some(name == "to_a"),
        V::Bool(_) => Some(false),
        _ => None,
    }
}
