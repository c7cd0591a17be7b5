//! `Shaped` for the types of other crates, each behind the cargo feature of its name.

/// Returns the text that serde writes for a value in human-readable formats, or `None` for a value
/// that is not written as text, a number or a boolean. A formatter is the one serializer that
/// accepts these and refuses tuples.
#[cfg(any(feature = "chrono", feature = "time", feature = "url", feature = "uuid"))]
fn text_of<T: serde::Serialize>(value: &T) -> Option<std::borrow::Cow<'static, str>> {
    struct Written<'v, T>(&'v T);
    impl<T: serde::Serialize> std::fmt::Display for Written<'_, T> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.serialize(f)
        }
    }
    let mut text = String::new();
    std::fmt::Write::write_fmt(&mut text, format_args!("{}", Written(value))).ok()?;
    Some(text.into())
}

/// Types that serde writes as text in every format.
#[cfg(any(feature = "chrono", feature = "url", feature = "uuid"))]
macro_rules! texts {
    ($($ty:ty)*) => {$(
        impl crate::Shaped for $ty {
            fn node(builder: &mut crate::ShapeBuilder) -> crate::NodeId {
                builder.add(crate::Node::Str)
            }

            fn map_key(&self) -> Option<std::borrow::Cow<'_, str>> {
                crate::shaped::external::text_of(self)
            }
        }
    )*};
}

#[cfg(feature = "bytes")]
leaves! {
    bytes::Bytes => crate::Node::Bytes;
    bytes::BytesMut => crate::Node::Bytes;
}

#[cfg(feature = "url")]
texts! { url::Url }

#[cfg(feature = "chrono")]
mod chrono {
    use std::borrow::Cow;

    use chrono::{
        DateTime, Month, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Weekday,
    };

    use super::text_of;
    use crate::{Node, NodeId, ShapeBuilder, Shaped};

    // Dates and times as in RFC 3339, months and weekdays by their names.
    texts! { NaiveDate NaiveDateTime NaiveTime Month Weekday }

    impl<Tz: TimeZone> Shaped for DateTime<Tz> {
        fn node(builder: &mut ShapeBuilder) -> NodeId {
            builder.add(Node::Str)
        }

        fn map_key(&self) -> Option<Cow<'_, str>> {
            text_of(self)
        }
    }

    impl Shaped for TimeDelta {
        fn node(builder: &mut ShapeBuilder) -> NodeId {
            <(i64, i32)>::node(builder)
        }
    }
}

#[cfg(feature = "serde_json")]
mod serde_json {
    use serde_json::{Map, Number, Value};

    use crate::{Node, NodeId, ShapeBuilder, Shaped};

    leaves! {
        Value => Node::Any;
    }

    impl Shaped for Number {
        fn node(builder: &mut ShapeBuilder) -> NodeId {
            let branches = [i64::node(builder), u64::node(builder), f64::node(builder)];
            builder.union(&branches)
        }
    }

    impl Shaped for Map<String, Value> {
        fn node(builder: &mut ShapeBuilder) -> NodeId {
            let key = String::node(builder);
            let value = Value::node(builder);
            builder.add(Node::Map { key, value })
        }
    }
}

#[cfg(feature = "uuid")]
mod uuid {
    use std::borrow::Cow;

    use uuid::Uuid;
    use uuid::fmt::{Braced, Hyphenated, Simple, Urn};

    use super::text_of;
    use crate::{Node, NodeId, ShapeBuilder, Shaped};

    /// Bytes in binary formats, hyphenated text in human-readable ones.
    impl Shaped for Uuid {
        fn node(builder: &mut ShapeBuilder) -> NodeId {
            builder.add(if builder.is_human_readable() { Node::Str } else { Node::Bytes })
        }

        fn map_key(&self) -> Option<Cow<'_, str>> {
            text_of(self)
        }
    }

    texts! { Braced Hyphenated Simple Urn }
}

#[cfg(feature = "time")]
mod time {
    use std::borrow::Cow;

    use time::{
        Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcDateTime, UtcOffset,
        Weekday,
    };

    use super::text_of;
    use crate::{Node, NodeId, ShapeBuilder, Shaped};

    /// Returns whether `time` writes text in human-readable formats. The crate writes text only with
    /// its feature `serde-human-readable`, which other crates cannot query.
    fn writes_text() -> bool {
        text_of(&Date::MIN).is_some()
    }

    macro_rules! parts {
        ($($ty:ty => $parts:ty;)*) => {$(
            impl Shaped for $ty {
                fn node(builder: &mut ShapeBuilder) -> NodeId {
                    if builder.is_human_readable() && writes_text() {
                        builder.add(Node::Str)
                    } else {
                        <$parts>::node(builder)
                    }
                }

                fn map_key(&self) -> Option<Cow<'_, str>> {
                    text_of(self)
                }
            }
        )*};
    }

    parts! {
        // Year and day of the year.
        Date => (i32, u16);
        // Hour, minute, second, nanosecond.
        Time => (u8, u8, u8, u32);
        PrimitiveDateTime => (i32, u16, u8, u8, u8, u32);
        UtcDateTime => (i32, u16, u8, u8, u8, u32);
        // With hours, minutes and seconds of the offset.
        OffsetDateTime => (i32, u16, u8, u8, u8, u32, i8, i8, i8);
        UtcOffset => (i8, i8, i8);
        // Seconds and nanoseconds.
        Duration => (i64, i32);
        // Counted from Monday, and from January, as 1.
        Weekday => u8;
        Month => u8;
    }
}
