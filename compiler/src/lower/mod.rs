//! Lowers a checked syntax tree to a unit: names resolved to slots, constants folded, every body a chunk of
//! register instructions. Knows neither files nor facts.

mod body;
mod call;
mod constant;
mod control;
mod define;
mod expr;
mod noting;
mod points;
mod resource;
mod shape;
mod typedef;

use crate::LineIndex;
use crate::ast::{ExprKind, Program, Span};
use bunraku_vm::diagnostic::{Diagnostic, Place};
use bunraku_vm::unit::writer::{ChunkKind, UnitWriter};
use points::Noted;

pub use points::{Arm, Fork, Point, PointOfDefinition, Points};

/// Lowers `program`, parsed from `text`, to the words of a unit (see `bunraku_vm::unit::layout`). Chunk 0 is the
/// manifest's top-level code, or the template.
///
/// # Errors
/// What no instruction can hold: an expression that needs more than 256 registers, a body whose jumps are too
/// far, more than 65,536 constants or names in one file. `path` is the file named in the error.
pub fn lower(
    program: &Program<'_>,
    text: &str,
    lines: &LineIndex,
    path: Option<&str>,
) -> Result<Vec<u32>, Box<Diagnostic>> {
    Ok(lower_noting(program, text, lines, path, None)?.0)
}

/// The same, and where each expression is in the unit.
///
/// # Errors
/// As [`lower`].
pub fn lower_with_points(
    program: &Program<'_>,
    text: &str,
    lines: &LineIndex,
    path: Option<&str>,
) -> Result<(Vec<u32>, Points), Box<Diagnostic>> {
    let (words, noted) = lower_noting(program, text, lines, path, Some(Noted::default()))?;
    let points = noted.unwrap_or_default().placed(&words);
    let points = points.map_err(|fault| Diagnostic::error(format!("Compiled code is damaged: {fault}")))?;
    Ok((words, points))
}

fn lower_noting(
    program: &Program<'_>,
    text: &str,
    lines: &LineIndex,
    path: Option<&str>,
    noted: Option<Noted>,
) -> Result<(Vec<u32>, Option<Noted>), Box<Diagnostic>> {
    let mut lowering = Lowering { unit: UnitWriter::default(), text, lines, fault: None, noted };
    let main = lowering.unit.reserve_chunk();
    match &program.body.kind {
        ExprKind::Epp { params, body } => lowering.template(main, params.unwrap_or_default(), body),
        _ => lowering.body_chunk(main, ChunkKind::Main, Vec::new(), program.body, &[]),
    }
    for definition in program.definitions {
        lowering.definition(definition);
    }
    match lowering.fault {
        None => Ok((lowering.unit.finish(), lowering.noted)),
        Some((message, span)) => {
            let (line, column) = lines.line_column(text, span.start);
            let place = Place { file: path.map(Into::into), line: Some(line), column: Some(column) };
            Err(Box::new(Diagnostic::error(message).at(place)))
        }
    }
}

/// What lowering one file shares among its bodies.
struct Lowering<'t> {
    unit: UnitWriter,
    text: &'t str,
    lines: &'t LineIndex,
    /// The first limit that was exceeded.
    fault: Option<(&'static str, Span)>,
    /// Where expressions are, if that is asked for.
    noted: Option<Noted>,
}

impl Lowering<'_> {
    fn at(&self, span: Span) -> (u32, u32) {
        self.lines.line_column(self.text, span.start)
    }

    #[cold]
    fn fail(&mut self, message: &'static str, span: Span) {
        self.fault.get_or_insert((message, span));
    }
}
