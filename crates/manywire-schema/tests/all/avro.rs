//! Reads Avro schemas, and reads back those that we write.

use std::collections::HashMap;

use manywire_schema::{Error, Language, read, read_avro};
use manywire_shape::{Shape, Shaped, Timestamp, Value, avro};

use crate::tables::{check_errors, check_outlines, flat};

fn read_shape(text: &str) -> Result<Shape, Error> {
    read_avro("x.avsc", text).map(|(_, shape)| shape)
}

/// Schemas and the outlines of their shapes.
const TABLE: &[(&str, &str)] = &[
    (r#""null""#, "null"),
    (r#"{"type":"boolean"}"#, "bool"),
    (r#""int""#, "i32"),
    (r#"{"type":"long","logicalType":"timestamp-millis"}"#, "i64"),
    (r#"["null","string"]"#, "str?"),
    (r#"["string","null","int","double"]"#, "(str | i32 | f64)?"),
    (r#"{"type":"array","items":"float"}"#, "[f32]"),
    (r#"{"type":"map","values":["null","bytes"]}"#, "{str: bytes?}"),
    (r#"{"type":"fixed","name":"Md5","size":16}"#, "bytes"),
    (
        r#"{"type":{"type":"enum","name":"Suit","symbols":["HEARTS","CLUBS"]}}"#,
        "Suit = { HEARTS CLUBS }",
    ),
    (r#"{"type":"bytes","logicalType":"decimal","precision":39,"scale":0}"#, "i128"),
    (r#"{"type":"bytes","logicalType":"decimal","precision":20,"scale":0}"#, "u64 fixed"),
    (r#"{"type":"bytes","logicalType":"decimal","precision":9}"#, "i128"),
    (r#"{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}"#, "bytes"),
    // An invalid logical type is ignored.
    (r#"{"type":"bytes","logicalType":"decimal"}"#, "bytes"),
    (r#"{"type":"bytes","logicalType":"decimal","precision":0}"#, "bytes"),
    (r#"{"type":"bytes","logicalType":"decimal","precision":-4,"scale":0}"#, "bytes"),
    (r#"{"type":"bytes","logicalType":"decimal","precision":2,"scale":3}"#, "bytes"),
    (
        r#"{"type":"record","name":"org.List","doc":"A list.","fields":[
            {"name":"value","type":"long"},
            {"name":"next","type":["null","List"],"default":null},
            {"name":"again","type":["null","org.List"]}]}"#,
        "/// A list. List { value: i64 next: List? = default again: List? }",
    ),
    // A namespace is inherited; a name with dots replaces it.
    (
        r#"{"type":"record","name":"A","namespace":"x","fields":[
            {"name":"b","type":{"type":"record","name":"y.B","fields":[
                {"name":"c","type":{"type":"fixed","name":"C","size":1}}]}},
            {"name":"d","type":"y.C"},{"name":"e","type":"y.B"}]}"#,
        "A { b: B d: bytes e: B } B { c: bytes }",
    ),
    // JSON cannot distinguish these records, so one record fits both.
    (
        r#"[{"type":"record","name":"A","fields":[{"name":"x","type":"int"}]},
            {"type":"record","name":"B","fields":[{"name":"y","type":"int"}]}]"#,
        "A { x?: i32 y?: i32 }",
    ),
    // An enum, and a map of keys that are not text, may contain themselves without a record between.
    (
        r#"[{"type":"record","name":"End","fields":[],
             "manywire.variant":{"enum":"Sum","form":"unit"}},
            {"type":"record","name":"More","manywire.variant":{"enum":"Sum","form":"newtype"},
             "fields":[{"name":"value","type":["End","More"]}]}]"#,
        "Sum = { End More(Sum) }",
    ),
    (
        r#"{"type":"array","items":{"type":"record","name":"Entry","manywire.role":"entry","fields":[
            {"name":"key","type":"int"},{"name":"value","type":["null",{"type":"array","items":"Entry"}]}]}}"#,
        "{i32: …?}",
    ),
];

#[test]
fn reads_schemas_as_shapes() {
    // A schema of one scalar type is valid in both languages, with the same meaning.
    check_outlines(TABLE, |schema| read("x.avsc", schema, None).map(|document| document.shape));
}

#[test]
fn detects_the_language_by_content() {
    let language = |text| match read("x", text, None) {
        Ok(document) => match document.language {
            Language::Avro(_) => "avro",
            Language::JsonSchema => "json",
            Language::Proto(_) => "proto",
        },
        Err(error) => panic!("{text}: {error}"),
    };
    for avro in [
        r#""string""#,
        r#"["null","int"]"#,
        r#"{"type":"array","items":"string"}"#,
        r#"{"type":"array","items":{"type":"map","values":"int"}}"#,
        r#"{"type":"array","items":[{"type":"array","items":"int"},{"type":"map","values":"int"}]}"#,
        r#"{"type":"array","items":[{"type":"string"},{"type":"record","name":"A","fields":[]}]}"#,
        r#"{"type":"record","name":"A","fields":[]}"#,
        r#"{"type":{"type":"record","name":"A","fields":[]}}"#,
    ] {
        assert_eq!(language(avro), "avro", "{avro}");
    }
    for json in [
        "{}",
        r#"{"type":"object"}"#,
        r#"{"type":["string","null"]}"#,
        r#"{"type":"array","items":{"type":"string"}}"#,
        r#"{"type":"array","items":[{"type":"string"}]}"#,
        r#"{"type":"array","items":[{"type":"array","items":[{"type":"string"}]},{"enum":[1]}]}"#,
        r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","enum":["record"]}"#,
    ] {
        assert_eq!(language(json), "json", "{json}");
    }
}

#[test]
fn reports_position_and_cause_of_faults() {
    let table = [
        ("[1]", "x.avsc:1:2: expected a type: its name, an object or a union, found the number 1"),
        (
            "{\"type\":\"record\",\"name\":\"A\",\"fields\":[\n  {\"name\":\"f\",\"type\":\"B\"}]}",
            "x.avsc:2:22: expected the name of a type that is declared before, found \"B\"",
        ),
        (
            r#"{"type":"record","fields":[]}"#,
            "x.avsc:1:1: expected a named type to have a \"name\"",
        ),
        (
            r#"{"type":"record","name":"A","fields":[{"type":"int"}]}"#,
            "x.avsc:1:39: expected a field: an object with a \"name\"",
        ),
        (
            r#"{"type":"enum","name":"A"}"#,
            "x.avsc:1:1: expected a member \"symbols\": an array of names",
        ),
        (r#"{"type":"enum","name":"A","symbols":[1]}"#, "x.avsc:1:37: expected an array of names"),
        (
            r#"{"type":"enum","name":"A","symbols":["a"],"default":"b"}"#,
            "x.avsc:1:53: expected a symbol of the enum A as its default, found \"b\"",
        ),
        (
            r#"{"type":"enum","name":"A","symbols":["a"],"default":1}"#,
            "x.avsc:1:53: expected a symbol of the enum A as its default, found the number 1",
        ),
        (
            r#"{"type":"fixed","name":"string","size":1}"#,
            "x.avsc:1:24: \"string\" is the name of a primitive type",
        ),
        (r#"{"type":"fixed","name":"A"}"#, "x.avsc:1:1: expected a \"size\" in bytes"),
        (
            r#"[{"type":"fixed","name":"A","size":1},{"type":"fixed","name":"A","size":1}]"#,
            "x.avsc:1:39: the name A is declared twice",
        ),
    ];
    check_errors(&table, read_shape);
}

#[test]
fn faults_that_the_model_checks_have_positions() {
    let table = [
        ("[\n  \"int\",\n  \"int\"]", "x.avsc:3:3: a union has two branches of one unnamed type"),
        (
            "[\n  {\"type\":\"fixed\",\"name\":\"A\",\"size\":1},\n  \"A\"]",
            "x.avsc:3:3: a union has two branches of one named type",
        ),
        ("[\n  \"int\",\n  [\"null\"]]", "x.avsc:3:3: a union is inside a union"),
        (
            "{\"type\":\"record\",\"name\":\"A\",\"fields\":[\n  {\"name\":\"a\",\"type\":[]}]}",
            "x.avsc:2:22: a union has no branches",
        ),
        (
            "{\"type\":\"record\",\"name\":\"A\",\"fields\":[\n  {\"name\":\"a\",\"type\":\"int\"},\n  \
             {\"name\":\"a\",\"type\":\"int\"}]}",
            "x.avsc:3:11: the field \"a\" is declared twice",
        ),
        (
            "{\"type\":\"array\",\n\"items\":{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\n\"A\"]}}",
            "x.avsc:3:1: enum E has `A` twice",
        ),
        (
            "[\"null\",\n {\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"name\":\"a\",\"type\":\"A\"}]}]",
            "x.avsc:2:2: record A always contains itself, so its values would be infinite",
        ),
        (
            "{\"type\":\"record\",\"name\":\"A\",\"fields\":[\n  {\"name\":\"a\",\"type\":\"int\",\
             \"manywire.presence\":\"optional\"}]}",
            "x.avsc:2:11: field `a` of record A is optional, but its type has no null",
        ),
        (
            "{\"type\":\"map\",\n \"values\":{\"type\":\"record\",\"name\":\"A\",\"manywire.role\":\"entry\",\
             \"fields\":[]}}",
            "x.avsc:2:11: record A does not have the fields that its role requires",
        ),
        (
            "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"A\",\
             \"manywire.role\":\"entry\",\"fields\":[{\"name\":\"key\",\"type\":\"long\"},\n\
             {\"name\":\"value\",\"type\":{\"type\":\"map\",\"values\":\"int\"},\
             \"manywire.rest\":true}]}}",
            "x.avsc:2:9: field `value` of record A has manywire.rest, which only records and \
             struct variants may have",
        ),
        (
            "{\"type\":\"record\",\n \"name\":\"\",\"fields\":[]}",
            "x.avsc:2:9: expected a name, found \"\"",
        ),
    ];
    check_errors(&table, read_shape);
}

/// A default matters only to a reader of older data, so it refuses no schema.
#[test]
fn notes_defaults_that_are_no_values_of_their_types() {
    let before = r#"{"type":"record","name":"A","fields":[{"name":"d","type":"#;
    let notes = |field: &str| -> Vec<String> {
        let text = format!("{before}{field}}}]}}");
        let document = read("x.avsc", &text, None).expect("the schema is read");
        document.notes.iter().map(ToString::to_string).collect()
    };
    for valid in [
        r#""null","default":null"#,
        r#""boolean","default":false"#,
        r#""int","default":-7"#,
        r#""long","default":9223372036854775807"#,
        r#""float","default":1"#,
        r#""double","default":1.5e300"#,
        r#""string","default":"\u20ac""#,
        r#""bytes","default":"\u00ff""#,
        r#"{"type":"fixed","name":"F","size":2},"default":"\u00ff\u0000""#,
        r#"{"type":"enum","name":"E","symbols":["a","b-c"]},"default":"b-c""#,
        r#"{"type":"array","items":"int"},"default":[1,2]"#,
        r#"{"type":"map","values":"int"},"default":{"a":1}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"b","type":"int","default":1}]},"default":{"a":1}"#,
        // Since version 1.12, the default may be of any branch.
        r#"["null","string"],"default":"a""#,
        // Not known before the end of the record.
        r#"["null","A"],"default":{"d":null}"#,
    ] {
        let found = notes(valid);
        assert!(found.iter().all(|note| note.contains("\"b-c\"")), "{valid}: {found:?}");
    }
    let column = |field: &str| {
        let default = r#""default":"#;
        before.len() + field.rfind(default).expect("a default") + default.len() + 1
    };
    for invalid in [
        r#""null","default":0"#,
        r#""boolean","default":"false""#,
        r#""int","default":2147483648"#,
        r#""int","default":1.5"#,
        r#""long","default":"0""#,
        r#""float","default":"1""#,
        r#""string","default":null"#,
        r#""bytes","default":"\u20ac""#,
        r#"{"type":"fixed","name":"F","size":2},"default":"a""#,
        r#"{"type":"enum","name":"E","symbols":["a"]},"default":"b""#,
        r#"{"type":"array","items":"int"},"default":{}"#,
        r#"{"type":"array","items":"int"},"default":[1,"2"]"#,
        r#"{"type":"map","values":"int"},"default":{"a":null}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]},"default":{}"#,
        r#"["null","string"],"default":1"#,
    ] {
        let note = format!(
            "x.avsc:1:{}: the default of the field \"d\" is no value of its type",
            column(invalid)
        );
        assert_eq!(notes(invalid), [note], "{invalid}");
    }
    let first = r#""int","default":null"#;
    for (count, others) in [(1_u8, "1 other"), (2, "2 others")] {
        let field = |at| format!(r#"}},{{"name":"e{at}","type":"int","default":null"#);
        let more: String = (0..count).map(field).collect();
        let note = format!(
            "x.avsc:1:{}: the default of the field \"d\" and of {others} is no value of its type",
            column(first)
        );
        assert_eq!(notes(&format!("{first}{more}")), [note]);
    }
}

/// Java and Python write such names. The data has them, the schema that we write has valid ones.
#[test]
fn reads_names_that_the_specification_does_not_have() {
    let text = r#"{"type":"record","name":"org.app-x.Outer$Inner","fields":[
        {"name":"user-id","type":"int"},
        {"name":"user_id","type":"int"},
        {"name":"a.b","type":"int"},
        {"name":"$kind","type":{"type":"enum","name":"Kind$","symbols":["dark-red","dark_red"],"default":"dark-red"},
         "default":"dark-red"},
        {"name":"next","type":["null","Outer$Inner"],"default":null},
        {"name":"again","type":["null","org.app-x.Kind$"],"default":null}]}"#;
    let document = read("x.avsc", text, None).expect("the names are read");
    assert_eq!(
        flat(&document.shape),
        "Outer$Inner { user-id: i32 user_id: i32 \"a.b\": i32 $kind: Kind$ = default \
         next: Outer$Inner? = default again: Kind$#2? = default } \
         Kind$ = { dark-red dark_red } Kind$#2 = { dark-red dark_red }"
    );
    let notes: Vec<String> = document.notes.iter().map(ToString::to_string).collect();
    let note = "x.avsc:1:25: \"org.app-x.Outer$Inner\" and 5 others are not valid Avro names; they \
                are read, and written as valid ones such as \"org.app_x.Outer_Inner\"";
    assert_eq!(notes, [note]);
    let Language::Avro(schema) = &document.language else { panic!("an Avro schema") };
    let written = schema.to_string();
    for valid in [
        r#""name": "Outer_Inner""#,
        r#""namespace": "org.app_x""#,
        r#""name": "user_id_2""#,
        r#""name": "a_b""#,
        r#""name": "__kind""#,
        r#""default": "dark_red_2""#,
        r#""manywire.name": "user-id""#,
    ] {
        assert!(written.contains(valid), "{valid} is not in {written}");
    }
    // The written schema needs no note, and describes the same data.
    let again = read("y.avsc", &written, None).expect("what was written");
    assert_eq!(again.notes, []);
    assert_eq!(again.shape, document.shape);
    let Language::Avro(again) = again.language else { panic!("an Avro schema") };
    assert_eq!(again.to_string(), written);
    // In a namespace, the name of a primitive type is another one than that of the type.
    let text = r#"{"type":"record","name":"x.A","fields":[
        {"name":"a","type":{"type":"enum","name":"string","symbols":["b"],"default":null}},
        {"name":"c","type":"string"},{"name":"d","type":"x.string"}]}"#;
    let document = read("x.avsc", text, None).expect("the name is read");
    let note = "x.avsc:2:50: \"x.string\" is not a valid Avro name; it is read, and written as valid \
                ones such as \"x.string_2\"";
    assert_eq!(document.notes.iter().map(ToString::to_string).collect::<Vec<_>>(), [note]);
    let Language::Avro(schema) = &document.language else { panic!("an Avro schema") };
    let kind = r#""type":{"name":"x.string_2","type":"enum","symbols":["b"]}"#;
    let fields = format!(
        r#"{{"name":"a",{kind}}},{{"name":"c","type":"string"}},{{"name":"d","type":"x.string_2"}}"#
    );
    let canonical = format!(r#"{{"name":"x.A","type":"record","fields":[{fields}]}}"#);
    assert_eq!(schema.canonical(), canonical);
    let again = read("y.avsc", &schema.to_string(), None).expect("what was written");
    assert_eq!((again.notes.len(), &again.shape), (0, &document.shape));
    let twice = r#"{"type":"record","name":"A","fields":[
        {"name":"a-b","type":"int"},{"name":"a-b","type":"int"}]}"#;
    let error = read("x.avsc", twice, None).expect_err("a field is declared twice");
    assert_eq!(error.to_string(), "x.avsc:2:45: the field \"a-b\" is declared twice");
}

#[allow(dead_code, reason = "only their shapes are looked at")]
mod types {
    use super::*;

    /// A place to stay.
    #[derive(Shaped)]
    pub(super) struct Hotel {
        /// Unique within a city.
        id: i32,
        #[serde(rename = "rating-average")]
        rating: f32,
        name: Option<String>,
        rooms: Vec<Room>,
        position: (f64, f64),
        by_floor: HashMap<i32, Vec<Room>>,
        by_kind: HashMap<String, i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<Box<Hotel>>,
        opened: Timestamp,
        event: Event,
        command: Command,
        any: Value<'static>,
        big: i128,
        #[serde(flatten)]
        rest: HashMap<String, bool>,
    }

    #[derive(Shaped)]
    struct Room {
        code: String,
        kind: Kind,
    }

    #[derive(Shaped)]
    enum Kind {
        Single,
        Double,
    }

    #[derive(Shaped)]
    enum Event {
        Nothing,
        Renamed(String),
        Moved(f64, f64),
        Built { by: Option<String>, year: i32 },
    }

    #[derive(Shaped)]
    #[serde(tag = "type")]
    enum Command {
        Stop,
        Go { to: String, fast: bool },
    }
}

#[test]
fn reads_back_the_shapes_it_writes() {
    let shape = Shape::of::<types::Hotel>();
    let schema = avro::Schema::from_shape(&shape).expect("the shape has a schema");
    let text = schema.to_string();
    let (read, found) = match read_avro("x.avsc", &text) {
        Ok(read) => read,
        Err(error) => panic!("{error}\n{text}"),
    };
    assert_eq!(read.to_string(), text);
    // The default null of an option means that readers accept an absent field; the null of an
    // optional field represents its absence.
    let expected = shape
        .to_string()
        .replace("name: str?", "name: str? = default")
        .replace("by: str?", "by: str? = default");
    let expected = expected.replace("parent?: Hotel?", "parent?: Hotel");
    assert_eq!(found.to_string(), expected, "{text}");
}

#[test]
fn keeps_the_order_of_fields() {
    let text = r#"{"type":"record","name":"A","fields":[
        {"name":"a","type":"int","order":"descending","aliases":["b"]},
        {"name":"c","type":"int","default":1,"order":"ignore"},
        {"name":"d","type":"int","order":"ascending"}]}"#;
    let (schema, _) = read_avro("x.avsc", text).expect("a schema");
    let written = schema.to_literal().compact();
    for line in [
        r#""name":"a","type":"int","order":"descending","aliases":["b"]"#,
        r#""name":"c","type":"int","default":1,"order":"ignore""#,
        // The default is left out.
        r#"{"name":"d","type":"int"}"#,
    ] {
        assert!(written.contains(line), "{line} is not in {written}");
    }
    let (again, _) = read_avro("y.avsc", &written).expect("what was written");
    assert_eq!(again, schema);
    assert!(!schema.canonical().contains("order"), "{}", schema.canonical());
}

/// Reads the schemas of the external suite, and writes them back unchanged.
#[test]
fn reads_the_schemas_of_the_suite() {
    let Ok(suites) = std::env::var("MANYWIRE_SUITES") else {
        return println!("skipped: no suites");
    };
    let mut read = 0;
    let mut folders = vec![std::path::PathBuf::from(suites).join("avro")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the suite is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "avsc") {
                let text = std::fs::read_to_string(&path).expect("a schema is text");
                let (schema, _) = match read_avro(&path.to_string_lossy(), &text) {
                    Ok(schema) => schema,
                    Err(error) => panic!("{error}"),
                };
                let (again, _) = read_avro("again", &schema.to_string()).expect("is read again");
                assert_eq!(again, schema, "{}", path.display());
                read += 1;
            }
        }
    }
    assert!(read > 0, "the suite has schemas");
    println!("passed {read}, failed 0, skipped 0");
}
