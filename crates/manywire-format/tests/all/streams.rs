//! The table of streams is consistent with itself and with the lookups.

use manywire_format::{FORMATS, Format, MediaType, STREAMS, StreamFraming};

#[test]
fn rows_are_in_the_order_of_the_variants() {
    for (index, row) in STREAMS.iter().enumerate() {
        assert_eq!(row.framing as usize, index, "{:?}", row.framing);
        assert!(std::ptr::eq(row.framing.row(), row));
        assert!(row.form.is_none_or(|form| form.format == row.format), "{:?}", row.framing);
    }
}

#[test]
fn media_types_find_their_framing() {
    for row in STREAMS {
        for name in row.media_types {
            let media_type = MediaType::parse(name).expect("a media type");
            assert_eq!(StreamFraming::from_media_type(&media_type), Some(row.framing), "{name}");
        }
    }
    for (text, framing) in [
        ("application/json; charset=utf-8", Some(StreamFraming::Array)),
        ("application/vnd.hotels+json", Some(StreamFraming::Array)),
        ("application/x-msgpack", Some(StreamFraming::MsgPack)),
        ("application/protobuf; delimited=true", Some(StreamFraming::Delimited)),
        ("application/protobuf; delimited=false", None),
        ("application/protobuf", None),
        ("application/cbor", None),
        ("application/bson", None),
        ("text/html", None),
    ] {
        let media_type = MediaType::parse(text).expect("a media type");
        assert_eq!(StreamFraming::from_media_type(&media_type), framing, "{text}");
    }
}

#[test]
fn framings_of_a_format_begin_with_the_preferred_one() {
    let framings = |format| StreamFraming::of(format).collect::<Vec<_>>();
    assert_eq!(
        framings(Format::Json),
        [StreamFraming::Lines, StreamFraming::Array, StreamFraming::Events]
    );
    assert_eq!(framings(Format::Bson), []);
    let count: usize = FORMATS.iter().map(|row| framings(row.format).len()).sum();
    assert_eq!(count, STREAMS.len());
}
