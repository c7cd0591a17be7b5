//! `manywire shape`: outlines, schemas and types from samples or schemas.

use crate::run::{Folder, example, manywire, manywire_reading};

const OUTLINE: &str = "\
Root {
  id: i64 #1
  isActive: bool #2
  fullname: str #3
}
";

#[test]
fn the_outline_is_the_shape_of_the_samples() {
    let run = manywire(&["shape", &example("user.json")]);
    assert_eq!((run.stdout.as_str(), run.code), (OUTLINE, Some(0)), "{}", run.stderr);
    let text = std::fs::read(example("user.json")).expect("the example");
    assert_eq!(manywire_reading(&["shape", "-"], &text).stdout, OUTLINE);
    let renamed = manywire(&["shape", &example("user.json"), "--name", "User"]);
    assert_eq!(renamed.stdout, OUTLINE.replace("Root", "User"));
}

#[test]
fn reads_samples_of_every_form() {
    let folder = Folder::new();
    folder.file("a.json", r#"{"n": 1}"#);
    folder.file("b.ndjson", "{\"n\": 2, \"t\": \"x\"}\n\n{\"n\": null}\n");
    folder.file("c.msgpack", b"\x81\xa1n\x05");
    folder.file("d.cbor", b"\xa1\x61n\x06");
    let run = manywire(&["shape", &folder.path()]);
    assert_eq!(run.stdout, "Root {\n  n: i64? #1\n  t?: str #2\n}\n", "{}", run.stderr);
    let stream = manywire_reading(&["shape", "-"], b"{\"n\":1}\n{\"n\":2.5}\n");
    assert_eq!(stream.stdout, "Root {\n  n: f64 #1\n}\n");
    // The first value has its own line, and the others have not.
    let mixed = manywire_reading(&["shape", "-"], b"{\"n\":1}\n{\n\"n\":2.5\n} {\"n\":null}\n");
    assert_eq!(mixed.stdout, "Root {\n  n: f64? #1\n}\n", "{}", mixed.stderr);
    let typed = manywire_reading(&["shape", "-", "--from", "msgpack"], b"\x92\x01\x02");
    assert_eq!(typed.stdout, "[i64]\n");
}

#[test]
fn an_unreadable_sample_does_not_hide_the_others() {
    let folder = Folder::new();
    let broken = folder.file("broken.ndjson", "{\"n\":1}\n{\"n\":}\n{\"m\":2}\n");
    let run = manywire(&["shape", &broken]);
    assert_eq!(run.stdout, "Root {\n  n?: i64 #1\n  m?: i64 #2\n}\n");
    assert!(run.stderr.contains("broken.ndjson:2:6"), "{}", run.stderr);
    assert_eq!(run.code, Some(1));
    let empty = manywire_reading(&["shape", "-"], b"");
    assert_eq!((empty.stdout.as_str(), empty.code), ("", Some(1)));
    assert!(empty.stderr.contains("no sample"), "{}", empty.stderr);
}

/// Checks that every schema that we write is recognised by content under any file name, with the
/// same shape.
#[test]
fn a_schema_is_recognised_by_its_content() {
    let folder = Folder::new();
    for (language, numbered) in [("proto", true), ("avro", false), ("jsonschema", false)] {
        let schema = manywire(&["shape", &example("hotels.json"), "--as", language]).stdout;
        let file = folder.file(&format!("{language}.txt"), &schema);
        let run = manywire(&["shape", &file]);
        assert!(run.stdout.contains("hotels: [Hotel]"), "{language}: {}{}", run.stdout, run.stderr);
        assert_eq!(run.stdout.contains("#7"), numbered, "{language}");
        let piped = manywire_reading(&["shape", "-", "--as", language], schema.as_bytes());
        assert_eq!(piped.stdout, schema, "{language} comes back as it was");
    }
    // A document that refers to a schema in `$schema` is not itself a schema.
    let config =
        folder.file("config.json", r#"{"$schema": "https://json.schemastore.org/x", "type": "a"}"#);
    assert_eq!(
        manywire(&["shape", &config]).stdout,
        "Root {\n  $schema: str #1\n  type: str #2\n}\n"
    );
}

#[test]
fn an_invalid_schema_has_file_line_and_column() {
    let folder = Folder::new();
    let cases = [
        (
            "a.proto",
            "syntax = \"proto3\";\nmessage A {\n  strin x = 1;\n}\n",
            "a.proto:3:3: unknown type strin",
        ),
        (
            "b.avsc",
            r#"{"type": "record", "name": "R", "fields": [{"name": "a",
 "type": "strin"}]}"#,
            "b.avsc:2:10: ",
        ),
        (
            "c.json",
            "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n \"type\": 7}",
            "c.json:2:10: expected",
        ),
    ];
    for (name, text, message) in cases {
        let file = folder.file(name, text);
        let run = manywire(&["shape", &file]);
        assert!(run.stderr.contains(message), "{name}: {}", run.stderr);
        assert_eq!((run.stdout.as_str(), run.code), ("", Some(1)), "{name}");
    }
    let mixed =
        manywire(&["shape", &folder.file("d.proto", "message A {}"), &example("user.json")]);
    assert_eq!(mixed.code, Some(2), "{}", mixed.stderr);
    assert_eq!(manywire(&["shape"]).code, Some(2));
    let one = folder.file(
        "e.proto",
        "syntax = \"proto3\"; message A { int32 a = 1; } message B { int32 b = 1; }",
    );
    let unnamed = manywire(&["shape", &one]);
    assert!(unnamed.stderr.contains("one of A, B"), "{}", unnamed.stderr);
    assert_eq!(
        manywire(&["shape", &one, "--message", "B"]).stdout,
        "B {\n  b: i32 = default #1\n}\n"
    );
}

#[test]
fn types_are_written_for_every_language() {
    let user = example("user.json");
    let written = |language: &str| manywire(&["shape", &user, "--as", language]).stdout;
    assert!(written("rust").contains("#[serde(rename = \"isActive\")]\n    pub is_active: bool,"));
    assert!(written("go").contains("ID       int64  `json:\"id\" msgpack:\"id\" cbor:\"id\"`"));
    assert!(written("typescript").contains("export interface Root {\n  id: Int64;"));
    assert!(written("java").contains("@JsonProperty(\"isActive\") boolean isActive,"));
    assert!(written("csharp").contains("(\"isActive\")]\n    public bool IsActive { get; set; }"));
    assert!(written("python").contains("    is_active: bool = field(name=\"isActive\")"));
    let haskell = written("haskell");
    assert!(haskell.contains("\nmodule Types where\n"), "{haskell}");
    assert!(haskell.contains("      \"rootIsActive\" -> \"isActive\"\n"), "{haskell}");
    let scala = "final case class Root(\n    id: Long,\n    isActive: Boolean,";
    assert!(written("scala").contains(scala));
    let package = ["shape", &user, "--package", "api", "--as"];
    assert!(manywire(&[&package[..], &["go"]].concat()).stdout.contains("\npackage api\n"));
    assert!(manywire(&[&package[..], &["cs"]].concat()).stdout.contains("\nnamespace api\n{\n"));
    assert!(manywire(&[&package[..], &["proto"]].concat()).stdout.contains("\npackage api;\n"));
    assert!(
        manywire(&[&package[..], &["java", "--class", "Wire"]].concat())
            .stdout
            .contains("final class Wire {")
    );
    assert!(
        manywire(&["shape", &user, "--as", "rust", "--shaped"])
            .stdout
            .contains("#[shaped(number = 2)]")
    );
    assert_eq!(manywire(&["shape", &user, "--as", "cobol"]).code, Some(2));
}

/// Checks that the types compile and decode the examples in every installed language.
#[test]
fn generated_types_compile_in_installed_languages() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut script = std::process::Command::new(format!("{root}/.ci/native"));
    script.args([env!("CARGO_BIN_EXE_manywire"), "--present"]).env_remove("MANYWIRE_SUITES");
    match script.output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).replace("skipped: no suites\n", "");
            print!("{text}");
            assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
            assert!(text.lines().count() >= 4, "every language is tried or named: {text}");
        }
        Err(error) => println!("skipped: no bash and python3: {error}"),
    }
}
