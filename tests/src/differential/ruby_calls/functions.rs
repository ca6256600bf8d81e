//! The functions in Ruby below a module path, with what their files and the texts around them say of calls.

use super::literal::{Literal, Source, children, within};
use super::{texts, types};
use regex_lite::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tree_sitter::Node;

/// What a function's signature says of a parameter.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) ty: String,
    pub(super) optional: bool,
    pub(super) repeated: bool,
}

/// A signature.
#[derive(Clone, Debug, Default)]
pub(super) struct Signature {
    pub(super) parameters: Vec<Parameter>,
    pub(super) block: bool,
    pub(super) needs_block: bool,
}

/// A function in Ruby.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, as it is called.
    pub name: String,
    /// Its module.
    pub module: String,
    /// Whether it is written for the interface of Puppet 3.
    pub old: bool,
    /// Why no calls are made of it, where none are.
    pub left_out: Option<&'static str>,
    pub(super) signatures: Vec<Signature>,
    /// Arguments of calls that people wrote.
    pub(super) written: Vec<Vec<Literal>>,
    /// Texts that the function itself mentions.
    pub(super) texts: Vec<String>,
    /// Numbers of arguments that its file speaks of.
    pub(super) counts: Vec<usize>,
    /// What of arrays and hashes it mentions.
    pub(super) arrays: bool,
    pub(super) hashes: bool,
    pub(super) takes_block: bool,
}

/// All functions of a module path, with the types that its modules define.
pub struct Functions {
    /// By name.
    pub all: Vec<Function>,
    pub(super) aliases: BTreeMap<String, String>,
}

/// What a file of a function mentions that would reach beyond the test, and what that is.
const BEYOND: &[(&str, &str)] = &[
    (
        r"Net::|Resolv|Socket|open-uri|OpenURI|Puppet::HTTP|HttpPool|HTTP::|RestClient|Vault|PuppetDB|LDAP",
        "network",
    ),
    (
        r"%x|\bsystem\(|\bexec\(|Execution|\bexecute\(|popen|\bspawn|Open3|execpipe|function_generate",
        "programs",
    ),
    (
        r#"FileUtils|File\.(write|delete|unlink|rename|chmod|chown)|File\.open\([^)]*['"][wa]|Dir\.mkdir|\.mkpath|passgen|Tempfile|mktmpdir"#,
        "writes files",
    ),
    (r"\bsleep\b|simpkv|libkv|[Tt]rocla|binding\.pry", "state"),
];

/// Texts that functions with a part in their names are likely to take.
const HINTS: &[(&str, &[&str])] = &[
    (
        "ip",
        &["10.0.0.1", "192.168.0.0/16", "::1", "2001:db8::/32", "fe80::1%eth0", "256.1.1.1", "10.0.0.1/33"],
    ),
    ("net", &["10.1.2.3/24", "255.255.255.0", "172.16.0.0/255.240.0.0", "fd00::/8"]),
    ("mac", &["01:23:45:67:89:ab", "AA-BB-CC-DD-EE-FF", "00:00:00:00:00"]),
    ("domain", &["example.com", "a-b.c", "-x.org", "host.sub.example.org."]),
    ("email", &["a@b.example", "first.last@host", "@x"]),
    ("path", &["/usr/bin", "/", "c:/windows", "relative/x", "//a//b/../c", "C:\\x"]),
    ("url", &["http://example.com/a", "https://u:p@h:1/x?q#f", "ftp://h", "nosuch://"]),
    ("bool", &["true", "no", "1", "0", "undef", "Y", "enabled"]),
    ("integer", &["1", "-5", "0", "x"]),
    ("numeric", &["1.5", "-5", "0x1f", "1e3", "x"]),
    ("range", &["1:10", "1..10", "10:1", "a", "host01"]),
    ("version", &["1.2.3", "2.0", "1.10.0-rc1", ">= 1.0"]),
    ("base64", &["encode", "decode", "aGVsbG8=", "strict", "urlsafe", "x"]),
    ("json", &["{\"a\": [1, 2.5, null]}", "[", "\"x\"", "{}"]),
    ("yaml", &["--- {a: [1, b]}", "a: b\nc: 1", "- x", ": :"]),
    ("resource", &["File[/a]", "Class[x]", "Notify['y']"]),
    ("time", &["%Y-%m-%d", "1h", "0"]),
    ("port", &["80", "0", "65536"]),
    ("memory", &["512 MB", "1.5 GiB", "10kB"]),
    ("bytes", &["4 kB", "1M", "0.5 TB", "x"]),
];

/// What is taken of the files of a module that are no functions.
struct Around {
    specs: Vec<(String, String)>,
    words: Vec<String>,
}

/// Reads the functions of the modules in these folders. Of functions with the same name the first is taken.
///
/// # Errors
/// When a folder can't be read.
pub fn find(module_path: &[PathBuf]) -> std::io::Result<Functions> {
    let mut all: BTreeMap<String, Function> = BTreeMap::new();
    let mut aliases = BTreeMap::new();
    let mut modules = BTreeSet::new();
    for folder in module_path {
        let mut names: Vec<_> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
        names.sort();
        for module in names {
            let name = module.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !name.starts_with('.') && modules.insert(name.clone()) {
                read_module(&module, &name, &mut all, &mut aliases);
            }
        }
    }
    Ok(Functions { all: all.into_values().collect(), aliases })
}

fn read_module(
    module: &Path,
    name: &str,
    all: &mut BTreeMap<String, Function>,
    aliases: &mut BTreeMap<String, String>,
) {
    for (_, text) in files(&module.join("types"), "pp") {
        if let Some((name, text)) = types::alias(&text) {
            aliases.insert(name, text);
        }
    }
    let new = files(&module.join("lib/puppet/functions"), "rb");
    let old = files(&module.join("lib/puppet/parser/functions"), "rb");
    if new.is_empty() && old.is_empty() {
        return;
    }
    let mut around = Around { specs: files(&module.join("spec"), "rb"), words: Vec::new() };
    around.specs.retain(|(path, _)| path.ends_with("_spec.rb") && !path.contains("fixtures/"));
    let manifests = files(&module.join("manifests"), "pp");
    around.words = manifests.into_iter().chain(files_here(module, "md")).map(|(_, text)| text).collect();
    for (is_old, list) in [(false, new), (true, old)] {
        for (path, text) in list {
            let function_name = path.trim_end_matches(".rb").replace('/', "::");
            if is_old && function_name.contains("::") || all.contains_key(&function_name) {
                continue;
            }
            all.insert(function_name.clone(), read(&function_name, name, is_old, &text, &around));
        }
    }
}

/// The files of a folder and all below, by their paths in it, with their texts, in order.
fn files(folder: &Path, extension: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            if path.is_dir() && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push((path, format!("{prefix}{name}/")));
            } else if path.extension().is_some_and(|found| found == extension)
                && let Ok(text) = fs::read_to_string(&path)
            {
                found.push((format!("{prefix}{name}"), text));
            }
        }
    }
    found.sort();
    found
}

fn files_here(folder: &Path, extension: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
    paths.sort();
    paths.iter().filter_map(|path| Some((String::new(), fs::read_to_string(path).ok()?))).collect()
}

fn read(name: &str, module: &str, old: bool, text: &str, around: &Around) -> Function {
    let mut function = Function {
        name: name.to_owned(),
        module: module.to_owned(),
        old,
        left_out: None,
        signatures: Vec::new(),
        written: Vec::new(),
        texts: Vec::new(),
        counts: counts(text),
        arrays: text.contains("Array") || text.contains(".flatten") || text.contains(".join"),
        hashes: text.contains("Hash") || text.contains(".keys") || text.contains("key?"),
        takes_block: text.contains("yield") || text.contains("&block") || text.contains("block_given"),
    };
    if let Some(tree) = bunraku_ruby_syntax::parse(text) {
        let source = Source::new(text, tree.root_node());
        function.left_out = beyond(text, tree.root_node());
        function.signatures = signatures(&source, tree.root_node());
        function.texts = strings(&source, tree.root_node());
    }
    let last = name.rsplit("::").next().unwrap_or(name);
    let joined = name.replace("::", "_");
    for (path, spec) in &around.specs {
        let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches("_spec.rb");
        if stem != last && stem != joined && !spec.contains(&format!("describe '{name}'")) {
            continue;
        }
        if let Some(tree) = bunraku_ruby_syntax::parse(spec) {
            let source = Source::new(spec, tree.root_node());
            function.written.extend(calls_of_spec(&source, tree.root_node()));
            function.texts.extend(strings(&source, tree.root_node()));
        }
    }
    let comments =
        text.lines().map(|line| line.trim_start().trim_start_matches('#')).collect::<Vec<_>>().join("\n");
    for text in around.words.iter().chain([&comments]) {
        function.written.extend(texts::calls(text, name));
    }
    for (hint, texts) in HINTS {
        if last.contains(hint) {
            function.texts.extend(texts.iter().map(|text| (*text).to_owned()));
        }
    }
    function.arrays |= last.contains("array");
    function.hashes |= last.contains("hash");
    function.texts.sort();
    function.texts.dedup();
    let mut seen = BTreeSet::new();
    function.written.retain(|arguments| seen.insert(format!("{arguments:?}")));
    function
}

/// Why no calls are made of a function, where its code mentions what reaches too far.
fn beyond(text: &str, root: Node<'_>) -> Option<&'static str> {
    let mut code = text.to_owned();
    for node in within(root) {
        match node.kind() {
            "subshell" => return Some("programs"),
            "comment" | "heredoc_content" => {
                code.replace_range(node.byte_range(), &" ".repeat(node.byte_range().len()));
            }
            _ => {}
        }
    }
    let mentions = |pattern: &str| Regex::new(pattern).expect("a valid expression").is_match(&code);
    BEYOND.iter().find(|(pattern, _)| mentions(pattern)).map(|(_, why)| *why)
}

/// The numbers of arguments that a file asks for, by its arity or by how many it compares theirs with.
fn counts(text: &str) -> Vec<usize> {
    let arity = Regex::new(r":?arity\s*(?:=>|:)\s*(-?\d+)").expect("a valid expression");
    let size =
        Regex::new(r"\.(?:size|length|count)\s*(?:==|!=|<=|>=|<|>)\s*(\d)\b").expect("a valid expression");
    let number = |found: regex_lite::Captures<'_>| found.get(1)?.as_str().parse::<i64>().ok();
    let mut all = Vec::new();
    for arity in arity.captures_iter(text).filter_map(number) {
        match usize::try_from(arity) {
            Ok(count) => all.push(count),
            Err(_) => all.extend([-arity - 1, -arity].map(|count| count.max(1) as usize)),
        }
    }
    all.extend(size.captures_iter(text).filter_map(number).filter_map(|count| usize::try_from(count).ok()));
    all.retain(|count| (1..7).contains(count));
    all
}

/// The texts in a file that are short enough to be arguments, and no messages.
fn strings(source: &Source<'_>, root: Node<'_>) -> Vec<String> {
    let contents = within(root).into_iter().filter(|node| node.kind() == "string_content");
    let texts = contents.map(|node| source.of(node).to_owned());
    texts.filter(|text| text.len() < 60 && text.split(' ').count() < 4).collect()
}

/// What a spec passes to its function.
fn calls_of_spec<'t>(source: &Source<'t>, root: Node<'t>) -> Vec<Vec<Literal>> {
    let mut all = Vec::new();
    for node in within(root) {
        let Some(method) = node.child_by_field_name("method") else { continue };
        if node.kind() != "call" {
            continue;
        }
        let list = node.child_by_field_name("arguments");
        let method = source.of(method);
        for turn in 0..source.turns() {
            match method {
                "with_params" => all.extend(source.arguments(list, turn)),
                "execute" if node.child_by_field_name("receiver").is_some() => {
                    all.extend(source.arguments(list, turn));
                }
                // `subject.call([…])`, `scope.function_x([…])`
                name if name == "call" || name.starts_with("function_") => {
                    if let Some(mut arguments) = source.arguments(list, turn)
                        && arguments.len() < 3
                        && let Some(Literal::Array(items)) = arguments.pop()
                    {
                        all.push(items);
                    }
                }
                _ => break,
            }
        }
    }
    all
}

/// The signatures that `dispatch` declares; else that of the method, or none.
fn signatures<'t>(source: &Source<'t>, root: Node<'t>) -> Vec<Signature> {
    let mut all = Vec::new();
    for node in within(root) {
        let is_dispatch = node.kind() == "call"
            && node.child_by_field_name("method").is_some_and(|method| source.of(method) == "dispatch");
        if !is_dispatch {
            continue;
        }
        let Some(block) = node.child_by_field_name("block") else { continue };
        let mut signature = Signature::default();
        for inner in within(block) {
            let Some(method) = inner.child_by_field_name("method") else { continue };
            let list = inner.child_by_field_name("arguments");
            let ty = list.and_then(|list| source.value(*children(list).first()?, 0, 0));
            let ty = match ty {
                Some(Literal::Text(text)) => text,
                _ => "Any".to_owned(),
            };
            let parameter = |optional, repeated| Parameter { ty: ty.clone(), optional, repeated };
            match source.of(method) {
                "param" | "required_param" => signature.parameters.push(parameter(false, false)),
                "optional_param" => signature.parameters.push(parameter(true, false)),
                "repeated_param" | "optional_repeated_param" => {
                    signature.parameters.push(parameter(true, true))
                }
                "required_repeated_param" => signature.parameters.push(parameter(false, true)),
                "block_param" | "required_block_param" => {
                    signature.block = true;
                    signature.needs_block = true;
                }
                "optional_block_param" => signature.block = true,
                _ => {}
            }
        }
        // Parameterless `required_block_param` is a bare name.
        let text = source.of(block);
        signature.block |= text.contains("block_param");
        signature.needs_block |= text.contains("block_param") && !text.contains("optional_block_param");
        all.push(signature);
    }
    all
}
