//! Archives: whether this program can use one, and whether it is of the sources as they are. The same tree gives the same
//! archive, so it is built again in memory and compared.

use super::code::Code;
use super::finding::Finding;
use bunraku::archive::inspect::Report;
use bunraku::files::read;
use bunraku::{Compat, archive};
use std::path::Path;

const AREA: &str = "Archives";

/// Bytes of an archive that is compared.
const MOST: u64 = 4 << 30;

/// What is wrong with an archive; it is compared with the environment, where one is known.
pub fn look(file: &Path, code: Option<&Code>) -> Vec<Finding> {
    let shown = file.display();
    let report = archive::open(file).and_then(|opened| archive::inspect::inspect(&opened));
    let report = match report {
        Ok(report) => report,
        Err(message) => return vec![Finding::fails(AREA, message, "nothing is compiled with it")],
    };
    let kept = if report.embedded { "contents embedded" } else { "contents in the sources" };
    let mut found = vec![Finding::fine(
        AREA,
        format!("{shown}: for version {}, {} files and folders, {kept}", report.compat, report.entries),
    )];
    let Some(code) = code else {
        let consequence = "`--environment` names what to compare it with";
        found.push(Finding::note(AREA, format!("{shown} is not compared with its sources"), consequence));
        return found;
    };
    found.push(match is_current(file, code, &report) {
        Ok(true) => Finding::fine(AREA, format!("{shown} is of the sources as they are")),
        Ok(false) => {
            let consequence = "with --frozen the older code is compiled; without, what has changed is compiled anew each time";
            Finding::note(AREA, format!("{shown} is not of the sources as they are"), consequence)
        }
        Err(message) => Finding::fails(AREA, message, "it can't be compared with its sources"),
    });
    found
}

fn is_current(file: &Path, code: &Code, report: &Report) -> Result<bool, String> {
    let own =
        read::regular(file, MOST).map_err(|error| format!("{} can't be read: {error}", file.display()))?;
    let compat: Compat = report.compat.to_string().parse()?;
    Ok(code.built(file, compat, report.embedded)?.0 == own)
}
