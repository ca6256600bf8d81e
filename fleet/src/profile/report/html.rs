//! A profile as a page of its own: a flame graph, then tables. Where script is run, a few lines of it zoom in and sort; without it tables
//! stand with what took longest first.

use super::{flame, milliseconds, percent};
use crate::markup;
use crate::profile::Profile;
use bunraku::stats::Count;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:84em;padding:0 1em;color:#222;background:#fff}\
table{border-collapse:collapse;font-size:13px}td,th{padding:.15em .9em .15em 0;text-align:right;white-space:nowrap}\
td:last-child,th:last-child{text-align:left;white-space:normal;overflow-wrap:anywhere}th{cursor:pointer}\
h2{font-size:1.05em;margin:1.8em 0 .3em}svg{width:100%;height:auto;background:#fff}svg g{cursor:pointer}.more{color:#a40000}.less{color:#226000}\
.where{color:#666;font-size:13px}summary{cursor:pointer}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}.more{color:#ff8a80}.less{color:#9ccc65}}";

/// Sorts a table by the column whose heading is clicked: numbers by size, names by the alphabet.
const SCRIPT: &str = "document.querySelectorAll('th').forEach(h=>h.onclick=()=>{const t=h.closest('table'),n=h.cellIndex,\
v=r=>r.cells[n].dataset.v??r.cells[n].textContent,d=h.dataset.d=h.dataset.d==='1'?'-1':'1';\
[...t.tBodies[0].rows].sort((a,b)=>{const x=v(a),y=v(b);return d*(isNaN(x)||isNaN(y)?x.localeCompare(y):y-x)})\
.forEach(r=>t.tBodies[0].append(r))});";

/// How many rows a table has at most.
const MOST_ROWS: usize = 500;

/// The page; with a profile from before, the difference as well.
pub fn html(profile: &Profile, before: Option<&Profile>) -> String {
    let mut out = format!(
        "{}<h1>Profile</h1>\n<p>{} nodes, {} ms of compiles.</p>\n",
        markup::begin_of_page("Profile", STYLE),
        profile.nodes,
        milliseconds(profile.total)
    );
    for (node, message) in &profile.failed {
        let _ =
            writeln!(out, "<p class=\"more\">{} does not compile: {}</p>", escaped(node), escaped(message));
    }
    let counted: Duration = profile.stacks.values().map(|count| count.time).sum();
    let rest = profile.total.saturating_sub(counted);
    let _ = writeln!(out, "<h2>By what led there</h2>\n{}", flame::svg(&profile.stacks, rest, None));
    if let Some(before) = before {
        // Where the number of nodes is another, as if it were the same.
        let scale = profile.nodes.max(1) as f64 / before.nodes.max(1) as f64;
        let picture = flame::svg(&profile.stacks, rest, Some((&before.stacks, scale)));
        let _ = writeln!(
            out,
            "<h2>What has changed</h2>\n<p>Before: {} nodes, {} ms. Red takes longer now, blue less.</p>\n{picture}",
            before.nodes,
            milliseconds(before.total)
        );
    }
    let mut modules: Vec<(String, Count)> = profile.modules().into_iter().collect();
    modules.sort_by(|a, b| b.1.time.cmp(&a.1.time).then_with(|| a.0.cmp(&b.0)));
    let old: Option<BTreeMap<String, Count>> = before.map(Profile::modules);
    table("modules", &modules, profile.total, old.as_ref(), &mut out);
    let tables_before: Option<BTreeMap<&str, BTreeMap<String, Count>>> = before.map(|one| {
        one.tables().into_iter().map(|(title, rows)| (title, rows.into_iter().collect())).collect()
    });
    let nothing = BTreeMap::new();
    for (title, rows) in profile.tables() {
        let old = tables_before.as_ref().map(|all| all.get(title).unwrap_or(&nothing));
        table(title, &rows, profile.total, old, &mut out);
    }
    let _ = writeln!(out, "<script>{}{SCRIPT}</script></body></html>", flame::SCRIPT);
    out
}

fn table(
    title: &str,
    rows: &[(String, Count)],
    total: Duration,
    before: Option<&BTreeMap<String, Count>>,
    out: &mut String,
) {
    let change = if before.is_some() { "<th>change, ms</th>" } else { "" };
    let _ = writeln!(
        out,
        "<h2>By {}</h2>\n<table><thead><tr><th>share</th><th>ms</th>{change}<th>calls</th><th>KiB</th><th>name</th></tr></thead><tbody>",
        escaped(title)
    );
    for (name, count) in rows.iter().take(MOST_ROWS) {
        let cell = |shown: String, value: f64| format!("<td data-v=\"{value}\">{shown}</td>");
        let share = percent(count.time, total);
        let _ = write!(out, "<tr>{}", cell(format!("{share:.1}%"), share));
        let time = count.time.as_secs_f64() * 1000.0;
        out.push_str(&cell(milliseconds(count.time), time));
        if let Some(before) = before {
            let old = before.get(name).copied().unwrap_or_default().time.as_secs_f64() * 1000.0;
            let class = if time > old { "more" } else { "less" };
            let _ = write!(out, "<td class=\"{class}\" data-v=\"{0}\">{0:+.2}</td>", time - old);
        }
        let kib = count.bytes as f64 / 1024.0;
        let _ = writeln!(
            out,
            "{}{}<td>{}</td></tr>",
            cell(count.calls.to_string(), count.calls as f64),
            cell(format!("{kib:.0}"), kib),
            escaped(name)
        );
    }
    out.push_str("</tbody></table>\n");
    if rows.len() > MOST_ROWS {
        let _ = writeln!(out, "<p class=\"where\">And {} more.</p>", rows.len() - MOST_ROWS);
    }
}

fn escaped(text: &str) -> String {
    markup::escaped(text, |c| (c == '\'').then_some("&#39;"))
}
