//! ERB templates: their tags, what is kept of them lowered, and what a compile has of them.

pub(crate) mod defined;
pub(crate) mod lowered;
pub(crate) mod scan;
pub(crate) mod set_variables;
pub(crate) mod templates;
pub(crate) mod templating;
