//! Codes of issues that come into the process as text: from archives, and from checkers that modules have in Ruby.

use std::collections::HashSet;
use std::sync::Mutex;

/// How many there may be.
const MAX_CODES: usize = 1024;

/// An issue code that lives for ever: there are few, and whatever is said, no more than [`MAX_CODES`].
pub fn issue_code(text: &str) -> Option<&'static str> {
    static CODES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut codes = CODES.lock().ok()?;
    let codes = codes.get_or_insert_default();
    if let Some(known) = codes.get(text) {
        return Some(known);
    }
    let fits =
        text.len() <= 64 && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    if !fits || codes.len() >= MAX_CODES {
        return None;
    }
    let code: &'static str = Box::leak(text.to_owned().into_boxed_str());
    codes.insert(code);
    Some(code)
}
