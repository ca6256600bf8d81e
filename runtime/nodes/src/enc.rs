//! External node classifiers: a command that is given a node's name and prints its classes, top-scope parameters and
//! environment as YAML (`node_terminus = exec`, `external_nodes = COMMAND`).
//! Source: `puppet` with that terminus, for the messages.

use crate::psych;
use bunraku_files::read;
use bunraku_process::{Errors, Limits};
use serde_json::{Map, Value as Json};
use std::path::Path;
use std::process::Command;

/// What a classifier says of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Classification {
    /// Classes: a list of names, or an object of parameters by name; null where it names none.
    pub classes: Json,
    /// Top-scope variables.
    pub parameters: Map<String, Json>,
    /// Environment the node belongs to.
    pub environment: Option<String>,
}

/// Asks a classifier: `command` is split at blanks, and `node` added. It is ended at the limits.
///
/// # Errors
/// Puppet's messages: for a command that is not absolute, fails, prints nothing, or what is no such YAML.
pub fn classify(command: &str, node: &str, limits: Limits) -> Result<Classification, String> {
    let mut words = command.split_whitespace();
    let program = words.next().filter(|program| Path::new(program).is_absolute());
    let program = program.ok_or("You must set the exec parameter to a fully qualified command")?;
    let shown = format!("{} {node}", command.split_whitespace().collect::<Vec<_>>().join(" "));
    let failed = |detail: String| format!("Failed to find {node} via exec: {detail}");
    let ended = bunraku_process::run(Command::new(program).args(words).arg(node), Errors::Passed, limits)
        .map_err(|error| failed(format!("Could not execute '{shown}': {error}")))?;
    if !ended.status.success() {
        let status = ended.status.code().map_or_else(|| "a signal".to_owned(), |code| code.to_string());
        let text = String::from_utf8_lossy(&ended.output);
        return Err(failed(format!("Execution of '{shown}' returned {status}: {text}")));
    }
    // As in Puppet Server; Puppet's own command fails.
    let text = String::from_utf8_lossy(&ended.output);
    if text.trim().is_empty() {
        return Err(crate::unknown_node(node));
    }
    read(&text).map_err(|detail| format!("Could not load external node results for {node}: {detail}"))
}

/// What a folder with the answers of a classifier says of a node: its file `NAME.yaml`, `NAME.yml`, `NAME.json` or `NAME`.
///
/// # Errors
/// When there is none, or it is no answer of a classifier.
pub fn of_folder(folder: &Path, node: &str) -> Result<Classification, String> {
    let is_name = !node.contains(['/', '\0']) && !matches!(node, "" | "." | "..");
    let names = ["yaml", "yml", "json"].map(|extension| format!("{node}.{extension}"));
    let files = names.iter().map(String::as_str).chain([node]).map(|name| folder.join(name));
    let Some(file) = files.into_iter().find(|file| is_name && file.is_file()) else {
        return Err(format!("Could not find the classifier's answer for {node} in {}", folder.display()));
    };
    let text = read::regular_text(&file, read::MAX_FILE);
    let text = text.map_err(|error| format!("Could not read {}: {error}", file.display()))?;
    self::read(&text)
        .map_err(|detail| format!("Could not use the classifier's answer {}: {detail}", file.display()))
}

/// Reads what a classifier printed.
///
/// # Errors
/// When it is no YAML, or not of the form that classifiers print.
pub fn read(text: &str) -> Result<Classification, String> {
    let Json::Object(map) = psych::of_classifier(text)? else { return Err("it is not a hash".to_owned()) };
    let mut found = Classification::default();
    for (key, value) in map {
        match (&*key, value) {
            (_, Json::Null) => {}
            ("classes", Json::String(one)) => found.classes = Json::Array(vec![one.into()]),
            ("classes", list @ (Json::Array(_) | Json::Object(_))) => found.classes = list,
            ("classes", _) => return Err("'classes' is neither a list nor a hash".to_owned()),
            ("parameters", Json::Object(parameters)) => found.parameters = parameters,
            ("parameters", _) => return Err("'parameters' is not a hash".to_owned()),
            ("environment", Json::String(name)) => found.environment = Some(name),
            ("environment", _) => return Err("'environment' is not a name".to_owned()),
            _ => {}
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn classes_come_as_a_list_or_with_parameters() {
        let read = |text| read(text).unwrap();
        assert_eq!(read("classes: [a, b]").classes, json!(["a", "b"]));
        assert_eq!(read("classes: a").classes, json!(["a"]));
        let full =
            read("---\n:classes:\n  a:\n  b: {x: 1}\nparameters: {tier: web, n: 2}\nenvironment: test\n");
        assert_eq!(full.classes, json!({"a": null, "b": {"x": 1}}));
        assert_eq!(Json::Object(full.parameters), json!({"tier": "web", "n": 2}));
        assert_eq!(full.environment.as_deref(), Some("test"));
        assert_eq!(read("parameters:").parameters, Map::new());
    }

    /// Source: Puppet 7.23 with the same answers.
    #[test]
    fn values_are_those_of_psych() {
        let read = |values: &str| {
            read(&format!("parameters: {{{values}}}")).map(|found| Json::Object(found.parameters))
        };
        let values = "v: 0644, w: y, x: n, t: 12:30, e: 1e3, z: 08, o: 0o10, u: 1_0.5, p: 1, p: 2";
        let wanted = json!({
            "v": 420, "w": "y", "x": "n", "t": 45000, "e": "1e3", "z": "08", "o": "0o10", "u": 10.5, "p": 2
        });
        assert_eq!(read(values), Ok(wanted));
        assert_eq!(super::read("classes: [a]\n---\nclasses: [b]\n").unwrap().classes, json!(["a"]));
        let date = "(<unknown>): Tried to load unspecified class: Date";
        assert_eq!(read("d: 2001-12-14"), Err(date.to_owned()));
        let open =
            "(<unknown>): did not find expected ',' or ']' while parsing a flow sequence at line 1 column 10";
        assert_eq!(super::read("classes: [role::db\n"), Err(open.to_owned()));
    }

    #[test]
    fn a_folder_has_an_answer_for_each_node() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.yaml"), "classes: [x]").unwrap();
        std::fs::write(folder.path().join("b"), "[1]").unwrap();
        assert_eq!(of_folder(folder.path(), "a").unwrap().classes, json!(["x"]));
        let error = |node: &str| of_folder(folder.path(), node).unwrap_err();
        assert!(error("b").ends_with("/b: it is not a hash"), "{}", error("b"));
        let folder_name = folder.path().display();
        for node in ["c", "../a", "."] {
            assert_eq!(
                error(node),
                format!("Could not find the classifier's answer for {node} in {folder_name}")
            );
        }
    }

    #[test]
    fn what_is_no_classification_is_said() {
        assert_eq!(read("[1]").unwrap_err(), "it is not a hash");
        assert_eq!(read("classes: 1").unwrap_err(), "'classes' is neither a list nor a hash");
        assert_eq!(
            classify("enc", "a", Limits::default()).unwrap_err(),
            "You must set the exec parameter to a fully qualified command"
        );
        assert_eq!(
            classify("/bin/sh -c false", "a", Limits::default()).unwrap_err(),
            "Failed to find a via exec: Execution of '/bin/sh -c false a' returned 1: "
        );
        assert_eq!(
            classify("/bin/true", "a", Limits::default()).unwrap_err(),
            "Could not find node 'a'; cannot compile"
        );
    }

    /// Source: Puppet Server 7.9.5 with a classifier that prints Latin-1.
    #[test]
    fn what_is_no_utf8_has_a_sign_in_its_place() {
        let said = classify("/usr/bin/printf parameters:\\40{who:\\40M\\374ller}#%s", "a", Limits::default());
        assert_eq!(Json::Object(said.unwrap().parameters), json!({"who": "M\u{fffd}ller"}));
    }
}
