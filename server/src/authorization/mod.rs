//! Who may ask what: the rules of `auth.conf`, by which the first that fits a request decides.
//! Source: Puppet Server 7.9.5, its packaged rules and its answers (`spec/http/`).

mod defaults;
mod read;

use crate::exchange::Client;
use fancy_regex::Regex;
use http::Method;

pub use read::Fault;

/// All rules, in the order they are asked in.
#[derive(Clone, Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    /// Whether clients may be named by headers, where a proxy has looked at their certificates.
    pub names_by_headers: bool,
}

/// A rule.
#[derive(Clone, Debug)]
struct Rule {
    name: String,
    order: i64,
    path: Path,
    /// In lower case; empty for any.
    methods: Vec<String>,
    /// Of each key, one of the values has to be asked with.
    query: Vec<(String, Vec<String>)>,
    access: Access,
}

/// Which paths a rule is for.
#[derive(Clone, Debug)]
enum Path {
    /// Those that begin so.
    Prefix(String),
    /// Those in which this is found.
    Pattern(Regex),
}

#[derive(Clone, Debug)]
enum Access {
    /// Whoever asks, certificate or not.
    Anyone,
    /// Clients with a verified certificate, unless one of the first fits them, if one of the second does.
    Of { deny: Vec<Entry>, allow: Vec<Entry> },
}

/// Clients.
#[derive(Clone, Debug)]
enum Entry {
    /// Any.
    Any,
    /// The one of this name; `$1` stands for what the path's first group found.
    Name(String),
    /// Of a domain: the domain itself, and what is below it.
    Domain(String),
    /// Those in whose names this is found.
    Pattern(Regex),
    /// Those whose certificates have these extensions, each with one of the values; and this name, if one is said.
    Extensions { certname: Option<Box<Entry>>, extensions: Vec<(String, Vec<String>)> },
}

/// What is decided of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may be asked.
    Allowed,
    /// It may not, by the rule of this name, if one fits.
    Denied(Option<String>),
    /// It may not: whether the rule of the first name fits can't be said, for the reason that comes with it. No later rule is asked.
    Unclear(String, String),
}

impl Rules {
    /// The rules of a file's text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Rules, Fault> {
        read::rules(text)
    }

    /// Puppet Server's own, for a site without a file.
    pub fn defaults() -> Rules {
        defaults::rules()
    }

    /// In the order they are asked in: by number, then by name.
    fn sorted(mut rules: Vec<Rule>) -> Vec<Rule> {
        rules.sort_by(|one, other| (one.order, &one.name).cmp(&(other.order, &other.name)));
        rules
    }

    /// Whether a client may ask this. Without a rule that fits nobody may.
    pub fn decide(
        &self,
        method: &Method,
        path: &str,
        query: &[(String, String)],
        client: &Client,
    ) -> Decision {
        let method = method.as_str().to_ascii_lowercase();
        for rule in &self.rules {
            if !rule.methods.is_empty() && !rule.methods.contains(&method) || !rule.fits(query) {
                continue;
            }
            let allowed = match rule.path.groups(path) {
                Ok(None) => continue,
                Ok(Some(groups)) => rule.access.allows(client, &groups),
                Err(error) => Err(error),
            };
            return match allowed {
                Ok(true) => Decision::Allowed,
                Ok(false) => Decision::Denied(Some(rule.name.clone())),
                Err(error) => Decision::Unclear(rule.name.clone(), error.to_string()),
            };
        }
        Decision::Denied(None)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is none: nobody may ask anything.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

impl Rule {
    fn fits(&self, query: &[(String, String)]) -> bool {
        self.query.iter().all(|(key, values)| query.iter().any(|(k, v)| k == key && values.contains(v)))
    }
}

impl Path {
    /// What its groups have found, where it fits.
    ///
    /// # Errors
    /// When a pattern takes more steps than the engine makes: it may be one that is to deny.
    fn groups(&self, path: &str) -> Result<Option<Vec<String>>, fancy_regex::Error> {
        match self {
            Path::Prefix(prefix) => Ok(path.starts_with(prefix.as_str()).then(Vec::new)),
            Path::Pattern(pattern) => {
                let Some(found) = pattern.captures(path)? else { return Ok(None) };
                let group = |n| {
                    found
                        .get(n)
                        .map_or_else(String::new, |text: fancy_regex::Match<'_>| text.as_str().to_owned())
                };
                Ok(Some((1..found.len()).map(group).collect()))
            }
        }
    }
}

impl Access {
    /// Whether a client may.
    ///
    /// # Errors
    /// As of [`Path::groups`], of the pattern of an entry.
    fn allows(&self, client: &Client, groups: &[String]) -> Result<bool, fancy_regex::Error> {
        let (deny, allow) = match self {
            Access::Anyone => return Ok(true),
            Access::Of { .. } if client.certname.is_none() => return Ok(false),
            Access::Of { deny, allow } => (deny, allow),
        };
        for (entries, is_allowed) in [(deny, false), (allow, true)] {
            for entry in entries {
                if entry.fits(client, groups)? {
                    return Ok(is_allowed);
                }
            }
        }
        Ok(false)
    }
}

impl Entry {
    fn fits(&self, client: &Client, groups: &[String]) -> Result<bool, fancy_regex::Error> {
        let Some(certname) = client.certname.as_deref() else { return Ok(false) };
        Ok(match self {
            Entry::Any => true,
            Entry::Name(name) => filled(name, groups).is_some_and(|name| name.eq_ignore_ascii_case(certname)),
            Entry::Domain(domain) => {
                certname == domain || certname.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
            }
            Entry::Pattern(pattern) => pattern.is_match(certname)?,
            Entry::Extensions { certname, extensions } => {
                let has = |(name, values): &(String, Vec<String>)| {
                    client.extensions.iter().any(|extension| {
                        // A rule may say its number even where it has a name.
                        let is = *name == extension.number || extension.name.as_ref() == Some(name);
                        is && values.contains(&extension.value)
                    })
                };
                let is_named = certname.as_ref().map_or(Ok(true), |entry| entry.fits(client, groups))?;
                is_named && extensions.iter().all(has)
            }
        })
    }
}

/// A name with `$1` and the like filled in; none where there is no such group.
fn filled(name: &str, groups: &[String]) -> Option<String> {
    let mut parts = name.split('$');
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = part.split_at(digits);
        all.push_str(groups.get(number.parse::<usize>().ok()?.checked_sub(1)?)?);
        all.push_str(rest);
    }
    Some(all)
}

#[cfg(test)]
mod tests;
