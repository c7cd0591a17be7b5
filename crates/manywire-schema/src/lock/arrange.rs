use std::collections::HashMap;

use manywire_shape::proto::{Message, Schema};
use manywire_shape::{Node, Record, Shape, ShapeBuilder};

use super::fields::find;
use super::{Lock, is_own};

impl Lock {
    /// The shape with the fields of its records in the order that was promised, and new ones behind
    /// them: for shapes whose order was found, not written down. `next` is the schema of the shape.
    pub fn arrange(&self, shape: &Shape, next: &Schema) -> Shape {
        let mut builder = ShapeBuilder::default();
        // Added in their order, nodes keep their ids.
        for node in shape.nodes() {
            builder.add(match node {
                Node::Record(record) => Node::Record(self.arranged(record, next)),
                other => other.clone(),
            });
        }
        builder.finish(shape.root())
    }

    fn arranged(&self, record: &Record, next: &Schema) -> Record {
        let mut record = record.clone();
        let own = |message: &&Message| message.name == *record.name && is_own(message);
        let old = self.message(&record.name);
        if let (Some(old), Some(message)) = (old, next.messages.iter().find(own)) {
            let places: HashMap<&str, usize> = message
                .fields
                .iter()
                .filter_map(|field| Some((field.name.as_str(), find(old, field)?)))
                .collect();
            // Stable: what is new stays in the order it was found in.
            record
                .fields
                .sort_by_key(|field| places.get(&*field.name).copied().unwrap_or(usize::MAX));
        }
        record
    }
}
