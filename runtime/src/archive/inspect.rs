//! Shows what an archive holds.
