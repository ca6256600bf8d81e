//! Digests, checksums and Base64, of text and of bytes.

use crate::eval::{Done, Run, Unwind};
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::{Class, V};
use bunraku_vm::base64;
use bunraku_vm::value::Value;
use sha2::Digest as _;

/// Calls a method of a digest's class; none for what is not known.
pub(super) fn digest<'c>(class: Class, name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let [subject] = args else { return Ok(None) };
    let given = given(subject, ForRuby("a digest of other than a string"))?;
    let bytes: Vec<u8> = match class {
        Class::DigestMd5 => md5::Md5::digest(given).to_vec(),
        Class::DigestSha1 => sha1::Sha1::digest(given).to_vec(),
        Class::DigestSha256 => sha2::Sha256::digest(given).to_vec(),
        Class::DigestSha384 => sha2::Sha384::digest(given).to_vec(),
        Class::DigestSha512 => sha2::Sha512::digest(given).to_vec(),
        _ => return Ok(None),
    };
    Ok(match name {
        "hexdigest" => Some(V::made(bytes.iter().map(|byte| format!("{byte:02x}")).collect())),
        "digest" => Some(V::bytes(bytes)),
        "base64digest" => Some(V::made(base64::encode(&bytes))),
        _ => None,
    })
}

/// The bytes of a string, with or without an encoding.
pub(super) fn given(subject: &V<'_>, other: ForRuby) -> OrRuby<Vec<u8>> {
    match subject {
        V::Bytes(bytes) => Ok(bytes.to_vec()),
        subject => Ok(subject.text().ok_or(other)?.as_bytes().to_vec()),
    }
}

/// Calls a method of `Base64`.
pub(super) fn base64<'c>(name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
    let [subject] = args else { return Ok(None) };
    const OTHER: ForRuby = ForRuby("Base64 of other than a string");
    let text = || subject.text().ok_or(OTHER);
    let decoded = |bytes: Option<Vec<u8>>| -> Done<'c> { Ok(V::bytes(bytes.ok_or_else(invalid)?)) };
    Ok(Some(match name {
        "strict_encode64" => V::made(base64::encode(&given(subject, OTHER)?)),
        "encode64" => V::made(base64::encode_lines(&given(subject, OTHER)?)),
        "urlsafe_encode64" => V::made(base64::encode_url(&given(subject, OTHER)?)),
        "decode64" => decoded(Some(base64::decode_lenient(&text()?)))?,
        "strict_decode64" => {
            // What stands in the last digit beyond the last byte Ruby takes for an error, too.
            let text = text()?;
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

/// Calls a method of Puppet's class of bytes; none for what is not known.
pub(super) fn binary<'c>(run: &Run<'_, 'c>, name: &str, args: &[V<'c>]) -> Option<V<'c>> {
    match (name, args) {
        ("from_binary_string", [V::Bytes(bytes)]) => {
            let bytes = &*run.vm.arena.alloc_slice_copy(bytes);
            Some(V::Other(Value::Binary(run.vm.arena.alloc(bytes))))
        }
        _ => None,
    }
}

fn invalid<'c>() -> Unwind<'c> {
    Unwind::error(Class::ArgumentError, "invalid base64")
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
