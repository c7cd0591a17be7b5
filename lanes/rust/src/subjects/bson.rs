use bson::Document;

use crate::coder::{load, owned, sure};
use crate::plain;
use crate::subject::{self, Subject};

pub(super) fn dynamic() -> Vec<Subject> {
    vec![subject::dynamic("bson", "bson", |_, bytes| {
        let coder = owned(
            |bytes| Ok(Document::from_reader(bytes)?),
            |document: &Document| Ok(document.to_vec()?),
            plain::bson,
        );
        load(coder, bytes, sure)
    })]
}
