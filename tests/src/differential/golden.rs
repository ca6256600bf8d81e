//! The committed answers, the list of known differences, and the cache of whatever the oracle was asked.

use super::Suite;
use crate::oracle::{self, Oracle};
use crate::paths;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Result, Write};
use std::path::PathBuf;

fn folder() -> PathBuf {
    paths::root().join("tests/differential")
}

fn cache_path(suite: Suite, oracle: Oracle) -> PathBuf {
    let name = match suite {
        Suite::Language => "answers",
        Suite::Stdlib => "stdlib-answers",
        Suite::Modules => "modules-answers",
        Suite::Recursion => "recursion-answers",
        Suite::Errors => "errors-answers",
    };
    let version = if oracle == oracle::SEVEN { String::new() } else { format!("-{}", oracle.number) };
    paths::root().join(format!(".cache/differential/{name}{version}.tsv.gz"))
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r")
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            c => c,
        });
    }
    out
}

fn read(path: PathBuf) -> Vec<(String, String)> {
    let mut text = String::new();
    let Ok(file) = fs::File::open(path) else { return Vec::new() };
    if GzDecoder::new(file).read_to_string(&mut text).is_err() {
        return Vec::new();
    }
    text.lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(code, answer)| (unescape(code), unescape(answer)))
        .collect()
}

fn write<'a>(path: PathBuf, rows: impl Iterator<Item = (&'a String, &'a String)>) -> Result<()> {
    fs::create_dir_all(path.parent().expect("the path has a folder"))?;
    let mut out = GzEncoder::new(fs::File::create(path)?, Compression::best());
    for (code, answer) in rows {
        writeln!(out, "{}\t{}", escape(code), escape(answer))?;
    }
    out.finish().map(drop)
}

/// The committed programs of a suite and Puppet's answers.
pub fn committed(suite: Suite) -> Vec<(String, String)> {
    read(folder().join(format!("{}.tsv.gz", suite.golden())))
}

/// Commits these.
pub fn commit(suite: Suite, rows: &[(String, String)]) -> Result<()> {
    let path = folder().join(format!("{}.tsv.gz", suite.golden()));
    write(path, rows.iter().map(|(code, answer)| (code, answer)))
}

/// The answers of a Puppet to programs: from the cache, or asked now and kept there.
pub fn ask(suite: Suite, oracle: Oracle, codes: &[String]) -> Result<Vec<(String, String)>> {
    let keeps = super::other_stdlib().is_none();
    let kept = if keeps { read(cache_path(suite, oracle)) } else { Vec::new() };
    let mut known: BTreeMap<String, String> = kept.into_iter().collect();
    let missing: Vec<&String> = codes.iter().filter(|code| !known.contains_key(*code)).collect();
    if !missing.is_empty() {
        let jobs: Vec<_> = missing.iter().map(|code| suite.job(code)).collect();
        for (code, result) in missing.into_iter().zip(oracle.collect(&jobs)) {
            known.insert(code.clone(), suite.answer(result));
        }
        if keeps {
            write(cache_path(suite, oracle), known.iter())?;
        }
    }
    Ok(codes.iter().map(|code| (code.clone(), known[code].clone())).collect())
}

/// The programs that Bunraku is known to answer otherwise.
pub fn known(suite: Suite) -> BTreeSet<String> {
    let text = fs::read_to_string(folder().join(suite.known())).unwrap_or_default();
    text.lines().map(unescape).collect()
}

/// Writes that list; it is to shrink to nothing.
pub fn write_known(suite: Suite, codes: &BTreeSet<String>) -> Result<()> {
    let text: String = codes.iter().map(|code| escape(code) + "\n").collect();
    fs::write(folder().join(suite.known()), text)
}
