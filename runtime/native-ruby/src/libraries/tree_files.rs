//! Files that code in Ruby reads or asks for, through the tree that all files of an environment are read from.

use crate::eval::{Done, Run};
use crate::for_ruby::ForRuby;
use crate::value::V;
use std::path::Path;

/// `File.exist?` and the like; none for what is not known.
pub(crate) fn call<'c>(run: &mut Run<'_, 'c>, name: &str, args: &[V<'c>]) -> Done<'c, Option<V<'c>>> {
    let [path] = args else { return Ok(None) };
    let Some(path) = path.text().map(|text| text.to_string()) else { return Ok(None) };
    let path = Path::new(&path);
    if !path.is_absolute() {
        return Ok(None);
    }
    let tree = run.world.tree();
    let is_there = match name {
        "exist?" | "exists?" => Some(tree.exists(path)),
        "file?" => Some(tree.is_file(path)),
        "directory?" => Some(tree.is_dir(path)),
        _ => None,
    };
    if !tree.holds(path) {
        match is_there {
            Some(false) if name.starts_with("exist") || !tree.exists(path) => {
                run.rests.absent.push(path.to_owned());
            }
            _ => run.rests.more = true,
        }
    }
    if let Some(is_there) = is_there {
        return Ok(Some(V::Bool(is_there)));
    }
    Ok(Some(match name {
        // Whoever is asked here may read all that can be read.
        "readable?" if tree.is_file(path) => {
            let text = run.world.file_text(&path.to_string_lossy());
            V::Bool(text.map(|_| true).ok_or(ForRuby("a file that cannot be read"))?)
        }
        "binread" => match tree.read(path) {
            Ok(bytes) => V::bytes(bytes),
            Err(_) => return Err(ForRuby("a file that cannot be read").into()),
        },
        "read" => {
            let text = run.world.file_text(&path.to_string_lossy());
            V::made(text.ok_or(ForRuby("a file that cannot be read"))?)
        }
        _ => return Ok(None),
    }))
}
