//! A profile as text: the share of each module, then what took longest of each kind.

use super::{milliseconds, percent};
use crate::profile::Profile;
use bunraku::stats::Count;
use std::fmt::Write;

/// The tables; of each kind so many names. With a profile from before, how much more or less time each takes now.
pub fn text(profile: &Profile, before: Option<&Profile>, most: usize) -> String {
    let mut out = format!("{} nodes, {} ms\n", profile.nodes, milliseconds(profile.total));
    let modules_before = before.map(Profile::modules);
    let mut modules: Vec<(String, Count)> = profile.modules().into_iter().collect();
    modules.sort_by(|a, b| b.1.time.cmp(&a.1.time).then_with(|| a.0.cmp(&b.0)));
    let lookup = |name: &str| modules_before.as_ref().map(|all| all.get(name).copied().unwrap_or_default());
    table("modules", &modules, profile, &lookup, most, &mut out);
    let tables_before = before.map(Profile::tables).unwrap_or_default();
    for (title, rows) in profile.tables() {
        let old = tables_before.iter().find(|(of, _)| *of == title).map(|(_, rows)| rows.as_slice());
        let lookup = |name: &str| {
            before?;
            let found = old.unwrap_or_default().iter().find(|(of, _)| of == name);
            Some(found.map(|(_, count)| *count).unwrap_or_default())
        };
        table(title, &rows, profile, &lookup, most, &mut out);
    }
    out
}

fn table(
    title: &str,
    rows: &[(String, Count)],
    profile: &Profile,
    before: &dyn Fn(&str) -> Option<Count>,
    most: usize,
    out: &mut String,
) {
    let _ = writeln!(out, "{title}");
    for (name, count) in rows.iter().take(most) {
        let share = percent(count.time, profile.total);
        let change = before(name).map_or_else(String::new, |old| {
            let change = count.time.as_secs_f64() - old.time.as_secs_f64();
            format!(" {:>+10.2}", change * 1000.0)
        });
        let _ = writeln!(
            out,
            "  {share:>5.1}% {:>10} ms{change} {:>8} {name}",
            milliseconds(count.time),
            count.calls
        );
    }
    if rows.len() > most {
        let _ = writeln!(out, "  and {} more", rows.len() - most);
    }
}
