//! Match scopes: what $0, $1 … mean. A successful match opens one; leaving the body it stands in closes it again.

/// The groups of one match.
type Groups<'c> = &'c [Option<&'c str>];

/// The open match scopes, innermost last.
#[derive(Default)]
pub(crate) struct MatchScopes<'c> {
    open: Vec<Groups<'c>>,
    /// Those below this one belong to a caller, and are not seen.
    floor: usize,
}

impl<'c> MatchScopes<'c> {
    /// Opens a scope.
    pub fn push(&mut self, groups: Groups<'c>) {
        self.open.push(groups);
    }

    /// How many are open, for [`MatchScopes::close_to`].
    pub fn mark(&self) -> usize {
        self.open.len()
    }

    /// Closes those opened since `mark`.
    pub fn close_to(&mut self, mark: usize) {
        self.open.truncate(mark);
    }

    /// Hides the scopes that are open from a body that begins. Gives what [`MatchScopes::leave_body`] wants.
    pub fn enter_body(&mut self) -> usize {
        std::mem::replace(&mut self.floor, self.open.len())
    }

    /// Closes the scopes of the body that ends, and shows those around it again.
    pub fn leave_body(&mut self, outer: usize) {
        self.open.truncate(self.floor);
        self.floor = outer;
    }

    /// From where on scopes are seen, for [`MatchScopes::reset_floor`].
    pub fn floor(&self) -> usize {
        self.floor
    }

    /// Shows scopes from there on again: what an error has jumped over could not do so.
    pub fn reset_floor(&mut self, floor: usize) {
        self.floor = floor;
    }

    /// Group `n` of the innermost match that is seen.
    pub fn group(&self, n: usize) -> Option<&'c str> {
        let seen = &self.open[self.floor.min(self.open.len())..];
        seen.last().and_then(|groups| groups.get(n).copied().flatten())
    }
}
