//! What a type's Ruby source declares, read line by line: its name and name variables. Parameters declared in
//! loops or by mixins can't be seen this way, so no claim is made about which parameters exist.

use super::{ResourceType, Titles};

/// The type that `source`, the file `stem.rb` under `lib/puppet/type`, declares.
pub(super) fn declared(stem: &str, source: &str) -> ResourceType {
    let mut namevars = Vec::new();
    let mut current: Option<String> = None;
    for line in source.lines() {
        let line = line.split(" #").next().unwrap_or_default().trim();
        if let Some(rest) = declaration(line) {
            let name = symbol(rest);
            if rest.contains("namevar")
                && rest.contains("true")
                && let Some(name) = &name
            {
                namevars.push(name.clone());
            }
            current = name;
        } else if (line == "isnamevar" || line.starts_with("isnamevar "))
            && let Some(name) = &current
        {
            namevars.push(name.clone());
        }
    }
    if namevars.is_empty() {
        namevars.push("name".to_owned());
    }
    namevars.dedup();
    ResourceType {
        name: stem.to_lowercase(),
        namevars,
        isomorphic: true,
        attributes: None,
        titles: Titles::Whole,
    }
}

/// What follows `newparam` or `newproperty`.
fn declaration(line: &str) -> Option<&str> {
    ["newparam", "newproperty"].iter().find_map(|word| {
        let rest = line.strip_prefix(word)?;
        rest.starts_with(['(', ' ']).then_some(rest)
    })
}

/// The symbol or string that comes first: `(:name, …`, ` :name do`, `('name')`.
fn symbol(rest: &str) -> Option<String> {
    let rest = rest.trim_start_matches(['(', ' ']);
    let rest = rest.strip_prefix([':', '\'', '"'])?;
    let rest = rest.trim_start_matches(['\'', '"']);
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_variables_are_found_in_every_form() {
        let source = "newtype(:x) do\n newparam(:path, :namevar => true) do\n end\n newparam(:other)\nend";
        assert_eq!(declared("x", source).namevars, ["path"]);
        let source = "newparam :key do\n desc 'isnamevar'\n isnamevar\n end\n newproperty(:v) {}";
        assert_eq!(declared("x", source).namevars, ["key"]);
        assert_eq!(declared("x", "Puppet::ResourceApi.register_type(").namevars, ["name"]);
    }
}
