//! The methods that are known, by name and by number.

macro_rules! first_of {
    ($first:literal $(, $rest:literal)*) => {
        $first
    };
}

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

            /// Its name; the first, where it has several.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Method::$function => $function_name,)*
                    $(Method::$method => first_of!($($name),+),)*
                }
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
    Other = " other",
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
    /// Whether it changes an array in place.
    pub(crate) fn changes_array(self) -> bool {
        use Method::{
            Append, CompactIn, Concat, Delete, DeleteIf, FlattenIn, MapIn, Pop, Push, RejectIn, SetElement,
            Shift, SortIn, UniqIn, Unshift,
        };
        matches!(
            self,
            Append
                | CompactIn
                | Concat
                | Delete
                | DeleteIf
                | FlattenIn
                | MapIn
                | Pop
                | Push
                | RejectIn
                | SetElement
                | Shift
                | SortIn
                | UniqIn
                | Unshift
        )
    }

    /// Whether it changes an array or a hash in place.
    pub(crate) fn changes(self) -> bool {
        self.changes_array() || self == Method::MergeIn
    }
}
