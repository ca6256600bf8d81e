//! Texts compared line by line.

use similar::{ChangeTag, TextDiff};

/// What a diff says behind a last line without a line feed.
pub(super) const NO_END: &str = "\\ No newline at end of file";
/// Texts longer than this together are told as one change each: matching lines takes time by the square of what differs.
const MOST: usize = 4 << 20;

/// The lines that only one of two texts has, the old one's behind `-`, the new one's behind `+`, as `diff -U 0` has them.
pub(super) fn changed_lines(old: &str, new: &str) -> Vec<String> {
    let lines = numbered(old, new, 1);
    lines.into_iter().filter(|line| !line.starts_with(' ')).collect()
}

/// How a text changes, for people: lines behind `-`, `+` and a space, so many of those around each change; `…` where some are left out.
pub fn text_lines(old: &str, new: &str, around: usize) -> Vec<String> {
    numbered(old, new, around)
}

fn numbered(old: &str, new: &str, around: usize) -> Vec<String> {
    if old.len() + new.len() > MOST {
        let all = |sign, text: &str| format!("{sign}({} bytes)", text.len());
        return vec![all('-', old), all('+', new)];
    }
    let diff = TextDiff::from_lines(old, new);
    let mut lines = Vec::new();
    for (number, group) in diff.grouped_ops(around).iter().enumerate() {
        if number > 0 {
            lines.push(" …".to_owned());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let text = change.value();
            lines.push(format!("{sign}{}", text.strip_suffix('\n').unwrap_or(text)));
            if sign != ' ' && change.missing_newline() {
                lines.push(NO_END.to_owned());
            }
        }
    }
    lines
}
