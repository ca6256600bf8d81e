//! Calls: methods, functions of Puppet's and of the template's own, arguments and blocks; texts and insertions, which
//! are calls in the program.

use super::{Lower, SourceKind, call_self, line_of, literals, parts};
use crate::erb::scan::{INSERT, TEXT};
use crate::library::changes_nothing;
use crate::method::Method;
use crate::methods;
use crate::tree::{
    AssignTarget, Block, BlockBody, Captures, Expr, FILE, LOAD_PATH, MethodCall, WARN_OF_DEPRECATION,
};
use crate::value::Class;
use bunraku_stdlib::module::Api;
use tree_sitter::Node as Syntax;

/// What `new` of a class makes without arguments.
fn empty(class: &Expr) -> Option<Expr> {
    match class {
        Expr::Class(Class::Hash) => Some(Expr::Hash(Box::default())),
        Expr::Class(Class::Array) => Some(Expr::Array(Box::default())),
        Expr::Class(Class::String) => Some(Expr::Fresh(Box::new(Expr::String("".into())))),
        _ => None,
    }
}

impl Lower<'_> {
    pub(crate) fn call(&mut self, node: Syntax<'_>) -> Expr {
        let field = |name| node.child_by_field_name(name);
        // `f.()` and `f.(x)` call a lambda.
        let name = match (field("method"), field("arguments")) {
            (Some(method), _) if self.source(method).starts_with('(') => "call",
            (Some(method), _) => self.source(method),
            (None, Some(_)) => "call",
            (None, None) => return self.unsupported(node, "a call without a name"),
        };
        let list = field("arguments").map(parts).unwrap_or_default();
        if field("receiver").is_none() {
            return match name {
                TEXT => self.text(node, &list),
                INSERT => self.insert(node, &list),
                "super" => self.super_call(node, field("arguments"), field("block")),
                // `x -1` is no call where `x` is a local; `x(-1)` is.
                _ if self.is_no_call(node, name) => self.operator_behind_space(node, name, &list),
                _ => self.function(node, name, &list, field("block")),
            };
        }
        let Some(receiver) = field("receiver") else { return Expr::Nil };
        let operator = field("operator").map_or(".", |operator| self.source(operator));
        // `URI::parse(…)` is a call like any other.
        if operator == "::"
            && self.kind == SourceKind::Template
            && !name.starts_with(|c: char| c.is_ascii_lowercase())
        {
            return self.unsupported(node, format!("the constant {}", self.source(node)));
        }
        if let Some(added) = self.adds_to_load_path(receiver, name, &list) {
            return added;
        }
        if self.source(receiver) == "Regexp" && name == "last_match" && field("block").is_none() {
            return self.last_match(node, &list);
        }
        let on = self.node(receiver);
        if let Expr::Scope = on
            && let Some(name) = name.strip_prefix("function_")
        {
            return self.puppet_function(node, name, &list, Api::Old);
        }
        if matches!(on, Expr::Scope) && name == "call_function" {
            return match list.split_first() {
                _ if field("block").is_some() => self.unsupported(node, "a block for a function"),
                Some((first, rest)) if matches!(first.kind(), "string" | "simple_symbol") => {
                    let name = self.source(*first);
                    let name = name.strip_prefix(':').or_else(|| literals::plain(name)).unwrap_or_default();
                    self.puppet_function(node, name, rest, Api::New)
                }
                _ => self.unsupported(node, "scope.call_function"),
            };
        }
        if name == "new"
            && list.is_empty()
            && field("block").is_none()
            && let Some(empty) = empty(&on)
        {
            return empty;
        }
        let found = match &on {
            Expr::Scope => methods::of_scope(name),
            _ => Method::by_name(name).filter(|method| !method.is_function()),
        };
        let by_name = self.kind == SourceKind::File
            || matches!(on, Expr::Class(_) | Expr::Constant(_))
            || OF_OBJECTS.contains(&name);
        let found = found.or(by_name.then_some(Method::Other));
        let Some(method) = found else {
            // The arguments may declare locals.
            self.arguments(&list, field("block"));
            return self.unsupported(node, format!("the method {name}"));
        };
        if method.changes() {
            self.origins.change(self.origin(&on));
        }
        let on = if method.changes_string() { self.fresh_literal(on) } else { on };
        let Some(mut given) = self.arguments(&list, field("block")) else {
            return self.unsupported(node, format!("arguments of {name}"));
        };
        // What a block is handed again and again it may change.
        if matches!(method, Method::EachWithObject | Method::WithObject | Method::Inject)
            && let Some(first) = given.args.first_mut()
        {
            *first = self.fresh_literal(std::mem::replace(first, Expr::Nil));
        }
        let safe = operator == "&.";
        // It tells where it stands.
        if name == "deprecation_warning" && matches!(self.source(receiver), "Puppet" | "::Puppet") {
            let Some(label) = self.label(node) else {
                return self.unsupported(node, "a warning while an error is rescued");
            };
            let args = [Expr::String(label.into())].into_iter().chain(given.args);
            let given = Given { args: args.collect(), ..given };
            return self.method_call(node, (on, method, safe), WARN_OF_DEPRECATION, given);
        }
        self.method_call(node, (on, method, safe), name, given)
    }

    /// `Regexp.last_match`, `Regexp.last_match(1)`, `Regexp.last_match(:name)`
    fn last_match(&mut self, node: Syntax<'_>, list: &[Syntax<'_>]) -> Expr {
        self.groups = true;
        let all = || call_self(Method::LastMatch, Vec::new());
        match list {
            [] => all(),
            [group] if !matches!(group.kind(), "splat_argument" | "block_argument" | "pair") => {
                match self.node(*group) {
                    Expr::Int(number @ 0..=9) => Expr::Group(number as usize),
                    group => Expr::Call(Box::new(MethodCall {
                        args: [group].into(),
                        safe: true,
                        ..MethodCall::of(Some(all()), Method::Element)
                    })),
                }
            }
            _ => self.unsupported(node, "Regexp.last_match"),
        }
    }

    /// `$LOAD_PATH.unshift(folder)` and the like; none for what is something else.
    pub(crate) fn adds_to_load_path(
        &mut self,
        receiver: Syntax<'_>,
        name: &str,
        list: &[Syntax<'_>],
    ) -> Option<Expr> {
        let first = match name {
            "unshift" | "prepend" => true,
            "push" | "append" | "<<" => false,
            _ => return None,
        };
        let [folder] = list else { return None };
        if !matches!(self.source(receiver), "$LOAD_PATH" | "$:")
            || matches!(folder.kind(), "splat_argument" | "block_argument" | "pair")
        {
            return None;
        }
        let args = [Expr::Bool(first), self.node(*folder)].into();
        let call = MethodCall { name: LOAD_PATH.into(), args, ..MethodCall::of(None, Method::Other) };
        Some(Expr::Call(Box::new(call)))
    }

    /// A call of a method of a value.
    fn method_call(
        &mut self,
        node: Syntax<'_>,
        (on, method, safe): (Expr, Method, bool),
        name: &str,
        Given { args, keywords, block }: Given,
    ) -> Expr {
        let name = if self.kind == SourceKind::File || method == Method::Other { name } else { "" };
        let line = line_of(node);
        let receiver = Some(on);
        let call =
            Box::new(MethodCall { receiver, method, name: name.into(), args, keywords, block, safe, line });
        match call.unread() {
            Some(messages) => Expr::Unread(call, messages),
            None => Expr::Call(call),
        }
    }

    /// `scope.function_x([…])`, `scope.call_function('x', …)`.
    pub(crate) fn puppet_function(
        &mut self,
        node: Syntax<'_>,
        name: &str,
        args: &[Syntax<'_>],
        api: Api,
    ) -> Expr {
        let args = self.nodes(args);
        let Some(method) = methods::of_puppet(name, api) else {
            return self.unsupported(node, format!("the function {name}()"));
        };
        // Both take the arguments as one array; `call_function` takes one value as itself as well.
        let [list] = &*args else { return self.unsupported(node, format!("arguments of {name}()")) };
        if api == Api::Old && !matches!(list, Expr::Array(_)) {
            return self.unsupported(node, format!("arguments of {name}()"));
        }
        self.nests |= method == Method::Template;
        let is_method = (method == Method::Puppet).then_some(Expr::Bool(api == Api::Old));
        call_self(method, [Expr::String(name.into())].into_iter().chain(is_method).chain(args).collect())
    }

    /// A call of something without a receiver.
    pub(crate) fn function(
        &mut self,
        node: Syntax<'_>,
        name: &str,
        list: &[Syntax<'_>],
        block: Option<Syntax<'_>>,
    ) -> Expr {
        if name == "__dir__"
            && self.kind == SourceKind::File
            && list.is_empty()
            && is_within_require(self, node)
        {
            return folder_of_file();
        }
        if let ("lambda", [], Some(block), false) = (name, list, block, self.known.contains(name)) {
            return self.lambda(node, Some(block));
        }
        // `Pathname(x)`
        if let ("Pathname", SourceKind::File, [path], None, false) =
            (name, self.kind, list, block, self.known.contains(name))
            && !matches!(path.kind(), "pair" | "splat_argument" | "hash_splat_argument" | "block_argument")
        {
            return Expr::Call(Box::new(MethodCall {
                name: "new".into(),
                args: [self.node(*path)].into(),
                line: line_of(node),
                ..MethodCall::of(Some(Expr::Constant("::Pathname".into())), Method::Other)
            }));
        }
        if let (SourceKind::Template, [], None, false) = (self.kind, list, block, self.known.contains(name)) {
            if name == "scope" {
                return Expr::Scope;
            }
            if OF_TEMPLATES.contains(&name) {
                return self.call_of_self(node, name, list, None);
            }
        }
        let of_ruby = match name {
            "proc" | "loop" => list.is_empty() && block.is_some(),
            "catch" => block.is_some(),
            "raise" | "fail" | "throw" | "warn" => block.is_none(),
            "URI" | "instance_variable_get" => list.len() == 1 && block.is_none(),
            _ => false,
        };
        if let ("eval", [code], None, SourceKind::Template) = (name, list, block, self.kind)
            && let Some(variable) = self.variable_named_by(*code)
        {
            return variable;
        }
        if self.kind == SourceKind::File || of_ruby || self.known.contains(name) && block.is_none() {
            return self.call_of_self(node, name, list, block);
        }
        if name == "require" {
            let file = match list {
                [one] => literals::plain(self.source(*one)),
                _ => None,
            };
            // What it gives, whether the file has been loaded by this very call, nobody looks at here.
            let nothing = Expr::Text("".into());
            let is_always_reached = node.parent().is_some_and(|around| around.kind() == "program");
            return match file {
                // These change nothing that is rendered natively.
                Some(file) if REQUIRED.contains(&file) => nothing,
                // Puppet has not loaded this: what follows has its constant.
                Some("shellwords") if is_always_reached => {
                    self.loads_shellwords = true;
                    self.call_of_self(node, name, list, None)
                }
                // What follows has its constants, and its methods outside of all classes.
                Some(file) if is_always_reached && !changes_nothing(file) => {
                    self.call_of_self(node, name, list, None)
                }
                _ => self.unsupported(node, "`require`"),
            };
        }
        if name == FILE && list.is_empty() {
            return Expr::Call(Box::new(MethodCall {
                name: name.into(),
                ..MethodCall::of(None, Method::Other)
            }));
        }
        let found = Method::by_name(name).filter(|method| method.is_function());
        let lowered = self.arguments(list, block);
        match (found, lowered) {
            (Some(method), Some(Given { args, block, .. })) => {
                Expr::Call(Box::new(MethodCall { args, block, ..MethodCall::of(None, method) }))
            }
            // A template before this one may define it, or one that it renders, or a file that it requires.
            (None, Some(given)) if block.is_none() => {
                if !self.nests && !self.requires {
                    self.unsupported(node, format!("the method {name}"));
                }
                Expr::Call(Box::new(MethodCall {
                    name: name.into(),
                    args: given.args,
                    keywords: given.keywords,
                    line: line_of(node),
                    ..MethodCall::of(None, Method::Other)
                }))
            }
            (None, _) => self.unsupported(node, format!("the method {name}")),
            (_, None) => self.unsupported(node, format!("arguments of {name}")),
        }
    }

    /// `eval("@#{name}")`: what is no name of a variable is Ruby's when it is run.
    fn variable_named_by(&mut self, code: Syntax<'_>) -> Option<Expr> {
        let text = self.source(code);
        let is_one = text.starts_with("\"@#{") && text.ends_with("}\"");
        if !is_one || code.kind() != "string" || parts(code).len() != 2 {
            return None;
        }
        Some(Expr::Call(Box::new(MethodCall {
            name: "instance_variable_get".into(),
            args: [self.node(code)].into(),
            line: line_of(code),
            ..MethodCall::of(None, Method::Other)
        })))
    }

    /// A call of a method of `self`, which code may have defined, or of one of Ruby's functions.
    fn call_of_self(
        &mut self,
        node: Syntax<'_>,
        name: &str,
        list: &[Syntax<'_>],
        block: Option<Syntax<'_>>,
    ) -> Expr {
        let Some(Given { args, keywords, block }) = self.arguments(list, block) else {
            return self.unsupported(node, format!("arguments of {name}"));
        };
        let is_known = self.kind == SourceKind::Template
            || self.known.contains(name)
            || KNOWN_WITHOUT_RECEIVER.contains(&name)
            || name.starts_with("function_");
        // A file that it requires may define it outside of all classes.
        if !is_known && (!self.requires || Method::by_name(name).is_some()) {
            return self.unsupported(node, format!("the method {name}"));
        }
        if matches!(name, "require" | "require_relative") {
            let file = list.first().and_then(|file| literals::plain(self.source(*file)));
            self.requires |= file.is_none_or(|file| !changes_nothing(file));
        }
        let method = Method::by_name(name).unwrap_or(Method::Other);
        let line = line_of(node);
        let call = MethodCall {
            receiver: None,
            method,
            name: name.into(),
            args,
            keywords,
            block,
            safe: false,
            line,
        };
        Expr::Call(Box::new(call))
    }

    pub(crate) fn arguments(&mut self, list: &[Syntax<'_>], block: Option<Syntax<'_>>) -> Option<Given> {
        let mut args = Vec::new();
        let mut pairs = Vec::new();
        let mut passed = None;
        for arg in list {
            match arg.kind() {
                "pair" => pairs.push(self.pair(*arg)?),
                "splat_argument" => args.push(self.splat(*arg)),
                "hash_splat_argument" => pairs.push(self.splat_pair(*arg)?),
                "forward_argument" => return None,
                "block_argument" => passed = Some(self.passed_block(*arg)?),
                _ => args.push(self.node(*arg)),
            }
        }
        let keywords = !pairs.is_empty();
        if keywords {
            args.push(Expr::Hash(pairs.into()));
        }
        let block = match block {
            Some(block) => Some(Block::Body(self.block(block)?)),
            None => passed,
        };
        Some(Given { args: args.into(), keywords, block })
    }

    /// Elements of an array: values and splats.
    pub(crate) fn items(&mut self, nodes: &[Syntax<'_>]) -> Box<[Expr]> {
        let items = nodes.iter().map(|node| match node.kind() {
            "splat_argument" => self.splat(*node),
            _ => self.node(*node),
        });
        items.collect()
    }

    pub(crate) fn splat(&mut self, node: Syntax<'_>) -> Expr {
        match parts(node)[..] {
            [value] => Expr::Splat(Box::new(self.node(value))),
            _ => self.unsupported(node, "a splat"),
        }
    }

    /// `&:name`, where code may have defined the method: `{ |x| x.name }`.
    fn block_that_calls(&mut self, name: &str, line: usize) -> BlockBody {
        let slot = self.frame.slots;
        self.frame.slots += 1;
        self.blocks += 1;
        let call = MethodCall {
            name: name.into(),
            line,
            ..MethodCall::of(Some(Expr::Local(slot)), Method::by_name(name).unwrap_or(Method::Other))
        };
        BlockBody {
            params: Box::new([AssignTarget::Local(slot)]),
            spreads: false,
            full: None,
            own: (slot, slot + 1),
            number: self.blocks,
            captures: Captures::Nothing,
            body: Expr::Call(Box::new(call)),
        }
    }

    pub(crate) fn passed_block(&mut self, node: Syntax<'_>) -> Option<Block> {
        let [value] = parts(node)[..] else { return None };
        if let Some(name) = self.source(value).strip_prefix(':') {
            let method = Method::by_name(name).filter(|method| !method.is_function());
            let own = method.is_none() || self.known.contains(name);
            return match self.kind {
                SourceKind::File if own => Some(Block::Body(self.block_that_calls(name, line_of(node)))),
                _ => method.map(Block::Method),
            };
        }
        Some(Block::Given(Box::new(self.node(value))))
    }

    pub(crate) fn text(&mut self, node: Syntax<'_>, list: &[Syntax<'_>]) -> Expr {
        let number = list.first().and_then(|number| self.source(*number).parse::<usize>().ok());
        match number.and_then(|number| self.texts.get(number)) {
            Some(text) => {
                self.texts_met += 1;
                Expr::Text(text.as_str().into())
            }
            None => self.unsupported(node, "its syntax"),
        }
    }

    /// `<%= … %>`: the argument must be what stands in the tag and nothing else.
    pub(crate) fn insert(&mut self, node: Syntax<'_>, list: &[Syntax<'_>]) -> Expr {
        let [call] = list else { return self.unsupported(node, "its syntax") };
        let receiver = call.child_by_field_name("receiver");
        let whole = self.source(*call).starts_with('(') && self.source(*call).ends_with(").to_s");
        match receiver {
            Some(inner)
                if whole
                    && inner.kind() == "parenthesized_statements"
                    && inner.end_byte() + ".to_s".len() == call.end_byte() =>
            {
                let value = self.statements(inner);
                Expr::Insert(Box::new(value))
            }
            _ => self.unsupported(node, "its syntax"),
        }
    }
}

/// Whether something is said to `require`. What a folder's name is with all links followed, as `__dir__` gives it, shows
/// nowhere then.
fn is_within_require(lower: &Lower<'_>, node: Syntax<'_>) -> bool {
    std::iter::successors(node.parent(), Syntax::parent).any(|around| {
        around.kind() == "call"
            && around.child_by_field_name("receiver").is_none()
            && around.child_by_field_name("method").is_some_and(|method| lower.source(method) == "require")
    })
}

/// `File.dirname(__FILE__)`
fn folder_of_file() -> Expr {
    let file = MethodCall { name: FILE.into(), ..MethodCall::of(None, Method::Other) };
    let args = [Expr::Call(Box::new(file))].into();
    let receiver = Some(Expr::Class(Class::File));
    Expr::Call(Box::new(MethodCall {
        name: "dirname".into(),
        args,
        ..MethodCall::of(receiver, Method::Other)
    }))
}

/// What a call is given.
pub(crate) struct Given {
    pub args: Box<[Expr]>,
    /// Whether the last argument is made of keywords.
    pub keywords: bool,
    pub block: Option<Block>,
}

/// What code of files may call without a receiver besides its own methods: Ruby's, Puppet's and those of the bodies of
/// modules and classes.
pub(crate) const KNOWN_WITHOUT_RECEIVER: &[&str] = &[
    "Array",
    "Float",
    "Hash",
    "Integer",
    "String",
    "_",
    FILE,
    "alert",
    "alias_method",
    "argument_mismatch",
    "attr_accessor",
    "attr_reader",
    "attr_writer",
    "block_given?",
    "block_param",
    "call_function",
    "catalog",
    "catch",
    "class",
    "closure_scope",
    "compiler",
    "create_function",
    "crit",
    "debug",
    "dispatch",
    "emerg",
    "environment",
    "err",
    "exist?",
    "extend",
    "fail",
    "find_definition",
    "find_global_scope",
    "find_hostclass",
    "find_resource_type",
    "findresource",
    "format",
    "include",
    "info",
    "is_a?",
    "known_resource_types",
    "lambda",
    "live_number",
    "local_types",
    "lookupdefaults",
    "lookupvar",
    "loop",
    "module_function",
    "new",
    "newfunction",
    "notice",
    "optional_block_param",
    "optional_param",
    "optional_repeated_param",
    "param",
    "parent_module_name",
    "private",
    "private_class_method",
    "private_constant",
    "proc",
    "protected",
    "public",
    "raise",
    "rand",
    "repeated_param",
    "require",
    "require_relative",
    "required_block_param",
    "required_param",
    "required_repeated_param",
    "resource",
    "respond_to?",
    "return_type",
    "scope_param",
    "send",
    "source",
    "sprintf",
    "srand",
    "URI",
    "to_hash",
    "type",
    "warn",
    "warning",
];

/// Methods that Puppet gives templates, without arguments.
const OF_TEMPLATES: &[&str] = &["classes", "file"];

/// Methods of addresses, versions, sets and errors that are in no table, and of enumerators, which templates call.
const OF_OBJECTS: &[&str] = &[
    "bump",
    "call",
    "extend",
    "host",
    "hostname",
    "ipv4?",
    "ipv6?",
    "mask",
    "message",
    "netmask",
    "path",
    "port",
    "prefix",
    "prerelease?",
    "query",
    "rand",
    "release",
    "reverse",
    "scheme",
    "seed",
    "segments",
    "subset?",
    "superset?",
    "to_enum",
    "to_range",
    "to_set",
    "to_string",
    "yield",
];

/// What Ruby comes with and templates load: all of it is loaded in Puppet's process before.
const REQUIRED: &[&str] = &[
    "base64",
    "cgi",
    "date",
    "digest",
    "digest/md5",
    "digest/sha1",
    "erb",
    "ipaddr",
    "json",
    "openssl",
    "pathname",
    "resolv",
    "securerandom",
    "set",
    "time",
    "uri",
    "yaml",
    "zlib",
];
