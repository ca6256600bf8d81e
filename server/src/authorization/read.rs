//! `auth.conf` as Puppet Server has it: HOCON with `authorization.rules`. What is not known is refused by name, so that no
//! rule means less, or more, than who wrote it thinks.

use super::{Access, Entry, Path, Rule, Rules};
use bunraku::Data;
use fancy_regex::Regex;
use std::fmt::{self, Display, Formatter};

/// What is wrong with a file of rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(String);

impl Display for Fault {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

type Read<T> = Result<T, String>;

const METHODS: [&str; 5] = ["get", "post", "put", "delete", "head"];

/// The rules of a text.
pub fn rules(text: &str) -> Result<Rules, Fault> {
    all(text).map_err(Fault)
}

fn all(text: &str) -> Read<Rules> {
    let whole = Data::from_hocon(text)?;
    let authorization = whole.get("authorization").ok_or("it has no 'authorization'")?;
    let mut names_by_headers = false;
    for (key, value) in map(authorization, "authorization")? {
        match key.as_str() {
            "version" if *value == Data::Integer(1) => {}
            "version" => return Err(format!("authorization.version is {}, and 1 is known", value.to_json())),
            "allow-header-cert-info" => names_by_headers = boolean(value, key)?,
            "rules" => {}
            _ => return Err(format!("authorization.{key} is not known")),
        }
    }
    let rules = authorization.get("rules").and_then(Data::as_list).ok_or("authorization.rules is no list")?;
    let rules: Vec<Rule> = rules.iter().map(rule).collect::<Read<_>>()?;
    Ok(Rules { rules: Rules::sorted(rules), names_by_headers })
}

fn rule(data: &Data) -> Read<Rule> {
    let name = data.get("name").and_then(Data::as_str).ok_or("a rule has no name")?.to_owned();
    one(name.clone(), data).map_err(|why| format!("rule '{name}': {why}"))
}

fn one(name: String, data: &Data) -> Read<Rule> {
    let order = match data.get("sort-order") {
        Some(Data::Integer(order @ 1..=999)) => *order,
        _ => return Err("sort-order is a whole number from 1 to 999".to_owned()),
    };
    let wanted = data.get("match-request").ok_or("it has no match-request")?;
    for (key, _) in map(wanted, "match-request")? {
        if !["path", "type", "method", "query-params"].contains(&key.as_str()) {
            return Err(format!("match-request.{key} is not known"));
        }
    }
    let text = |key: &str| wanted.get(key).and_then(Data::as_str);
    let path = text("path").ok_or("match-request.path is no text")?;
    let path = match text("type") {
        Some("path") => Path::Prefix(path.to_owned()),
        Some("regex") => Path::Pattern(pattern(path)?),
        _ => return Err("match-request.type is 'path' or 'regex'".to_owned()),
    };
    let methods = wanted.get("method").map(methods).transpose()?.unwrap_or_default();
    let query = match wanted.get("query-params") {
        None => Vec::new(),
        Some(all) => map(all, "query-params")?
            .iter()
            .map(|(key, values)| Ok((key.clone(), texts(values, "query-params")?)))
            .collect::<Read<_>>()?,
    };
    Ok(Rule { name, order, path, methods, query, access: access(data)? })
}

fn methods(data: &Data) -> Read<Vec<String>> {
    let all: Vec<String> = texts(data, "method")?.iter().map(|method| method.to_ascii_lowercase()).collect();
    if all.iter().any(|method| method == "any") {
        return Ok(Vec::new());
    }
    match all.iter().find(|method| !METHODS.contains(&method.as_str())) {
        Some(unknown) => Err(format!("there is no method '{unknown}'")),
        None => Ok(all),
    }
}

fn access(data: &Data) -> Read<Access> {
    let mut anyone = false;
    let (mut deny, mut allow) = (None, None);
    for (key, value) in map(data, "a rule")? {
        match key.as_str() {
            "name" | "sort-order" | "match-request" => {}
            "allow-unauthenticated" => anyone = boolean(value, key)?,
            "deny" => deny = Some(entries(value)?),
            "allow" => allow = Some(entries(value)?),
            _ => return Err(format!("'{key}' is not known")),
        }
    }
    match (anyone, deny, allow) {
        (true, None, None) => Ok(Access::Anyone),
        (true, ..) => Err("with allow-unauthenticated there is neither allow nor deny".to_owned()),
        (false, None, None) => Err("it says neither allow nor deny nor allow-unauthenticated".to_owned()),
        (false, deny, allow) => {
            Ok(Access::Of { deny: deny.unwrap_or_default(), allow: allow.unwrap_or_default() })
        }
    }
}

fn entries(data: &Data) -> Read<Vec<Entry>> {
    match data {
        Data::List(all) => all.iter().map(entry).collect(),
        one => Ok(vec![entry(one)?]),
    }
}

fn entry(data: &Data) -> Read<Entry> {
    match data {
        Data::Text(text) => named(text),
        Data::Map(all) => {
            let (mut certname, mut extensions) = (None, None);
            for (key, value) in all {
                match key.as_str() {
                    "certname" => {
                        let name = value.as_str().ok_or("certname is no text")?;
                        certname = Some(Box::new(named(name)?));
                    }
                    "extensions" => {
                        let one = |(key, values): &(String, Data)| Ok((key.clone(), texts(values, key)?));
                        extensions = Some(map(value, key)?.iter().map(one).collect::<Read<Vec<_>>>()?);
                    }
                    "rbac" => return Err("'rbac' is Puppet Enterprise's and is not supported".to_owned()),
                    _ => return Err(format!("'{key}' of a client is not known")),
                }
            }
            match (certname, extensions) {
                (None, None) => Err("a client has neither certname nor extensions".to_owned()),
                (Some(certname), None) => Ok(*certname),
                (certname, Some(extensions)) if !extensions.is_empty() => {
                    Ok(Entry::Extensions { certname, extensions })
                }
                _ => Err("a client's extensions are empty".to_owned()),
            }
        }
        other => Err(format!("{} is no client", other.to_json())),
    }
}

/// A name, a domain, a pattern between slashes, or any.
fn named(text: &str) -> Read<Entry> {
    let inside = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    match (text, inside, text.strip_prefix("*.")) {
        ("*", ..) => Ok(Entry::Any),
        (_, Some(inside), _) => Ok(Entry::Pattern(pattern(inside)?)),
        (_, _, Some(domain)) if is_name(domain) => Ok(Entry::Domain(domain.to_ascii_lowercase())),
        _ if is_name(text) => Ok(Entry::Name(text.to_ascii_lowercase())),
        _ => Err(format!("'{text}' names no client")),
    }
}

fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '$' | ':' | '@');
    !text.is_empty() && text.chars().all(plain)
}

fn pattern(text: &str) -> Read<Regex> {
    Regex::new(text).map_err(|error| format!("'{text}' is no regular expression: {error}"))
}

fn texts(data: &Data, what: &str) -> Read<Vec<String>> {
    let text = |data: &Data| match data {
        Data::Text(text) => Ok(text.clone()),
        Data::Boolean(_) | Data::Integer(_) => Ok(data.to_json()),
        _ => Err(format!("{what} has {} in place of a text", data.to_json())),
    };
    match data {
        Data::List(all) => all.iter().map(text).collect(),
        one => Ok(vec![text(one)?]),
    }
}

fn boolean(data: &Data, key: &str) -> Read<bool> {
    match data {
        Data::Boolean(value) => Ok(*value),
        other => Err(format!("{key} is {} in place of true or false", other.to_json())),
    }
}

fn map<'d>(data: &'d Data, what: &str) -> Read<&'d [(String, Data)]> {
    match data {
        Data::Map(all) => Ok(all),
        other => Err(format!("{what} is {} in place of an object", other.to_json())),
    }
}
