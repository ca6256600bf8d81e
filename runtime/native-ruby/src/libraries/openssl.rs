//! What OpenSSL's digests come to, by the names that the prelude gives them.

use super::digests::given;
use crate::budget;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::V;
use hmac::digest::Digest;
use hmac::{Mac, SimpleHmac};

const UNKNOWN: ForRuby = ForRuby("a digest of that kind");
/// How many rounds of a digest count as a step.
const ROUNDS: u64 = 8;

/// `digest_of`, `hmac` and `pbkdf2` with the digest of a name: of a list of pieces, with a key; of a password with salt,
/// rounds and length.
pub(super) fn call<'c>(what: &str, digest: &str, args: &[V<'c>]) -> OrRuby<V<'c>> {
    match digest {
        "MD5" => of::<md5::Md5>(what, args),
        "SHA1" => of::<sha1::Sha1>(what, args),
        "SHA256" => of::<sha2::Sha256>(what, args),
        "SHA384" => of::<sha2::Sha384>(what, args),
        "SHA512" => of::<sha2::Sha512>(what, args),
        _ => Err(UNKNOWN),
    }
}

fn of<'c, D>(what: &str, args: &[V<'c>]) -> OrRuby<V<'c>>
where
    D: Digest + hmac::digest::core_api::BlockSizeUser + Clone + Sync,
{
    Ok(V::bytes(match (what, args) {
        ("digest_of", [pieces]) => {
            let mut digest = D::new();
            for piece in pieces.items()?.ok_or(UNKNOWN)? {
                digest.update(given(&piece, UNKNOWN)?);
            }
            digest.finalize().to_vec()
        }
        ("hmac", [key, pieces]) => {
            let mut mac = SimpleHmac::<D>::new_from_slice(&given(key, UNKNOWN)?).map_err(|_| UNKNOWN)?;
            for piece in pieces.items()?.ok_or(UNKNOWN)? {
                mac.update(&given(&piece, UNKNOWN)?);
            }
            mac.finalize().into_bytes().to_vec()
        }
        ("pbkdf2", [password, salt, V::Int(rounds @ 1..), V::Int(length @ 1..)]) => {
            let (password, salt) = (given(password, UNKNOWN)?, given(salt, UNKNOWN)?);
            let rounds = u32::try_from(*rounds).map_err(|_| UNKNOWN)?;
            let length = usize::try_from(*length).map_err(|_| UNKNOWN)?;
            let blocks = length.div_ceil(<D as Digest>::output_size()) as u64;
            budget::spend(u64::from(rounds).saturating_mul(blocks) / ROUNDS + 1)?;
            let mut key = vec![0; length];
            pbkdf2::pbkdf2::<SimpleHmac<D>>(&password, &salt, rounds, &mut key).map_err(|_| UNKNOWN)?;
            key
        }
        _ => return Err(UNKNOWN),
    }))
}
