//! What a server asks of nodes and does with their reports: the classifier and other programs, processors of reports.

use super::finding::Finding;
use bunraku::{Compiler, Configuration};
use bunraku_server::check::unusable;
use bunraku_server::environments::Environments;
use bunraku_server::reports::{Reports, Taker};
use std::path::Path;
use std::sync::Arc;

const AREA: &str = "Nodes and reports";

/// What the configuration names; processors of reports are looked for where this Ruby looks, too.
pub fn look(configuration: &Configuration, ruby: &Path) -> Vec<Finding> {
    let mut found = programs(configuration).unwrap_or_else(|why| vec![failed(why)]);
    found.push(reports(configuration, ruby).unwrap_or_else(failed));
    found
}

fn failed(why: String) -> Finding {
    Finding::fails(AREA, why, "a server does not start with it")
}

/// # Errors
/// When a setting can't be read.
fn programs(configuration: &Configuration) -> Result<Vec<Finding>, String> {
    let mut found = Vec::new();
    for (name, program) in configuration.programs()? {
        let Some(program) = program else { continue };
        found.push(match unusable(name, &program) {
            Some(doubt) => Finding::fails(AREA, doubt, "no node is compiled whose data it is to give"),
            None => Finding::fine(AREA, format!("{name}: {}", program.display())),
        });
    }
    if found.is_empty() {
        found.push(Finding::fine(
            AREA,
            format!("no program is asked (node_terminus is {})", configuration.node_terminus()?),
        ));
    }
    Ok(found)
}

/// # Errors
/// When a setting can't be read.
fn reports(configuration: &Configuration, ruby: &Path) -> Result<Finding, String> {
    let mut settings = configuration.settings()?;
    settings.ruby.program = ruby.to_owned();
    let environments = Arc::new(Environments::new(configuration.clone()));
    // Whether there is a PuppetDB is looked at elsewhere.
    let puppetdb: Taker = Arc::new(|_, _| Ok(()));
    let reports =
        Reports::of(environments, Arc::new(Compiler::new()), Some(puppetdb))?.with_settings(settings);
    let doubts = reports.doubts()?;
    Ok(match doubts.is_empty() {
        true => Finding::fine(AREA, format!("reports: {}", configuration.get("reports")?.text)),
        false => {
            Finding::note(AREA, doubts.join("; "), "a server takes reports and does not hand them to it")
        }
    })
}
