//! Reports of what was found, in each form.

use super::*;
use crate::diff::{Found, State};
use crate::grouping::Grouping;

fn head() -> Head {
    Head { from: "git:main".to_owned(), to: ".".to_owned() }
}

fn changed(title: &str, old: &str, new: &str) -> Found {
    let difference = Difference {
        sign: Sign::Changed,
        type_name: "File".to_owned(),
        title: title.to_owned(),
        structure: vec!["parameters".to_owned(), "content".to_owned()],
        old: Some(old.into()),
        new: Some(new.into()),
        old_place: None,
        new_place: Some(Declared { file: Some("/m/init.pp".to_owned()), line: Some(3) }),
        kind: Some("compilable_type".to_owned()),
    };
    Found { state: State::Changed(vec![difference]), own: Vec::new() }
}

#[test]
fn markdown_is_cut_and_says_what_was_cut() {
    let mut grouping = Grouping::default();
    for number in 0..200 {
        grouping.add(&format!("n{number}"), &changed(&format!("/f{number}"), &"x".repeat(200), "y"));
    }
    let groups = grouping.finish();
    let text = markdown(&head(), &groups, 10_000);
    assert!(text.chars().count() <= 10_000, "{}", text.chars().count());
    assert!(
        text.contains("more changes, on") && text.contains("more nodes** that") || text.contains("And "),
        "{text}"
    );
    let whole = markdown(&head(), &groups, usize::MAX);
    assert!(whole.contains("/f199") && !whole.contains("Left out"));
}

#[test]
fn what_catalogs_say_breaks_no_form() {
    let mut grouping = Grouping::default();
    let found = changed("/a`<b>&\"|", "```\n</pre><script>\n", "```\nx\n");
    grouping.add("n<1>", &found);
    let groups = grouping.finish();
    let text = markdown(&head(), &groups, MARKDOWN_BYTES);
    assert!(text.contains("````diff") && text.contains("n\\<1\\>"), "{text}");
    let page = html(&head(), &groups);
    assert!(!page.contains("<script") && !page.contains("n<1>") && page.contains("<svg"), "{page}");
    let case = case("n<1>", &found, true);
    assert!(case.contains("name=\"n&lt;1&gt;\"") && case.contains("<failure"), "{case}");
}

#[test]
fn signs_that_hide_others_are_seen_in_every_form() {
    let mut grouping = Grouping::default();
    let found = changed("/a\u{202e}b", "one\r\n\u{1b}[2Jtwo\n", "ü\tone\n\u{2066}two\n");
    grouping.add("n", &found);
    let groups = grouping.finish();
    let forms = [
        text(&head(), &groups, (None, false), true),
        markdown(&head(), &groups, MARKDOWN_BYTES),
        html(&head(), &groups),
    ];
    for form in &forms {
        for seen in ["/a\\u{202E}b", "one\\r", "\\u{1B}[2Jtwo", "ü\tone", "\\u{2066}two"] {
            assert!(form.contains(seen), "{seen}: {form}");
        }
    }
    for form in forms.into_iter().chain([case("n", &found, true)]) {
        assert!(!form.contains(['\r', '\u{1b}', '\u{202e}', '\u{2066}']), "{form}");
    }
}

#[test]
fn text_is_folded_to_its_width() {
    let mut grouping = Grouping::default();
    grouping.add("node", &changed("/a", &"long words ".repeat(20), "b"));
    let text = text(&head(), &grouping.finish(), (Some(40), false), true);
    assert!(text.lines().all(|line| line.chars().count() <= 42), "{text}");
    assert!(text.contains("+ content => \"b\"") && text.contains("at /m/init.pp:3"), "{text}");
}
