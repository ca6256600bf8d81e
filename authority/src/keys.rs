//! Keys: new ones, those that sign, and whether somebody's signature is good.

use crate::fault::Fault;
use crate::pem;
use der::asn1::{Any, BitString, ObjectIdentifier};
use der::{Decode, Encode};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm,
};
use rsa::pkcs1::EncodeRsaPrivateKey;
use rsa::pkcs8::{EncodePublicKey, LineEnding};
use rustls::SignatureScheme;
use rustls::crypto::ring::{default_provider, sign};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::sign::SigningKey;
use std::sync::Arc;
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

/// Bits of an RSA key: fewer are refused by whoever checks certificates here, more can't sign.
pub const BITS: std::ops::RangeInclusive<usize> = 2048..=4096;

/// How keys sign, each with the number of that and whether an empty parameter goes with it.
const SCHEMES: [(SignatureScheme, &str, bool); 4] = [
    (SignatureScheme::RSA_PKCS1_SHA256, "1.2.840.113549.1.1.11", true),
    (SignatureScheme::ECDSA_NISTP256_SHA256, "1.2.840.10045.4.3.2", false),
    (SignatureScheme::ECDSA_NISTP384_SHA384, "1.2.840.10045.4.3.3", false),
    (SignatureScheme::ED25519, "1.3.101.112", false),
];

/// A new key, as texts.
pub struct Pair {
    /// The private one, as Puppet writes it.
    pub private: String,
    /// The public one.
    pub public: String,
}

/// What kind of key is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// RSA, of so many bits: the setting `keylength`.
    Rsa(usize),
    /// Elliptic, on the curve P-256, which `named_curve` calls `prime256v1`.
    P256,
    /// Elliptic, on the curve P-384: `secp384r1`.
    P384,
}

impl Kind {
    /// What settings ask for: `key_type`, `named_curve` and `keylength`.
    ///
    /// # Errors
    /// When it is no kind that there is.
    pub fn of(kind: &str, curve: &str, bits: usize) -> Result<Kind, String> {
        match (kind, curve) {
            ("rsa", _) => Ok(Kind::Rsa(bits)),
            ("ec", "prime256v1") => Ok(Kind::P256),
            ("ec", "secp384r1") => Ok(Kind::P384),
            ("ec", other) => Err(format!(
                "The setting named_curve is {other}, which is not supported: prime256v1, secp384r1"
            )),
            (other, _) => Err(format!("The setting key_type is {other}, and keys are rsa or ec")),
        }
    }
}

/// Makes a key. RSA takes seconds of computing.
///
/// # Errors
/// For sizes beyond [`BITS`].
pub fn generate(kind: Kind) -> Result<Pair, Fault> {
    match kind {
        Kind::Rsa(bits) => rsa_key(bits),
        Kind::P256 => elliptic(&ECDSA_P256_SHA256_ASN1_SIGNING),
        Kind::P384 => elliptic(&ECDSA_P384_SHA384_ASN1_SIGNING),
    }
}

fn elliptic(curve: &'static EcdsaSigningAlgorithm) -> Result<Pair, Fault> {
    let made = EcdsaKeyPair::generate_pkcs8(curve, &SystemRandom::new());
    let made = made.map_err(|_| Fault::Failed("No key could be made".to_owned()))?;
    let private = pem::text_of(pem::PRIVATE_KEY, made.as_ref())?;
    let public = Key::read(private.as_bytes())?.public_text()?;
    Ok(Pair { private, public })
}

fn rsa_key(bits: usize) -> Result<Pair, Fault> {
    if !BITS.contains(&bits) {
        let (least, most) = (BITS.start(), BITS.end());
        return Err(Fault::Failed(format!(
            "The setting keylength is {bits}, and keys have {least} to {most} bits"
        )));
    }
    let failed = |why: &dyn std::fmt::Display| Fault::Failed(format!("No key could be made: {why}"));
    let key = rsa::RsaPrivateKey::new(&mut rsa::rand_core::OsRng, bits).map_err(|error| failed(&error))?;
    let private = key.to_pkcs1_pem(LineEnding::LF).map_err(|error| failed(&error))?.to_string();
    let public = key.to_public_key().to_public_key_pem(LineEnding::LF).map_err(|error| failed(&error))?;
    Ok(Pair { private, public })
}

/// A private key.
#[derive(Clone, Debug)]
pub struct Key {
    key: Arc<dyn SigningKey>,
    scheme: SignatureScheme,
    algorithm: AlgorithmIdentifierOwned,
    public: SubjectPublicKeyInfoOwned,
}

impl Key {
    /// Reads one: RSA of 2,048 to 4,096 bits, elliptic ones on the curves P-256 and P-384, and Ed25519.
    ///
    /// # Errors
    /// When it is none of these.
    pub fn read(text: &[u8]) -> Result<Key, Fault> {
        let wrong = |why: String| Fault::Failed(format!("the key can't be used: {why}"));
        let der = PrivateKeyDer::from_pem_slice(text).map_err(|error| wrong(error.to_string()))?;
        let key = sign::any_supported_type(&der).map_err(|error| wrong(error.to_string()))?;
        for (scheme, number, has_parameter) in SCHEMES {
            if key.choose_scheme(&[scheme]).is_some() {
                let public =
                    key.public_key().ok_or_else(|| wrong("its public half is not known".to_owned()))?;
                let algorithm = AlgorithmIdentifierOwned {
                    oid: ObjectIdentifier::new_unwrap(number),
                    parameters: has_parameter.then(Any::null),
                };
                let public = SubjectPublicKeyInfoOwned::from_der(&public)?;
                return Ok(Key { key, scheme, algorithm, public });
            }
        }
        Err(wrong("it signs by no way that is known".to_owned()))
    }

    /// Its public half.
    pub fn public(&self) -> &SubjectPublicKeyInfoOwned {
        &self.public
    }

    /// Its public half as text.
    ///
    /// # Errors
    /// When it can't be encoded.
    pub fn public_text(&self) -> Result<String, Fault> {
        pem::text(pem::PUBLIC_KEY, &self.public)
    }

    /// How it signs.
    pub fn algorithm(&self) -> &AlgorithmIdentifierOwned {
        &self.algorithm
    }

    /// Signs.
    ///
    /// # Errors
    /// When what is to be signed can't be encoded, or the key fails.
    pub fn sign(&self, what: &impl Encode) -> Result<BitString, Fault> {
        let failed = || Fault::Failed("The key can't sign".to_owned());
        let signer = self.key.choose_scheme(&[self.scheme]).ok_or_else(failed)?;
        let signature = signer.sign(&what.to_der()?).map_err(|_| failed())?;
        Ok(BitString::from_bytes(&signature)?)
    }
}

/// Whether a signature over bytes is by a key. What is signed in a way that is not known, or with a key that is too short, is not.
pub fn is_signed_by(
    key: &SubjectPublicKeyInfoOwned,
    algorithm: &AlgorithmIdentifierOwned,
    bytes: &[u8],
    signature: &BitString,
) -> bool {
    let (Ok(kind), Ok(how)) = (inner(&key.algorithm), inner(algorithm)) else { return false };
    let (Some(bits), Some(signature)) = (key.subject_public_key.as_bytes(), signature.as_bytes()) else {
        return false;
    };
    default_provider().signature_verification_algorithms.all.iter().any(|known| {
        known.public_key_alg_id().as_ref() == kind
            && known.signature_alg_id().as_ref() == how
            && known.verify_signature(bits, bytes, signature).is_ok()
    })
}

/// Bits of the RSA keys of others whose signatures can be looked at.
const BITS_OF_OTHERS: std::ops::RangeInclusive<usize> = 2048..=8192;

/// Names of what others may come with and is not supported, as OpenSSL has them.
const NAMES: [(&str, &str); 8] = [
    ("1.2.840.10040.4.1", "dsaEncryption"),
    ("1.2.840.10045.4.1", "ecdsa-with-SHA1"),
    ("1.2.840.113549.1.1.4", "md5WithRSAEncryption"),
    ("1.2.840.113549.1.1.5", "sha1WithRSAEncryption"),
    ("1.2.840.113549.1.1.10", "rsassaPss"),
    ("1.3.101.113", "ED448"),
    ("1.3.132.0.10", "secp256k1"),
    ("1.3.132.0.35", "secp521r1"),
];

/// What of a key and the way in which it has signed is not supported, so that [`is_signed_by`] can't tell; none where all is.
pub fn unsupported(key: &SubjectPublicKeyInfoOwned, algorithm: &AlgorithmIdentifierOwned) -> Option<String> {
    const ELLIPTIC: &str = "1.2.840.10045.2.1";
    let named = |number: &ObjectIdentifier| {
        let number = number.to_string();
        NAMES.iter().find(|(known, _)| *known == number).map_or(number, |(_, name)| (*name).to_owned())
    };
    if let Some(bits) = bits_of(key).filter(|bits| !BITS_OF_OTHERS.contains(bits)) {
        return Some(format!("a key of RSA with {bits} bits"));
    }
    let (kind, how) = (inner(&key.algorithm).ok()?, inner(algorithm).ok()?);
    let mut of_key = default_provider().signature_verification_algorithms.all.to_vec();
    of_key.retain(|known| known.public_key_alg_id().as_ref() == kind);
    if of_key.is_empty() {
        let curve =
            key.algorithm.parameters.as_ref().and_then(|curve| curve.decode_as::<ObjectIdentifier>().ok());
        return Some(match curve.filter(|_| key.algorithm.oid.to_string() == ELLIPTIC) {
            Some(curve) => format!("a key on the curve {}", named(&curve)),
            None => format!("a key of the kind {}", named(&key.algorithm.oid)),
        });
    }
    let is_known = of_key.iter().any(|known| known.signature_alg_id().as_ref() == how);
    (!is_known).then(|| format!("a signature by {}", named(&algorithm.oid)))
}

/// The bits of a key, where it is one of RSA.
fn bits_of(key: &SubjectPublicKeyInfoOwned) -> Option<usize> {
    const RSA: &str = "1.2.840.113549.1.1.1";
    let bytes = key.subject_public_key.as_bytes().filter(|_| key.algorithm.oid.to_string() == RSA)?;
    let modulus = rsa::pkcs1::RsaPublicKey::from_der(bytes).ok()?.modulus;
    let first = modulus.as_bytes().first()?;
    Some(modulus.as_bytes().len() * 8 - first.leading_zeros() as usize)
}

/// What stands in the sequence that an algorithm is.
fn inner(algorithm: &AlgorithmIdentifierOwned) -> Result<Vec<u8>, der::Error> {
    let mut bytes = algorithm.oid.to_der()?;
    if let Some(parameters) = &algorithm.parameters {
        bytes.extend(parameters.to_der()?);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sign_what_their_public_halves_know() {
        for kind in [Kind::Rsa(2048), Kind::P256, Kind::P384] {
            let pair = generate(kind).unwrap();
            let key = Key::read(pair.private.as_bytes()).unwrap();
            assert_eq!(key.public_text().unwrap(), pair.public);
            let signed = BitString::from_bytes(b"signed").unwrap();
            let signature = key.sign(&signed).unwrap();
            let good = |bytes: &[u8]| is_signed_by(key.public(), key.algorithm(), bytes, &signature);
            assert!(good(&signed.to_der().unwrap()) && !good(b"other"), "{kind:?}");
        }
        assert!(generate(Kind::Rsa(1024)).is_err());
        assert!(Kind::of("ec", "secp521r1", 0).is_err());
        assert_eq!(Kind::of("ec", "prime256v1", 0), Ok(Kind::P256));
    }

    #[test]
    fn what_is_not_supported_is_named() {
        let algorithm = |number: &str, parameters: Option<Any>| AlgorithmIdentifierOwned {
            oid: ObjectIdentifier::new_unwrap(number),
            parameters,
        };
        let (sha256, sha1) = ("1.2.840.113549.1.1.11", "1.2.840.113549.1.1.5");
        let key = Key::read(generate(Kind::Rsa(2048)).unwrap().private.as_bytes()).unwrap();
        let by = |number: &str| unsupported(key.public(), &algorithm(number, Some(Any::null())));
        assert_eq!(by(sha256), None);
        assert_eq!(by(sha1).unwrap(), "a signature by sha1WithRSAEncryption");
        let short = rsa::RsaPrivateKey::new(&mut rsa::rand_core::OsRng, 1024).unwrap().to_public_key();
        let short = short.to_public_key_der().unwrap();
        let short = SubjectPublicKeyInfoOwned::from_der(short.as_bytes()).unwrap();
        let said = unsupported(&short, &algorithm(sha256, Some(Any::null())));
        assert_eq!(said.unwrap(), "a key of RSA with 1024 bits");
        let p521 = Any::encode_from(&ObjectIdentifier::new_unwrap("1.3.132.0.35")).unwrap();
        let curve = SubjectPublicKeyInfoOwned {
            algorithm: algorithm("1.2.840.10045.2.1", Some(p521)),
            subject_public_key: BitString::from_bytes(&[4; 133]).unwrap(),
        };
        let said = unsupported(&curve, &algorithm("1.2.840.10045.4.3.4", None));
        assert_eq!(said.unwrap(), "a key on the curve secp521r1");
    }
}
