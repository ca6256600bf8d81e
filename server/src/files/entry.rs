//! What is said of one file: Puppet's metadata as JSON. Source: `Puppet::FileServing::Metadata` of 7.23.0 and 8.10.0.

use super::checksums::{ChecksumType, Checksums, time};
use super::file_root::{FileRoot, Kind, Links};
use crate::exchange::{Failure, Request, server_error};
use crate::parameters::Parameter;
use std::io;
use std::path::Path;

/// What a request asks of each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetadataRequest {
    /// What links are.
    pub links: Links,
    /// How contents are told from each other.
    pub checksum: ChecksumType,
    /// Whether owner, group and mode are the file's own.
    pub own_permissions: bool,
}

/// A file that is told of: a folder, and the way from there on.
#[derive(Clone, Copy, Debug)]
pub struct File<'f> {
    /// The base, as clients see it.
    pub base: &'f str,
    /// The way from there: `.`, or names; none where one file is asked for.
    pub relative: Option<&'f str>,
    /// For what is known to be a folder, the time of its base: then the disk need not be asked again.
    pub folder: Option<&'f str>,
}

impl Links {
    /// The parameter `links`.
    ///
    /// # Errors
    /// Puppet's message where it is something else.
    pub fn of(request: &Request) -> Result<Links, Failure> {
        match Parameter::of(request, "links") {
            None | Some(Parameter::Boolean(false)) => Ok(Links::Manage),
            Some(given) => match given.text() {
                Some("manage" | "ignore") => Ok(Links::Manage),
                Some("follow") => Ok(Links::Follow),
                _ => Err(server_error(":links can only be set to :manage or :follow")),
            },
        }
    }
}

impl MetadataRequest {
    /// What the parameters of a request ask; the type of checksums is `default` where they do not say.
    ///
    /// # Errors
    /// Puppet's message where one is none of those that there are.
    pub fn of(request: &Request, default: ChecksumType) -> Result<MetadataRequest, Failure> {
        let links = Links::of(request)?;
        let given = Parameter::of(request, "checksum_type").filter(Parameter::is_true);
        let checksum = given.map_or(Ok(default), |given| {
            let found = given.text().and_then(ChecksumType::of);
            found.ok_or_else(|| server_error(format!("Unsupported checksum type {given}")))
        })?;
        let given = Parameter::of(request, "source_permissions").filter(Parameter::is_true);
        let own_permissions = match given.as_ref().map(Parameter::text) {
            None | Some(Some("ignore")) => false,
            Some(Some("use" | "use_when_creating")) => true,
            Some(_) => {
                let given = given.map(|given| given.to_string()).unwrap_or_default();
                return Err(server_error(format!("Unsupported source_permission {given}")));
            }
        };
        Ok(MetadataRequest { links, checksum, own_permissions })
    }
}

impl File<'_> {
    /// Its path.
    pub fn path(&self) -> String {
        match self.relative {
            None | Some("" | ".") => self.base.to_owned(),
            Some(relative) => format!("{}/{relative}", self.base.trim_end_matches('/')),
        }
    }

    /// Appends what is said of it as an object of JSON.
    ///
    /// # Errors
    /// Puppet's message where it is not there, can't be read, or is a device.
    pub fn write(
        &self,
        request: &MetadataRequest,
        (root, checksums): (&FileRoot, &Checksums),
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        if let (Some(time), false) = (self.folder, request.own_permissions) {
            self.write_json(
                request,
                of_server(),
                (ChecksumType::Ctime, Some(time)),
                ("directory", None),
                out,
            );
            return Ok(());
        }
        let path = self.path();
        let path = Path::new(&path);
        let call = if request.links == Links::Manage { "rb_file_s_lstat" } else { "rb_file_s_stat" };
        let found = root.stat(path, request.links).map_err(|error| of_ruby(&error, call, path))?;
        let mut checksum = request.checksum;
        let mut destination = None;
        let (sum, kind) = match found.kind {
            Kind::File => {
                let sum = root.checksum(path, &found, checksum, checksums);
                (Some(sum.map_err(|error| of_ruby(&error, "rb_sysopen", path))?.to_string()), "file")
            }
            Kind::Folder => {
                checksum = ChecksumType::Ctime;
                (Some(time_of_base(root, self.base)?), "directory")
            }
            Kind::Link => {
                let target = root.target(path, &found);
                destination = Some(target.map_err(|error| match error.kind() {
                    io::ErrorKind::InvalidData => {
                        server_error(format!("The link {}: {error}", path.display()))
                    }
                    _ => of_ruby(&error, "rb_readlink", path),
                })?);
                (behind_link(path, checksum, (root, checksums)), "link")
            }
            Kind::Special(kind @ ("fifo" | "socket")) => {
                checksum = ChecksumType::None;
                (Some(String::new()), kind)
            }
            Kind::Special(kind) => {
                return Err(server_error(format!("Cannot manage files of type {kind}")));
            }
        };
        let owner = match request.own_permissions {
            true => (found.owner.0, found.owner.1, found.mode),
            false => of_server(),
        };
        self.write_json(request, owner, (checksum, sum.as_deref()), (kind, destination.as_deref()), out);
        Ok(())
    }

    fn write_json(
        &self,
        request: &MetadataRequest,
        (owner, group, mode): (u32, u32, u32),
        (checksum, sum): (ChecksumType, Option<&str>),
        (kind, destination): (&str, Option<&str>),
        out: &mut Vec<u8>,
    ) {
        let links = if request.links == Links::Manage { "manage" } else { "follow" };
        out.extend_from_slice(b"{\"path\":");
        string(self.base, out);
        out.extend_from_slice(b",\"relative_path\":");
        optional(self.relative, out);
        let name = checksum.name();
        let middle = format!(
            ",\"links\":\"{links}\",\"owner\":{owner},\"group\":{group},\"mode\":{mode},\"checksum\":{{\"type\":\"{name}\",\"value\":"
        );
        out.extend_from_slice(middle.as_bytes());
        optional(sum.map(|sum| format!("{{{name}}}{sum}")).as_deref(), out);
        out.extend_from_slice(format!("}},\"type\":\"{kind}\",\"destination\":").as_bytes());
        optional(destination, out);
        out.push(b'}');
    }
}

/// Owner, group and mode of files whose own permissions are not asked for.
fn of_server() -> (u32, u32, u32) {
    (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw(), 0o644)
}

/// What folders are told from each other by: the time of the base that they are found below.
///
/// # Errors
/// Puppet's message where it is not there.
pub fn time_of_base(root: &FileRoot, base: &str) -> Result<String, Failure> {
    let base = Path::new(base);
    let found = root.stat(base, Links::Follow).map_err(|error| of_ruby(&error, "rb_file_s_stat", base))?;
    Ok(time(found.changed()))
}

/// The checksum of the file that a link leads to, where it leads to a regular one.
fn behind_link(
    path: &Path,
    checksum: ChecksumType,
    (root, checksums): (&FileRoot, &Checksums),
) -> Option<String> {
    if checksum == ChecksumType::None {
        return Some(String::new());
    }
    let found = root.stat(path, Links::Follow).ok()?;
    let is_time = matches!(checksum, ChecksumType::Mtime | ChecksumType::Ctime);
    match is_time || found.kind == Kind::File {
        true => root.checksum(path, &found, checksum, checksums).ok().map(|sum| sum.to_string()),
        false => None,
    }
}

fn string(text: &str, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(out, text);
}

fn optional(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        Some(text) => string(text, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// An error of the system as Ruby's own calls tell it.
pub fn of_ruby(error: &io::Error, call: &str, path: &Path) -> Failure {
    let words = error.to_string();
    let words = words.split(" (os error").next().unwrap_or_default();
    server_error(format!("{words} @ {call} - {}", path.display()))
}
