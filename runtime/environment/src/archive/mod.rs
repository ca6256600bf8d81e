//! Archives of whole environments or module paths: [`build`] makes one from a tree, [`inspect`] shows it. The form of the
//! file is `bunraku_vm::archive`'s; what its parts mean is said in [`parts`] and `bunraku_hiera::data_file::layout`.
//! Compiles reach all this through `bunraku_files::tree`.

pub mod build;
mod file;
pub mod inspect;
pub(crate) mod keys;
mod literals;
pub mod parts;
pub mod place;
mod readers;
mod reads;
pub mod ruby;
pub(crate) mod walk;

pub use bunraku_files::archive::OpenArchive;
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
/// As [`OpenArchive::open`].
pub fn open(path: &Path) -> Result<Arc<OpenArchive>, String> {
    OpenArchive::open(path, &COMPILER)
}

/// An archive of this compiler's in memory, under a name.
///
/// # Errors
/// As [`OpenArchive::open`].
pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Arc<OpenArchive>, String> {
    OpenArchive::from_bytes(path, bytes, &COMPILER)
}
