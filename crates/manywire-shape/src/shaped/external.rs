//! `Shaped` for the types of other crates, each behind the cargo feature of its name.

#[cfg(any(feature = "chrono", feature = "url", feature = "bytes", feature = "serde_json"))]
macro_rules! leaves {
    ($($ty:ty => $node:expr;)*) => {$(
        impl crate::Shaped for $ty {
            fn node(builder: &mut crate::ShapeBuilder) -> crate::NodeId {
                builder.add($node)
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
leaves! {
    url::Url => crate::Node::Str;
}

#[cfg(feature = "chrono")]
mod chrono {
    use chrono::{
        DateTime, Month, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Weekday,
    };

    use crate::{Node, NodeId, ShapeBuilder, Shaped};

    // Text in every format: dates and times as in RFC 3339, months and weekdays by their names.
    leaves! {
        NaiveDate => Node::Str;
        NaiveDateTime => Node::Str;
        NaiveTime => Node::Str;
        Month => Node::Str;
        Weekday => Node::Str;
    }

    impl<Tz: TimeZone> Shaped for DateTime<Tz> {
        fn node(builder: &mut ShapeBuilder) -> NodeId {
            builder.add(Node::Str)
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
    use uuid::Uuid;
    use uuid::fmt::{Braced, Hyphenated, Simple, Urn};

    use crate::{Node, NodeId, ShapeBuilder, Shaped};

    /// Bytes in binary formats, hyphenated text in human-readable ones.
    impl Shaped for Uuid {
        fn node(builder: &mut ShapeBuilder) -> NodeId {
            builder.add(if builder.is_human_readable() { Node::Str } else { Node::Bytes })
        }
    }

    macro_rules! texts {
        ($($ty:ty)*) => {$(
            impl Shaped for $ty {
                fn node(builder: &mut ShapeBuilder) -> NodeId {
                    builder.add(Node::Str)
                }
            }
        )*};
    }

    texts! { Braced Hyphenated Simple Urn }
}

#[cfg(feature = "time")]
mod time {
    use std::fmt;

    use serde::Serialize;
    use time::{
        Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcDateTime, UtcOffset,
        Weekday,
    };

    use crate::{Node, NodeId, ShapeBuilder, Shaped};

    /// Returns whether `time` writes text in human-readable formats. The crate writes
    /// text only with its feature `serde-human-readable`, which other crates cannot query. So this
    /// function writes a value to a formatter, the one serializer that accepts text and refuses
    /// tuples.
    fn writes_text() -> bool {
        struct Written(Date);
        impl fmt::Display for Written {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.serialize(f)
            }
        }
        fmt::Write::write_fmt(&mut String::new(), format_args!("{}", Written(Date::MIN))).is_ok()
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
