//! Timestamps, numbers of any size, and the types of other formats.

use manywire_shape::extension::Kind as Extension;
use serde::Serialize;

use super::{Place, mismatch};
use crate::avro::plan::{Kind, Op};
use crate::core::error::{Category, Error, Result};
use crate::core::extension as triple;

impl triple::WriteExtension for Option<Place<'_, '_>> {
    fn write_extension<T: Serialize + ?Sized>(
        &mut self,
        kind: Extension,
        code: u64,
        content: &T,
    ) -> Result<()> {
        let Some(Place { writer, plan, op }) = self.take() else {
            return Err(Error::new(Category::Unsupported, "an extension has one content"));
        };
        match kind {
            Extension::Timestamp => match writer.descend(plan, op, Kind::Timestamp)? {
                Op::Timestamp => {
                    let nanoseconds = i64::try_from(code).ok().filter(|&code| code < 1_000_000_000);
                    let nanoseconds = nanoseconds.ok_or_else(|| {
                        Error::new(
                            Category::Unsupported,
                            format_args!("{code} nanoseconds are more than a second"),
                        )
                    })?;
                    writer.long(triple::i64_of(content)?);
                    writer.long(nanoseconds);
                    Ok(())
                }
                op => Err(mismatch(op, "a timestamp")),
            },
            Extension::Number => triple::with_str(content, |text| writer.number(plan, op, text)),
            _ => match writer.descend(plan, op, Kind::Extension)? {
                Op::Extension(slot) => {
                    writer.index(kind as u32);
                    writer.long(code.cast_signed());
                    content.serialize(Place { writer, plan, op: plan.op(slot) })
                }
                op => Err(mismatch(op, "an extension")),
            },
        }
    }
}
