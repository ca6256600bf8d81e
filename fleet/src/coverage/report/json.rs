//! Coverage as one document of JSON.

use super::{COLUMNS, NO_MODULE};
use crate::coverage::{Coverage, FileCoverage, Share, Totals};
use bunraku::pieces::{PieceKind, shown};
use serde_json::{Map, Value as Json, json};

/// The document.
pub fn json(coverage: &Coverage) -> Json {
    let (modules, total) = coverage.totals();
    let modules: Map<String, Json> =
        modules.iter().map(|(name, of)| (name.unwrap_or(NO_MODULE).to_owned(), totals(of))).collect();
    let pieces: Vec<Json> = coverage
        .pieces
        .iter()
        .map(|(piece, is_used)| {
            json!({
                "kind": kind(piece.kind),
                "name": piece.name,
                "file": shown(&piece.file, coverage.folder.as_deref()),
                "line": piece.line,
                "module": piece.module,
                "used": is_used,
            })
        })
        .collect();
    json!({
        "nodes": coverage.nodes,
        "failed": coverage.failed,
        "total": totals(&total),
        "modules": modules,
        "files": coverage.files.iter().map(file).collect::<Vec<_>>(),
        "pieces": pieces,
        "unread": coverage.unread.iter().map(|(file, why)| (shown(file, coverage.folder.as_deref()), json!(why))).collect::<Map<_, _>>(),
    })
}

fn totals(of: &Totals) -> Json {
    let one = |share: Share| json!({"covered": share.covered, "all": share.all});
    Json::Object(COLUMNS.iter().map(|(name, share)| ((*name).to_owned(), one(share(of)))).collect())
}

fn file(file: &FileCoverage) -> Json {
    let lines: Map<String, Json> =
        file.lines.iter().map(|(line, nodes)| (line.to_string(), json!(nodes))).collect();
    let branches: Vec<Json> = file
        .forks
        .iter()
        .map(|fork| {
            let arms: Vec<Json> =
                fork.arms.iter().map(|(line, nodes)| json!({"line": line, "nodes": nodes})).collect();
            json!({"kind": fork.fork.word(), "line": fork.line, "arms": arms})
        })
        .collect();
    let definitions: Vec<Json> = file
        .definitions
        .iter()
        .map(|one| json!({"kind": one.kind, "name": one.name, "line": one.line, "nodes": one.nodes}))
        .collect();
    json!({
        "file": file.name,
        "module": file.module,
        "lines": lines,
        "branches": branches,
        "definitions": definitions,
    })
}

/// What a kind of piece is called.
pub fn kind(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Class => "class",
        PieceKind::Define => "define",
        PieceKind::Node => "node",
        PieceKind::Type => "type",
        PieceKind::Function => "function",
        PieceKind::Template => "template",
        PieceKind::File => "file",
        PieceKind::Data => "data",
        PieceKind::Key => "key",
        PieceKind::Layer => "layer",
    }
}
