//! How much of memory a text of JSON takes once it is read, told before it is: by its values, not by its bytes. `[0,0,…]` of some
//! megabytes takes a hundred times as much.
//!
//! An item of a list counts as two, a member of an object as three, a list as five besides and an object as 20: reports have all keys
//! in the form in which they are kept, whatever an agent has sent of them.

use crate::exchange::Failure;
use http::StatusCode;

/// What a report may weigh: one of 20,000 resources that have all changed, each with an event and a line of the log, weighs less. Whatever
/// weighs no more takes some 500 MB, and what its texts do.
pub const OF_REPORT: usize = 4_500_000;
/// What a node's facts may weigh, or a request for a catalog that brings them: at most some 400 MB, the compile included.
pub const OF_FACTS: usize = 1_500_000;

/// What an object weighs besides its members.
const OBJECT: usize = 20;
/// What a list weighs besides its items but the first.
const LIST: usize = 5;
/// What stands between two items, and between two members.
const COMMA: usize = 2;
/// What stands within a member.
const COLON: usize = 1;
const MEMBER: usize = COMMA + COLON;

/// Holds a text of JSON against a bound, before anything of it is read.
///
/// # Errors
/// 413, which names the bound.
pub fn check(text: &[u8], most: usize) -> Result<(), Failure> {
    if weight(text, most) <= most {
        return Ok(());
    }
    let message = format!(
        "The request has too many values: more than {most} (items of lists count as {COMMA}, members of objects as {MEMBER}, \
         lists as {LIST} and objects as {OBJECT} besides)"
    );
    Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message))
}

/// What a text weighs, counted until it is more than `most`. Of a text that is no JSON it is some number: whoever reads it ends where
/// it ceases to be one.
fn weight(text: &[u8], most: usize) -> usize {
    let (mut sum, mut rest) = (0, text.iter());
    while let Some(byte) = rest.next() {
        match byte {
            b'{' => sum += OBJECT,
            b'[' => sum += LIST,
            b',' => sum += COMMA,
            b':' => sum += COLON,
            b'"' => {
                while let Some(byte) = rest.next().filter(|byte| **byte != b'"') {
                    if *byte == b'\\' {
                        rest.next();
                    }
                }
            }
            _ => continue,
        }
        if sum > most {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_weigh_and_bytes_do_not() {
        for (text, weighs) in [
            ("", 0),
            ("1", 0),
            ("[]", 5),
            ("[1, 2, 3]", 9),
            ("{}", 20),
            (r#"{"a": 1, "b": [1, 2]}"#, 20 + 1 + 3 + 5 + 2),
            (r#"["{[,:", "\"[[,", "\\", ":"]"#, 11),
            (r#"["no end \"#, 5),
        ] {
            assert_eq!(weight(text.as_bytes(), 1_000), weighs, "{text}");
        }
        assert!(weight("[".repeat(1_000).as_bytes(), 10) <= 10 + OBJECT);
    }

    #[test]
    fn what_is_too_much_is_said_with_the_bound() {
        assert!(check(b"[1,2]", 7).is_ok());
        let failure = check(b"[1,2]", 6).unwrap_err();
        assert_eq!(failure.status, 413);
        assert!(failure.message.contains("more than 6 "), "{}", failure.message);
    }
}
