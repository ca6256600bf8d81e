//! Figures, and the page they are kept on: `benches/RESULTS.md`.

use std::path::Path;

/// Some measurements of one thing.
#[derive(Default)]
pub struct Figures(Vec<f64>);

impl Figures {
    /// None yet.
    pub fn new() -> Self {
        Figures::default()
    }

    /// Adds one.
    pub fn push(&mut self, figure: f64) {
        self.0.push(figure);
        self.0.sort_by(f64::total_cmp);
    }

    /// The middle one; not a number where there is none.
    pub fn median(&self) -> f64 {
        self.0.get(self.0.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// The one that this share of all does not exceed; not a number where there is none.
    pub fn share(&self, share: f64) -> f64 {
        let at = (self.0.len() as f64 * share) as usize;
        self.0.get(at.min(self.0.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    }

    /// The least.
    pub fn least(&self) -> f64 {
        self.0.first().copied().unwrap_or(f64::NAN)
    }

    /// The greatest.
    pub fn greatest(&self) -> f64 {
        self.0.last().copied().unwrap_or(f64::NAN)
    }
}

/// A figure with three digits that count.
pub fn number(figure: f64) -> String {
    let decimals = match figure {
        f if f >= 100.0 => 0,
        f if f >= 10.0 => 1,
        f if f >= 1.0 => 2,
        _ => 3,
    };
    format!("{figure:.decimals$}")
}

/// Puts a report into the page, in place of the one of that name.
///
/// # Errors
/// When the page can't be read or written, or has no place for it.
pub fn write(name: &str, report: &str) -> Result<(), String> {
    change(name, |_| report.to_owned())
}

/// Puts a part of a report into the page, in place of the part with the same heading, or at the end of the report of that name.
///
/// # Errors
/// As of [`write()`].
pub fn write_part(name: &str, part: &str) -> Result<(), String> {
    change(name, |report| with_part(report, part))
}

/// A report with a part in place of that with its heading.
fn with_part(report: &str, part: &str) -> String {
    let heading = format!("{}\n", part.lines().next().unwrap_or_default());
    let starts: Vec<usize> = report
        .match_indices("### ")
        .map(|(at, _)| at)
        .filter(|at| *at == 0 || report[..*at].ends_with('\n'))
        .collect();
    let Some(at) = starts.iter().position(|at| report[*at..].starts_with(&heading)) else {
        return format!("{}\n\n{}\n", report.trim_end(), part.trim_end());
    };
    match starts.get(at + 1) {
        Some(next) => format!("{}{}\n\n{}", &report[..starts[at]], part.trim_end(), &report[*next..]),
        None => format!("{}{}\n", &report[..starts[at]], part.trim_end()),
    }
}

/// Changes the report of a name in the page.
fn change(name: &str, change: impl FnOnce(&str) -> String) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("RESULTS.md");
    let page = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let (begin, end) = (format!("<!-- {name}: "), format!("<!-- end of {name} -->"));
    let place = page.find(&begin).and_then(|at| Some((at + page[at..].find('\n')? + 1, page.find(&end)?)));
    let Some((from, to)) = place else { return Err(format!("{} has no section {name}", path.display())) };
    let page = format!("{}{}{}", &page[..from], change(&page[from..to]), &page[to..]);
    std::fs::write(&path, page).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_takes_the_place_of_the_one_with_its_heading() {
        let report = "2 cores\n\n### One\n\n| 1 |\n\n### Two\n\n| 2 |\n";
        assert_eq!(with_part(report, "### One\n\n| 3 |\n"), report.replace('1', "3"));
        assert_eq!(with_part(report, "### Two\n\n| 3 |\n"), report.replace("| 2 |", "| 3 |"));
        assert_eq!(with_part(report, "### Three\n\n| 3 |\n"), format!("{report}\n### Three\n\n| 3 |\n"));
        assert_eq!(with_part(report, "### On\n"), format!("{report}\n### On\n"));
    }
}
