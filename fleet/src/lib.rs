//! Many nodes at once, for programs that know the library only: how two catalogs of a node differ ([`compare`](mod@compare)), and what an upgrade would change
//! ([`upgrade`]).

pub mod compare;
pub mod upgrade;

mod advice;
mod causes;
mod report;
