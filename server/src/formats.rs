//! Which form of an answer a client gets, by its `Accept`; and which form of a body is read, by its `Content-Type`.
//! Source: the routes of Puppet 7.23.0 and 8.10.0.

use crate::exchange::{Failure, Request};
use bunraku::{Compat, Data};
use http::StatusCode;
use serde_json::{Value as Json, json};

/// A form of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `application/json`.
    Json,
    /// `text/pson`: the same bytes; of Puppet 7 only.
    Pson,
    /// `application/octet-stream`.
    Binary,
}

/// What data is sent and read as.
pub fn of_data(compat: Compat) -> &'static [Format] {
    match compat {
        Compat::V7 => &[Format::Json, Format::Pson],
        _ => &[Format::Json],
    }
}

impl Format {
    /// The value of `Content-Type` that stands for it.
    pub fn content_type(self) -> &'static str {
        match self {
            Format::Json => "application/json; charset=utf-8",
            Format::Pson => "text/pson",
            Format::Binary => "application/octet-stream",
        }
    }

    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Format::Json => "application/json",
            Format::Pson => "text/pson",
            Format::Binary => "application/octet-stream",
        }
    }
}

/// The first form that the client accepts, of those that there are.
///
/// # Errors
/// 400 without `Accept`, 406 where there is none.
pub fn of_answer(request: &Request, supported: &[Format]) -> Result<Format, Failure> {
    let Some(first) = supported.first().filter(|_| !request.accept.is_empty()) else {
        let kind = "MISSING_HEADER_FIELD";
        return Err(Failure {
            kind,
            ..Failure::new(StatusCode::BAD_REQUEST, "Missing required Accept header")
        });
    };
    let found = request.accept.iter().find_map(|accepted| match accepted.as_str() {
        "*/*" => Some(*first),
        accepted => supported.iter().copied().find(|format| format.media_type() == accepted),
    });
    found.ok_or_else(|| {
        let accepted = request.accept.join(", ");
        let message = format!("No supported formats are acceptable (Accept: {accepted})");
        let kind = "UNSUPPORTED_FORMAT";
        Failure { kind, ..Failure::new(StatusCode::NOT_ACCEPTABLE, message) }
    })
}

/// The same for what is answered to something that was sent: without `Accept` it is the first.
///
/// # Errors
/// 406 where there is none.
pub fn of_answer_to_sent(request: &Request, supported: &[Format]) -> Result<Format, Failure> {
    match (request.accept.is_empty(), supported.first()) {
        (true, Some(first)) => Ok(*first),
        _ => of_answer(request, supported),
    }
}

/// The form of the body.
///
/// # Errors
/// 400 where the client does not say, 415 where it is none of these.
pub fn of_body(request: &Request, supported: &[Format]) -> Result<Format, Failure> {
    let Some(given) = request.content_type.as_deref() else {
        let message = "No Content-Type header was received, it isn't possible to unserialize the request";
        let kind = "MISSING_HEADER_FIELD";
        return Err(Failure { kind, ..Failure::new(StatusCode::BAD_REQUEST, message) });
    };
    supported.iter().copied().find(|format| format.media_type() == given).ok_or_else(|| {
        let message =
            format!("Client sent a mime-type ({given}) that doesn't correspond to a format we support");
        let kind = "UNSUPPORTED_MEDIA_TYPE";
        Failure { kind, ..Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message) }
    })
}

/// Data as a value of JSON.
pub fn json_of(data: &Data) -> Json {
    match data {
        Data::Undef => Json::Null,
        Data::Boolean(value) => json!(value),
        Data::Integer(whole) => json!(whole),
        Data::Float(number) => json!(number),
        Data::Text(text) => json!(text),
        Data::List(all) => Json::Array(all.iter().map(json_of).collect()),
        Data::Map(all) => {
            Json::Object(all.iter().map(|(name, value)| (name.clone(), json_of(value))).collect())
        }
    }
}
