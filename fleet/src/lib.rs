//! Many nodes at once, for programs that know the library only: how two catalogs of a node differ ([`compare`](mod@compare)), what a
//! change does to nodes ([`diff`], from two trees: [`tree`], told by [`report`]), which code they run ([`coverage`]), where their time goes ([`profile`](mod@profile)) and what they do not use ([`unused`]), and what an upgrade would change ([`upgrade`]); where nodes are
//! known from ([`nodes`]), and what works on many of them: here ([`pool`]), and past one machine ([`engine`]).

pub mod affected;
pub mod anonymise;
pub mod choice;
pub mod compare;
pub mod compile;
pub mod coverage;
pub mod diff;
pub mod engine;
pub mod grouping;
pub mod junit;
pub mod nodes;
pub mod overrides;
pub mod pool;
pub mod profile;
pub mod report;
pub mod tree;
pub mod two_passes;
pub mod unused;
pub mod upgrade;
pub mod upgrade_report;

mod advice;
mod causes;
mod exported;
mod markup;
mod own_words;
mod ran;
mod used;
