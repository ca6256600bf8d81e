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
    Format = "format",
    Sprintf = "sprintf",
    ToArray = "Array",
    ToHashOf = "Hash",
    ToInteger = "Integer",
    ToFloat = "Float",
    ToString = "String",
    Global = " global",
    HasVariable = "has_variable?",
    InstanceVariables = "instance_variables",
    LastMatch = " last_match",
    Log = " log",
    Puppet = " puppet",
    Rand = "rand",
    Srand = "srand",
    Template = " template",
    LookUp = " lookupvar",
    Variables = " to_hash",
    IsVariable = " exist?",
    Other = " other",
    }
    {
    Abs = "abs",
    AllBitsIs = "allbits?",
    AllIs = "all?",
    Any = "any?",
    AnyBitsIs = "anybits?",
    Append = "<<",
    AsciiOnly = "ascii_only?",
    Assoc = "assoc",
    At = "at",
    BeginOf = "begin",
    Between = "between?",
    BitLength = "bit_length",
    BitNot = "~",
    BitXor = "^",
    ByteSize = "bytesize",
    ByteSlice = "byteslice",
    BytesOf = "bytes",
    Capitalize = "capitalize",
    CapitalizeIn = "capitalize!",
    Captures = "captures",
    Casecmp = "casecmp",
    CasecmpIs = "casecmp?",
    CaseEqual = "===",
    Ceil = "ceil",
    Center = "center",
    Chars = "chars",
    Chomp = "chomp",
    ChompIn = "chomp!",
    Chop = "chop",
    ChopIn = "chop!",
    Chr = "chr",
    ChunkWhile = "chunk_while",
    Clamp = "clamp",
    Class = "class",
    Clear = "clear",
    Clone = "clone",
    Codepoints = "codepoints",
    Combination = "combination",
    Compact = "compact",
    CompactIn = "compact!",
    Compare = "<=>",
    Concat = "concat",
    Count = "count",
    Cover = "cover?",
    Cycle = "cycle",
    Delete = "delete",
    DeleteAt = "delete_at",
    DeleteIf = "delete_if",
    DeleteIn = "delete!",
    DeletePrefix = "delete_prefix",
    DeletePrefixIn = "delete_prefix!",
    DeleteSuffix = "delete_suffix",
    DeleteSuffixIn = "delete_suffix!",
    DifferenceOf = "difference",
    Dig = "dig",
    Digits = "digits",
    Div = "div",
    Divide = "/",
    Divmod = "divmod",
    Downcase = "downcase",
    DowncaseIn = "downcase!",
    DownTo = "downto",
    Drop = "drop",
    DropWhile = "drop_while",
    Dump = "dump",
    Dup = "dup",
    Each = "each",
    EachByte = "each_byte",
    EachChar = "each_char",
    EachCons = "each_cons",
    EachEntry = "each_entry",
    EachIndex = "each_index",
    EachKey = "each_key",
    EachLine = "each_line",
    EachPair = "each_pair",
    EachSlice = "each_slice",
    EachValue = "each_value",
    EachWithIndex = "each_with_index",
    EachWithObject = "each_with_object",
    Element = "[]",
    Empty = "empty?",
    Encode = "encode",
    EndOf = "end",
    EndsWith = "end_with?",
    Entries = "entries",
    Eql = "eql?",
    Equal = "==",
    EqualIs = "equal?",
    Even = "even?",
    Except = "except",
    ExcludeEnd = "exclude_end?",
    Fdiv = "fdiv",
    Fetch = "fetch",
    FetchValues = "fetch_values",
    Fill = "fill",
    FilterMap = "filter_map",
    Find = "find" | "detect",
    FindAll = "find_all",
    FindIndex = "find_index",
    FiniteIs = "finite?",
    First = "first",
    FlatMap = "flat_map" | "collect_concat",
    Flatten = "flatten",
    FlattenIn = "flatten!",
    Floor = "floor",
    ForceEncoding = "force_encoding",
    Freeze = "freeze",
    FrozenIs = "frozen?",
    Gcd = "gcd",
    Greater = ">",
    GreaterOrEqual = ">=",
    Grep = "grep",
    GrepV = "grep_v",
    GroupBy = "group_by",
    Gsub = "gsub",
    GsubIn = "gsub!",
    HasKey = "key?" | "has_key?",
    HasValue = "value?" | "has_value?",
    Hex = "hex",
    IdToName = "id2name",
    Include = "include?",
    Index = "index",
    InfiniteIs = "infinite?",
    Inject = "inject" | "reduce",
    Insert = "insert",
    Inspect = "inspect",
    InstanceOf = "instance_of?",
    IntegerIs = "integer?",
    Intersection = "&",
    IntersectionOf = "intersection",
    IntersectIs = "intersect?",
    Invert = "invert",
    IsA = "is_a?" | "kind_of?",
    Itself = "itself",
    Join = "join",
    KeepIf = "keep_if",
    KeyOf = "key",
    Keys = "keys",
    Last = "last",
    Lcm = "lcm",
    Length = "length",
    Less = "<",
    LessOrEqual = "<=",
    Lines = "lines",
    Ljust = "ljust",
    Lstrip = "lstrip",
    LstripIn = "lstrip!",
    Magnitude = "magnitude",
    Map = "map" | "collect",
    MapIn = "map!" | "collect!",
    Match = "match",
    Matches = "=~",
    MatchIs = "match?",
    Max = "max",
    MaxBy = "max_by",
    Member = "member?",
    Merge = "merge",
    MergeIn = "merge!" | "update",
    Min = "min",
    MinBy = "min_by",
    Minmax = "minmax",
    MinmaxBy = "minmax_by",
    Minus = "-",
    Modulo = "%",
    ModuloOf = "modulo",
    Name = "name",
    NamedCaptures = "named_captures",
    Names = "names",
    NanIs = "nan?",
    Negate = "-@",
    Negative = "negative?",
    NilIs = "nil?",
    NoBitsIs = "nobits?",
    NoneIs = "none?",
    NonZero = "nonzero?",
    Not = "!",
    NotEqual = "!=",
    NotMatches = "!~",
    Oct = "oct",
    Odd = "odd?",
    OffsetOf = "offset",
    OneIs = "one?",
    Options = "options",
    Ord = "ord",
    Pack = "pack",
    Partition = "partition",
    Permutation = "permutation",
    Plus = "+",
    Pop = "pop",
    Positive = "positive?",
    PostMatch = "post_match",
    Pow = "pow",
    Power = "**",
    Pred = "pred",
    PreMatch = "pre_match",
    Prepend = "prepend",
    Product = "product",
    Push = "push" | "append",
    Rassoc = "rassoc",
    Reject = "reject",
    RejectIn = "reject!",
    Remainder = "remainder",
    Replace = "replace",
    RespondTo = "respond_to?",
    Reverse = "reverse",
    ReverseEach = "reverse_each",
    ReverseIn = "reverse!",
    Rindex = "rindex",
    Rjust = "rjust",
    Rotate = "rotate",
    RotateIn = "rotate!",
    Round = "round",
    Rpartition = "rpartition",
    Rstrip = "rstrip",
    RstripIn = "rstrip!",
    Sample = "sample",
    Scan = "scan",
    Select = "select" | "filter",
    SelectIn = "select!" | "filter!",
    Send = "send" | "__send__" | "public_send",
    SetDefault = "default=",
    SetElement = "[]=",
    SetVariable = " setvar",
    Shift = "shift",
    ShiftRight = ">>",
    Shuffle = "shuffle",
    ShuffleIn = "shuffle!",
    Size = "size",
    Slice = "slice",
    SliceIn = "slice!",
    SliceWhen = "slice_when",
    Sort = "sort",
    SortBy = "sort_by",
    SortByIn = "sort_by!",
    SortIn = "sort!",
    Source = "source",
    Split = "split",
    Squeeze = "squeeze",
    SqueezeIn = "squeeze!",
    StartsWith = "start_with?",
    Step = "step",
    Store = "store",
    StoreDefault = "default",
    StringOf = "string",
    Strip = "strip",
    StripIn = "strip!",
    Sub = "sub",
    SubIn = "sub!",
    Succ = "succ" | "next",
    SuccIn = "succ!" | "next!",
    Sum = "sum",
    Swapcase = "swapcase",
    SwapcaseIn = "swapcase!",
    Take = "take",
    TakeWhile = "take_while",
    Tally = "tally",
    Tap = "tap",
    Then = "then" | "yield_self",
    Times = "times",
    Times2 = "*",
    ToA = "to_a",
    ToAry = "to_ary",
    ToF = "to_f",
    ToH = "to_h",
    ToHash = "to_hash",
    ToI = "to_i",
    ToJson = "to_json",
    ToS = "to_s",
    ToStr = "to_str",
    ToSym = "to_sym" | "intern",
    ToYaml = "to_yaml",
    Tr = "tr",
    TransformKeys = "transform_keys",
    TransformKeysIn = "transform_keys!",
    TransformValues = "transform_values",
    TransformValuesIn = "transform_values!",
    Transpose = "transpose",
    TrIn = "tr!",
    TrSqueezed = "tr_s",
    TrSqueezedIn = "tr_s!",
    Truncate = "truncate",
    UnaryPlus = "+@",
    UnicodeNormalize = "unicode_normalize",
    Union = "|",
    UnionOf = "union",
    Uniq = "uniq",
    UniqIn = "uniq!",
    Unpack = "unpack",
    Unpack1 = "unpack1",
    Unshift = "unshift",
    Unwrap = "unwrap",
    Upcase = "upcase",
    UpcaseIn = "upcase!",
    UpTo = "upto",
    Values = "values",
    ValuesAt = "values_at",
    WithIndex = "with_index",
    WithObject = "with_object",
    Zero = "zero?",
    Zip = "zip",
    }
}

impl Method {
    /// Whether it changes an array in place.
    pub(crate) fn changes_array(self) -> bool {
        use Method::{
            Append, Clear, CompactIn, Concat, Delete, DeleteAt, DeleteIf, Fill, FlattenIn, Insert, KeepIf,
            MapIn, Pop, Prepend, Push, RejectIn, Replace, ReverseIn, RotateIn, SelectIn, SetElement, Shift,
            ShuffleIn, SliceIn, SortByIn, SortIn, UniqIn, Unshift,
        };
        matches!(
            self,
            Append
                | Clear
                | CompactIn
                | Concat
                | Delete
                | DeleteAt
                | DeleteIf
                | Fill
                | FlattenIn
                | Insert
                | KeepIf
                | MapIn
                | Pop
                | Prepend
                | Push
                | RejectIn
                | Replace
                | ReverseIn
                | RotateIn
                | SelectIn
                | SetElement
                | Shift
                | ShuffleIn
                | SliceIn
                | SortByIn
                | SortIn
                | UniqIn
                | Unshift
        )
    }

    /// Methods that enumerators and ranges have of all collections.
    pub(crate) fn of_all_collections(self) -> bool {
        use Method::{
            AllIs, Any, ChunkWhile, Count, Cycle, Drop as DropOf, DropWhile, Each, EachCons, EachEntry,
            EachSlice, EachWithIndex, EachWithObject, FilterMap, Find, FindAll, FindIndex, First, FlatMap,
            Grep, GrepV, GroupBy, Include, Inject, Map, Max, MaxBy, Min, MinBy, Minmax, MinmaxBy, NoneIs,
            OneIs, Partition, Reject, ReverseEach, Select, SliceWhen, Sort, SortBy, Sum, Take, TakeWhile,
            Tally, ToA, ToH, Uniq, Zip,
        };
        matches!(
            self,
            AllIs
                | Any
                | ChunkWhile
                | Cycle
                | Each
                | EachWithIndex
                | EachWithObject
                | Count
                | DropOf
                | DropWhile
                | EachCons
                | EachEntry
                | EachSlice
                | FilterMap
                | Find
                | FindAll
                | FindIndex
                | First
                | FlatMap
                | Grep
                | GrepV
                | GroupBy
                | Include
                | Inject
                | Map
                | Max
                | MaxBy
                | Min
                | MinBy
                | Minmax
                | MinmaxBy
                | NoneIs
                | OneIs
                | Partition
                | Reject
                | ReverseEach
                | Select
                | SliceWhen
                | Sort
                | SortBy
                | Sum
                | Take
                | TakeWhile
                | Tally
                | ToA
                | ToH
                | Uniq
                | Zip
        )
    }

    /// Whether `Enumerable` adds it to an object with an `each`, and it gives what that of arrays gives.
    pub(crate) fn of_enumerable(self) -> bool {
        let of_all = self.of_all_collections() && !matches!(self, Method::Each | Method::ToA | Method::Cycle);
        of_all || matches!(self, Method::Entries | Method::Member)
    }

    /// Whether it changes a string in place.
    pub(crate) fn changes_string(self) -> bool {
        use Method::{
            Append, CapitalizeIn, ChompIn, ChopIn, Concat, DeleteIn, DeletePrefixIn, DeleteSuffixIn,
            DowncaseIn, ForceEncoding, GsubIn, Insert, LstripIn, Prepend, Replace, ReverseIn, RstripIn,
            SqueezeIn, StripIn, SubIn, SuccIn, SwapcaseIn, TrIn, TrSqueezedIn, UpcaseIn,
        };
        matches!(
            self,
            Append
                | CapitalizeIn
                | ChompIn
                | ChopIn
                | Concat
                | DeleteIn
                | DeletePrefixIn
                | DeleteSuffixIn
                | DowncaseIn
                | ForceEncoding
                | GsubIn
                | Insert
                | LstripIn
                | Prepend
                | Replace
                | ReverseIn
                | RstripIn
                | SqueezeIn
                | StripIn
                | SubIn
                | SuccIn
                | SwapcaseIn
                | TrIn
                | TrSqueezedIn
                | UpcaseIn
        )
    }

    /// Whether it changes an array or a hash in place.
    pub(crate) fn changes(self) -> bool {
        use Method::{MergeIn, SetDefault, TransformKeysIn, TransformValuesIn};
        self.changes_array()
            || matches!(self, MergeIn | SetDefault | Method::Store | TransformKeysIn | TransformValuesIn)
    }
}
