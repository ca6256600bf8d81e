//! Indentation of nested containers in `%#a` and `%#h`.

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

    pub fn with_indenting(self, indenting: bool) -> Self {
        Indentation { indenting, ..self }
    }

    pub fn increase(self, indenting: bool) -> Self {
        Indentation { level: self.level + 1, first: true, indenting }
    }

    pub fn breaks(self) -> bool {
        self.indenting && self.level > 0 && !self.first
    }

    pub fn padding(self) -> String {
        "  ".repeat(self.level)
    }
}
