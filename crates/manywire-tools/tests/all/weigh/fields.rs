//! The bytes of each field: all of them are counted, and a field has one name in every format.

use std::sync::atomic::AtomicBool;

use manywire_format::{FORMATS, Format};
use manywire_tools::payload::Payload;
use manywire_tools::weigh::fields;
use manywire_tools::weigh::lanes::LaneInput;
use manywire_tools::weigh::report::FormatFields;

fn input(payloads: &[&str]) -> LaneInput {
    let payload = |(index, text): (usize, &&str)| {
        Payload::new(&format!("{index}.json"), Format::Json, text.as_bytes().to_vec())
    };
    let payloads: Vec<Payload> = payloads.iter().enumerate().map(payload).collect();
    LaneInput::every(&payloads, None).expect("payloads")
}

fn count(input: &LaneInput) -> Vec<FormatFields> {
    let formats: Vec<Format> = FORMATS.iter().map(|row| row.format).collect();
    fields::count("*", input, &formats, &AtomicBool::new(false))
}

#[test]
fn every_byte_belongs_to_a_field() {
    let hotels = include_str!("../../../../../examples/hotels.json");
    let odd = r#"{"odd key": [1, "two", null, {"three": [[3.5]]}], "empty": {}, "": [[], [true]]}"#;
    for payloads in [&[hotels][..], &[odd], &[odd, "{\"empty\": {\"a\": 1}}"]] {
        let input = input(payloads);
        let counted = count(&input);
        let possible = FORMATS.iter().filter(|row| input.encoded(row.format).is_ok());
        assert_eq!(counted.len(), possible.count(), "a walker and a codec disagree");
        assert!(counted.len() >= 4, "{counted:?}");
        for FormatFields { format, keys, structure, values, .. } in counted {
            let encoded = input.encoded(format).expect("counted");
            let bytes: usize = encoded.iter().map(Vec::len).sum();
            assert_eq!(keys + structure + values, bytes as u64, "{format}");
        }
    }
}

#[test]
fn a_field_has_one_name_in_every_format() {
    let text = r#"{"hotels": [{"name": "Grand", "rate": 91.5}, {"name": "Ritz", "rate": 120.25}]}"#;
    let counted = count(&input(&[text]));
    assert_eq!(counted.len(), FORMATS.len());
    for found in counted {
        let name = found.fields.iter().find(|field| field.path == "$.hotels[*].name");
        let name = name.unwrap_or_else(|| panic!("{}: {:?}", found.format, found.fields));
        assert_eq!((name.values, name.times), (9, 2), "{}: Grand and Ritz", found.format);
        assert_eq!(found.field_count, found.fields.len() as u64);
        let has_keys = !matches!(found.format, Format::MsgPackArray | Format::Avro);
        assert_eq!(name.keys > 0, has_keys, "{}", found.format);
    }
}

#[test]
fn the_largest_fields_are_listed_and_all_are_counted() {
    let fields: Vec<String> = (0..30).map(|index| format!("\"field{index}\": {index}")).collect();
    let counted = count(&input(&[&format!("{{{}}}", fields.join(","))]));
    for found in counted {
        // The record itself is at `$`; a message of Protocol Buffers is nothing but its fields.
        let record = u64::from(found.format != Format::Protobuf);
        let expected = (30 + record, 20);
        assert_eq!((found.field_count, found.fields.len()), expected, "{}", found.format);
        let bytes: Vec<u64> =
            found.fields.iter().map(|it| it.keys + it.structure + it.values).collect();
        assert!(bytes.is_sorted_by(|one, other| one >= other), "{bytes:?}");
    }
}
