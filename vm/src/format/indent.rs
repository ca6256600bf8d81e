//! Indentation of nested containers in `%#a` and `%#h`.

use crate::format::formats::Format;

/// Where in a nested value the printer stands.
#[derive(Clone, Copy)]
pub(super) struct Indentation {
    pub level: usize,
    pub first: bool,
    pub indenting: bool,
}

impl Indentation {
    pub const START: Indentation = Indentation { level: 0, first: true, indenting: false };

    pub fn subsequent(self) -> Self {
        Indentation { first: false, ..self }
    }

    /// This place, for a container whose format may ask for indentation.
    pub fn within(self, format: &Format<'_>) -> Self {
        Indentation { indenting: format.alt || self.indenting, ..self }
    }

    /// One level deeper, where nothing is indented yet.
    pub fn deeper(self) -> Self {
        Indentation { level: self.level + 1, first: true, indenting: false }
    }

    /// One level deeper, indented where the container's format asks for it.
    pub fn deeper_in(self, format: &Format<'_>) -> Self {
        Indentation { indenting: format.alt, ..self.deeper() }
    }

    pub fn breaks(self) -> bool {
        self.indenting && self.level > 0 && !self.first
    }

    pub fn padding(self) -> String {
        "  ".repeat(self.level)
    }
}
