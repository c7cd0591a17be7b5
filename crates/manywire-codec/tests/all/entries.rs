//! Values that serde passes in another way than the type of the schema does: variants as entries of
//! maps and records, and keys separately from their values.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;

use manywire_codec::{Codec, Limits};
use manywire_format::{FORMATS, Format, SchemaNeeds};
use manywire_shape::{Arena, Shape, Shaped};
use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

#[derive(Serialize, Deserialize, Shaped)]
struct Record {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    number: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<bool>,
    #[serde(flatten)]
    others: BTreeMap<String, u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Entry {
    Number(u32),
    Other(u32),
}

/// A map that serializes each key separately from its value.
struct Separate<'e, K, V>(&'e [(K, V)]);

impl<K: Serialize, V: Serialize> Serialize for Separate<'_, K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.0 {
            map.serialize_key(key)?;
            map.serialize_value(value)?;
        }
        map.end()
    }
}

/// Checks that the formats that need a schema encode `value` by the schema of `same` as a value that
/// is read as `same` is.
#[track_caller]
fn check<T: Shaped + Serialize>(value: &impl Serialize, same: &T) {
    let shape = Shape::of::<T>();
    for row in FORMATS.iter().filter(|row| row.schema == SchemaNeeds::Shape) {
        let codec = Codec::new(row.format, &shape).expect("a codec");
        let (mut bytes, mut same_bytes) = (Vec::new(), Vec::new());
        let result = codec.encode_typed(value, &mut bytes);
        result.unwrap_or_else(|error| panic!("{}: {error}", row.name));
        codec.encode_typed(same, &mut same_bytes).expect("a value of the type");
        let arena = Arena::new();
        let read = codec.decode(&bytes, &arena).expect("a value of the type");
        let same = codec.decode(&same_bytes, &arena).expect("a value of the type");
        assert_eq!(format!("{read:?}"), format!("{same:?}"), "{}", row.name);
    }
}

#[test]
fn variants_are_entries_of_maps_and_records() {
    let others = |entries: &[(&str, u32)]| -> BTreeMap<String, u32> {
        entries.iter().map(|(key, value)| ((*key).to_owned(), *value)).collect()
    };
    let record = |number, others| Record { first: None, number, last: None, others };
    check(&Entry::Number(7), &record(Some(7), BTreeMap::new()));
    check(&Entry::Other(7), &record(None, others(&[("other", 7)])));
    check(&Entry::Other(7), &others(&[("other", 7)]));
    check(
        &[Entry::Other(7), Entry::Number(8)],
        &vec![others(&[("other", 7)]), others(&[("number", 8)])],
    );
    check(&Some(Entry::Other(7)), &Some(others(&[("other", 7)])));
}

#[test]
fn keys_may_come_before_their_values() {
    let texts = [("a", 1_u32), ("b", 2)];
    let by_text: BTreeMap<String, u32> =
        texts.iter().map(|(key, value)| ((*key).to_owned(), *value)).collect();
    check(&Separate(&texts), &by_text);
    let numbers = [(1_u32, "x"), (7, "y")];
    let by_number: BTreeMap<u32, String> =
        numbers.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
    check(&Separate(&numbers), &by_number);
    let fields = [("number", 1_u32), ("other", 2)];
    let others = BTreeMap::from([("other".to_owned(), 2)]);
    check(&Separate(&fields), &Record { first: None, number: Some(1), last: None, others });
}

#[test]
fn errors_of_protobuf_name_the_entry_whose_key_came_before_its_value() {
    /// Returns the path of the error for these entries in a map of the type `T`.
    fn path<T: Shaped>(entries: &[(impl Serialize, impl Serialize)]) -> String {
        let codec = Codec::new(Format::Protobuf, &Shape::of::<T>()).expect("a codec");
        let error = codec.encode_typed(&Separate(entries), &mut Vec::new()).expect_err("a misfit");
        error.path_text()
    }

    let inner = |number| BTreeMap::from([("inner", number)]);
    let texts = [("", inner(7)), ("outer", inner(-1_i16))];
    assert_eq!(path::<BTreeMap<String, BTreeMap<String, u8>>>(&texts), "$.outer.inner");
    let empty = [("", inner(-1))];
    assert_eq!(path::<BTreeMap<String, BTreeMap<String, u8>>>(&empty), "$[\"\"].inner");
    assert_eq!(path::<BTreeMap<i32, u8>>(&[(-7, 1), (-8, -1)]), "$.-8");
    assert_eq!(path::<BTreeMap<u32, u8>>(&[(0, 1), (0, -1)]), "$.0");
    assert_eq!(path::<BTreeMap<bool, u8>>(&[(true, 1), (false, -1)]), "$.false");
    // The key itself does not fit.
    assert_eq!(path::<BTreeMap<u32, u8>>(&[(1_i8, 1), (-1, 1)]), "$.-1");
}

#[test]
fn errors_name_entries_by_keys_of_any_type() {
    /// Returns the paths of the errors for an entry whose value is too large for the type of the
    /// schema, when it is written, and for the type of the target, when it is read.
    fn paths<K>(format: Format, key: K) -> [String; 2]
    where
        K: Shaped + Serialize + DeserializeOwned + Ord + Debug,
    {
        let large = BTreeMap::from([(key, 1_i64 << 40)]);
        let narrow = Codec::new(format, &Shape::of::<BTreeMap<K, i32>>()).expect("a codec");
        let written = narrow.encode_typed(&large, &mut Vec::new()).expect_err("no i32");
        let wide = Codec::new(format, &Shape::of::<BTreeMap<K, i64>>()).expect("a codec");
        let mut bytes = Vec::new();
        wide.encode_typed(&large, &mut bytes).expect("an i64");
        let target = PhantomData::<BTreeMap<K, i32>>;
        let read = wide.decode_typed(target, &bytes, Limits::DEFAULT).expect_err("no i32");
        [written.path_text(), read.path_text()]
    }

    for row in FORMATS.iter().filter(|row| row.schema == SchemaNeeds::Shape) {
        assert_eq!(paths(row.format, -7_i32), ["$.-7"; 2], "{}", row.name);
        assert_eq!(paths(row.format, 0_u64), ["$.0"; 2], "{}", row.name);
        assert_eq!(paths(row.format, true), ["$.true"; 2], "{}", row.name);
        assert_eq!(paths(row.format, "a b".to_owned()), ["$[\"a b\"]"; 2], "{}", row.name);
        assert_eq!(paths(row.format, (1_u8, 2_u8)), ["$[\"[1,2]\"]"; 2], "{}", row.name);
    }
}
