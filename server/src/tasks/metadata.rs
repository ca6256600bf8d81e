//! What a task says of itself: a file of JSON, which may be missing or empty.

use bunraku::Compat;
use bunraku::files::read;
use serde_json::{Value as Json, json};
use std::path::Path;

/// Bytes of metadata that are read.
const MAX_METADATA: u64 = 4 << 20;

/// What is wrong with a task, in the form that it is told in.
#[derive(Debug, PartialEq)]
pub struct TaskFault {
    /// Puppet's kind: `puppet.tasks/invalid-metadata` and others.
    pub kind: &'static str,
    /// Puppet's message.
    pub message: String,
    /// More of it, by name.
    pub details: Json,
}

impl TaskFault {
    /// Without details.
    pub fn new(kind: &'static str, message: impl Into<String>) -> TaskFault {
        TaskFault { kind, message: message.into(), details: json!({}) }
    }

    /// Metadata that is not as it should be.
    pub fn metadata(message: impl Into<String>) -> TaskFault {
        TaskFault::new("puppet.tasks/invalid-metadata", message)
    }
}

/// The metadata of a file: an object, or null where it says so.
///
/// # Errors
/// When it can't be read, is no JSON, or something else. On the last Puppet fails with words of Ruby's.
pub fn read(file: Option<&Path>, compat: Compat) -> Result<Json, TaskFault> {
    let Some(file) = file else { return Ok(json!({})) };
    let text = read::regular_text(file, MAX_METADATA).map_err(|error| {
        let message = format!("Error reading metadata: {}: {error}", file.display());
        TaskFault::new("puppet.tasks/unreadable-metadata", message)
    })?;
    if text.is_empty() {
        return Ok(json!({}));
    }
    let unparsable = |message: String| TaskFault::new("puppet.tasks/unparseable-metadata", message);
    let plain = bunraku::json::without_comments(&text, compat).map_err(|message| {
        // Ruby's parser in C names the line of its own source, the one in Java does not.
        let (number, rest) = message.split_once(": ").unwrap_or(("", &message));
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        unparsable(if is_number { rest.to_owned() } else { message.clone() })
    })?;
    match serde_json::from_str(&plain) {
        Ok(metadata @ (Json::Object(_) | Json::Null)) => Ok(metadata),
        Ok(_) => Err(TaskFault::metadata(format!("The metadata in {} is no object", file.display()))),
        Err(error) => Err(unparsable(error.to_string())),
    }
}
