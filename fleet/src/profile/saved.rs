//! A profile as a document of JSON, which another one is held against later.

use super::Profile;
use bunraku::stats::{Count, Kind};
use serde_json::{Map, Value as Json, json};
use std::time::Duration;

impl Profile {
    /// The document.
    pub fn to_json(&self) -> Json {
        let one = |count: &Count| json!([count.calls, nanoseconds(count.time), count.bytes]);
        let mut names: Map<String, Json> = Map::new();
        for ((kind, name), count) in &self.names {
            let kind = names.entry(*kind).or_insert_with(|| json!({}));
            kind[name] = one(count);
        }
        let all = |counts: &std::collections::BTreeMap<String, Count>| -> Map<String, Json> {
            counts.iter().map(|(name, count)| (name.clone(), one(count))).collect()
        };
        json!({
            "profile": 1,
            "nodes": self.nodes,
            "failed": self.failed,
            "nanoseconds": nanoseconds(self.total),
            "columns": ["calls", "nanoseconds", "bytes"],
            "modules": all(&self.modules()),
            "names": names,
            "files": all(&self.files),
            "stacks": all(&self.stacks),
        })
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Reads a document.
///
/// # Errors
/// What it lacks.
pub fn read(text: &str) -> Result<Profile, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))?;
    if json["profile"] != 1 {
        return Err("it is no profile that `bunraku profile --json` has printed".to_owned());
    }
    let mut all = Profile {
        nodes: usize::try_from(json["nodes"].as_u64().unwrap_or_default()).unwrap_or_default(),
        total: Duration::from_nanos(json["nanoseconds"].as_u64().unwrap_or_default()),
        stacks: counts(&json["stacks"])?,
        files: counts(&json["files"])?,
        ..Profile::default()
    };
    for kind in Kind::ALL {
        if let Some(names) = json["names"].get(kind.name()) {
            all.names.extend(
                counts::<Vec<_>>(names)?.into_iter().map(|(name, count)| ((kind.name(), name), count)),
            );
        }
    }
    Ok(all)
}

fn counts<C: FromIterator<(String, Count)>>(json: &Json) -> Result<C, String> {
    let all = json.as_object().ok_or("a table of it is no object")?;
    all.iter()
        .map(|(name, row)| {
            let figure =
                |n: usize| row.get(n).and_then(Json::as_u64).ok_or(format!("'{name}' has no three figures"));
            let time = Duration::from_nanos(figure(1)?);
            Ok((name.clone(), Count { calls: figure(0)?, time, bytes: figure(2)? }))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_none_is_refused() {
        let count = Count { calls: 2, time: Duration::from_nanos(3), bytes: 4 };
        let mut all = Profile { nodes: 1, total: Duration::from_nanos(9), ..Profile::default() };
        all.names.insert(("class", "a".to_owned()), count);
        all.stacks.insert("class a;hiera b".to_owned(), count);
        all.files.insert("manifests/init.pp".to_owned(), count);
        assert_eq!(read(&all.to_json().to_string()), Ok(all));
        for text in ["", "{}", r#"{"profile":1}"#, r#"{"profile":1,"stacks":{"a":[1]},"files":{}}"#] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
