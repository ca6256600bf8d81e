//! Which form of an answer a client gets, by its `Accept`; and which form of a body is read, by its `Content-Type`.
//! Source: the routes of Puppet 7.23.0 and 8.10.0.

use crate::exchange::{Failure, Request};
use crate::reports::yaml;
use bunraku::{Compat, Data};
use http::StatusCode;
use serde_json::{Map, Value as Json, json};

/// A form of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `application/json`.
    Json,
    /// `text/pson`: the same bytes; of Puppet 7 only.
    Pson,
    /// `application/octet-stream`.
    Binary,
    /// `text/yaml`: what JSON would be, with the name of Ruby's class in front.
    Yaml,
    /// `application/vnd.puppet.rich+json`: a catalog's own form, which has values that JSON has not.
    Rich,
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
            Format::Yaml => "text/yaml",
            Format::Rich => "application/vnd.puppet.rich+json; charset=utf-8",
        }
    }

    /// The name that Puppet has for it, which `Accept` may say, too.
    fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Pson => "pson",
            Format::Binary => "binary",
            Format::Yaml => "yaml",
            Format::Rich => "rich_data_json",
        }
    }

    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Format::Json => "application/json",
            Format::Pson => "text/pson",
            Format::Binary => "application/octet-stream",
            Format::Yaml => "text/yaml",
            Format::Rich => "application/vnd.puppet.rich+json",
        }
    }
}

/// The body of an object of a class of Ruby's, whose data this is, and its form as `Content-Type` has it.
pub fn of_object(format: Format, class: &str, data: &Map<String, Json>) -> (&'static str, String) {
    let text = match format {
        Format::Yaml => yaml::object(class, data),
        _ => Json::Object(data.clone()).to_string(),
    };
    (format.content_type(), text)
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
        accepted => supported
            .iter()
            .copied()
            .find(|format| format.media_type() == accepted || format.name() == accepted),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::get;

    /// What Puppet 7.23's `Request#response_formatters_for` takes first, by its own code.
    #[test]
    fn forms_are_taken_by_name_and_in_order() {
        const CATALOG: [Format; 4] = [Format::Rich, Format::Json, Format::Pson, Format::Yaml];
        let of = |supported: &[Format], accepted: &[&str]| {
            let accept = accepted.iter().map(|one| (*one).to_owned()).collect();
            of_answer(&Request { accept, ..get("/puppet/v3/catalog/a") }, supported)
                .map_err(|failure| failure.status.as_u16())
        };
        for (accepted, wanted) in [
            (&["pson"][..], Ok(Format::Pson)),
            (&["json"], Ok(Format::Json)),
            (&["yaml"], Ok(Format::Yaml)),
            (&["text/yaml"], Ok(Format::Yaml)),
            (&["rich_data_json"], Ok(Format::Rich)),
            (&["application/json", "text/pson"], Ok(Format::Json)),
            (&["text/pson", "application/json"], Ok(Format::Pson)),
            (&["text/html", "*/*"], Ok(Format::Rich)),
            (&["application/*"], Err(406)),
            (&["s"], Err(406)),
            (&["binary"], Err(406)),
            (&["raw"], Err(406)),
            (&[], Err(400)),
        ] {
            assert_eq!(of(&CATALOG, accepted), wanted, "{accepted:?}");
        }
        assert_eq!(of(&[Format::Binary], &["binary"]), Ok(Format::Binary));
        assert_eq!(of(&[Format::Binary], &["pson"]), Err(406));
    }

    #[test]
    fn objects_are_json_or_yaml_with_their_class() {
        let data = json!({"name": "a", "parameters": {"p": [1, "yes"]}, "version": null});
        let data = data.as_object().unwrap();
        let (content_type, text) = of_object(Format::Yaml, "Puppet::Node", data);
        assert_eq!(content_type, "text/yaml");
        let wanted =
            "--- !ruby/object:Puppet::Node\nname: a\nparameters:\n  p:\n    - 1\n    - 'yes'\nversion:\n";
        assert_eq!(text.replace('"', "'"), wanted);
        let (content_type, text) = of_object(Format::Pson, "Puppet::Node", data);
        assert_eq!((content_type, serde_json::from_str::<Json>(&text).unwrap()), ("text/pson", json!(data)));
    }
}
