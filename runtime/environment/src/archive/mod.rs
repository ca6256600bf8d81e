//! Archives of whole environments or module paths: [`build`] makes one from a tree, [`inspect`] shows it. The form of the file is `bunraku_vm::archive`'s; what its
//! parts mean is said in [`parts`] and `bunraku_hiera::data_file::layout`. Compiles reach all this through `bunraku_files::tree`.
//!
//! An archive is opened once and may be shared by any number of threads:
//!
//! ```
//! use bunraku_compile::archive::build::{self, Options};
//! use bunraku_compile::job::{Job, Session};
//!
//! let work = tempfile::tempdir()?;
//! let (environment, archive) = (work.path().join("production"), work.path().join("production.bnr"));
//! std::fs::create_dir_all(environment.join("manifests"))?;
//! std::fs::write(environment.join("manifests/site.pp"), "notify { \"hello ${trusted['certname']}\": }")?;
//!
//! let options = Options { directory: Some(environment.clone()), ..Options::default() };
//! let summary = build::build(&options, &archive, &|_| ())?;
//! assert_eq!(summary.units, 1);
//!
//! // The sources may go now: a frozen archive needs none.
//! std::fs::remove_dir_all(&environment)?;
//! let session = Session::default();
//! std::thread::scope(|threads| {
//!     for n in 1..=4 {
//!         let (session, archive) = (&session, &archive);
//!         threads.spawn(move || {
//!             let node = format!("node{n}.example.com");
//!             let job = Job {
//!                 archive: Some(archive.clone()),
//!                 frozen: true,
//!                 node: Some(node.clone()),
//!                 ..Job::default()
//!             };
//!             let catalog = session.run(&job).result.expect("it compiles");
//!             assert!(catalog.contains(&format!("hello {node}")));
//!         });
//!     }
//! });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod build;
mod file;
pub mod inspect;
mod keys;
pub mod parts;
mod readers;
mod reads;
pub mod ruby;
mod walk;

pub use bunraku_files::archive::Opened;
use bunraku_vm::archive::layout::FINGERPRINT;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// The fingerprint of this compiler.
pub static COMPILER: LazyLock<[u8; FINGERPRINT]> = LazyLock::new(|| {
    let text = env!("BUNRAKU_FINGERPRINT").as_bytes();
    let digit = |at: usize| char::from(text[at]).to_digit(16).unwrap_or_default() as u8;
    std::array::from_fn(|n| digit(2 * n) << 4 | digit(2 * n + 1))
});

/// Opens an archive that this compiler has built.
///
/// # Errors
/// As [`Opened::open`].
pub fn open(path: &Path) -> Result<Arc<Opened>, String> {
    Opened::open(path, &COMPILER)
}

/// An archive of this compiler's in memory, under a name.
///
/// # Errors
/// As [`Opened::open`].
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Arc<Opened>, String> {
    Opened::from_bytes(path, bytes, &COMPILER)
}
