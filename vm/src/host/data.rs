//! What code reads of the world: files, commands, templates, texts in known notations, Hiera.

use crate::diagnostic::Place;
use crate::error::Eval;
use crate::host::request::{Erb, Lookup, ModuleFolder};
use crate::scope::Scope;
use crate::unit::ChunkRef;
use crate::value::{Hash, Object, Str, Value};
use crate::vm::Vm;

/// Files of modules and of the disk, and commands.
pub trait FilePort<'c> {
    /// The bytes of `module/path` under a module's folder, or of an absolute path; none where absent.
    fn read_file(&self, vm: &mut Vm<'c>, folder: ModuleFolder, path: &str) -> Eval<'c, Option<Vec<u8>>>;

    /// Where `module/path` lies on disk, if it does.
    fn find_file(&self, vm: &mut Vm<'c>, folder: ModuleFolder, path: &str) -> Eval<'c, Option<String>>;

    /// A module's folder, if the module is there.
    fn module_directory(&self, name: &str) -> Option<String>;

    /// The files that a pattern stands for.
    ///
    /// # Errors
    /// When it has too many alternatives.
    fn glob(&self, pattern: &str) -> Result<Vec<String>, String>;

    /// Runs a command (its path and arguments) and gives what it wrote.
    ///
    /// # Errors
    /// Why it could not be run, in Puppet's words.
    fn generate(&self, command: &[String]) -> Result<String, String>;
}

/// EPP and ERB templates.
pub trait TemplatePort<'c> {
    /// The chunk of the EPP template `module/name.epp`.
    fn template(&self, vm: &mut Vm<'c>, name: &str) -> Eval<'c, ChunkRef>;

    /// Compiles EPP source given as text.
    fn inline_template(&self, vm: &mut Vm<'c>, source: &str) -> Eval<'c, ChunkRef>;

    /// The text an ERB template gives with the variables seen from `scope`.
    fn erb(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, template: Erb<'_>) -> Eval<'c>;
}

/// Texts in a known notation (JSON, YAML, HOCON, syntax of heredocs) and values as such.
pub trait FormatPort<'c> {
    /// Checks the text of a heredoc, at a place, by what is known of its syntax; what nobody knows is any text.
    fn check_syntax(&self, vm: &mut Vm<'c>, syntax: &str, text: &str, place: Place) -> Eval<'c, ()>;

    /// A string that is one of bytes to Ruby, and Binary in a catalog; what of it is no text is shown as such.
    fn string_of_bytes(&self, vm: &Vm<'c>, bytes: &[u8]) -> Str<'c>;

    /// A symbol, class or module of Ruby's by its class and its text, as code in Ruby gives it; the same one each time.
    fn named_in_ruby(&self, vm: &Vm<'c>, class: &str, text: &str) -> &'c Object<'c>;

    /// What a text in JSON says; none where it is no JSON.
    fn parse_json(&self, vm: &Vm<'c>, text: &str) -> Option<Value<'c>>;

    /// What a text in YAML says, `name` being that of its file in messages.
    ///
    /// # Errors
    /// What is wrong with it.
    fn parse_yaml(&self, vm: &Vm<'c>, text: &str, name: &str) -> Result<Value<'c>, String>;

    /// What a file of YAML says, by its absolute path; none where it is not there, can't be read, or something is wrong with it.
    fn yaml_of_file(&self, vm: &Vm<'c>, path: &str) -> Option<Value<'c>>;

    /// What a text in HOCON says.
    ///
    /// # Errors
    /// What is wrong with it.
    fn parse_hocon(&self, vm: &Vm<'c>, text: &str) -> Result<Value<'c>, String>;

    /// A value as the YAML that Ruby's `to_yaml` makes of it, with options by name; none where only Ruby knows: for what is an object of
    /// Ruby's there, and for options other than `indentation` and `line_width`. Of the strings `is_symbol` says which are symbols, written
    /// with their colon.
    fn yaml(
        &self,
        value: Value<'c>,
        options: Option<Hash<'c>>,
        is_symbol: &dyn Fn(Str<'c>) -> bool,
    ) -> Option<String>;

    /// The value as plain data: what is not, as hashes with `__ptype`.
    fn plain_data(&self, vm: &Vm<'c>, value: Value<'c>) -> Value<'c>;
}

/// What is said where a backend of Hiera that reads files is given none; `kind` is what it is to `hiera.yaml`: `data_hash`, `lookup_key`.
pub fn no_data_file(kind: &str) -> String {
    format!(
        "one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this {kind} function"
    )
}

/// Values looked up by name: in Hiera, and variables as Ruby code finds them.
pub trait LookupPort<'c> {
    /// A Hiera look-up in all layers; none where nothing defines the key.
    fn lookup(
        &self,
        vm: &mut Vm<'c>,
        scope: &'c Scope<'c>,
        lookup: &Lookup<'c, '_>,
    ) -> Eval<'c, Option<Value<'c>>>;

    /// What a backend of Hiera that reads files (`yaml_data`) gives code that calls it with these arguments.
    fn read_for_code(&self, vm: &mut Vm<'c>, function: &str, args: &[Value<'c>]) -> Eval<'c>;

    /// The value of a variable as Ruby code finds it (`lookupvar`): an unknown one fails, warns or is undef, as the
    /// setting `strict` says.
    fn variable(&self, vm: &mut Vm<'c>, scope: &'c Scope<'c>, name: &str) -> Eval<'c>;
}
