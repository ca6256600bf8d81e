//! The book in `docs/` and README.md: every block of a console prints what the page shows, every link leads somewhere, every page
//! is in the summary, and the pages that are made from the program are as it is.
//!
//! `UPDATE=1` writes into the pages what was printed.

use bunraku_tests::{book, bunraku, paths};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

fn read(page: &str) -> String {
    fs::read_to_string(paths::root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// Runs a page in a folder of its own; what does not fit, told.
fn wrong(page: &str, binaries: &Path) -> Vec<String> {
    let text = read(page);
    let steps = book::steps(&text);
    if steps.is_empty() {
        return Vec::new();
    }
    let work = tempfile::tempdir().expect("a folder can be made");
    let outputs = book::run(&steps, work.path(), binaries);
    let wrong: Vec<String> =
        book::misfits(&steps, &outputs).into_iter().map(|misfit| format!("{page}, {misfit}")).collect();
    if !wrong.is_empty() && std::env::var_os("UPDATE").is_some() {
        let text = book::with_outputs(&text, &steps, &outputs);
        fs::write(paths::root().join(page), text).unwrap_or_else(|error| panic!("{page}: {error}"));
    }
    wrong
}

#[test]
fn consoles_print_what_the_pages_show() {
    let binary = bunraku::binary().expect("Bunraku builds");
    let binaries = binary.parent().expect("it lies in a folder");
    let pages = book::pages(&paths::root());
    let blocks = pages.iter().map(|page| book::steps(&read(page)).len()).sum::<usize>();
    assert!(blocks > 40, "only {blocks} commands are on the pages");
    let wrong: Vec<String> = pages.iter().flat_map(|page| wrong(page, binaries)).collect();
    assert!(wrong.is_empty(), "not what the pages show:\n\n{}", wrong.join("\n"));
}

/// What links of a page lead to, without those of the web; code is none of it.
fn links(text: &str) -> Vec<(String, Option<String>)> {
    let prose: String = text.split("```").step_by(2).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let own = targets.filter(|target| !target.contains("://"));
    own.map(|target| match target.split_once('#') {
        Some((page, anchor)) => (page.to_owned(), Some(anchor.to_owned())),
        None => (target.to_owned(), None),
    })
    .collect()
}

/// The anchors of a page, as mdBook and forges make them of headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let headings = headings.map(|line| line.trim_start_matches('#').trim());
    let plain = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    };
    headings.map(|heading| heading.chars().filter_map(plain).collect()).collect()
}

/// Whether a path that may go up by `..` ends below a folder.
fn stays_below(folder: &Path, file: &Path) -> bool {
    let mut reached = PathBuf::new();
    for part in file.components() {
        match part {
            Component::ParentDir => {
                reached.pop();
            }
            part => reached.push(part),
        }
    }
    reached.starts_with(folder)
}

#[test]
fn links_lead_to_pages_and_headings() {
    let mut broken = Vec::new();
    let others = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/SUMMARY.md"];
    let pages = book::pages(&paths::root()).into_iter().chain(others.map(str::to_owned));
    for page in pages {
        for (target, anchor) in links(&read(&page)) {
            let folder = Path::new(&page).parent().unwrap_or(Path::new(""));
            let file = if target.is_empty() { PathBuf::from(&page) } else { folder.join(&target) };
            let path = paths::root().join(&file);
            // A built book has its own pages only.
            let leaves_the_book = folder.starts_with("docs") && !stays_below(Path::new("docs"), &file);
            let is_heading = |anchor: &String| {
                fs::read_to_string(&path).is_ok_and(|text| anchors(&text).contains(anchor.as_str()))
            };
            if leaves_the_book || !path.exists() || !anchor.as_ref().is_none_or(is_heading) {
                broken.push(format!("{page}: {target}#{}", anchor.unwrap_or_default()));
            }
        }
    }
    assert!(broken.is_empty(), "these lead nowhere: {broken:#?}");
}

#[test]
fn every_page_is_in_the_summary() {
    let listed: BTreeSet<String> = book::pages(&paths::root()).into_iter().collect();
    let mut pending = vec![PathBuf::from("docs")];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(paths::root().join(&folder)).expect("folders can be read").flatten() {
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md")
                && !path.ends_with("SUMMARY.md")
            {
                let name = path.to_string_lossy().into_owned();
                assert!(listed.contains(&name), "{name} is not in docs/SUMMARY.md");
            }
        }
    }
}

/// The table of rules that differ between versions, as the page of the language shows it.
#[test]
fn the_page_of_the_language_has_the_rules_of_the_versions() {
    use bunraku_vm::compat::{Compat, Rule};
    let holds = |compat: Compat, rule: Rule| if compat.holds(rule) { "yes" } else { "no" };
    let rows = Rule::ALL.iter().map(|rule| {
        let [in_7, in_8, in_9] = Compat::ALL.map(|compat| holds(compat, *rule));
        format!("| `{}` | {in_7} | {in_8} | {in_9} | {} |\n", rule.row().name, rule.row().meaning)
    });
    let table =
        format!("| rule | 7 | 8 | 9 | |\n| --- | --- | --- | --- | --- |\n{}", rows.collect::<String>());
    let (begin, end) = ("<!-- rules -->\n", "<!-- end of rules -->\n");
    let page = read("docs/language.md");
    let (before, rest) = page.split_once(begin).expect("the table begins");
    let (_, after) = rest.split_once(end).expect("the table ends");
    let wanted = format!("{before}{begin}{table}{end}{after}");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(paths::root().join("docs/language.md"), &wanted).expect("the page can be written");
    }
    assert!(read("docs/language.md") == wanted, "docs/language.md has other rules: UPDATE=1 writes them");
}

/// The pages of the specification about the language are chapters of the book.
#[test]
fn the_pages_of_the_specification_are_chapters() {
    // About the program's own forms, and about the pages.
    let others = ["README", "COVERAGE", "instructions", "archive", "ruby-protocol"];
    for entry in fs::read_dir(paths::spec()).expect("the pages are there").flatten() {
        let path = entry.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        if path.extension().is_none_or(|extension| extension != "md") || others.contains(&name) {
            continue;
        }
        assert_eq!(
            read(&format!("docs/language/{name}.md")),
            format!("{{{{#include ../../spec/{name}.md}}}}\n")
        );
    }
}

/// What a command of Bunraku's prints.
fn printed(arguments: &[&str]) -> String {
    let mut command = Command::new(bunraku::binary().expect("Bunraku builds"));
    let output = command.args(arguments).env("COLUMNS", "100").output().expect("Bunraku starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it prints text")
}

/// Commands below a command, by its help.
fn below(help: &str) -> Vec<String> {
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && line.as_bytes().get(2) != Some(&b' '));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// All commands with what they say of their arguments.
#[test]
fn the_page_of_commands_is_their_help() {
    let mut page = String::from(
        "# Commands\n\nWhat `bunraku COMMAND --help` prints, of every command. This page is made from the program, and a test \
         holds it to that. The manual pages (`man bunraku-compile`) have the same.\n",
    );
    let first = printed(&["--help"]);
    let is_command = |line: &&str| line.starts_with("  ") && line.as_bytes().get(2) != Some(&b' ');
    let listed = first.lines().take_while(|line| !line.starts_with("Examples")).filter(is_command);
    let mut names: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    names.sort_unstable();
    for name in names {
        let help = printed(&[name, "--help"]);
        page.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help.trim_end()));
        for below in below(&help) {
            let help = printed(&[name, &below, "--help"]);
            page.push_str(&format!("\n### {name} {below}\n\n```text\n{}\n```\n", help.trim_end()));
        }
    }
    let path = paths::root().join("docs/commands.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    assert!(
        read("docs/commands.md") == page,
        "docs/commands.md is not what the commands say: UPDATE=1 writes it"
    );
}
