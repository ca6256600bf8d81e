//! ERB templates without Ruby: what most of them contain is rendered here, in microseconds, and Ruby renders the rest.
//!
//! [`Templates`] keeps the lowered templates of a snapshot; [`Templating`] is what one compile has of ERB: it renders
//! them, asking through [`NativeWorld`] what it needs of the compile.
//!
//! [`scan`] takes a template's tags apart; [`lower`], with [`calls`], [`operators`] and [`literals`], turns it, parsed
//! as the one Ruby program it is, into the [`tree`] that [`eval`] renders with the methods in [`methods`]; [`origins`]
//! says what it may change in place; [`value`], [`text`] and [`compare`] are Ruby's values, and [`encoded`] is how the
//! tree lies in archives.
//!
//! Two things are kept apart: what is not known of the *template* shows when it is lowered, what is not known of the
//! *values* when it is rendered. Either way the rendering has had no effect yet, and the Ruby worker renders the template
//! from its begin, with its own messages and limits. So a method may be missing here, but none may be wrong.

mod budget;
mod encoded;
mod erb;
mod eval;
mod for_ruby;
mod functions;
mod libraries;
mod lower;
mod method;
mod methods;
mod space;
mod tree;
mod value;
mod world;

pub use erb::changes::{Replay, ReplayOf};
pub use erb::lowered::Lowered;
pub use erb::templates::{SessionTemplates, Templates};
pub use erb::templating::{KeptTemplates, Templating, name_of};
pub use eval::Rendered;
pub use functions::{Asked, Called, Function, Journal};
pub use tree::Unsupported;
pub use world::{CallSide, FileSide, NativeWorld, ScopeSide, WorkerState};
