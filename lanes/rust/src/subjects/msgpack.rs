use crate::coder::{load, owned, sure};
use crate::plain;
use crate::subject::{self, Subject};

pub(super) fn dynamic() -> Vec<Subject> {
    // rmpv provides the dynamic value of the project that rmp-serde belongs to.
    vec![subject::dynamic("rmp-serde", "msgpack", |_, bytes| {
        let coder = owned(
            |bytes| Ok(rmp_serde::from_slice::<rmpv::Value>(bytes)?),
            |value| Ok(rmp_serde::to_vec_named(value)?),
            plain::rmpv,
        );
        load(coder, bytes, sure)
    })]
}
