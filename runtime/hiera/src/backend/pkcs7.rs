//! `ENC[PKCS7,…]` in data, as the command `eyaml` makes it: an RSA key of the recipient's certificate hides the key
//! of an AES cipher in CBC mode. Keys are read from the disk whenever they are needed; no archive holds them.
//! Sources: RFC 5652; which texts count as encrypted, and the words of errors, are hiera-eyaml's: 3.3 with Puppet 7, 4.2 from
//! 8 on.

use aes::{Aes128, Aes192, Aes256};
use bunraku_files::read;
use bunraku_files::tree::Tree;
use bunraku_vm::value::{Hash, Value};
use cbc::Decryptor;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockDecryptMut, KeyIvInit};
use cms::cert::IssuerAndSerialNumber;
use cms::content_info::ContentInfo;
use cms::enveloped_data::{EnvelopedData, RecipientIdentifier, RecipientInfo};
use const_oid::db::rfc5911::{ID_AES_128_CBC, ID_AES_192_CBC, ID_AES_256_CBC, ID_ENVELOPED_DATA};
use der::asn1::OctetString;
use der::{Decode, DecodePem};
use rsa::pkcs1::{DecodeRsaPrivateKey, DecodeRsaPublicKey};
use rsa::pkcs8::DecodePrivateKey;
use rsa::{Pkcs1v15Encrypt, RsaPrivateKey, RsaPublicKey};
use std::path::Path;
use x509_cert::Certificate;

/// Bytes that the file of a key may hold.
const MAX_KEY: u64 = 1 << 20;

/// Whether a text has something encrypted in one of its lines.
pub fn is_encrypted(text: &str) -> bool {
    text.lines().any(|line| line.split_once("ENC[").is_some_and(|(_, rest)| rest.contains(']')))
}

/// Why a text could not be decrypted.
pub enum DecryptFault {
    /// hiera-eyaml has no encryptor for the scheme: Ruby's `LoadError`, which nobody catches.
    NoEncryptor(String),
    /// Anything else.
    Other(String),
}

impl From<String> for DecryptFault {
    fn from(message: String) -> Self {
        DecryptFault::Other(message)
    }
}

/// Which hiera-eyaml decrypts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eyaml {
    /// 3: it wants the certificate beside the private key, and both to fit each other and the message.
    Three,
    /// 4: the private key will do.
    Four,
}

/// Decrypts what is encrypted in a text, and leaves the rest.
///
/// # Errors
/// Why it can't be, without the place.
pub fn decrypt(text: &str, options: Hash<'_>, eyaml: Eyaml, tree: &Tree) -> Result<String, DecryptFault> {
    let mut out = String::new();
    let mut rest = text;
    let mut keys = None;
    while let Some(start) = rest.find("ENC[") {
        let Some((scheme, cipher, end)) = token(&rest[start + 4..]) else {
            out.push_str(&rest[..start + 4]);
            rest = &rest[start + 4..];
            continue;
        };
        out.push_str(&rest[..start]);
        rest = &rest[start + 4 + end..];
        if !scheme.eq_ignore_ascii_case("PKCS7") {
            let name = scheme.to_lowercase();
            let message = format!("cannot load such file -- hiera/backend/eyaml/encryptors/{name}");
            return Err(DecryptFault::NoEncryptor(message));
        }
        let keys = match &keys {
            Some(keys) => keys,
            None => keys.insert(Keys::read(options, eyaml, tree)?),
        };
        let plain = keys.open(&base64(cipher))?;
        out.push_str(&String::from_utf8(plain).map_err(|_| "the decrypted value is not UTF-8".to_owned())?);
    }
    out.push_str(rest);
    Ok(match out.strip_suffix('\n') {
        Some(short) => short.strip_suffix('\r').unwrap_or(short).to_owned(),
        None => out,
    })
}

/// What stands between `ENC[` and its bracket: scheme, cipher text, length with the bracket.
fn token(text: &str) -> Option<(&str, &str, usize)> {
    let word = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (scheme, body) = match text[word..].strip_prefix(',') {
        Some(body) if word > 0 => (&text[..word], body),
        _ => ("PKCS7", text),
    };
    let is_cipher = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | ' ' | '=' | '\n');
    let end = body.find(|c: char| !is_cipher(c)).filter(|end| *end > 0 && body[*end..].starts_with(']'))?;
    Some((scheme, &body[..end], text.len() - body.len() + end + 1))
}

/// Base 64 as Ruby decodes it: what does not belong is passed over, `=` ends it.
fn base64(text: &str) -> Vec<u8> {
    let (mut out, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => break,
            _ => continue,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    out
}

/// A key pair; the certificate where it is wanted.
struct Keys {
    private: RsaPrivateKey,
    certificate: Option<Certificate>,
}

impl Keys {
    fn read(options: Hash<'_>, eyaml: Eyaml, tree: &Tree) -> Result<Keys, String> {
        let option = |name: &str| options.get_str(name).filter(|value| value.truthy());
        let text = |name: &str| option(name).and_then(Value::as_str);
        let names: &[&str] = match eyaml {
            Eyaml::Three => &["pkcs7_public_key", "pkcs7_private_key"],
            Eyaml::Four => &["pkcs7_private_key"],
        };
        for name in names {
            if option(name).is_none() && option(&format!("{name}_env_var")).is_none() {
                return Err(format!("{name} is not defined"));
            }
        }
        let pem = |name: &str| {
            let variable = text(&format!("{name}_env_var"));
            match (variable.and_then(|variable| std::env::var(variable).ok()), text(name)) {
                (Some(pem), _) => Ok(pem),
                (None, _) if eyaml == Eyaml::Four && variable.is_some() => {
                    Err(format!("env {} is not set", variable.unwrap_or_default()))
                }
                (None, Some(path)) if tree.refuses_key(Path::new(path)) => {
                    Err(format!("the key {path} is not among those that may be read"))
                }
                (None, Some(path)) if eyaml == Eyaml::Four && !Path::new(path).exists() => {
                    Err(format!("file {path} does not exist"))
                }
                (None, Some(path)) => {
                    read::regular_text(Path::new(path), MAX_KEY).map_err(|error| unreadable(path, &error))
                }
                (None, None) => Err("no implicit conversion of nil into String".to_owned()),
            }
        };
        let private = pem("pkcs7_private_key")?;
        let private = RsaPrivateKey::from_pkcs1_pem(private.trim())
            .or_else(|_| RsaPrivateKey::from_pkcs8_pem(private.trim()))
            .map_err(|_| "Neither PUB key nor PRIV key: unsupported".to_owned())?;
        if eyaml == Eyaml::Four {
            return Ok(Keys { private, certificate: None });
        }
        let certificate = pem("pkcs7_public_key")?;
        let certificate = Certificate::from_pem(certificate.trim())
            .map_err(|_| "PEM_read_bio_X509: no start line".to_owned())?;
        Ok(Keys { private, certificate: Some(certificate) })
    }

    /// What messages call the owner of a certificate, which has to be that of the private key.
    fn identity(&self, certificate: &Certificate) -> Result<IssuerAndSerialNumber, String> {
        let own = &certificate.tbs_certificate;
        let named = own.subject_public_key_info.subject_public_key.as_bytes();
        let named = named.and_then(|bytes| RsaPublicKey::from_pkcs1_der(bytes).ok());
        if named.is_none_or(|named| named != self.private.to_public_key()) {
            return Err("private key does not match certificate".to_owned());
        }
        Ok(IssuerAndSerialNumber { issuer: own.issuer.clone(), serial_number: own.serial_number.clone() })
    }

    /// The content of an enveloped message.
    fn open(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        let malformed = |_| "Could not parse the PKCS7: no start line".to_owned();
        let info = ContentInfo::from_der(message).map_err(malformed)?;
        if info.content_type != ID_ENVELOPED_DATA {
            return Err("wrong content type".to_owned());
        }
        let envelope: EnvelopedData = info.content.decode_as().map_err(malformed)?;
        let own = self.certificate.as_ref().map(|certificate| self.identity(certificate)).transpose()?;
        let hidden = envelope.recip_infos.0.iter().find_map(|recipient| match recipient {
            RecipientInfo::Ktri(recipient) => match &recipient.rid {
                // Without a certificate the message is taken to be for the owner of the key.
                RecipientIdentifier::IssuerAndSerialNumber(id)
                    if own.as_ref().is_none_or(|own| id == own) =>
                {
                    Some(&recipient.enc_key)
                }
                _ => None,
            },
            _ => None,
        });
        let hidden = hidden.ok_or_else(|| "no recipient matches certificate".to_owned())?;
        let key = self.private.decrypt(Pkcs1v15Encrypt, hidden.as_bytes());
        let key = key.map_err(|_| "bad decrypt".to_owned())?;
        let content = &envelope.encrypted_content;
        let algorithm = &content.content_enc_alg;
        let iv = algorithm.parameters.as_ref().map(|iv| iv.decode_as::<OctetString>()).transpose();
        let iv = iv.map_err(malformed)?.ok_or_else(|| "no initialization vector".to_owned())?;
        let text = content.encrypted_content.as_ref().map(OctetString::as_bytes).unwrap_or_default();
        let (key, iv) = (key.as_slice(), iv.as_bytes());
        match algorithm.oid {
            ID_AES_128_CBC => plain::<Decryptor<Aes128>>(key, iv, text),
            ID_AES_192_CBC => plain::<Decryptor<Aes192>>(key, iv, text),
            ID_AES_256_CBC => plain::<Decryptor<Aes256>>(key, iv, text),
            other => Err(format!("The cipher {other} is not supported: AES in CBC mode is")),
        }
    }
}

/// The text of a cipher in CBC mode.
fn plain<C: BlockDecryptMut + KeyIvInit>(key: &[u8], iv: &[u8], text: &[u8]) -> Result<Vec<u8>, String> {
    let cipher = C::new_from_slices(key, iv).map_err(|_| "bad decrypt".to_owned())?;
    cipher.decrypt_padded_vec_mut::<Pkcs7>(text).map_err(|_| "bad decrypt".to_owned())
}

/// Ruby's words for a key that cannot be read.
fn unreadable(path: &str, error: &std::io::Error) -> String {
    let what = match error.kind() {
        std::io::ErrorKind::NotFound => "No such file or directory",
        std::io::ErrorKind::PermissionDenied => "Permission denied",
        std::io::ErrorKind::IsADirectory => return format!("Is a directory @ io_fread - {path}"),
        _ => return format!("{error} - {path}"),
    };
    format!("{what} @ rb_sysopen - {path}")
}
