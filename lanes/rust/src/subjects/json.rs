use crate::coder::{by_serde, load, owned, sure};
use crate::subject::{self, Subject};

pub(super) fn dynamic() -> Vec<Subject> {
    vec![
        subject::dynamic("serde_json", "json", |_, bytes| {
            let coder = owned(
                |bytes| Ok(serde_json::from_slice::<serde_json::Value>(bytes)?),
                |value| Ok(serde_json::to_vec(value)?),
                by_serde,
            );
            load(coder, bytes, sure)
        }),
        subject::dynamic("sonic-rs", "json", |_, bytes| {
            let coder = owned(
                |bytes| Ok(sonic_rs::from_slice::<sonic_rs::Value>(bytes)?),
                |value| Ok(sonic_rs::to_vec(value)?),
                by_serde,
            );
            load(coder, bytes, sure)
        }),
    ]
}
