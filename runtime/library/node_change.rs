//! What differs between two states of a node: its facts, its trusted data, and all else that a compile is given beside a tree.

use crate::bench::Target;
use bunraku_files::reads::{NodeData, Touch};
use bunraku_nodes::changes::DataChange;

/// What differs.
#[derive(Clone, Debug)]
pub struct NodeChange {
    data: [DataChange; 2],
    /// Whether something else differs: classes and variables of its classifier, what its environment is called, settings. Then
    /// every compile is touched.
    pub others: bool,
}

impl NodeChange {
    /// What differs between a node's compile and another of the node from the same tree.
    pub fn between(before: &Target, after: &Target) -> NodeChange {
        let (old, new) = (&before.node.node, &after.node.node);
        let facts = DataChange::between(NodeData::Facts, old.facts.map(), new.facts.map());
        let trusted = DataChange::between(NodeData::Trusted, &old.trusted, &new.trusted);
        NodeChange { data: [facts, trusted], others: before.digest_of_others() != after.digest_of_others() }
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        !self.others && self.data.iter().all(DataChange::is_empty)
    }

    /// The values that differ and that a compile has asked for, by what it has read (sorted): `facts.os.release`, `trusted.domain`.
    /// Where there is none and nothing else differs, it comes to the same.
    pub fn met_by(&self, touches: &[Touch]) -> Vec<&str> {
        self.data.iter().flat_map(|data| data.met_by(touches)).collect()
    }
}
