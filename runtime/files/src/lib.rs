//! The files of an environment as a compile sees them, and what is kept of them.
//!
//! [`tree`] is the one way in which a compile reads files: it asks the disk, or an [`archive`], or both, and notes what
//! it has seen of the disk, so that it can be told whether a snapshot is still current; `seen` is what processes tell each
//! other of sources that an archive was built from. [`memo`] is the one way in
//! which conclusions from files are kept for the next compile; [`reads`] gathers what a compile has asked of the tree, by way
//! of them too. [`glob`] is how patterns stand for files of it. [`read`] and [`write`](mod@write) are what they stand on, and what
//! commands use: files of the disk, bounded when read, whole or not at all when written.

pub mod archive;
pub mod believed;
pub mod confined;
pub mod found;
pub mod glob;
pub mod lent;
pub mod memo;
mod observed;
pub mod owner;
pub mod paths;
pub mod read;
pub mod reads;
pub mod recent;
#[cfg(unix)]
mod seen;
pub mod shared_words;
pub mod tree;
pub mod write;
