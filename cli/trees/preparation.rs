//! The arguments that say how trees are prepared, and where what is made of them is kept.

use crate::compile_arguments::CompileArguments;
use bunraku::process::Limits;
use bunraku_fleet::tree::Preparation;
use bunraku_fleet::tree::cache::{BOUND, Cache};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How trees are prepared.
#[derive(Args, Clone)]
pub struct TreeArguments {
    /// Command that is run in a version's folder when it has been checked out, once: `r10k puppetfile install`.
    #[arg(long, value_name = "COMMAND")]
    bootstrap: Option<String>,
    /// How many seconds it may take.
    #[arg(long = "bootstrap-timeout", value_name = "SECONDS", default_value_t = 900)]
    bootstrap_timeout: u64,
    /// Folder of modules besides those of the trees; it may be given several times.
    #[arg(long = "modules", value_name = "DIR")]
    modules: Vec<PathBuf>,
    /// Folder in which versions and archives are kept [default: bunraku in $XDG_CACHE_HOME or ~/.cache].
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// How large it may become, in MiB; what was used longest ago goes first.
    #[arg(long = "cache-size", value_name = "MIB", default_value_t = BOUND >> 20)]
    cache_size: u64,
    /// Compile from the files themselves; no archives are kept.
    #[arg(long = "no-archives")]
    no_archives: bool,
}

impl TreeArguments {
    /// How trees are prepared for such arguments, with the cache opened.
    ///
    /// # Errors
    /// When the cache can't be.
    pub fn preparation(&self, inputs: &CompileArguments) -> Result<Preparation, String> {
        let folder = self.cache.clone().or_else(default_cache);
        let bound = self.cache_size.saturating_mul(1 << 20);
        let cache = folder.map(|folder| Cache::open(&folder, bound).map(Arc::new)).transpose()?;
        Ok(Preparation {
            cache,
            bootstrap: self.bootstrap.clone(),
            modules: self.modules.clone(),
            compat: inputs.compat,
            archives: !self.no_archives,
            limits: Limits { time: Duration::from_secs(self.bootstrap_timeout), ..Limits::default() },
            does_without: inputs.does_without_environment(),
        })
    }
}

/// Where what is kept lies unless somebody says: as other programs do it.
pub fn default_cache() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = variable("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    base.or_else(|| variable("HOME").map(|home| home.join(".cache"))).map(|base| base.join("bunraku"))
}
