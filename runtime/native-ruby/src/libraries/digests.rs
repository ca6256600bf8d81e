//! Digests, checksums and Base64, as far as they give text.

use crate::eval::{Done, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::{Class, V};
use bunraku_vm::base64;
use sha2::Digest as _;

/// Calls a method of a digest's class; none for what is not known.
pub(super) fn digest<'c>(class: Class, name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let [subject] = args else { return Ok(None) };
    let Some(text) = subject.text() else { return Err(ForRuby("a digest of other than a string")) };
    let bytes: Vec<u8> = match class {
        Class::DigestMd5 => md5::Md5::digest(text.as_bytes()).to_vec(),
        Class::DigestSha1 => sha1::Sha1::digest(text.as_bytes()).to_vec(),
        Class::DigestSha256 => sha2::Sha256::digest(text.as_bytes()).to_vec(),
        Class::DigestSha384 => sha2::Sha384::digest(text.as_bytes()).to_vec(),
        Class::DigestSha512 => sha2::Sha512::digest(text.as_bytes()).to_vec(),
        _ => return Ok(None),
    };
    Ok(match name {
        "hexdigest" => Some(V::made(bytes.iter().map(|byte| format!("{byte:02x}")).collect())),
        "base64digest" => Some(V::made(base64::encode(&bytes))),
        _ => None,
    })
}

/// Calls a method of `Base64`.
pub(super) fn base64<'c>(name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
    let text = match args {
        [text] => text.text().ok_or(ForRuby("Base64 of other than a string"))?,
        _ => return Ok(None),
    };
    let decoded = |bytes: Option<Vec<u8>>| -> Done<'c> { Ok(V::made(ascii(bytes.ok_or_else(invalid)?)?)) };
    Ok(Some(match name {
        "strict_encode64" => V::made(base64::encode(text.as_bytes())),
        "encode64" => V::made(base64::encode_lines(text.as_bytes())),
        "urlsafe_encode64" => V::made(base64::encode_url(text.as_bytes())),
        "decode64" => decoded(Some(base64::decode_lenient(&text)))?,
        "strict_decode64" => {
            // What stands in the last digit beyond the last byte Ruby takes for an error, too.
            let bytes = base64::decode_strict(&text);
            match &bytes {
                Some(bytes) if base64::encode(bytes) != *text => {
                    return Err(ForRuby("Base64 with loose ends").into());
                }
                _ => decoded(bytes)?,
            }
        }
        _ => return Ok(None),
    }))
}

fn invalid<'c>() -> Unwind<'c> {
    Unwind::error(Class::ArgumentError, "invalid base64")
}

/// Bytes as text: others than ASCII have no encoding, and are left to Ruby.
fn ascii(bytes: Vec<u8>) -> OrRuby<String> {
    let text = String::from_utf8(bytes).ok().filter(|text| text.is_ascii());
    text.ok_or(ForRuby("bytes that are no text"))
}

/// Calls a method of `Zlib`.
pub(super) fn zlib<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    Ok(match (name, args) {
        ("crc32", [text]) => {
            let text = text.text().ok_or(ForRuby("a checksum of other than a string"))?;
            Some(V::Int(crc32fast::hash(text.as_bytes()).into()))
        }
        _ => None,
    })
}
