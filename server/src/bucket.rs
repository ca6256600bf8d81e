//! The file bucket: what files held before agents changed them, by checksum, as Puppet lays it out in `bucketdir`:
//! `0/1/2/3/4/5/6/7/01234567…/contents`, and beside it `paths`, where such a file has been.
//!
//! Source: the terminus `file` of Puppet 7.23.0 and 8.10.0. What is sent has to have the checksum that the URL says; Puppet
//! would keep it by its own. Differences (`diff_with`) are what the program of the setting `diff` prints.

use crate::environments::Environments;
use crate::exchange::{Body, Failure, Request, Response, server_error};
use crate::files::checksums::{ChecksumType, Hash};
use crate::files::environment;
use crate::formats::{self, Format};
use crate::notices::Notices;
use crate::parameters::Parameter;
use bunraku::Configuration;
use bunraku::files::read;
use bunraku::files::write::{self, Access};
use bunraku::process::{Errors, Limits, run};
use http::{HeaderValue, StatusCode, header};
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Bytes that the list of a file's paths may hold.
const MAX_PATHS: u64 = 16 << 20;

/// The file in a folder that holds what a file held.
const CONTENTS: &str = "contents";

/// What the program that shows differences may print, and how long it may take.
const LIMITS_OF_DIFF: Limits = Limits { bytes: 16 << 20, time: Duration::from_secs(5) };

/// Bytes that each of two files may hold whose differences are shown.
const MAX_DIFFERING: u64 = 16 << 20;

/// A file bucket. It may be shared by threads, and by processes.
#[derive(Debug)]
pub struct Bucket {
    environments: Environments,
    folder: PathBuf,
    /// What files are told from each other by, and its name.
    hash: Hash,
    algorithm: String,
    notices: Notices,
}

/// What a request asks for.
struct Wanted<'r> {
    sum: &'r str,
    /// Where the file was; none where anywhere.
    path: Option<&'r str>,
    /// The folder of the file.
    folder: PathBuf,
}

impl Bucket {
    /// The bucket in `bucketdir`, by the setting `digest_algorithm`.
    ///
    /// # Errors
    /// When one of the two can't be used.
    pub fn new(configuration: &Configuration) -> Result<Bucket, String> {
        let algorithm = configuration.get("digest_algorithm")?.text;
        let Some(ChecksumType::Hash(hash, false)) = ChecksumType::of(&algorithm) else {
            return Err(format!("The setting digest_algorithm has no value '{algorithm}'"));
        };
        let folder = PathBuf::from(configuration.get("bucketdir")?.text);
        let environments = Environments::new(configuration.clone());
        Ok(Bucket { environments, folder, hash, algorithm, notices: Notices::default() })
    }

    /// The same, which tells of damaged files that it replaces.
    pub fn with_notices(self, notices: Notices) -> Bucket {
        Bucket { notices, ..self }
    }

    /// `GET file_bucket_file/TYPE/SUM[/PATH]`: what a file held.
    ///
    /// # Errors
    /// Puppet's; 404 where it is not there, or was never at that path.
    pub fn get(&self, request: &Request, rest: &str) -> Result<Response, Failure> {
        self.check(request, rest)?;
        if Parameter::of(request, "list_all").is_some_and(|given| given.is_true()) {
            return Err(match self.folder.exists() {
                true => server_error("Listing remote file buckets is not allowed"),
                false => absent(rest),
            });
        }
        let wanted = self.wanted(rest)?;
        if !wanted.is_there()? {
            return Err(absent(rest));
        }
        if Parameter::of(request, "diff_with").is_some_and(|given| given.is_true()) {
            let format = formats::of_answer(request, &[Format::Binary])?;
            let other = request.query("diff_with").unwrap_or_default();
            return Ok(Response::of(format.content_type(), self.diff(&wanted, other)?));
        }
        let format = formats::of_answer(request, &[Format::Binary])?;
        let (file, metadata) = read::opened(&wanted.contents())
            .map_err(|error| server_error(format!("Could not read the file {}: {error}", wanted.sum)))?;
        Ok(Response {
            status: StatusCode::OK,
            headers: vec![(header::CONTENT_TYPE, HeaderValue::from_static(format.content_type()))],
            body: Body::File(file, metadata.len()),
        })
    }

    /// `HEAD file_bucket_file/TYPE/SUM[/PATH]`: whether it is there, and was at that path.
    ///
    /// # Errors
    /// As of [`Bucket::get`].
    pub fn head(&self, request: &Request, rest: &str) -> Result<Response, Failure> {
        self.check(request, rest)?;
        match self.wanted(rest)?.is_there()? {
            true => {
                Ok(Response { status: StatusCode::OK, headers: Vec::new(), body: Body::Bytes("".into()) })
            }
            false => Err(absent(rest)),
        }
    }

    /// `PUT file_bucket_file/TYPE/SUM[/PATH]`: keeps what is sent.
    ///
    /// # Errors
    /// As of [`Bucket::get`]; 400 where what is sent has another checksum.
    pub fn put(&self, request: &Request, rest: &str) -> Result<Response, Failure> {
        self.check(request, rest)?;
        let format = formats::of_answer(request, &[Format::Binary])?;
        formats::of_body(request, &[Format::Binary])?;
        let wanted = self.wanted(rest)?;
        let failed =
            |error: io::Error| server_error(format!("Could not keep the file {}: {error}", wanted.sum));
        let sum = self.hash.of(&mut &request.body[..]).map_err(failed)?;
        if sum != wanted.sum {
            let message = format!("The body has the checksum {sum}, not {}", wanted.sum);
            return Err(Failure::new(StatusCode::BAD_REQUEST, message));
        }
        self.keep(&wanted, &request.body).map_err(failed)??;
        Ok(Response::of(format.content_type(), ""))
    }

    fn check(&self, request: &Request, rest: &str) -> Result<(), Failure> {
        self.environments.get(environment(request)?)?;
        match rest.is_empty() {
            true => {
                let message = format!("No request key specified in {}", request.path);
                Err(Failure::new(StatusCode::BAD_REQUEST, message))
            }
            false => Ok(()),
        }
    }

    fn wanted<'r>(&self, rest: &'r str) -> Result<Wanted<'r>, Failure> {
        let mut parts = rest.splitn(3, '/');
        let kind = parts.next().unwrap_or_default();
        let sum = parts.next();
        let path = parts.next().filter(|path| !path.is_empty());
        if kind != self.algorithm {
            return Err(server_error(format!("Unsupported checksum type {kind:?}")));
        }
        let sum = sum.filter(|sum| self.is_sum(sum));
        let sum = sum.ok_or_else(|| {
            let given = rest.split('/').nth(1).map_or_else(|| "nil".to_owned(), |sum| format!("{sum:?}"));
            server_error(format!("Invalid checksum {given}"))
        })?;
        if path.is_some_and(|path| path.contains(['\n', '\0'])) {
            return Err(Failure::new(
                StatusCode::BAD_REQUEST,
                "The path has a sign that no path may have here",
            ));
        }
        Ok(Wanted { sum, path, folder: place_of(&self.folder, sum) })
    }

    fn is_sum(&self, text: &str) -> bool {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        text.len() == self.hash.digits() && text.bytes().all(is_digit)
    }

    /// The differences between a file and another, by its checksum: what the settings `diff` and `diff_args` say is run.
    fn diff(&self, wanted: &Wanted<'_>, other: &str) -> Result<Vec<u8>, Failure> {
        let file = place_of(&self.folder, other).join(CONTENTS);
        if !self.is_sum(other) || !file.exists() {
            return Err(server_error(format!("could not find diff_with {other}")));
        }
        for file in [&wanted.contents(), &file] {
            let size = file.metadata().map_or(0, |metadata| metadata.len());
            if size > MAX_DIFFERING {
                let sum = if *file == wanted.contents() { wanted.sum } else { other };
                let message =
                    format!("Could not diff {sum}: it holds {size} bytes, more than {MAX_DIFFERING}");
                return Err(server_error(message));
            }
        }
        let setting = |name: &str| self.environments.configuration().get(name).map_err(server_error);
        let program = setting("diff")?.text;
        if program.is_empty() {
            return Err(server_error("Unable to diff on this platform"));
        }
        let arguments = setting("diff_args")?.text;
        let mut command = Command::new(&program);
        command.args(arguments.split(' ').filter(|one| !one.is_empty())).args([wanted.contents(), file]);
        let failed = |why: String| server_error(format!("Could not diff by {program}: {why}"));
        let ended =
            run(&mut command, Errors::Joined, LIMITS_OF_DIFF).map_err(|error| failed(error.to_string()))?;
        // One is that they differ.
        match ended.status.code() {
            Some(0 | 1) => Ok(ended.output),
            // Bytes that are no text are trouble to it, and it says that they differ.
            Some(_) if ended.output.starts_with(b"Binary files ") => Ok(ended.output),
            _ => Err(failed(format!("{} {}", ended.status, String::from_utf8_lossy(&ended.output)))),
        }
    }

    /// Keeps contents, while nobody else keeps the same.
    fn keep(&self, wanted: &Wanted<'_>, contents: &[u8]) -> io::Result<Result<(), Failure>> {
        make_folders(&wanted.folder)?;
        let mut paths = OpenOptions::new();
        let paths = paths.read(true).append(true).create(true).mode(0o640);
        let mut paths: File = paths.custom_flags(NO_WAIT).open(wanted.paths())?;
        read::check(&paths.metadata()?, MAX_PATHS)?;
        paths.lock()?;
        let file = wanted.contents();
        match read::opened(&file) {
            Ok((known, metadata)) if is_same(&known, metadata.len(), contents)? => {
                // It counts as young again for whoever removes old ones. That is no reason to fail.
                let _ = known.set_modified(SystemTime::now());
            }
            Ok((known, _)) => {
                let name = format!("{{{}}}{}", self.algorithm, wanted.sum);
                // It has been compared, so it stands somewhere inside.
                io::Seek::rewind(&mut &known)?;
                if self.hash.of(&mut &known)? == wanted.sum {
                    return Ok(Err(server_error(format!(
                        "Existing backup and new file have different content but same checksum, {name}. Verify existing backup and remove if incorrect."
                    ))));
                }
                let message = format!(
                    "Existing backup does not match its expected sum, {name}. Overwriting corrupted backup."
                );
                self.notices.say("warning", "Puppet", message);
                write::replace(&file, contents, Access::Exactly(0o440))?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                write::replace(&file, contents, Access::Exactly(0o440))?;
            }
            Err(error) => return Err(error),
        }
        if let Some(path) = wanted.path
            && !wanted.was_at(path)?
        {
            let ends = ends_with_newline(&mut paths)?;
            let line = if ends { format!("{path}\n") } else { format!("\n{path}\n") };
            paths.write_all(line.as_bytes())?;
            paths.sync_all()?;
        }
        Ok(Ok(()))
    }
}

/// Opens without waiting for anybody.
const NO_WAIT: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

impl Wanted<'_> {
    fn contents(&self) -> PathBuf {
        self.folder.join(CONTENTS)
    }

    fn paths(&self) -> PathBuf {
        self.folder.join("paths")
    }

    fn is_there(&self) -> Result<bool, Failure> {
        if !self.contents().exists() {
            return Ok(false);
        }
        let failed = |error| server_error(format!("Could not read {}: {error}", self.paths().display()));
        self.path.map_or(Ok(true), |path| self.was_at(path).map_err(failed))
    }

    fn was_at(&self, path: &str) -> io::Result<bool> {
        match read::regular(&self.paths(), MAX_PATHS) {
            Ok(bytes) => Ok(bytes.split(|byte| *byte == b'\n').any(|line| line == path.as_bytes())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    use std::io::{Seek as _, SeekFrom};
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn is_same(mut file: &File, length: u64, contents: &[u8]) -> io::Result<bool> {
    if length != contents.len() as u64 {
        return Ok(false);
    }
    let mut buffer = vec![0; 64 << 10];
    for part in contents.chunks(buffer.len()) {
        let own = &mut buffer[..part.len()];
        match file.read_exact(own) {
            Ok(()) if *own == *part => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

fn absent(rest: &str) -> Failure {
    Failure::not_found(format!("Could not find file_bucket_file {rest}"))
}

/// Makes a folder and those above it, open to the group whatever the mask of the process is.
fn make_folders(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    folder.parent().map_or(Ok(()), make_folders)?;
    match std::fs::create_dir(folder) {
        Ok(()) => std::fs::set_permissions(folder, Permissions::from_mode(0o770)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// The folder of the file with a checksum in a bucket.
fn place_of(bucket: &Path, sum: &str) -> PathBuf {
    let mut folder = bucket.to_path_buf();
    folder.extend(sum.chars().take(8).map(String::from));
    folder.join(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::get;
    use bunraku::Compat;
    use bytes::Bytes;
    use http::Method;

    /// Of `hello`.
    const SUM: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    fn bucket(folder: &Path) -> Bucket {
        std::fs::create_dir_all(folder.join("environments/production")).unwrap();
        let root = folder.display().to_string();
        let given = ["confdir", "codedir", "vardir"].map(|name| (name.to_owned(), root.clone()));
        Bucket::new(&Configuration::read(Compat::V7, &given).unwrap()).unwrap()
    }

    fn put(body: &'static str) -> Request {
        Request {
            method: Method::PUT,
            content_type: Some("application/octet-stream".to_owned()),
            body: Bytes::from_static(body.as_bytes()),
            ..get("/puppet/v3/file_bucket_file/x?environment=production")
        }
    }

    #[test]
    fn a_damaged_file_is_replaced_and_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let (notices, kept) = Notices::kept(10);
        let bucket = bucket(folder.path()).with_notices(notices);
        let rest = format!("sha256/{SUM}//etc/x");
        bucket.put(&put("hello"), &rest).unwrap();
        let contents = place_of(&bucket.folder, SUM).join("contents");
        std::fs::remove_file(&contents).unwrap();
        std::fs::write(&contents, "hullo").unwrap();
        bucket.put(&put("hello"), &rest).unwrap();
        assert_eq!(std::fs::read_to_string(&contents).unwrap(), "hello");
        assert!(kept.lock().unwrap()[0].message.contains("Overwriting corrupted backup"));
    }

    #[test]
    fn what_has_another_checksum_or_leads_out_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let bucket = bucket(folder.path());
        let status = |rest: &str| bucket.put(&put("hello!"), rest).unwrap_err().status.as_u16();
        assert_eq!(status(&format!("sha256/{SUM}//etc/x")), 400);
        assert_eq!(status("sha256/../../x"), 500);
        assert_eq!(status(&format!("sha256/{}", "../".repeat(22))), 500);
        let lines = format!("sha256/{SUM}//etc/a\n/etc/b");
        assert_eq!(bucket.put(&put("hello"), &lines).unwrap_err().status, 400);
        assert!(!bucket.folder.exists());
    }

    #[test]
    fn the_same_file_kept_by_many_at_once_has_all_paths_once() {
        let folder = tempfile::tempdir().unwrap();
        let bucket = bucket(folder.path());
        std::thread::scope(|threads| {
            for thread in 0..4 {
                let bucket = &bucket;
                threads.spawn(move || {
                    for number in 0..10 {
                        let rest = format!("sha256/{SUM}//etc/{}", number + thread % 2);
                        bucket.put(&put("hello"), &rest).unwrap();
                    }
                });
            }
        });
        let paths = std::fs::read_to_string(place_of(&bucket.folder, SUM).join("paths")).unwrap();
        let mut lines: Vec<_> = paths.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!((lines.len(), paths.lines().count()), (11, 11));
    }
}
