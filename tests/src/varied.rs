//! The facts of a fleet as they vary between machines of a few kinds: names, addresses, processors, memory, disks, time since
//! boot. The same seed gives the same fleet.

use crate::differential::rng::Rng;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Writes the facts of so many machines into a folder, a file for each; kinds are the facts of a machine each, in whose name
/// the number is another one. The names, sorted.
///
/// # Errors
/// When facts can't be read or written.
pub fn write(folder: &Path, kinds: &[(&str, &Path)], count: usize, seed: u64) -> Result<Vec<String>, String> {
    let mut rng = Rng::new(seed);
    let mut names = Vec::new();
    let said = |error: std::io::Error| error.to_string();
    let kinds: Vec<(&str, String)> = kinds
        .iter()
        .map(|(name, file)| Ok((*name, std::fs::read_to_string(file).map_err(said)?)))
        .collect::<Result<_, String>>()?;
    for number in 0..count {
        let (old, text) = &kinds[number % kinds.len()];
        let (host, domain) = old.split_once('.').ok_or("a kind's name has a domain")?;
        let stem = host.trim_end_matches(|sign: char| sign.is_ascii_digit());
        let new = format!("{stem}{:04}", number + 1);
        let name = format!("{new}.{domain}");
        let text = text.replace(old, &name).replace(&format!("\"{host}\""), &format!("\"{new}\""));
        let facts = serde_json::from_str(&text).map_err(|error| format!("{old}: {error}"))?;
        let facts = varied(facts, number, &mut rng);
        let file = folder.join(format!("{name}.json"));
        std::fs::write(file, Value::Object(facts).to_string()).map_err(said)?;
        names.push(name);
    }
    names.sort();
    Ok(names)
}

fn varied(mut facts: Map<String, Value>, number: usize, rng: &mut Rng) -> Map<String, Value> {
    let ip = format!("10.{}.{}.{}", 16 + number / 40_000, number / 200 % 200, 20 + number % 200);
    let mac = format!("52:54:00:{:02x}:{:02x}:{:02x}", rng.below(256), number / 256 % 256, number % 256);
    let cores = 1 << rng.below(7);
    let bytes = (1_u64 << 30) << rng.below(9);
    if let Some(networking) = facts.get_mut("networking").and_then(Value::as_object_mut) {
        networking.insert("ip".to_owned(), json!(ip));
        networking.insert("mac".to_owned(), json!(mac));
    }
    for (name, value) in
        [("ipaddress", json!(ip)), ("macaddress", json!(mac)), ("processorcount", json!(cores))]
    {
        if facts.contains_key(name) {
            facts.insert(name.to_owned(), value);
        }
    }
    if let Some(processors) = facts.get_mut("processors").and_then(Value::as_object_mut) {
        processors.insert("count".to_owned(), json!(cores));
    }
    if let Some(system) = facts.get_mut("memory").and_then(|memory| memory.get_mut("system")?.as_object_mut())
    {
        system.insert("total_bytes".to_owned(), json!(bytes));
    }
    facts.insert("system_uptime".to_owned(), json!({ "seconds": rng.below(1 << 24) }));
    facts
}
