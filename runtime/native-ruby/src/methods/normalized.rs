//! Unicode's forms of normalization.

use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::V;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// A text in the form that is asked for, the composed one where none is. Characters of blocks that versions of Unicode have
/// added to since Ruby's are Ruby's.
pub(super) fn normalized(text: &str, args: &[V<'_>]) -> OrRuby<String> {
    let form = match args {
        [] => "nfc",
        [V::Symbol(form)] => form,
        _ => return Err(ForRuby("a form of normalization")),
    };
    if !text.chars().all(is_settled) {
        return Err(ForRuby("letters of a block that grows"));
    }
    let made = match form {
        "nfc" => ComposingNormalizerBorrowed::new_nfc().normalize(text),
        "nfkc" => ComposingNormalizerBorrowed::new_nfkc().normalize(text),
        "nfd" => DecomposingNormalizerBorrowed::new_nfd().normalize(text),
        "nfkd" => DecomposingNormalizerBorrowed::new_nfkd().normalize(text),
        _ => return Err(ForRuby("a form of normalization")),
    };
    Ok(made.into_owned())
}

/// Whether a character is of a block in which all versions of Unicode since the 13th, that of Ruby 3.1, have the same ones: Latin,
/// Greek, Cyrillic and what is combined with them; punctuation and signs of letters; kana, Hangul, Han and their forms.
fn is_settled(c: char) -> bool {
    matches!(u32::from(c), 0..=0x058f | 0x1e00..=0x206f | 0x2100..=0x218f | 0x3000..=0x30ff | 0x4e00..=0x9ffc
        | 0xac00..=0xd7a3 | 0xfb00..=0xfb06 | 0xff01..=0xffee)
}
