//! Which files lie below folders, one folder over the other. Source: `Puppet::FileServing::Fileset` of 7.23.0 and 8.10.0.
//! Names of one folder come sorted; Puppet has them in the order of the disk.

use super::entry::of_ruby;
use super::file_root::{FileRoot, Kind, Links};
use super::fnmatch;
use crate::exchange::{Failure, Request, server_error};
use crate::parameters::Parameter;
use std::cmp::Ordering;
use std::collections::{HashSet, VecDeque};
use std::io;
use std::path::Path;

/// What a request asks of a search.
#[derive(Clone, Debug)]
pub struct Search {
    links: Links,
    ignore: Vec<String>,
    /// Whether it goes down.
    recurse: Option<Parameter>,
    /// The deepest level; any where it is none.
    limit: Option<Parameter>,
    most: Option<Parameter>,
}

/// A file that is found: which of the folders it is in, and the way from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The folder's place in the list.
    pub folder: usize,
    /// `.`, or names.
    pub relative: String,
    /// Whether the folder that it is in says that it is one itself.
    pub is_folder: bool,
}

/// Files of one search: beyond this it is an error, whatever the client wants, so that links in a circle come to an end.
const MOST: usize = 500_000;

/// Files above which Puppet warns where nobody has said how many there may be.
const SOFT: usize = 1000;

impl Search {
    /// The parameters of a request; one that is not to go down does not, whatever they say.
    ///
    /// # Errors
    /// Puppet's message where one makes no sense.
    pub fn of(request: &Request, may_recurse: bool) -> Result<Search, Failure> {
        let of = |name: &str| Parameter::of(request, name);
        let links = match of("links") {
            None => Links::Manage,
            Some(given) => match given.text() {
                Some("manage") => Links::Manage,
                Some("follow") => Links::Follow,
                _ => return Err(server_error(format!("Invalid :links value '{given}'"))),
            },
        };
        let ignore = match of("ignore") {
            None => Vec::new(),
            Some(Parameter::List(all)) => all.iter().map(Parameter::to_string).collect(),
            Some(one) => vec![one.to_string()],
        };
        let recurse = if may_recurse { of("recurse") } else { None };
        Ok(Search { links, ignore, recurse, limit: of("recurselimit"), most: of("max_files") })
    }

    /// All files below the folders, each name once: that of the first folder that has it. Also what is to be warned of.
    ///
    /// # Errors
    /// Puppet's message where a folder is not there, can't be read, or there are more files than are asked for.
    pub fn files(&self, root: &FileRoot, folders: &[String]) -> Result<(Vec<Found>, Vec<String>), Failure> {
        // All of them are looked for before the first is walked.
        for folder in folders {
            match root.stat(Path::new(folder), self.links) {
                Ok(_) if matches!(self.recurse, Some(Parameter::Integer(_))) => {
                    let message =
                        "Fileset recurse parameter must not be a number anymore, please use recurselimit";
                    return Err(server_error(message));
                }
                Ok(_) => {}
                Err(error) if is_absence(&error) => return Err(server_error("Fileset paths must exist")),
                Err(error) => return Err(of_ruby(&error, "rb_file_s_stat", Path::new(folder))),
            }
        }
        let (mut files, mut warnings, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        for (number, folder) in folders.iter().enumerate() {
            let found = self.walk(root, Path::new(folder), files.len())?;
            warnings.extend(self.check_count(folder, found.len())?);
            for (relative, is_folder) in std::iter::once((".".to_owned(), false)).chain(found) {
                if seen.insert(relative.clone()) {
                    files.push(Found { folder: number, relative, is_folder });
                }
            }
        }
        Ok((files, warnings))
    }

    fn walk(&self, root: &FileRoot, folder: &Path, before: usize) -> Result<Vec<(String, bool)>, Failure> {
        let mut found: Vec<(String, bool)> = Vec::new();
        let mut next = VecDeque::from([(String::new(), 0_i64, false)]);
        while let Some((relative, depth, is_folder)) = next.pop_front() {
            if !self.goes_to(depth + 1)? {
                continue;
            }
            let path = if relative.is_empty() { folder.to_path_buf() } else { folder.join(&relative) };
            for (name, kind) in self.children(root, &path, is_folder)? {
                let child = if relative.is_empty() { name } else { format!("{relative}/{name}") };
                if before + found.len() >= MOST {
                    let message = format!("There are more than {MOST} files below {}", folder.display());
                    return Err(server_error(message));
                }
                let is_folder = kind == Some(Kind::Folder);
                if matches!(kind, None | Some(Kind::Folder | Kind::Link)) {
                    next.push_back((child.clone(), depth + 1, is_folder));
                }
                found.push((child, is_folder));
            }
        }
        Ok(found)
    }

    /// The names in a folder, if it is one, and what each is as far as the folder says.
    fn children(
        &self,
        root: &FileRoot,
        path: &Path,
        is_folder: bool,
    ) -> Result<Vec<(String, Option<Kind>)>, Failure> {
        match if is_folder { None } else { Some(root.stat(path, self.links)) } {
            None => {}
            Some(Ok(found)) if found.kind == Kind::Folder => {}
            Some(Ok(_)) => return Ok(Vec::new()),
            Some(Err(error)) if is_absence(&error) => return Ok(Vec::new()),
            Some(Err(error)) => return Err(of_ruby(&error, "rb_file_s_stat", path)),
        }
        let mut names = root.children(path).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => server_error(error.to_string()),
            _ => of_ruby(&error, "dir_initialize", path),
        })?;
        names.retain(|(name, _)| !self.ignore.iter().any(|pattern| fnmatch::is_match(pattern, name)));
        names.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(names)
    }

    fn goes_to(&self, depth: i64) -> Result<bool, Failure> {
        let recurses = self.recurse.as_ref().is_some_and(Parameter::is_true);
        match (recurses, &self.limit) {
            (false, _) => Ok(false),
            (true, None) => Ok(true),
            (true, Some(Parameter::Integer(limit))) => Ok(depth <= *limit),
            (true, Some(Parameter::Float(limit))) => Ok(depth as f64 <= *limit),
            (true, Some(other)) => {
                Err(server_error(format!("comparison of Integer with {} failed", other.class())))
            }
        }
    }

    /// Whether so many files are too many for one folder; a warning where they are many.
    fn check_count(&self, folder: &str, count: usize) -> Result<Option<String>, Failure> {
        let compared = match &self.most {
            None => Some(Ordering::Equal),
            Some(Parameter::Integer(0)) => Some(Ordering::Equal),
            Some(Parameter::Integer(_)) => Some(Ordering::Greater),
            Some(Parameter::Float(most)) => most.partial_cmp(&0.0),
            Some(Parameter::Text(text)) if text == "-1" => Some(Ordering::Less),
            Some(Parameter::Text(_)) => return Err(server_error("comparison of String with 0 failed")),
            Some(other) => {
                return Err(server_error(format!("max_files must be a number, not {other}")));
            }
        };
        let is_beyond = match &self.most {
            Some(Parameter::Integer(most)) => i64::try_from(count).is_ok_and(|count| count > *most),
            Some(Parameter::Float(most)) => count as f64 > *most,
            _ => false,
        };
        match compared {
            Some(Ordering::Greater) if is_beyond => {
                let most = self.most.as_ref().map(Parameter::to_string).unwrap_or_default();
                Err(server_error(format!(
                    "The directory '{folder}' contains {count} entries, which exceeds the limit of {most} specified by the max_files parameter for this resource. The limit may be increased, but be aware that large number of file resources can result in excessive resource consumption and degraded performance. Consider using an alternate method to manage large directory trees"
                )))
            }
            Some(Ordering::Equal) if count > SOFT => Ok(Some(format!(
                "The directory '{folder}' contains {count} entries, which exceeds the default soft limit {SOFT} and may cause excessive resource consumption and degraded performance. To remove this warning set a value for `max_files` parameter or consider using an alternate method to manage large directory trees"
            ))),
            _ => Ok(None),
        }
    }
}

/// Whether an error is that something is not there, or not for us.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
}
