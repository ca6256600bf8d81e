//! Small cold parts: bincode, decoded on first need. The one place where bytes become structures; nothing is
//! allocated that the bytes do not pay for, and no part may ask for more than [`LIMIT`] bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes that the decoded form of one part may claim.
pub const LIMIT: usize = 16 << 20;

fn form() -> impl bincode::config::Config {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit::<LIMIT>()
}

/// The bytes of a part; none if it is larger than [`LIMIT`].
pub fn encode<T: Serialize>(part: &T) -> Option<Vec<u8>> {
    bincode::serde::encode_to_vec(part, form()).ok()
}

/// The part of some bytes; none if they are not exactly one.
///
/// `T` must not contain itself: bincode bounds lengths, not nesting.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (part, read) = bincode::serde::decode_from_slice(bytes, form()).ok()?;
    (read == bytes.len()).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_beyond_the_bytes_is_refused() {
        let good = encode(&vec!["one".to_owned(), "two".to_owned()]).expect("it is small");
        assert_eq!(decode::<Vec<String>>(&good).expect("it is whole"), ["one", "two"]);
        for at in 0..good.len() {
            for value in [0x7f, 0xff] {
                let mut bad = good.clone();
                bad[at] = value;
                // It may still be some list of texts; it may not panic or ask for all memory.
                let _ = decode::<Vec<String>>(&bad);
            }
            assert!(decode::<Vec<String>>(&good[..at]).is_none());
        }
        let huge = [0xff; 8];
        assert!(decode::<Vec<u8>>(&huge).is_none());
        assert!(decode::<Vec<()>>(&[good.as_slice(), &[0]].concat()).is_none());
    }
}
