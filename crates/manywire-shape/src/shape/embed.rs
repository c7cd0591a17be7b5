use super::reach::parts_mut;
use super::{NodeId, Shape, ShapeBuilder};

impl ShapeBuilder {
    /// Adds every node of a finished shape, and gives the place of its root: how values whose
    /// shape was inferred or read stand among those of Rust types.
    pub fn embed(&mut self, shape: &Shape) -> NodeId {
        // The nodes stay together and in order, so that each moves by the same distance.
        let mut moved = Vec::with_capacity(shape.nodes.len());
        for node in &shape.nodes {
            moved.push(self.add(node.clone()));
        }
        for id in &moved {
            for part in parts_mut(&mut self.nodes[id.index()]) {
                *part = moved[part.index()];
            }
        }
        moved[shape.root.index()]
    }
}
