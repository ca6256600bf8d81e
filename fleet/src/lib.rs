//! Many nodes at once, for programs that know the library only: how two catalogs of a node differ ([`compare`](mod@compare)), and what an upgrade would change
//! ([`upgrade`]); where nodes are known from ([`nodes`]), and what works on many of them ([`pool`]).

pub mod affected;
pub mod compare;
pub mod nodes;
pub mod pool;
pub mod upgrade;

mod advice;
mod causes;
mod report;
