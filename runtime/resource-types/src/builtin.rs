//! The resource types that a Puppet has without any module: its own, and those of the modules that its packages bring
//! along in a vendor directory (cron, host, mount, yumrepo and others), which a machine without Puppet lacks.
//!
//! Source: `tests/oracle/resource_types.rb`, run with each of the three Puppets, has written the tables.

use crate::{Pattern, ResourceType, Titles};
use bunraku_vm::compat::Compat;

/// A type of the table.
pub(crate) struct Row {
    /// Whether it is of a module that packages bring along, not Puppet's own.
    pub vendored: bool,
    /// The type.
    pub ty: ResourceType,
}

/// The types of a version.
pub(crate) fn rows(compat: Compat) -> impl Iterator<Item = Row> {
    let table = match compat {
        Compat::V7 => include_str!("builtin/7.tsv"),
        Compat::V8 => include_str!("builtin/8.tsv"),
        Compat::V9 => include_str!("builtin/9.tsv"),
    };
    table.lines().filter_map(row)
}

/// Reads a line: origin, name, name variables, whether titles and name variables mean the same, attributes, and title
/// patterns where they are not the usual one.
fn row(line: &str) -> Option<Row> {
    let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    let mut fields = line.split('\t');
    let origin = fields.next()?;
    let name = fields.next()?;
    let (namevars, isomorphic, attributes) = (fields.next()?, fields.next()?, fields.next()?);
    let titles = match fields.next()? {
        _ if name == "file" => Titles::Path,
        "" => Titles::Whole,
        patterns => {
            let patterns: Vec<(String, Vec<String>)> = serde_json::from_str(patterns).ok()?;
            let pattern = |(regex, attributes)| Pattern { regex, attributes };
            Titles::Patterns(patterns.into_iter().map(pattern).collect())
        }
    };
    let ty = ResourceType {
        namevars: list(namevars),
        isomorphic: isomorphic == "true",
        attributes: Some(list(attributes)),
        titles,
        ..ResourceType::new(name)
    };
    Some(Row { vendored: origin != "puppet", ty })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_type() {
        for (compat, table) in [
            (Compat::V7, include_str!("builtin/7.tsv")),
            (Compat::V8, include_str!("builtin/8.tsv")),
            (Compat::V9, include_str!("builtin/9.tsv")),
        ] {
            assert_eq!(rows(compat).count(), table.lines().count(), "{compat}");
        }
    }
}
