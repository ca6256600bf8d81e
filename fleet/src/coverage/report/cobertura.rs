//! Coverage as Cobertura's XML (its `coverage-04.dtd`), which GitLab, Azure and Jenkins read: a package a module, a class a file.

use super::NO_MODULE;
use crate::coverage::{Coverage, FileCoverage, ForkCoverage, Share, Totals};
use crate::markup::{escaped, not_in_xml};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The document.
pub fn cobertura(coverage: &Coverage) -> String {
    let (modules, total) = coverage.totals();
    let folder = coverage
        .folder
        .as_ref()
        .map_or_else(|| ".".to_owned(), |folder| folder.to_string_lossy().into_owned());
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n\
         <coverage {} lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" branches-valid=\"{}\" complexity=\"0\" \
         version=\"1\" timestamp=\"0\">\n<sources><source>{}</source></sources>\n<packages>\n",
        rates(&total),
        total.lines.covered,
        total.lines.all,
        total.branches.covered,
        total.branches.all,
        text(&folder),
    );
    for (module, of) in &modules {
        let name = text(module.unwrap_or(NO_MODULE));
        let _ = writeln!(out, "<package name=\"{name}\" {} complexity=\"0\">\n<classes>", rates(of));
        let own = coverage.files.iter().filter(|file| file.module.as_deref() == *module);
        own.for_each(|one| file(one, &mut out));
        out.push_str("</classes>\n</package>\n");
    }
    out.push_str("</packages>\n</coverage>\n");
    out
}

fn file(file: &FileCoverage, out: &mut String) {
    let name = text(&file.name);
    let _ = writeln!(
        out,
        "<class name=\"{name}\" filename=\"{name}\" {} complexity=\"0\">\n<methods>",
        rates(&file.totals())
    );
    for one in &file.definitions {
        let (name, line, nodes) = (text(&format!("{} {}", one.kind, one.name)), one.line, one.nodes);
        let rate = u8::from(nodes > 0);
        let _ = writeln!(
            out,
            "<method name=\"{name}\" signature=\"\" line-rate=\"{rate}\" branch-rate=\"{rate}\" complexity=\"0\">\
             <lines><line number=\"{line}\" hits=\"{nodes}\"/></lines></method>"
        );
    }
    out.push_str("</methods>\n<lines>\n");
    let mut forks: BTreeMap<u32, Vec<&ForkCoverage>> = BTreeMap::new();
    file.forks.iter().for_each(|fork| forks.entry(fork.line).or_default().push(fork));
    for (line, nodes) in &file.lines {
        let _ = write!(out, "<line number=\"{line}\" hits=\"{nodes}\"");
        if let Some(forks) = forks.get(line) {
            let mut share = Share::default();
            let arms = forks.iter().flat_map(|fork| &fork.arms);
            arms.for_each(|(_, nodes)| share += Share { covered: usize::from(*nodes > 0), all: 1 });
            let percent = share.percent().unwrap_or(100);
            let _ = write!(
                out,
                " branch=\"true\" condition-coverage=\"{percent}% ({}/{})\"",
                share.covered, share.all
            );
        }
        out.push_str("/>\n");
    }
    out.push_str("</lines>\n</class>\n");
}

fn rates(of: &Totals) -> String {
    let rate = |share: Share| match share.all {
        0 => "1".to_owned(),
        all => format!("{:.4}", share.covered as f64 / all as f64),
    };
    format!("line-rate=\"{}\" branch-rate=\"{}\"", rate(of.lines), rate(of.branches))
}

fn text(text: &str) -> String {
    escaped(text, not_in_xml)
}
