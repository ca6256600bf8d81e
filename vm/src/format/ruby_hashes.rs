//! How Ruby's `inspect` writes hashes: `{"a"=>1, :b=>2}` up to Ruby 3.3, `{"a" => 1, b: 2}` from 3.4 on. Servers of Puppet 7
//! and 8 run the former, OpenVox 9's the latter (JRuby 10), so it is a setting, `ruby_inspect`, and not what the Ruby of
//! this machine does: that has no say in what is printed.
//! Source: Ruby 3.1 and 3.4.1.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

/// A notation, by the first Ruby of those that are here that has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashNotation {
    /// `{"a"=>1, :b=>2}`: that of the Ruby that the oracles run on.
    #[default]
    Ruby31,
    /// `{"a" => 1, b: 2}`
    Ruby34,
}

thread_local! {
    static NOTATION: Cell<HashNotation> = const { Cell::new(HashNotation::Ruby31) };
}

impl HashNotation {
    /// That of the compile which this thread makes.
    pub fn current() -> HashNotation {
        NOTATION.get()
    }

    /// Has this thread use it from now on: a compile does so at its begin.
    pub fn set_for_thread(self) {
        NOTATION.set(self);
    }

    /// What stands between a key that is no symbol and its value.
    pub fn arrow(self) -> &'static str {
        match self {
            HashNotation::Ruby31 => "=>",
            HashNotation::Ruby34 => " => ",
        }
    }

    /// Whether a symbol that is a key stands before a colon, and then, whether without quotes; `is_plain` says whether the
    /// symbol itself is shown without.
    pub fn symbol_key(self, name: &str, is_plain: bool) -> Option<SymbolKey> {
        const SIGNS: &[char] = &['+', '-', '*', '/', '`', '%', '^', '&', '|', ']', '<', '=', '>', '~', '@'];
        let is_word = is_plain && !name.starts_with(['@', '$', '!']) && !name.ends_with(SIGNS);
        match self {
            HashNotation::Ruby31 => None,
            HashNotation::Ruby34 if is_word => Some(SymbolKey::Word),
            HashNotation::Ruby34 => Some(SymbolKey::Quoted),
        }
    }
}

/// How a symbol is written as a key, before `: `.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKey {
    /// As it is.
    Word,
    /// As a string.
    Quoted,
}

impl fmt::Display for HashNotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HashNotation::Ruby31 => "3.1",
            HashNotation::Ruby34 => "3.4",
        })
    }
}

impl FromStr for HashNotation {
    type Err = String;

    /// The notation of a Ruby, as the setting `ruby_inspect` has it.
    ///
    /// # Errors
    /// Says which there are when it is another.
    fn from_str(text: &str) -> Result<HashNotation, String> {
        let found =
            [HashNotation::Ruby31, HashNotation::Ruby34].into_iter().find(|one| one.to_string() == text);
        found.ok_or_else(|| format!("There is no ruby_inspect '{text}': it is 3.1 or 3.4"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_ruby_writes_them() {
        let of = |name| HashNotation::Ruby34.symbol_key(name, true);
        for word in ["b", "a?", "b!", "A", "\u{e9}", "nil", "if", "_x1"] {
            assert_eq!(of(word), Some(SymbolKey::Word), "{word}");
        }
        for sign in ["+", "c=", "@d", "$e", "[]", "[]=", "!", "==", "<=>", "`", "-@", "!~"] {
            assert_eq!(of(sign), Some(SymbolKey::Quoted), "{sign}");
        }
        assert_eq!(HashNotation::Ruby34.symbol_key("x y", false), Some(SymbolKey::Quoted));
        assert_eq!(HashNotation::Ruby31.symbol_key("b", true), None);
        assert_eq!("3.4".parse(), Ok(HashNotation::Ruby34));
        assert!("3.3".parse::<HashNotation>().is_err());
    }
}
