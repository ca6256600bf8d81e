//! Which code of an environment compiles have run: what [`crate::Compiler::covered`] tells of one compile, beside the sources of
//! [`crate::Compiler::lowered`].

pub use bunraku_compiler::LineIndex;
pub use bunraku_compiler::lower::{Arm, Fork, Point, PointOfDefinition, Points};
pub use bunraku_environment::lowered::{Lowered, LoweredFile};
pub use bunraku_vm::coverage::{JUMPED, RAN, RanUnit, Watches};
pub use bunraku_vm::unit::DefKind;
