//! Which values have which methods, for `respond_to?`.
//!
//! The table is Ruby's own answer: of strings (s), symbols (y), integers (i), floats (f), arrays (a), hashes (h) and nil
//! (n), those that respond to a name. `tests/methods/responds.rb` prints it.

use crate::value::V;
use bunraku_vm::value::Value;

const METHODS: &[(&str, &str)] = &[
    (
        "a",
        "append at bsearch bsearch_index combination deconstruct delete_at difference each_index fill \
         intersect? intersection join last pack permutation pop product push repeated_combination \
         repeated_permutation rotate sample shuffle to_ary transpose union unshift",
    ),
    (
        "ah",
        "all? any? assoc chain chunk chunk_while collect collect_concat compact cycle delete_if detect dig \
         drop drop_while each each_cons each_entry each_slice each_with_index each_with_object entries \
         fetch filter filter_map find find_all find_index first flat_map flatten grep grep_v group_by \
         inject keep_if lazy map max max_by member? min min_by minmax minmax_by none? one? rassoc reduce \
         reject reverse_each select shift slice_after slice_before slice_when sort sort_by take take_while \
         tally uniq values_at zip",
    ),
    ("ahn", "to_a to_h"),
    ("f", "nan? next_float prev_float"),
    (
        "h",
        "compare_by_identity compare_by_identity? deconstruct_keys default default_proc each_key each_pair \
         each_value except fetch_values has_key? has_value? invert key key? keys merge rehash store to_hash \
         transform_keys transform_values update value? values",
    ),
    ("i", "allbits? anybits? bit_length digits downto even? gcd gcdlcm lcm nobits? odd? pow pred times"),
    (
        "if",
        "abs abs2 angle arg ceil coerce conj conjugate denominator div divmod fdiv finite? floor i imag \
         imaginary infinite? integer? magnitude modulo negative? nonzero? numerator phase polar positive? \
         quo real real? rect rectangular remainder round singleton_method_added step to_int truncate zero?",
    ),
    ("ifn", "rationalize"),
    (
        "s",
        "ascii_only? b bytes bytesize byteslice center chars chomp chop codepoints crypt delete_prefix \
         delete_suffix dump each_byte each_char each_codepoint each_grapheme_cluster each_line encode \
         force_encoding getbyte grapheme_clusters gsub hex lines ljust lstrip oct rjust rpartition rstrip \
         scan scrub setbyte split squeeze strip sub to_str tr tr_s undump unicode_normalize \
         unicode_normalized? unpack unpack1 valid_encoding?",
    ),
    ("sa", "concat index insert prepend reverse rindex"),
    ("sah", "clear count delete include? partition replace sum"),
    ("si", "chr ord upto"),
    ("sifn", "to_c to_f to_i to_r"),
    (
        "sy",
        "capitalize casecmp casecmp? downcase encoding end_with? intern match match? start_with? swapcase \
         to_sym upcase",
    ),
    ("syah", "empty? length slice"),
    ("syi", "next succ"),
    ("syiah", "size"),
    ("syif", "between? clamp"),
    ("y", "id2name name"),
    ("yh", "to_proc"),
];

/// What every value responds to.
const ALL: &[&str] = &[
    "class",
    "clone",
    "dup",
    "eql?",
    "equal?",
    "freeze",
    "frozen?",
    "hash",
    "inspect",
    "instance_of?",
    "is_a?",
    "itself",
    "kind_of?",
    "method",
    "methods",
    "nil?",
    "object_id",
    "public_send",
    "respond_to?",
    "send",
    "tap",
    "then",
    "to_s",
];

/// What `respond_to?` says of a value; none for names whose answer is not known for sure: files of a library, or modules,
/// may add methods of other names.
pub(crate) fn responds(on: &V<'_>, name: &str) -> Option<bool> {
    let kind = match on {
        V::Str(_) | V::Made(_) => 's',
        V::Symbol(_) => 'y',
        V::Int(_) => 'i',
        V::Float(_) => 'f',
        V::Array(_) | V::List(_) => 'a',
        V::Hash(_) | V::Map(_) => 'h',
        V::Nil => 'n',
        V::Bool(_) => 'b',
        V::Other(Value::Sensitive(_)) => 'S',
        _ => return None,
    };
    if ALL.contains(&name) {
        return Some(true);
    }
    if name == "unwrap" {
        return Some(kind == 'S');
    }
    let has = |names: &str| names.split(' ').any(|known| known == name);
    METHODS.iter().find(|(_, names)| has(names)).map(|(kinds, _)| kinds.contains(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_respond_as_in_ruby() {
        let text = V::Str("x");
        assert_eq!(responds(&text, "upcase"), Some(true));
        assert_eq!(responds(&text, "each"), Some(false));
        assert_eq!(responds(&text, "unwrap"), Some(false));
        assert_eq!(responds(&V::Nil, "to_a"), Some(true));
        assert_eq!(responds(&V::Bool(true), "empty?"), Some(false));
        assert_eq!(responds(&V::Int(1), "to_s"), Some(true));
        assert_eq!(responds(&text, "to_json"), None);
    }
}
