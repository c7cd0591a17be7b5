//! Both directions of the triple that [`manywire_shape::extension`] describes.

mod part;
mod read;
mod write;

pub(crate) use self::read::{borrowed_bytes, number, seconds, visit};
pub(crate) use self::write::{WriteExtension, i64_of, with_bytes, with_str, write};
