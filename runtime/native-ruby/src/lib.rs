//! The Ruby of modules without a Ruby process: ERB templates and functions, in microseconds. What is not known here to the
//! byte, Ruby does.
//!
//! [`lower`] turns a file of functions, or a template that [`erb`] has taken apart, into a [`tree`]. [`eval`] runs that on
//! Ruby's values ([`mod@value`]), which know how they compare and what they look like as text; with their [`methods`], and what is
//! known of Ruby's [`libraries`] ([`library`] has the names of their files, [`random`] what they draw from, [`prelude`] what of
//! them is written in Ruby). [`functions`] are loaded and called, and [`space`] is what they have defined. [`Templates`] keeps
//! lowered templates and files for a snapshot, [`Templating`] is what one compile has of both. They ask of the compile through
//! the sides of [`NativeWorld`]. [`encoded`] is how trees lie in archives.
//!
//! Two things are kept apart: what is not known of the *code* shows when it is lowered, what is not known of the *values* when
//! it is run. Either way the Ruby worker does all of it from its begin, with its own messages and limits: a template has had no
//! effect by then, and what a function has asked is answered to Ruby from its journal. So a method may be missing here, but
//! none may be wrong.

mod budget;
mod encoded;
mod erb;
mod eval;
mod for_ruby;
mod functions;
mod libraries;
mod library;
mod literals;
mod lower;
mod method;
mod methods;
mod prelude;
mod random;
mod space;
mod tree;
mod value;
mod world;

pub use erb::lowered::Lowered;
pub use erb::set_variables::{Replay, ReplayOf};
pub use erb::templates::{SessionTemplates, Templates};
pub use erb::templating::{KeptTemplates, Templating, name_of};
pub use eval::{Message, Rendered};
pub use functions::copies::add_places;
pub use functions::{Asked, Called, CertainCall, Changes, Function, Journal, only_computes};
pub use library::{PUPPET_FILES, is_library_file};
pub use prelude::{CATALOG, SCOPE_METHODS};
pub use tree::{SHARED, Unsupported};
pub use world::{CallSide, FileSide, MissingVariable, NativeWorld, ScopeSide, WorkerState};
