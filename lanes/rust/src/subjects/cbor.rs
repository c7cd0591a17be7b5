use crate::coder::{load, owned, sure};
use crate::plain;
use crate::subject::{self, Subject};

pub(super) fn dynamic() -> Vec<Subject> {
    vec![
        subject::dynamic("serde_cbor_2", "cbor", |_, bytes| {
            let coder = owned(
                |bytes| Ok(serde_cbor_2::from_slice::<serde_cbor_2::Value>(bytes)?),
                |value| Ok(serde_cbor_2::to_vec(value)?),
                plain::serde_cbor_2,
            );
            load(coder, bytes, sure)
        }),
        subject::dynamic("cbor2", "cbor", |_, bytes| {
            let coder = owned(
                |bytes| Ok(cbor2::from_slice::<cbor2::Value>(bytes)?),
                |value| Ok(cbor2::to_vec(value)?),
                plain::cbor2,
            );
            load(coder, bytes, sure)
        }),
    ]
}
