//! Names of files, taken apart and put together as Ruby does. None of it looks at the disk.

use crate::eval::Run;
use crate::for_ruby::{ForRuby, OrRuby};
use crate::value::{V, text};
use bunraku_vm::diagnostic::Severity;

const UNKNOWN: ForRuby = ForRuby("a method of File");

/// Calls a method of `File`; none for those that look at the disk.
pub(super) fn call<'c>(name: &str, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let path = |arg: &V<'c>| -> OrRuby<String> { Ok(arg.text().ok_or(UNKNOWN)?.to_string()) };
    Ok(Some(match (name, args) {
        ("join", args) => V::made(join(args, 0)?),
        ("basename", [of]) => V::made(basename(&path(of)?).to_owned()),
        ("basename", [of, suffix]) => {
            let (of, suffix) = (path(of)?, path(suffix)?);
            V::made(without_suffix(basename(&of), &suffix).to_owned())
        }
        ("dirname", [of]) => V::made(dirname(&path(of)?)),
        ("extname", [of]) => V::made(extname(&path(of)?).to_owned()),
        ("split", [of]) => {
            let of = path(of)?;
            V::pair(V::made(dirname(&of)), V::made(basename(&of).to_owned()))
        }
        ("expand_path" | "absolute_path", [of]) => V::made(expanded(&path(of)?, name)?),
        ("expand_path" | "absolute_path", [of, from]) => {
            let (of, from) = (path(of)?, path(from)?);
            let whole = if of.starts_with(['/', '~']) { of } else { format!("{from}/{of}") };
            V::made(expanded(&whole, name)?)
        }
        ("absolute_path?", [of]) => V::Bool(path(of)?.starts_with('/')),
        _ => return Ok(None),
    }))
}

/// Parts with one slash where two of them meet.
fn join(parts: &[V<'_>], depth: usize) -> OrRuby<String> {
    if depth > 20 {
        return Err(UNKNOWN);
    }
    let mut out = String::with_capacity(64);
    for (at, part) in parts.iter().enumerate() {
        match part.text() {
            Some(part) => add(&mut out, at, &part)?,
            None => add(&mut out, at, &join(&part.items()?.ok_or(UNKNOWN)?, depth + 1)?)?,
        }
    }
    Ok(out)
}

/// Puts the part of a number out, behind what there is.
fn add(out: &mut String, number: usize, part: &str) -> OrRuby<()> {
    if part.contains('\0') {
        return Err(UNKNOWN);
    }
    if number > 0 {
        if part.starts_with('/') {
            out.truncate(out.trim_end_matches('/').len());
        } else if !out.ends_with('/') {
            out.push('/');
        }
    }
    out.push_str(part);
    Ok(())
}

/// What stands behind the last slash.
fn basename(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match (trimmed, path) {
        ("", "") => "",
        ("", _) => "/",
        (trimmed, _) => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
}

fn without_suffix<'p>(name: &'p str, suffix: &str) -> &'p str {
    match suffix {
        ".*" => &name[..name.len() - extname(name).len()],
        suffix => name.strip_suffix(suffix).filter(|rest| !rest.is_empty()).unwrap_or(name),
    }
}

/// What stands in front of the last slash.
fn dirname(path: &str) -> String {
    let rooted = path.starts_with('/');
    let start = path.len() - path.trim_start_matches('/').len();
    let path = &path[start.saturating_sub(1)..];
    let trimmed = path.trim_end_matches('/');
    match trimmed.rfind('/') {
        Some(at) => match trimmed[..at].trim_end_matches('/') {
            "" => "/".to_owned(),
            dir => dir.to_owned(),
        },
        None if rooted => "/".to_owned(),
        None => ".".to_owned(),
    }
}

/// The ending with its dot.
fn extname(path: &str) -> &str {
    let name = basename(path);
    let visible = name.trim_start_matches('.');
    match visible.rfind('.') {
        Some(dot) if !visible.is_empty() => &visible[dot..],
        _ => "",
    }
}

/// An absolute path without `.` and `..`.
fn expanded(path: &str, name: &str) -> OrRuby<String> {
    if !path.starts_with('/')
        || path.starts_with("//")
        || path.contains('\0')
        || (name == "expand_path" && path.contains('~'))
    {
        return Err(ForRuby("a path that depends on where Ruby runs"));
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Ok(format!("/{}", parts.join("/")))
}

/// `Puppet::Util.absolute_path?`
pub(super) fn is_absolute<'c>(run: &mut Run<'_, 'c>, args: &[V<'c>]) -> OrRuby<Option<V<'c>>> {
    let (path, platform) = match args {
        [path] => (path, "posix"),
        [path, V::Symbol(platform)] => (path, *platform),
        _ => return Ok(None),
    };
    let Some(text) = path.text() else {
        let (shown, class) = (text::to_s(path)?, path.class()?.name());
        let message = format!(
            "Cannot check if {shown} is an absolute path because it is a '{class}' and not a String'"
        );
        run.log_now(Severity::Warning, message)?;
        return Ok(Some(V::Bool(false)));
    };
    // Puppet looks at the begin of each line.
    if text.contains('\n') {
        return Ok(None);
    }
    let slash = |c: Option<&u8>| matches!(c, Some(b'/' | b'\\'));
    let bytes = text.as_bytes();
    let absolute = match platform {
        "windows" if bytes.get(1) == Some(&b':') => bytes[0].is_ascii_alphabetic() && slash(bytes.get(2)),
        // `//server/share`, `//?/server`
        "windows" => {
            let words = |text: &[u8]| {
                let end = text.iter().position(|c| slash(Some(c))).unwrap_or(text.len());
                end > 0 && slash(text.get(end)) && text.get(end + 1).is_some_and(|c| !slash(Some(c)))
            };
            slash(bytes.first()) && slash(bytes.get(1)) && words(&bytes[2..])
        }
        "posix" => text.starts_with('/'),
        _ => return Ok(None),
    };
    Ok(Some(V::Bool(absolute)))
}
