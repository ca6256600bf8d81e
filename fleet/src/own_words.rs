//! What stands for one node alone: its names and addresses. Changes that are the same but for these are one change.

use bunraku::Data;

/// What of a node's facts stands for it alone, each with the word that it is replaced by, the longest first.
pub(crate) fn own_words(name: &str, facts: &Data) -> Vec<(String, &'static str)> {
    let mut all: Vec<(String, &'static str)> = vec![(name.to_owned(), "<node>")];
    if let Some((host, _)) = name.split_once('.') {
        all.push((host.to_owned(), "<host>"));
    }
    let networking = facts.get("networking");
    let known = [
        ("fqdn", "<node>"),
        ("hostname", "<host>"),
        ("ip", "<address>"),
        ("ip6", "<address>"),
        ("mac", "<address>"),
    ];
    for (key, word) in known {
        let values = [networking.and_then(|networking| networking.get(key)), facts.get(key)];
        all.extend(values.into_iter().flatten().filter_map(Data::as_str).map(|text| (text.to_owned(), word)));
    }
    for key in ["ipaddress", "ipaddress6", "macaddress"] {
        all.extend(facts.get(key).and_then(Data::as_str).map(|text| (text.to_owned(), "<address>")));
    }
    if let Some(Data::Map(interfaces)) = networking.and_then(|networking| networking.get("interfaces")) {
        let of = interfaces.iter().flat_map(|(_, one)| ["ip", "ip6", "mac"].map(|key| one.get(key)));
        all.extend(of.flatten().filter_map(Data::as_str).map(|text| (text.to_owned(), "<address>")));
    }
    all.retain(|(text, _)| text.len() > 2 && !matches!(text.as_str(), "127.0.0.1" | "::1" | "localhost"));
    all.sort_by(|one, other| other.0.len().cmp(&one.0.len()).then_with(|| one.cmp(other)));
    all.dedup_by(|one, other| one.0 == other.0);
    all
}
