//! Which keys of a YAML text rest on others: an alias (`*name`) under one stands for what an anchor (`&name`) names under another.

use crate::data_file::yaml::events::Events;
use crate::data_file::yaml::is_merge_key;
use libyaml_safer::{EventData as Event, ScalarStyle};
use std::collections::HashMap;

/// For each alias the key under which its anchor stands and the one under which it stands itself; none for the latter where that is no
/// key of the file's: what it names is merged into all of it (`<<`). Aliases within the same key are not told; nor is anything behind what
/// is not well formed.
pub(crate) fn of_text(text: &str) -> Vec<(String, Option<String>)> {
    let mut events = Events::of(text);
    let mut anchors: HashMap<String, Option<String>> = HashMap::new();
    let mut found = Vec::new();
    // The key that is being read, how deep, and whether what comes next at the first level is a key.
    let (mut key, mut depth, mut is_key) = (None, 0_usize, true);
    while let Ok((event, _)) = events.next() {
        if depth == 1 && is_key {
            key = match &event {
                Event::Scalar { .. } if is_merge_key(&event) => None,
                Event::Scalar { value, style, .. } => Some(key_name(value, *style)),
                _ => None,
            };
        }
        let anchor = match &event {
            Event::MappingStart { anchor, .. }
            | Event::SequenceStart { anchor, .. }
            | Event::Scalar { anchor, .. } => anchor.as_ref(),
            Event::Alias { anchor } => {
                if let Some(Some(owner)) = anchors.get(anchor)
                    && Some(owner) != key.as_ref()
                {
                    found.push((owner.clone(), key.clone()));
                }
                None
            }
            Event::DocumentEnd { .. } => break,
            _ => None,
        };
        if let Some(anchor) = anchor {
            anchors.insert(anchor.clone(), key.clone().filter(|_| depth > 0));
        }
        match event {
            Event::MappingStart { .. } | Event::SequenceStart { .. } => depth += 1,
            Event::MappingEnd | Event::SequenceEnd => depth = depth.saturating_sub(1),
            Event::Scalar { .. } | Event::Alias { .. } => {}
            _ => continue,
        }
        // What ends at the first level, or has no more of it, is one whole node there.
        is_key = match depth {
            1 if matches!(event, Event::MappingStart { .. } | Event::SequenceStart { .. }) => true,
            1 => !is_key,
            _ => is_key,
        };
    }
    found
}

/// A key's name by its text: symbols are names.
pub(super) fn key_name(text: &str, style: ScalarStyle) -> String {
    let name = text.strip_prefix(':').filter(|name| !name.is_empty() && style == ScalarStyle::Plain);
    name.unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_rest_on_others_are_found() {
        let found = |text: &str| -> Vec<String> {
            of_text(text)
                .into_iter()
                .map(|(owner, user)| format!("{owner} < {}", user.unwrap_or_else(|| "all".to_owned())))
                .collect()
        };
        for (text, want) in [
            ("base: &base\n  x: 1\nuser:\n  <<: *base\n", vec!["base < user"]),
            ("base: &base {x: 1}\n<<: *base\n", vec!["base < all"]),
            ("a: &a 1\nb: [*a, {c: *a}]\nd: *a\n", vec!["a < b", "a < b", "a < d"]),
            ("a: {b: &b [1], c: *b}\n", vec![]),
            ("a: &x 1\nb: &x 2\nc: *x\n", vec!["b < c"]),
            ("a: [[&x 1], {k: [2]}]\n:b: *x\n", vec!["a < b"]),
            ("- &x 1\n- *x\n", vec![]),
            ("&k a: 1\nb: *k\n", vec!["a < b"]),
            ("a: &x 1\nb: *x\nc: [\n", vec!["a < b"]),
            ("a: *nothing\n", vec![]),
        ] {
            assert_eq!(found(text), want, "{text}");
        }
    }
}
