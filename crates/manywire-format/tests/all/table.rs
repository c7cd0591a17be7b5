//! The table of formats is consistent with itself and with the lookups.

use manywire_format::{Coding, CodingLevel, FORMATS, Format, IntegerRange, TimePrecision};

#[test]
fn rows_are_in_the_order_of_the_variants() {
    for (index, row) in FORMATS.iter().enumerate() {
        assert_eq!(row.format as usize, index, "{}", row.name);
        assert!(std::ptr::eq(row.format.row(), row));
    }
}

#[test]
fn every_name_parses_back() {
    for row in FORMATS {
        assert_eq!(row.name.parse(), Ok(row.format));
        assert_eq!(row.format.to_string(), row.name);
    }
    let unknown = "thrift".parse::<Format>().unwrap_err().to_string();
    let names: Vec<&str> = FORMATS.iter().map(|row| row.name).collect();
    assert!(unknown.starts_with("unknown format \"thrift\": expected one of json, msgpack, "));
    assert!(unknown.ends_with(&names.join(", ")), "{unknown}");
}

#[test]
fn the_words_agree_with_the_capabilities() {
    for row in FORMATS {
        let says = |words: &str| row.cannot_hold.iter().any(|part| part.contains(words));
        let holds = row.holds;
        assert_eq!(says("bytes"), !holds.bytes || holds.integers == IntegerRange::BytesOf128);
        assert_eq!(says("NaN"), !holds.non_finite, "{}", row.name);
        assert_eq!(says("keys that are not strings"), !holds.any_key, "{}", row.name);
        assert_eq!(says("timestamps"), holds.times == TimePrecision::None, "{}", row.name);
        assert_eq!(says("millisecond"), holds.times == TimePrecision::Milliseconds);
        assert_eq!(says("integers beyond i64"), holds.integers == IntegerRange::I64);
        let beyond_64 = [IntegerRange::U64, IntegerRange::BytesOf128].contains(&holds.integers);
        assert_eq!(says("numbers beyond 64 bits"), beyond_64, "{}", row.name);
    }
}

#[test]
fn formats_with_one_media_type_differ_by_a_parameter() {
    for (index, row) in FORMATS.iter().enumerate() {
        for other in &FORMATS[..index] {
            let is_same = (row.media_type, row.parameter) == (other.media_type, other.parameter);
            assert!(!is_same, "{} and {}", other.name, row.name);
        }
    }
}

#[test]
fn extensions_are_unambiguous() {
    for row in FORMATS {
        for extension in row.extensions {
            assert_eq!(Format::from_extension(extension), Some(row.format));
            assert_eq!(Format::from_extension(&extension.to_uppercase()), Some(row.format));
        }
    }
    assert_eq!(Format::from_extension("txt"), None);
}

#[test]
fn media_types_find_the_first_matching_row() {
    for row in FORMATS {
        for media_type in row.aliases.iter().chain([&row.media_type]) {
            let found = Format::from_media_type(media_type).expect(media_type);
            assert!(found <= row.format);
            assert_eq!(found.row().media_type, row.media_type);
        }
    }
    assert_eq!(Format::from_media_type("APPLICATION/X-MSGPACK"), Some(Format::MsgPack));
}

#[test]
fn codings_parse_with_and_without_a_level() {
    for coding in Coding::ALL {
        assert_eq!(coding.name().parse(), Ok(coding));
        let level = CodingLevel::from(coding);
        assert_eq!(level.to_string().parse(), Ok(level));
        assert!(coding.levels().contains(&level.level()));
    }
    assert_eq!("gzip:9".parse::<CodingLevel>().unwrap().level(), 9);
    assert_eq!("X-GZIP".parse::<Coding>(), Ok(Coding::Gzip));
    for wrong in ["gzip:10", "gzip:", "gzip:-1", "lzma", "zstd:0"] {
        assert!(wrong.parse::<CodingLevel>().is_err(), "{wrong}");
    }
}
