//! Secrets in what is compared: each stands for itself as long as values are compared, so that another one is a difference, and is
//! never in what is told of it. While they are compared they are a number of this comparison.

use super::{Difference, Sign};
use bunraku::Data;

/// The secrets that a comparison has met.
#[derive(Default)]
pub(super) struct Hidden {
    known: Vec<Data>,
}

/// What a secret's number stands behind: no text of a catalog begins so.
const MARK: &str = "\u{0}\u{1}hidden ";

impl Hidden {
    /// A value with a number in place of each secret in it, however deep.
    pub fn hide(&mut self, value: Data) -> Data {
        match value {
            Data::List(all) => Data::List(all.into_iter().map(|one| self.hide(one)).collect()),
            Data::Map(all) => {
                let is_secret =
                    all.iter().any(|(name, value)| name == "__ptype" && value.as_str() == Some("Sensitive"));
                match is_secret {
                    true => self.whole(Data::Map(all)),
                    false => Data::Map(all.into_iter().map(|(name, one)| (name, self.hide(one))).collect()),
                }
            }
            other => other,
        }
    }

    /// A number in place of the whole value.
    pub fn whole(&mut self, value: Data) -> Data {
        let known = self.known.iter().position(|one| *one == value);
        let number = known.unwrap_or_else(|| {
            self.known.push(value);
            self.known.len() - 1
        });
        Data::Text(format!("{MARK}{number}"))
    }

    /// Puts words in the place of numbers.
    pub fn mask(&self, difference: &mut Difference) {
        if self.known.is_empty() {
            return;
        }
        let is_change = matches!(difference.sign, Sign::Changed | Sign::Nested);
        let words = |word| if is_change { word } else { "Sensitive [hidden]" };
        let sides = [
            (&mut difference.old, words("Sensitive [old value]")),
            (&mut difference.new, words("Sensitive [new value]")),
        ];
        for (value, word) in sides {
            if let Some(value) = value {
                mask(value, word);
            }
        }
    }
}

fn mask(value: &mut Data, word: &str) {
    match value {
        Data::Text(text) if text.starts_with(MARK) => *text = word.to_owned(),
        Data::List(all) => all.iter_mut().for_each(|one| mask(one, word)),
        Data::Map(all) => all.iter_mut().for_each(|(_, one)| mask(one, word)),
        _ => {}
    }
}
