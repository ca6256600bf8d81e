//! Coverage as pages with the source, without script and without anything from elsewhere: one page for all, or one for the table and
//! one for each file.

use super::{COLUMNS, NO_MODULE};
use crate::coverage::{Coverage, FileCoverage, ForkCoverage, Share, Totals};
use crate::markup;
use bunraku::pieces::shown;
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:80em;padding:0 1em;color:#222;background:#fff}\
table{border-collapse:collapse;font-size:13px}td,th{padding:.15em .6em .15em 0;text-align:right;white-space:nowrap}\
td:first-child,th:first-child{text-align:left}tr.all td{border-top:1px solid #8888;font-weight:600}.none{color:#999}\
meter{width:2.6em;height:.7em;margin-right:.4em}@media(max-width:60em){meter{display:none}}.wide{overflow-x:auto}.say,li,h1{overflow-wrap:anywhere}h2{font-size:1.05em;margin:1.8em 0 .3em;overflow-wrap:anywhere}a{color:inherit}\
pre{font:13px/1.4 ui-monospace,monospace;background:#f6f6f4;padding:.6em 0;overflow-x:auto}pre span{display:block;padding:0 .8em;min-width:max-content}\
.ran{background:#e3f3dc}.not{background:#f9dcd8}.part{background:#fbf0c9}.n{color:#777;user-select:none}.say{color:#8a5a00}\
.where{color:#666;font-size:13px}summary{cursor:pointer}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}pre{background:#262626}.ran{background:#1f3a1c}.not{background:#4a211d}\
.part{background:#453a12}.say{color:#e0b050}}";

/// One page with all.
pub fn page(coverage: &Coverage) -> String {
    let mut body = head(coverage, &|number| format!("#f{number}"));
    for (number, file) in coverage.files.iter().enumerate() {
        let _ = write!(
            body,
            "<h2 id=\"f{number}\">{}</h2>\n<details{}><summary>{}</summary>\n{}</details>\n",
            escaped(&file.name),
            if number < OPEN { " open" } else { "" },
            line_of(file),
            source(file)
        );
    }
    framed("Coverage", &body)
}

/// How many files are shown unfolded on the page that has all.
const OPEN: usize = 3;

/// A folder's pages, by their names: `index.html`, and one for each file.
pub fn pages(coverage: &Coverage) -> Vec<(String, String)> {
    let name = |number: usize| format!("file-{number}.html");
    let mut all = vec![("index.html".to_owned(), framed("Coverage", &head(coverage, &name)))];
    for (number, file) in coverage.files.iter().enumerate() {
        let body = format!(
            "<h1>{}</h1>\n<p class=\"where\"><a href=\"index.html\">All files</a>. {}</p>\n{}",
            escaped(&file.name),
            line_of(file),
            source(file)
        );
        all.push((name(number), framed(&file.name, &body)));
    }
    all
}

fn framed(title: &str, body: &str) -> String {
    format!("{}{body}</body></html>\n", markup::begin_of_page(&escaped(title), STYLE))
}

/// The tables: by module, by file, and what is not used of what is read.
fn head(coverage: &Coverage, link: &dyn Fn(usize) -> String) -> String {
    let (modules, total) = coverage.totals();
    let mut out =
        format!("<h1>Coverage</h1>\n<p>What the compiles of {} nodes ran and read.</p>\n", coverage.nodes);
    for (node, message) in &coverage.failed {
        let _ =
            writeln!(out, "<p class=\"say\">{} does not compile: {}</p>", escaped(node), escaped(message));
    }
    out += &table(
        modules.iter().map(|(name, of)| (escaped(name.unwrap_or(NO_MODULE)), *of)),
        "module",
        Some(total),
    );
    out += "<h2>Files of code</h2>\n";
    let files = coverage.files.iter().enumerate().map(|(number, file)| {
        (format!("<a href=\"{}\">{}</a>", link(number), escaped(&file.name)), file.totals())
    });
    out += &table(files, "file", None);
    let mut not: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (piece, _) in coverage.pieces.iter().filter(|(_, is_used)| !is_used) {
        let place = shown(&piece.file, coverage.folder.as_deref());
        not.entry(super::json::kind(piece.kind)).or_default().push(format!("{} ({place})", piece.name));
    }
    if !coverage.unread.is_empty() {
        out += "<h2>Left out</h2>\n";
    }
    for (file, why) in &coverage.unread {
        let file = shown(file, coverage.folder.as_deref());
        let _ = writeln!(out, "<p class=\"say\">{} is left out: {}</p>", escaped(&file), escaped(why));
    }
    if !not.is_empty() {
        out += "<h2>Not used by any node</h2>\n";
    }
    for (kind, names) in not {
        let names: Vec<String> = names.iter().map(|name| format!("<li>{}</li>", escaped(name))).collect();
        let _ = writeln!(
            out,
            "<details><summary>{kind}: {}</summary><ul>{}</ul></details>",
            names.len(),
            names.concat()
        );
    }
    out
}

fn table(rows: impl Iterator<Item = (String, Totals)>, first: &str, total: Option<Totals>) -> String {
    // A table of files has what files have.
    let columns = if total.is_some() { &COLUMNS[..] } else { &COLUMNS[..3] };
    let cells = |of: &Totals| columns.iter().map(|(_, share)| cell(share(of))).collect::<String>();
    let mut out = format!("<div class=\"wide\"><table><tr><th>{first}</th>");
    columns.iter().for_each(|(name, _)| _ = write!(out, "<th>{name}</th>"));
    out += "</tr>\n";
    for (name, of) in rows {
        let _ = writeln!(out, "<tr><td>{name}</td>{}</tr>", cells(&of));
    }
    if let Some(of) = total {
        let _ = writeln!(out, "<tr class=\"all\"><td>all</td>{}</tr>", cells(&of));
    }
    out + "</table></div>\n"
}

fn cell(share: Share) -> String {
    match share.percent() {
        None => "<td class=\"none\">–</td>".to_owned(),
        Some(percent) => format!(
            "<td><meter value=\"{percent}\" max=\"100\" low=\"50\" high=\"80\" optimum=\"100\"></meter>{percent}% {}/{}</td>",
            share.covered, share.all
        ),
    }
}

fn line_of(file: &FileCoverage) -> String {
    let Totals { lines, branches, .. } = file.totals();
    format!("{}/{} lines, {}/{} branches", lines.covered, lines.all, branches.covered, branches.all)
}

fn source(file: &FileCoverage) -> String {
    let mut forks: BTreeMap<u32, Vec<&ForkCoverage>> = BTreeMap::new();
    file.forks.iter().for_each(|fork| forks.entry(fork.line).or_default().push(fork));
    let mut out = "<pre>".to_owned();
    for (number, text) in (1u32..).zip(file.text.lines()) {
        let said: Vec<String> =
            forks.get(&number).into_iter().flatten().filter_map(|fork| not_taken(fork)).collect();
        let nodes = file.lines.get(&number).copied();
        let class = match nodes {
            None => "",
            Some(0) => "not",
            Some(_) if !said.is_empty() => "part",
            Some(_) => "ran",
        };
        let count = nodes.map_or_else(String::new, |nodes| nodes.to_string());
        let _ = write!(
            out,
            "<span class=\"{class}\"><span class=\"n\" style=\"display:inline\">{number:>5} {count:>5}  </span>{}",
            escaped(text)
        );
        if !said.is_empty() && nodes != Some(0) {
            let _ = write!(out, "  <i class=\"say\">{}</i>", escaped(&said.join("; ")));
        }
        // A block of its own has its line feed; what is copied needs one of its own where it is empty.
        out += "</span>";
    }
    out + "</pre>\n"
}

/// Which arms of a condition nobody took.
fn not_taken(fork: &ForkCoverage) -> Option<String> {
    let total = fork.arms.len();
    let not: Vec<String> = fork
        .arms
        .iter()
        .enumerate()
        .filter(|(_, (_, nodes))| *nodes == 0)
        .map(|(number, (line, _))| match line {
            Some(line) => format!("arm {} of {total} at line {line}", number + 1),
            None => format!("arm {} of {total}, which is not written", number + 1),
        })
        .collect();
    (!not.is_empty()).then(|| format!("{}: never {}", fork.fork.word(), not.join(", ")))
}

fn escaped(text: &str) -> String {
    markup::escaped(text, |c| (c == '\'').then_some("&#39;"))
}
