//! An environment at one moment. [`snapshot`] is that, [`snapshots`] decides when there has to be a new one; [`modules`],
//! [`units`], [`function_files`] and [`extensions`] are what it has of its files; [`archive`] builds archives of it and
//! shows them; [`lowered`] says where what is written is in units; [`check`] and [`relative`] look at its code without running it,
//! [`placement`] says which module a file is of.

pub mod archive;
pub mod changes;
pub mod check;
pub mod extensions;
pub mod function_files;
pub mod issue_code;
pub mod lent;
pub mod lowered;
pub mod metadata;
pub mod modules;
pub mod pieces;
pub mod placement;
pub mod relative;
pub mod snapshot;
pub mod snapshots;
pub mod taken;
pub mod twins;
pub mod units;
