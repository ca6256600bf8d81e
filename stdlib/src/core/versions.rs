//! Functions that have other signatures in another version of the language than in 8: those of 7, those of 9. The bodies
//! are the same, and ask for a rule where they have to.

use bunraku_vm::compat::{Compat, Rule};
use bunraku_vm::function::Native;

/// The function of a name, where the version has other signatures for it than 8.
pub(crate) fn find(name: &str, compat: Compat) -> Option<&'static Native> {
    let table = match name {
        "max" | "min" if !compat.holds(Rule::VersionsAreCompared) => before_8::NATIVES,
        "split" if !compat.holds(Rule::SplitTakesSensitive) => before_8::NATIVES,
        "regsubst" if compat.holds(Rule::RegsubstTakesSensitive) => from_9::NATIVES,
        _ => return None,
    };
    table.iter().find(|native| native.name == name)
}

mod before_8 {
    use crate::core::number::{max, max_array, min, min_array};
    use crate::core::regex::split;

    natives! {
        /// The greatest of its arguments.
        function "max" {
            dispatch max(repeated_param "Numeric" values);
            dispatch max(repeated_param "String" values);
            dispatch max_array(param "Array[Numeric]" values) [optional_block_param "Callable[2,2]" block];
            dispatch max_array(param "Array[String]" values) [optional_block_param "Callable[2,2]" block];
            dispatch max_array(param "Array" values) [optional_block_param "Callable[2,2]" block];
            dispatch max(repeated_param "Any" values) [block_param "Callable[2,2]" block];
            dispatch max(repeated_param "Any" values);
        }
        /// The least of its arguments.
        function "min" {
            dispatch min(repeated_param "Numeric" values);
            dispatch min(repeated_param "String" values);
            dispatch min_array(param "Array[Numeric]" values) [optional_block_param "Callable[2,2]" block];
            dispatch min_array(param "Array[String]" values) [optional_block_param "Callable[2,2]" block];
            dispatch min_array(param "Array" values) [optional_block_param "Callable[2,2]" block];
            dispatch min(repeated_param "Any" values) [block_param "Callable[2,2]" block];
            dispatch min(repeated_param "Any" values);
        }
        /// The parts of a string between what matches.
        function "split" {
            dispatch split(param "String" str, param "String" pattern);
            dispatch split(param "String" str, param "Regexp" pattern);
            dispatch split(param "String" str, param "Type[Regexp]" pattern);
        }
    }
}

mod from_9 {
    use crate::core::regex::{regsubst_regexp, regsubst_string};

    natives! {
        /// The text with what matches replaced.
        function "regsubst" {
            dispatch regsubst_string(
                param "Variant[Array[Variant[String,Sensitive[String]]],Sensitive[Array[Variant[String,Sensitive[String]]]],Variant[String,Sensitive[String]]]" target,
                param "String" pattern,
                param "Variant[String,Hash[String,String]]" replacement,
                optional_param "Optional[Pattern[/^[GEIM]*$/]]" flags,
            );
            dispatch regsubst_regexp(
                param "Variant[Array[Variant[String,Sensitive[String]]],Sensitive[Array[Variant[String,Sensitive[String]]]],Variant[String,Sensitive[String]]]" target,
                param "Variant[Regexp,Type[Regexp]]" pattern,
                param "Variant[String,Hash[String,String]]" replacement,
                optional_param "Pattern[/^G?$/]" flags,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_finds_its_own() {
        let parameters = |name: &str, compat| crate::find(name, compat).map(|native| native.dispatches.len());
        assert_eq!(Compat::ALL.map(|compat| parameters("max", compat)), [Some(7), Some(13), Some(13)]);
        assert_eq!(Compat::ALL.map(|compat| parameters("split", compat)), [Some(3), Some(6), Some(6)]);
        let most = |compat| crate::find("regsubst", compat).map(|native| native.dispatches[0].params.len());
        assert_eq!(Compat::ALL.map(most), [Some(5), Some(5), Some(4)]);
    }
}
