//! What look-ups ask of the compile around them: the one way out of Hiera. The compile implements it; tests may
//! implement it with nothing but a folder. Variables and calls of closures are the machine's and need no port.

use crate::backend::kept_answers::CertainCall;
use crate::data_file::DataFile;
use crate::invocation::InterpolatedInto;
use bunraku_vm::error::Eval;
use bunraku_vm::host::{Change, Strict};
use bunraku_vm::value::Value;
use bunraku_vm::vm::Vm;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The environment as its layers need it.
#[derive(Clone, Copy)]
pub struct EnvironmentParts<'c> {
    /// Its name.
    pub name: &'c str,
    /// Its folder, which may hold a `hiera.yaml`; none for code without an environment.
    pub folder: Option<&'c Path>,
    /// The global layer's configuration, the setting `hiera_config`.
    pub hiera_config: Option<&'c Path>,
    /// The data provider of old, from `environment.conf` or the setting `environment_data_provider`.
    pub data_provider: Option<&'c str>,
}

/// A module as its layer needs it.
#[derive(Clone, Copy)]
pub struct ModuleParts<'c> {
    /// Its folder, which may hold a `hiera.yaml`.
    pub folder: &'c Path,
    /// `data_provider` of its `metadata.json`, a data provider of old.
    pub data_provider: Option<&'c str>,
}

/// How often a warning is logged in one compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat<'a> {
    /// Each time.
    Always,
    /// Only the first time that this message comes.
    Once,
    /// Only the first time that a warning of this key comes, whatever its message.
    OncePer(&'a str),
}

/// The functions that entries of hierarchies name.
pub trait FunctionSide<'c> {
    /// Calls a function in the Puppet language, or one of the new kind in Ruby, as code of module `from` finds it
    /// (empty for none); none where there is no such function.
    ///
    /// # Errors
    /// Those of the function.
    fn call_function(
        &self,
        vm: &mut Vm<'c>,
        name: &str,
        from: &str,
        args: &[Value<'c>],
    ) -> Eval<'c, Option<Value<'c>>>;

    /// What is certain of the call of a function before this, by the context that it was given; none where nothing is.
    fn take_certain(&self, context: Value<'c>) -> Option<CertainCall<'c>>;

    /// Whether a function has been run without a Ruby process before in the compile, as code of module `from` finds it: so its files
    /// have been read.
    fn has_called(&self, name: &str, from: &str) -> bool;

    /// Whether the context of a look-up, by its number, keeps something under a key as [`RestsOn`](crate::RestsOn) has it.
    fn context_keeps(&self, context: i64, key: &str) -> bool;

    /// Whether it keeps something under a text.
    fn context_keeps_text(&self, context: i64, text: &str) -> bool;

    /// Has it keep a value under a key as [`RestsOn`](crate::RestsOn) has it.
    fn keep_in_context(&self, context: i64, key: &str, value: Value<'c>);
}

/// What look-ups ask of the compile around them.
pub trait Surroundings<'c>: FunctionSide<'c> {
    /// The environment.
    fn environment(&self) -> EnvironmentParts<'c>;

    /// A path where it lies for this environment: what a configuration names of the deployed environment is that of its folder.
    fn placed(&self, path: PathBuf) -> PathBuf;

    /// The module of this name; none where the module path has no such module.
    fn module(&self, name: &str) -> Option<ModuleParts<'c>>;

    /// The setting `strict`.
    fn strict(&self) -> Strict;

    /// The default of the setting `codedir`, below which version 3 has its data unless told otherwise.
    fn default_codedir(&self) -> &'c str;

    /// What a variable that no scope has stands for. In the paths of a `hiera.yaml` the look-up goes on without it, as far
    /// as the version has that.
    ///
    /// # Errors
    /// Puppet's, where the setting `strict` says that it is one.
    fn undefined_variable(&self, vm: &mut Vm<'c>, name: &str, into: InterpolatedInto) -> Eval<'c>;

    /// Logs a warning.
    fn warn(&self, repeat: Repeat<'_>, message: String);

    /// Lends a data file for as long as the compile lasts.
    fn keep_data(&self, file: Arc<DataFile>) -> &'c DataFile;

    /// A file has been read: the log is told once where the environment's archive does not have it as it is.
    fn file_reached(&self, path: &Path);

    /// Tells of a file that a newer version takes otherwise (see [`bunraku_vm::host::WitnessPort`]); `written` is what stands
    /// for it in the file that texts are read from, empty where nothing does.
    fn witness(&self, _change: Change, _file: &Path, _written: &str) {}

    /// How many facts have been read that newer agents do not send.
    fn withheld_reads(&self) -> usize {
        0
    }

    /// Says which file texts are read from now, for what is told of them; the answer is the one before, to be said again
    /// behind it.
    fn enter_file(&self, _file: Option<&Path>) -> Option<PathBuf> {
        None
    }
}
