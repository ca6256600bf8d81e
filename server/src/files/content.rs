//! Contents of files: as they are now, and as they were in a version of the code, which is what agents with a static catalog
//! ask for.

use super::file_root::FileRoot;
use super::{Files, sent};
use crate::exchange::{Failure, Request, Response, server_error};
use crate::formats::Format;
use crate::versions::{self, is_code_id};
use bunraku::is_environment_name;
use http::StatusCode;
use std::path::Path;

impl Files {
    /// `static_file_content`: what a file of a module held in the version of the code that `code_id` names; `rest` is its
    /// path below the environment. A program that knows versions ([`Files::with_content_command`]) is asked; else it is
    /// what a static catalog has named, or what is on the disk for the version that is served.
    ///
    /// # Errors
    /// As Puppet Server: 400 where a parameter is missing or malformed, 403 for what is no file that modules hand out, 500
    /// where the version is not there.
    pub fn static_content(&self, request: &Request, rest: &str) -> Result<Response, Failure> {
        let refused = |status, message: &str| Ok(Response::text(status, message));
        let given = |key: &str| request.query(key).unwrap_or_default();
        let (environment, code_id) = (given("environment"), given("code_id"));
        if environment.is_empty() || code_id.is_empty() || rest.is_empty() {
            let message =
                "Error: A /static_file_content request requires an environment, a code-id, and a file-path";
            return refused(StatusCode::BAD_REQUEST, message);
        }
        if !is_environment_name(environment) {
            let message = format!("The environment must be purely alphanumeric, not '{environment}'");
            return refused(StatusCode::BAD_REQUEST, &message);
        }
        if !is_code_id(code_id) {
            let message = format!(
                "Invalid code-id '{code_id}'. Must contain only alpha-numerics and '-', '_', ';', or ':'"
            );
            return refused(StatusCode::BAD_REQUEST, &message);
        }
        if !is_of_module(rest) {
            let message = "Request Denied: A /static_file_content request must be a file within the files, lib, scripts, or tasks directory of a module.";
            return refused(StatusCode::FORBIDDEN, message);
        }
        if let Some(command) = &self.content_command {
            let printed = versions::run(command, &[environment, code_id, rest]).map_err(server_error)?;
            return Ok(Response::of(Format::Binary.content_type(), printed));
        }
        if let Some(kept) = self.versions_kept.as_ref().and_then(|kept| kept.find(code_id, rest)) {
            return self.of_path(&FileRoot::on_disk(Vec::new()), &kept, Format::Binary);
        }
        let served = self.shared.environments.get(environment)?;
        match served.code_id.as_deref() == Some(code_id) {
            true => self.of_path(&self.root(environment)?, &served.folder.join(rest), Format::Binary),
            false => Err(server_error(
                "Cannot retrieve code content because the \"versioned-code.code-content-command\" setting is not present in configuration.",
            )),
        }
    }

    /// What is in a file at a path; nothing where it is a folder.
    pub(super) fn of_path(&self, root: &FileRoot, path: &Path, format: Format) -> Result<Response, Failure> {
        match root.content(path, &self.shared.checksums) {
            Ok(body) => Ok(sent(body, format)),
            Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
                Ok(Response::of(format.content_type(), ""))
            }
            Err(error) => Err(server_error(format!("Could not read {}: {error}", path.display()))),
        }
    }
}

/// `MODULES/MODULE/files/…`, or one of the other folders that are handed out, without a way up.
fn is_of_module(path: &str) -> bool {
    let mut parts = path.split('/');
    let is_name = |part: Option<&str>| part.is_some_and(|part| !part.is_empty());
    is_name(parts.next())
        && is_name(parts.next())
        && matches!(parts.next(), Some("files" | "lib" | "scripts" | "tasks"))
        && is_name(parts.next())
        && !path.contains('\0')
        && path.split('/').all(|part| !matches!(part, "." | ".."))
}
