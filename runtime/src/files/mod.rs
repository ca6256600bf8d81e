//! Files of the disk: the one way in which they are [`read`], bounded and never stuck on what is no file, and the one
//! way in which they are [`write`](mod@write)ten, whole or not at all.

pub mod read;
pub mod write;
