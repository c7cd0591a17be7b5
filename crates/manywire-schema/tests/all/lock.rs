//! Locks keep field numbers and types stable.

use manywire_schema::lock::{Breach, Lock, Numbers};
use manywire_schema::read_proto;
use manywire_shape::infer::Inference;
use manywire_shape::proto::Schema;
use manywire_shape::{Shape, Shaped, Value};

const OLD: &str = r#"
syntax = "proto3";
message Hotel {
  reserved 4, 9 to 11;
  reserved "owner";
  string id = 1;
  int32 stars = 3;
  repeated Room rooms = 7;
  optional string note = 6;
  map<string, int32> prices = 8;
}
message Room { string name = 1; Kind kind = 2; }
enum Kind {
  reserved 3;
  KIND_UNSPECIFIED = 0;
  KIND_SINGLE = 1;
  KIND_SUITE = 5;
}
"#;

fn old() -> Lock {
    Lock::read("hotel.proto", OLD).expect("a .proto")
}

/// Returns the schema of a type with the lock applied.
fn locked<T: Shaped>() -> Result<String, Vec<Breach>> {
    let next = Schema::from_shape(&Shape::of::<T>()).expect("a schema");
    let locked = old().apply(&next, Numbers::Declared).map_err(|breaches| breaches.0)?;
    Ok(locked.to_proto(""))
}

/// The shapes of the next version, in separate modules because their names are the same.
mod next {
    #![allow(dead_code, reason = "only their shapes are looked at")]
    use std::collections::BTreeMap;

    use manywire_shape::Shaped;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, Shaped)]
    pub(super) enum Kind {
        Double,
        Suite,
        Single,
        Tent,
    }

    #[derive(Serialize, Deserialize, Shaped)]
    pub(super) struct Room {
        kind: Kind,
        name: String,
    }

    /// New fields in front, one gone, one wider, one renamed.
    #[derive(Serialize, Deserialize, Shaped)]
    pub(super) struct Hotel {
        city: String,
        id: String,
        stars: i64,
        rooms: Vec<Room>,
        #[serde(alias = "note")]
        remark: Option<String>,
        #[shaped(number = 13)]
        phone: String,
        open: bool,
    }

    #[derive(Serialize, Deserialize, Shaped)]
    pub(super) enum Status {
        Packed,
        #[serde(alias = "InTransit")]
        OnTheWay,
    }

    #[derive(Serialize, Deserialize, Shaped)]
    pub(super) struct Parcel {
        status: Status,
    }

    pub(super) mod renumbered {
        #[derive(serde::Serialize, serde::Deserialize, manywire_shape::Shaped)]
        pub(crate) struct Hotel {
            #[shaped(number = 2)]
            id: String,
            #[shaped(number = 1)]
            stars: i32,
        }
    }

    pub(super) mod retyped {
        #[derive(serde::Serialize, serde::Deserialize, manywire_shape::Shaped)]
        pub(crate) struct Hotel {
            id: u64,
            stars: Vec<i32>,
            prices: super::BTreeMap<String, String>,
            rooms: Vec<String>,
        }
    }

    pub(super) mod reused {
        #[derive(serde::Serialize, serde::Deserialize, manywire_shape::Shaped)]
        pub(crate) struct Hotel {
            #[shaped(number = 10)]
            a: String,
            #[shaped(number = 3)]
            b: String,
            owner: String,
        }
    }
}

/// Returns a schema with the lock of another applied.
fn applied(old: &str, new: &str) -> Result<Schema, String> {
    let lock = Lock::read("old.proto", old).expect("a .proto");
    let (next, _) = read_proto("new.proto", new, Some("A")).expect("a .proto");
    lock.apply(&next, Numbers::Declared).map_err(|breaches| breaches.to_string())
}

#[test]
fn a_map_may_become_a_list_of_its_entries() {
    let map = "map<string, int32> a = 1;";
    let file = |field: &str, messages: &str| {
        format!("syntax = \"proto3\"; message A {{ {field} }} {messages}")
    };
    let table = [
        (map, "string key = 1; int32 value = 2;", true),
        (map, "string key = 1; int64 value = 2; string note = 3;", true),
        (map, "string key = 1; optional int32 value = 2;", true),
        (map, "string key = 1; repeated int32 value = 2;", false),
        (map, "string key = 1; sint32 value = 2;", false),
        (map, "int32 value = 1; string key = 2;", false),
        (map, "string key = 1;", false),
        ("map<string, B> a = 1;", "string key = 1; B value = 2;", true),
        ("map<string, B> a = 1;", "string key = 1; bytes value = 2;", false),
    ];
    for (old, entry, is_safe) in table {
        let messages = format!("message E {{ {entry} }} message B {{}}");
        let found = applied(&file(old, "message B {}"), &file("repeated E a = 1;", &messages));
        assert_eq!(found.is_ok(), is_safe, "{entry}: {found:?}");
    }
    let entry = "message E { string key = 1; int32 value = 2; }";
    for (old, new) in [(map, "E a = 1;"), ("repeated E a = 1;", map)] {
        assert!(applied(&file(old, entry), &file(new, entry)).is_err(), "{old}");
    }
    // The lock keeps the numbers of a message that it has.
    let other = "message E { int32 value = 1; string key = 2; }";
    assert!(applied(&file(map, other), &file("repeated E a = 1;", entry)).is_err());
    // Formats that depend on the order write a map and a list differently.
    let lock = Lock::read("old.proto", &file(map, "")).expect("a .proto");
    let next = file("repeated E a = 1;", entry);
    let (next, _) = read_proto("new.proto", &next, Some("A")).expect("a .proto");
    assert!(lock.check_order(&next).is_err());
}

#[test]
fn a_group_stays_a_group() {
    let group = "syntax = \"proto2\"; message A { optional group G = 1 { optional int32 x = 1; } }";
    let message =
        "syntax = \"proto2\"; message A { optional G g = 1; } message G { optional int32 x = 1; }";
    assert_eq!(applied(group, group).map(drop), Ok(()));
    let breach = applied(group, message).expect_err("another wire type");
    assert!(breach.starts_with("A.g = 1 is group G in the lock and would become G, "), "{breach}");
    assert!(applied(message, group).is_err());
}

#[test]
fn keeps_numbers_appends_new_fields_and_reserves_removed_ones() {
    let text = locked::<next::Hotel>().expect("nothing is broken");
    assert_eq!(
        text,
        r#"syntax = "proto3";

// New fields in front, one gone, one wider, one renamed.
message Hotel {
  reserved 4, 9 to 11, 8;
  reserved "owner", "prices";
  string city = 12;
  string id = 1;
  int64 stars = 3;
  repeated Room rooms = 7;
  optional string remark = 6;
  string phone = 13;
  bool open = 14;
}

message Room {
  Kind kind = 2;
  string name = 1;
}

enum Kind {
  reserved 3;
  KIND_UNSPECIFIED = 0;
  KIND_DOUBLE = 6;
  KIND_SUITE = 5;
  KIND_SINGLE = 1;
  KIND_TENT = 7;
}
"#
    );
    // The result is a lock with the same effect: applying it changes nothing.
    let again = Lock::read("next.proto", &text).expect("a .proto");
    let next = Schema::from_shape(&Shape::of::<next::Hotel>()).expect("a schema");
    assert_eq!(again.apply(&next, Numbers::Declared).expect("the same").to_proto(""), text);
}

#[test]
fn refuses_changed_declared_numbers() {
    let breaches = locked::<next::renumbered::Hotel>().expect_err("two numbers moved");
    let renumbered =
        |place: &str, locked, asked| Breach::Renumbered { place: place.into(), locked, asked };
    assert_eq!(breaches, [renumbered("Hotel.id", 1, 2), renumbered("Hotel.stars", 3, 1)]);
    assert_eq!(
        breaches[0].to_string(),
        "Hotel.id has number 1 in the lock but declares 2: declare 1, or no number"
    );
}

#[test]
fn refuses_incompatible_types() {
    let breaches = locked::<next::retyped::Hotel>().expect_err("four types changed");
    let text: Vec<String> = breaches.iter().map(ToString::to_string).collect();
    for (text, start) in text.iter().zip([
        "Hotel.id = 1 is string in the lock and would become uint64",
        "Hotel.stars = 3 is int32 in the lock and would become repeated int32",
        "Hotel.prices = 8 is map<string, int32> in the lock and would become map<string, string>",
        "Hotel.rooms = 7 is repeated Room in the lock and would become repeated string",
    ]) {
        assert!(text.starts_with(start), "{text}");
    }
    assert_eq!(breaches.len(), 4);
}

#[test]
fn refuses_reused_numbers_and_names() {
    let breaches = locked::<next::reused::Hotel>().expect_err("three are taken");
    let text: Vec<String> = breaches.iter().map(ToString::to_string).collect();
    assert_eq!(text.len(), 3);
    assert!(
        text[0]
            .starts_with("Hotel.a takes the number 10, which belongs to a field that was removed")
    );
    assert!(text[1].starts_with("Hotel.b takes the number 3, which belongs to Hotel.stars"));
    assert!(
        text[2].starts_with("Hotel.owner takes the name \"owner\", which belongs to a field that")
    );
}

#[test]
fn replaces_inferred_numbers() {
    let mut inference = Inference::new();
    let entries = [("stars", Value::I64(5)), ("new", Value::Bool(true)), ("id", Value::Str("a"))];
    let entries = entries.map(|(key, value)| (Value::Str(key), value));
    inference.add(&Value::Map(&entries));
    let next = Schema::from_shape(&inference.shape_named("Hotel")).expect("a schema");
    let text = old().apply(&next, Numbers::Suggested).expect("nothing is declared").to_proto("");
    for line in ["  int64 stars = 3;\n", "  bool new = 12;\n", "  string id = 1;\n"] {
        assert!(text.contains(line), "{text}");
    }
    assert!(old().apply(&next, Numbers::Declared).is_err(), "1, 2 and 3 are not what was promised");
}

#[test]
fn checks_the_order_of_fields() {
    let next = Schema::from_shape(&Shape::of::<next::Hotel>()).expect("a schema");
    let breaches = old().check_order(&next).expect_err("a field was put in front").0;
    let moved = |place: &str, locked, asked| Breach::Moved { place: place.into(), locked, asked };
    assert!(breaches.contains(&moved("Hotel.id", 1, Some(2))), "{breaches:?}");
    assert!(breaches.contains(&moved("Hotel.prices", 5, None)), "{breaches:?}");
    assert!(breaches.contains(&moved("Room.name", 1, Some(2))), "{breaches:?}");
    let same = Lock::read("a.proto", &next.to_proto("")).expect("a .proto");
    same.check_order(&next).expect("nothing moved");
}

#[test]
fn refuses_to_remove_the_zero_of_an_enum() {
    let old = "syntax = \"proto3\"; message A { K k = 1; } enum K { K_OK = 0; K_BAD = 1; }";
    let next =
        "syntax = \"proto3\"; message A { K k = 1; } enum K { K_UNSPECIFIED = 0; K_BAD = 1; }";
    let lock = Lock::read("old.proto", old).expect("a .proto");
    let (next, _) = manywire_schema::read_proto("new.proto", next, None).expect("a .proto");
    let breaches = lock.apply(&next, Numbers::Declared).expect_err("the zero is another").0;
    assert!(breaches.contains(&Breach::ZeroRemoved { place: "K.K_OK".into() }), "{breaches:?}");
}

#[test]
fn keeps_the_numbers_of_an_enum_that_no_message_used() {
    let published = r#"
        syntax = "proto3";
        message Room { string name = 1; }
        enum Kind { KIND_UNSPECIFIED = 0; KIND_SINGLE = 1; KIND_SUITE = 5; }
    "#;
    let lock = Lock::read("room.proto", published).expect("a .proto");
    let next = Schema::from_shape(&Shape::of::<next::Room>()).expect("a schema");
    let locked = lock.apply(&next, Numbers::Declared).expect("compatible").to_proto("");
    assert!(locked.contains("KIND_SUITE = 5;"), "{locked}");
}

#[test]
fn keeps_reserved_statements() {
    let text = "syntax = \"proto3\";\n\nmessage A {\n  reserved 2, 5 to 7, 1000 to max;\n  reserved \"x\", \"y\";\n  int32 a = 1;\n}\n\nmessage B {\n  reserved 1;\n}\n";
    let lock = Lock::read("a.proto", text).expect("a .proto");
    drop(lock);
    let (schema, _) = manywire_schema::read_proto("a.proto", text, Some("A")).expect("a .proto");
    assert_eq!(schema.to_proto(""), text.split("\nmessage B").next().expect("A"));
    for (line, message) in [
        ("reserved 1;", "3:3: 1 is reserved in A"),
        ("reserved \"a\";", "3:3: a is reserved in A"),
        ("reserved 5 to 2;", "2:17: expected a number from 5, found 2"),
        ("reserved 536870912;", "2:12: expected a number up to 536870911"),
        ("reserved ;", "2:12: expected a number or a name to reserve, found ';'"),
        ("reserved 99999999999999999999;", "2:12: "),
    ] {
        let text = format!("message A {{\n  {line}\n  optional int32 a = 1;\n}}");
        let error = Lock::read("a.proto", &text).expect_err(line).to_string();
        assert!(error.contains(message), "{line}: {error}");
    }
}

#[test]
fn keeps_the_number_of_a_renamed_value_of_several_words() {
    let published = "syntax = \"proto3\"; message Parcel { Status status = 1; } \
        enum Status { STATUS_UNSPECIFIED = 0; STATUS_IN_TRANSIT = 1; STATUS_PACKED = 2; }";
    let lock = Lock::read("parcel.proto", published).expect("a .proto");
    let next = Schema::from_shape(&Shape::of::<next::Parcel>()).expect("a schema");
    assert_eq!(lock.missing(&next), [""; 0]);
    let locked = lock.apply(&next, Numbers::Declared).expect("compatible").to_proto("");
    assert!(locked.contains("  STATUS_ON_THE_WAY = 1;\n"), "{locked}");
    assert!(locked.contains("  STATUS_PACKED = 2;\n"), "{locked}");
    assert!(!locked.contains("reserved"), "{locked}");
}

#[test]
fn checks_the_values_of_an_enum() {
    let place = |name: &str| format!("K.{name}");
    let reused = |name: &str, taken: &str, owner: &str| Breach::Reused {
        place: place(name),
        taken: taken.into(),
        owner: owner.into(),
    };
    let removed = "a value that was removed";
    let table = [
        ("K_A = 2;", vec![Breach::Renumbered { place: place("K_A"), locked: 1, asked: 2 }]),
        ("K_A = 1; K_B = 3;", vec![reused("K_B", "the number 3", removed)]),
        ("K_A = 1; K_OLD = 4;", vec![reused("K_OLD", "the name \"K_OLD\"", removed)]),
        ("K_B = 1;", vec![reused("K_B", "the number 1", "K.K_A")]),
        ("K_A = 1; K_B = 2;", vec![]),
    ];
    let file = |values: &str| {
        format!("syntax = \"proto3\"; message A {{ K k = 1; }} enum K {{ K_ZERO = 0; {values} }}")
    };
    let old = file("reserved 3; reserved \"K_OLD\"; K_A = 1;");
    let lock = Lock::read("old.proto", &old).expect("a .proto");
    for (values, breaches) in table {
        let (next, _) = read_proto("new.proto", &file(values), Some("A")).expect("a .proto");
        let found = lock.apply(&next, Numbers::Declared).err().map(|it| it.0).unwrap_or_default();
        assert_eq!(found, breaches, "{values}");
    }
    let removed = applied(&old, &file("")).expect("its number and its name are reserved");
    assert!(removed.enums[0].reserved.has_number(1));
    assert!(removed.enums[0].reserved.has_name("K_A"));
}

#[test]
fn keeps_the_numbers_of_aliases() {
    let file = |values: &str| {
        format!(
            "syntax = \"proto3\"; message A {{ K k = 1; }} \
             enum K {{ option allow_alias = true; K_ZERO = 0; {values} }}"
        )
    };
    let old = file("reserved \"K_OLD\"; K_A = 1; K_ONE = 1; K_B = 2;");
    let table: [(&str, &[i32], &[&str]); 5] = [
        ("K_ONE = 1; K_B = 2;", &[0, 1, 2], &["K_OLD", "K_A"]),
        ("K_A = 1; K_B = 2;", &[0, 1, 2], &["K_OLD", "K_ONE"]),
        ("K_ONE = 1; K_A = 1; K_B = 2;", &[0, 1, 2], &["K_OLD"]),
        ("K_NEW = 1; K_ONE = 1; K_B = 2;", &[0, 1, 2], &["K_OLD", "K_A"]),
        ("K_B = 2;", &[0, 2], &["K_OLD", "K_A", "K_ONE"]),
    ];
    for (values, expected, names) in table {
        let locked = applied(&old, &file(values)).expect(values);
        let numbers: Vec<i32> = locked.enums[0].values.iter().map(|value| value.number).collect();
        assert_eq!(numbers, expected, "{values}");
        assert_eq!(locked.enums[0].reserved.names, names, "{values}");
        // The result is a lock with the same effect.
        let locked = locked.to_proto("");
        let again = applied(&locked, &file(values)).expect(values);
        assert_eq!(again.to_proto(""), locked, "{values}");
    }
    for values in ["K_A = 1; K_B = 2; K_ONE = 2;", "K_A = 1; K_B = 2; K_ONE = 3;"] {
        let error = applied(&old, &file(values)).expect_err(values);
        let expected = "K.K_ONE takes the name \"K_ONE\", which belongs to K.K_A: ";
        assert!(error.starts_with(expected), "{error}");
    }
    for (values, alias) in [("K_A = 1; K_OLD = 1; K_B = 2;", "K_OLD"), ("K_A = 1; K_B = 1;", "K_B")]
    {
        let error = applied(&old, &file(values)).expect_err(values);
        let expected = format!(
            "K.{alias} takes the name \"{alias}\", which belongs to a value that was removed"
        );
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn names_in_values_come_before_names_in_the_proto() {
    let file = |fields: &str| format!("syntax = \"proto3\"; message A {{ {fields} }}");
    // Each of the two names of `foo_bar` in the next version is that of another field of the lock.
    let old = file("int64 foo_bar = 3 [json_name = \"k\"]; int64 y = 4 [json_name = \"fooBar\"];");
    let locked = applied(&old, &file("int64 foo_bar = 4;")).expect("a removed field");
    let expected = "syntax = \"proto3\";\n\nmessage A {\n  reserved 3;\n  int64 foo_bar = 4;\n}\n";
    assert_eq!(locked.to_proto(""), expected);
    // A field that is the old one by its name in values must not have a reserved name either.
    let old = file("reserved \"b\"; int64 a = 1;");
    let error = applied(&old, &file("int64 b = 1 [json_name = \"a\"];")).expect_err("reserved");
    let message = "A.b takes the name \"b\", which belongs to a field that was removed";
    assert!(error.starts_with(message), "{error}");
    // Only one field is the first one of the lock.
    let lock = Lock::read("old.proto", &file("int64 a_b = 1 [json_name = \"a-b\"];"));
    let lock = lock.expect("a .proto");
    let next = file("int64 a_b = 2; int64 c = 1 [json_name = \"a-b\"];");
    let (next, _) = read_proto("new.proto", &next, None).expect("a .proto");
    assert_eq!(lock.missing(&next), ["A.a_b"]);
    let moved = Breach::Moved { place: "A.a_b".into(), locked: 1, asked: Some(2) };
    assert_eq!(lock.check_order(&next).expect_err("another is first").0, [moved]);
}

#[test]
fn imported_enums_are_not_locked() {
    let file = |field: &str| {
        let import = "import \"google/protobuf/struct.proto\";";
        format!("syntax = \"proto3\"; {import} message A {{ int32 a = 1; {field} }}")
    };
    let lock = Lock::read("old.proto", &file("")).expect("a .proto");
    let next = file("google.protobuf.NullValue n = 2;");
    let (next, _) = read_proto("new.proto", &next, None).expect("a .proto");
    assert_eq!(lock.missing(&next), ["A.n"]);
}

#[test]
fn new_numbers_follow_reserved_ranges() {
    let file = |field: &str, value: &str, reserved: &str| {
        format!(
            "syntax = \"proto3\"; message A {{ {reserved} K k = 1; {field} }} \
             enum K {{ {reserved} K_ZERO = 0; K_A = 1; {value} }}"
        )
    };
    let next = file("K b = 2;", "K_B = 2;", "");
    let (next, _) = read_proto("new.proto", &next, Some("A")).expect("a .proto");
    let numbers = |reserved: &str| {
        let lock = Lock::read("old.proto", &file("", "", reserved)).expect("a .proto");
        let schema = lock.apply(&next, Numbers::Suggested).map_err(|breaches| breaches.0)?;
        Ok((schema.messages[0].fields[1].number, schema.enums[0].values[2].number))
    };
    for (reserved, field, value) in [
        ("", 2, 2),
        ("reserved 2 to 4, 5 to 7;", 8, 8),
        ("reserved 3, 4;", 2, 2),
        ("reserved 2 to 18999;", 20_000, 19_000),
        ("reserved 2 to 536870910;", 536_870_911, 536_870_911),
    ] {
        assert_eq!(numbers(reserved), Ok((field, value)), "{reserved}");
    }
    let exhausted = |place: &str| Breach::Exhausted { place: place.into() };
    assert_eq!(numbers("reserved 2 to max;"), Err(vec![exhausted("A.b"), exhausted("K.K_B")]));
}
