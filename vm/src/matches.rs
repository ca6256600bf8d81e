//! What $0, $1 … mean: the matches of a body that are in force, the last one before the others.

/// A match that is in force, and those before it.
#[derive(Clone, Copy)]
pub(crate) struct Match<'c> {
    groups: &'c [Option<&'c str>],
    before: Option<&'c Match<'c>>,
    /// How many are before it.
    depth: usize,
}

impl<'c> Match<'c> {
    /// A match behind another one.
    pub fn behind(before: Option<&'c Match<'c>>, groups: &'c [Option<&'c str>]) -> Self {
        Match { groups, before, depth: Match::count(before) }
    }

    /// The text of a group; none where it was left out, or there is no such group.
    pub fn group(&self, n: usize) -> Option<&'c str> {
        self.groups.get(n).copied().flatten()
    }

    /// How many are in force.
    pub fn count(last: Option<&'c Match<'c>>) -> usize {
        last.map_or(0, |last| last.depth + 1)
    }

    /// The last of the first so many.
    pub fn first(mut last: Option<&'c Match<'c>>, count: usize) -> Option<&'c Match<'c>> {
        while let Some(Match { before, depth, .. }) = last
            && *depth >= count
        {
            last = *before;
        }
        last
    }
}
