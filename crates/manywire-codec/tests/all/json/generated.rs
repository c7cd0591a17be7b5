//! Generated values compared with serde_json in both directions, and arbitrary bytes.

use manywire_codec::{Limits, json};
use manywire_shape::{Arena, Value};
use proptest::prelude::*;

fn read<'a>(bytes: &'a [u8], arena: &'a Arena) -> manywire_codec::Result<Value<'a>> {
    json::read_value(bytes, arena, Limits::default())
}

/// Generates any value that JSON can represent, as serde_json's type.
fn documents() -> impl Strategy<Value = serde_json::Value> {
    let text = prop_oneof![".{0,40}", "[ -~]{0,40}", "[\"\\\\\u{0}-\u{1f}\u{7f}é€𝄞]{0,20}"];
    let scalar = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        (-1000..1000i32).prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        (-1e6..1e6f64).prop_map(Into::into),
        text.prop_map(Into::into),
    ];
    scalar.prop_recursive(6, 200, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Into::into),
            prop::collection::vec((".{0,20}", inner), 0..8)
                .prop_map(|entries| { serde_json::Value::Object(entries.into_iter().collect()) }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn reads_and_writes_like_serde_json(document in documents(), pretty: bool) {
        let compact = serde_json::to_vec(&document).expect("a document");
        let bytes = match pretty {
            true => serde_json::to_vec_pretty(&document).expect("a document"),
            false => compact.clone(),
        };
        let arena = Arena::new();
        let value = read(&bytes, &arena).expect("a document");
        let mut out = Vec::new();
        json::write_value(&value, &mut out).expect("a value read from JSON");
        prop_assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&compact));
        let again = Arena::new();
        prop_assert_eq!(read(&out, &again).expect("what was written"), value);
    }

    /// A document with changed bytes is accepted by both readers or by neither, and never causes a
    /// panic.
    #[test]
    fn rejects_changed_documents_like_serde_json(
        document in documents(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3),
        cut: Option<prop::sample::Index>,
    ) {
        let mut bytes = serde_json::to_vec(&document).expect("a document");
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let arena = Arena::new();
        let ours = read(&bytes, &arena);
        let theirs = serde_json::from_slice::<serde_json::Value>(&bytes);
        // Only our reader accepts numbers beyond a double.
        let beyond = theirs.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        prop_assert!(ours.is_ok() == theirs.is_ok() || beyond, "{ours:?} {theirs:?}");
        if let Err(error) = ours {
            prop_assert!(error.offset().is_some_and(|offset| offset <= bytes.len()));
        }
        let typed = json::from_slice::<serde_json::Value>(&bytes);
        prop_assert_eq!(typed.is_ok(), theirs.is_ok());
    }

    /// Decimal text of every length and exponent gives the nearest double, the same as in the
    /// standard library.
    #[test]
    fn reads_decimals_as_the_nearest_double(
        mantissa in prop_oneof![any::<u64>(), 0..1u64 << 54, Just(1u64 << 53)],
        point in 0..25usize,
        exponent in prop_oneof![Just(None), (-60..60i32).prop_map(Some), (-400..400i32).prop_map(Some)],
    ) {
        let digits = format!("{mantissa:0width$}", width = point + 1);
        let (whole, fraction) = digits.split_at(digits.len() - point);
        let whole = match whole.trim_start_matches('0') {
            "" => "0",
            whole => whole,
        };
        let fraction = if fraction.is_empty() { "0" } else { fraction };
        let exponent = exponent.map(|exponent| format!("e{exponent}")).unwrap_or_default();
        let text = format!("{whole}.{fraction}{exponent}");
        let expected: f64 = text.parse().expect("decimal text");
        let arena = Arena::new();
        let value = read(text.as_bytes(), &arena).expect("a number");
        if expected.is_finite() {
            prop_assert_eq!(value, Value::F64(expected), "{}", text);
        } else {
            prop_assert_eq!(value, Value::Number(&text));
        }
    }

    #[test]
    fn round_trips_every_double(bits: u64) {
        let number = f64::from_bits(bits);
        prop_assume!(number.is_finite());
        let mut out = Vec::new();
        json::write_value(&Value::F64(number), &mut out).expect("finite");
        let arena = Arena::new();
        prop_assert_eq!(read(&out, &arena).expect("a number"), Value::F64(number));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let arena = Arena::new();
        let ours = read(&bytes, &arena).is_ok();
        prop_assert_eq!(ours, serde_json::from_slice::<serde_json::Value>(&bytes).is_ok());
    }
}

/// Halfway cases and their neighbours, where the last digit decides the rounding.
#[test]
fn rounds_halfway_cases_correctly() {
    for number in [1.0f64, 1.5, 0.1, 123_456.789, 9_007_199_254_740_993.0, 1e-10, 7.5e15] {
        for step in 0..64u64 {
            let low = f64::from_bits(number.to_bits() + step);
            let high = f64::from_bits(number.to_bits() + step + 1);
            // Nineteen digits almost determine the midpoint.
            let middle = low + (high - low) / 2.0;
            for text in [format!("{middle:.17e}"), format!("{low:.18e}"), format!("{high:.16e}")] {
                let arena = Arena::new();
                let expected: f64 = text.parse().expect("decimal text");
                let value = read(text.as_bytes(), &arena).expect("a number");
                assert_eq!(value, Value::F64(expected), "{text}");
            }
        }
    }
    // Exact ties: an odd multiple of half a unit in the last place, written out.
    for odd in (1..200u64).step_by(2) {
        let mantissa = (1u64 << 53) + odd;
        for shift in 1..10u32 {
            let decimal = u128::from(mantissa) * 5u128.pow(shift);
            if decimal >= 10_000_000_000_000_000_000 {
                continue;
            }
            let text = format!("{decimal}e-{shift}");
            let arena = Arena::new();
            let expected: f64 = text.parse().expect("decimal text");
            let value = read(text.as_bytes(), &arena).expect("a number");
            assert_eq!(value, Value::F64(expected), "{text}");
        }
    }
}
