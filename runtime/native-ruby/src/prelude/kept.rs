//! The prelude as it has been lowered before: a process that needs some of it would else spend more on reading Ruby than on
//! its catalog. `lowered.bin` holds it, in the form that archives have; `UPDATE=1 cargo test -p bunraku-native-ruby --lib`
//! writes it.
//!
//! It counts only for the very sources that it was made with: where one of them is another by now, the prelude is read as
//! Ruby, and a test tells.

use super::SOURCES;
use crate::erb::lowered::Lowered;

/// The fingerprint, then for each file the length of its bytes (32 bits, the lowest first), and the bytes.
static KEPT: &[u8] = include_bytes!("lowered.bin");

/// What says how Ruby is lowered and how that is written.
const MAKERS: &[&str] = &[
    include_str!("../encoded/mod.rs"),
    include_str!("../encoded/parts.rs"),
    include_str!("../method.rs"),
    include_str!("../tree.rs"),
    include_str!("../value/class.rs"),
];

/// Of all that the kept bytes were made with.
const FINGERPRINT: [u8; 8] = fingerprint().to_le_bytes();

/// FNV-1a over the texts, eight bytes at a time: compilers work it out, and not fast.
const fn fingerprint() -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < SOURCES.len() {
        hash = of_text(hash, SOURCES[at].1.as_bytes());
        at += 1;
    }
    at = 0;
    while at < MAKERS.len() {
        hash = of_text(hash, MAKERS[at].as_bytes());
        at += 1;
    }
    hash
}

const fn of_text(mut hash: u64, text: &[u8]) -> u64 {
    let mut rest = text;
    loop {
        let word = match rest {
            [a, b, c, d, e, f, g, h, behind @ ..] => {
                rest = behind;
                u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h])
            }
            [byte, behind @ ..] => {
                rest = behind;
                *byte as u64
            }
            [] => break,
        };
        hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    }
    (hash ^ text.len() as u64).wrapping_mul(0x0000_0100_0000_01b3)
}

/// A file of the prelude; none where what is kept was made with other sources.
pub(super) fn part(file: &str) -> Option<Lowered> {
    let mut rest = KEPT.strip_prefix(&FINGERPRINT)?;
    for (name, _) in SOURCES {
        let (length, behind) = rest.split_first_chunk()?;
        let (bytes, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        if *name == file {
            return Lowered::decode(bytes);
        }
        rest = behind;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// What is to be kept.
    fn made() -> Vec<u8> {
        let mut out = FINGERPRINT.to_vec();
        for (file, text) in SOURCES {
            let bytes = Lowered::of_ruby(text.as_bytes()).encode();
            let bytes = bytes.unwrap_or_else(|| panic!("{file} can be encoded"));
            out.extend((bytes.len() as u32).to_le_bytes());
            out.extend(bytes);
        }
        out
    }

    #[test]
    fn what_is_kept_is_what_is_made_of_the_sources() {
        let made = made();
        if std::env::var_os("UPDATE").is_some() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/prelude/lowered.bin");
            std::fs::write(path, &made).expect("the file is writable");
            return;
        }
        assert!(made == KEPT, "the prelude is another than lowered.bin: UPDATE=1 writes it anew");
        for (file, text) in SOURCES {
            let kept = part(file).expect("it is kept");
            assert_eq!(kept.shown(), Lowered::of_ruby(text.as_bytes()).shown(), "{file}");
        }
    }
}
