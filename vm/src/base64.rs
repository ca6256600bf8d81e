//! Base64 in Ruby's three flavours: strict, URL-safe, and lenient with line ends.

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Strict encoding: no line ends.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = u32::from(chunk[0]) << 16
            | u32::from(*chunk.get(1).unwrap_or(&0)) << 8
            | u32::from(*chunk.get(2).unwrap_or(&0));
        for n in 0..4 {
            if n <= chunk.len() {
                out.push(STANDARD[(word >> (18 - 6 * n)) as usize & 63] as char);
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// With a line end after every 60 characters and at the end (Ruby: `encode64`).
pub fn encode_lines(bytes: &[u8]) -> String {
    let mut out = String::new();
    for line in bytes.chunks(45) {
        out.push_str(&encode(line));
        out.push('\n');
    }
    out
}

/// URL-safe encoding, padded.
pub fn encode_url(bytes: &[u8]) -> String {
    encode(bytes).replace('+', "-").replace('/', "_")
}

fn digit(byte: u8) -> Option<u32> {
    Some(
        match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        }
        .into(),
    )
}

/// Lenient decoding: what is no digit is skipped, decoding ends at padding (Ruby: `decode64`).
pub fn decode_lenient(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut word, mut bits) = (0u32, 0);
    for byte in text.bytes() {
        if byte == b'=' {
            break;
        }
        let Some(value) = digit(byte) else { continue };
        word = word << 6 | value;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits) as u8);
        }
    }
    out
}

/// Strict decoding; none where the text is not exactly Base64.
pub fn decode_strict(text: &str) -> Option<Vec<u8>> {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    if !text.len().is_multiple_of(4) || padding > 2 || !body.bytes().all(|b| digit(b).is_some()) {
        return None;
    }
    Some(decode_lenient(body))
}

/// URL-safe decoding, padding optional.
pub fn decode_url(text: &str) -> Option<Vec<u8>> {
    let mut text = text.replace('-', "+").replace('_', "/");
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    decode_strict(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"\xff\xfe\x00\x01"] {
            assert_eq!(decode_strict(&encode(bytes)).unwrap(), bytes);
            assert_eq!(decode_url(&encode_url(bytes)).unwrap(), bytes);
            assert_eq!(decode_lenient(&encode_lines(bytes)), bytes);
        }
        assert_eq!(encode(b"abc"), "YWJj");
        assert!(decode_strict("YWJ").is_none());
    }
}
