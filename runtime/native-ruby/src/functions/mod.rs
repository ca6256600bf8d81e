//! Functions of modules run without Ruby: their files are loaded, their signatures told, their methods called.
//!
//! What is asked of the compile by then is in a [`journal`], for a function that turns out to be Ruby's is called there
//! from its begin, and what it asks again is answered from the journal, not done again.

mod around;
mod call;
pub(crate) mod copies;
pub(crate) mod define;
pub(crate) mod definition;
pub(crate) mod journal;
pub(crate) mod pure;
pub(crate) mod raised;
pub(crate) mod rests;
pub(crate) mod sealed_key;

pub use call::Function;
pub use copies::Changes;
pub use journal::{Asked, Called, Journal, only_computes};
pub use rests::CertainCall;
