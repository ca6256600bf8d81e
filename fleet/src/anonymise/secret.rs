//! What stands in the place of a word follows from the word and a secret: the same secret gives the same again, and without it
//! nothing leads back.

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// A secret.
#[derive(Clone)]
pub struct Secret(Hmac<Sha256>);

/// Bytes without end that follow from a secret and a word.
pub struct Stream {
    hmac: Hmac<Sha256>,
    block: u32,
    left: Vec<u8>,
}

impl Secret {
    /// Of any bytes.
    pub fn new(bytes: &[u8]) -> Secret {
        // HMAC takes keys of any length.
        Secret(Hmac::new_from_slice(bytes).unwrap_or_else(|_| Hmac::<Sha256>::new(&Default::default())))
    }

    /// One that nobody knows, for once.
    pub fn random() -> Secret {
        let words = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
        Secret::new(&words.map(|word| *word.as_bytes()).concat())
    }

    /// What follows from a word; `kind` tells words of different kinds apart.
    pub fn stream(&self, kind: &str, word: &[u8]) -> Stream {
        let mut hmac = self.0.clone();
        hmac.update(kind.as_bytes());
        hmac.update(&[0]);
        hmac.update(word);
        Stream { hmac, block: 0, left: Vec::new() }
    }

    /// One bit of it.
    pub fn bit(&self, kind: &str, word: &[u8]) -> bool {
        self.stream(kind, word).byte() & 1 == 1
    }
}

impl Stream {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        if self.left.is_empty() {
            let mut hmac = self.hmac.clone();
            hmac.update(&self.block.to_be_bytes());
            self.block += 1;
            self.left = hmac.finalize().into_bytes().to_vec();
        }
        self.left.pop().unwrap_or_default()
    }

    /// One of the characters.
    pub fn one_of(&mut self, all: &[u8]) -> char {
        // 256 is no multiple of their number: the slight preference for the first gives nothing away.
        char::from(all[usize::from(self.byte()) % all.len()])
    }

    /// So many of them.
    pub fn text(&mut self, length: usize, all: &[u8]) -> String {
        (0..length).map(|_| self.one_of(all)).collect()
    }

    /// A text of the same form: digits for digits, letters for letters of their case, all else as it is.
    pub fn like(&mut self, text: &str) -> String {
        let one = |sign: char| match sign {
            '0'..='9' => self.one_of(b"0123456789"),
            'a'..='z' => self.one_of(b"abcdefghijklmnopqrstuvwxyz"),
            'A'..='Z' => self.one_of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            sign if sign.is_alphanumeric() => self.one_of(b"abcdefghijklmnopqrstuvwxyz"),
            other => other,
        };
        text.chars().map(one).collect()
    }

    /// The same of hexadecimal digits.
    pub fn like_hex(&mut self, text: &str) -> String {
        let is_upper = text.bytes().any(|byte| byte.is_ascii_uppercase());
        let digits: &[u8] = if is_upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
        text.chars().map(|sign| if sign.is_ascii_hexdigit() { self.one_of(digits) } else { sign }).collect()
    }
}
