//! Password hashes in the forms of `crypt(3)`.

use md5::Md5;
use sha2::digest::Digest;

/// A kind of hash that `pw_hash` knows.
#[derive(Clone, Copy)]
pub(super) enum Crypt {
    Md5,
    Sha256,
    Sha512,
    /// With the version's letter.
    Bcrypt(char),
}

const ITOA64: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// bcrypt's own alphabet.
const BCRYPT64: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

impl Crypt {
    pub(super) fn named(name: &str) -> Option<Crypt> {
        Some(match name {
            "md5" => Crypt::Md5,
            "sha-256" => Crypt::Sha256,
            "sha-512" => Crypt::Sha512,
            "bcrypt" => Crypt::Bcrypt('b'),
            "bcrypt-a" => Crypt::Bcrypt('a'),
            "bcrypt-x" => Crypt::Bcrypt('x'),
            "bcrypt-y" => Crypt::Bcrypt('y'),
            _ => return None,
        })
    }

    /// What a salt must match.
    pub(super) fn salt_pattern(self) -> &'static str {
        match self {
            Crypt::Bcrypt(_) => r"^[0-9]{2}\$[./A-Za-z0-9]{22}",
            _ => r"\A[a-zA-Z0-9./]+\z",
        }
    }

    /// The same in words.
    pub(super) fn salt_rule(self) -> &'static str {
        match self {
            Crypt::Bcrypt(_) => r"match (?-mix:^[0-9]{2}\$[.\/A-Za-z0-9]{22})",
            _ => "be in the set [a-zA-Z0-9./]",
        }
    }

    /// The hash of a password.
    ///
    /// # Errors
    /// When the salt's cost is out of range.
    pub(super) fn hash(self, password: &str, salt: &str) -> Result<String, String> {
        match self {
            Crypt::Md5 => Ok(md5_crypt(password.as_bytes(), salt)),
            Crypt::Sha256 => {
                let salt = cut(salt, 16);
                let params = sha_crypt::Sha256Params::new(5000).map_err(|_| String::new())?;
                let hash = sha_crypt::sha256_crypt_b64(password.as_bytes(), salt.as_bytes(), &params);
                Ok(format!("$5${salt}${}", hash.map_err(|_| String::new())?))
            }
            Crypt::Sha512 => {
                let salt = cut(salt, 16);
                let params = sha_crypt::Sha512Params::new(5000).map_err(|_| String::new())?;
                let hash = sha_crypt::sha512_crypt_b64(password.as_bytes(), salt.as_bytes(), &params);
                Ok(format!("$6${salt}${}", hash.map_err(|_| String::new())?))
            }
            Crypt::Bcrypt(version) => bcrypt(version, password, salt),
        }
    }
}

fn cut(text: &str, length: usize) -> &str {
    &text[..text.len().min(length)]
}

/// `$1$`
fn md5_crypt(password: &[u8], salt: &str) -> String {
    let salt = cut(salt, 8);
    let inner = Md5::new().chain_update(password).chain_update(salt).chain_update(password).finalize();
    let mut outer = Md5::new().chain_update(password).chain_update("$1$").chain_update(salt);
    let mut left = password.len();
    while left > 0 {
        outer.update(&inner[..left.min(16)]);
        left = left.saturating_sub(16);
    }
    let mut bits = password.len();
    while bits > 0 {
        outer.update(if bits & 1 == 1 { &[0][..] } else { &password[..1] });
        bits >>= 1;
    }
    let mut digest = outer.finalize();
    for round in 0..1000 {
        let mut next = Md5::new();
        if round & 1 == 1 {
            next.update(password)
        } else {
            next.update(digest)
        }
        if round % 3 != 0 {
            next.update(salt);
        }
        if round % 7 != 0 {
            next.update(password);
        }
        if round & 1 == 1 {
            next.update(digest)
        } else {
            next.update(password)
        }
        digest = next.finalize();
    }
    let mut out = format!("$1${salt}$");
    let mut put = |high: u8, middle: u8, low: u8, count: usize| {
        let mut word = u32::from(high) << 16 | u32::from(middle) << 8 | u32::from(low);
        for _ in 0..count {
            out.push(char::from(ITOA64[(word & 0x3f) as usize]));
            word >>= 6;
        }
    };
    for (a, b, c) in [(0, 6, 12), (1, 7, 13), (2, 8, 14), (3, 9, 15), (4, 10, 5)] {
        put(digest[a], digest[b], digest[c], 4);
    }
    put(0, 0, digest[11], 2);
    out
}

/// `$2b$` and its kin.
fn bcrypt(version: char, password: &str, salt: &str) -> Result<String, String> {
    let bad = || String::new();
    let cost: u32 = salt[..2].parse().map_err(|_| bad())?;
    if !(4..=31).contains(&cost) {
        return Err(bad());
    }
    let digits: Vec<u8> =
        salt[3..25].bytes().map(|byte| BCRYPT64.iter().position(|b| *b == byte).unwrap_or(0) as u8).collect();
    let mut bytes = Vec::new();
    for group in digits.chunks(4) {
        let at = |n: usize| u32::from(group.get(n).copied().unwrap_or(0));
        let word = at(0) << 18 | at(1) << 12 | at(2) << 6 | at(3);
        bytes.extend([(word >> 16) as u8, (word >> 8) as u8, word as u8]);
    }
    let salt: [u8; 16] = bytes[..16].try_into().map_err(|_| bad())?;
    let parts = bcrypt::hash_with_salt(password, cost, salt).map_err(|_| bad())?;
    let version = match version {
        'a' => bcrypt::Version::TwoA,
        'x' => bcrypt::Version::TwoX,
        'y' => bcrypt::Version::TwoY,
        _ => bcrypt::Version::TwoB,
    };
    Ok(parts.format_for_version(version))
}
