//! `--schema` instead of inference: `.proto`, `.avsc` and JSON Schema, recognised by content.

use crate::run::{Folder, manywire, row};

const USERS: &str = r#"{"id":4,"isActive":true,"fullname":"Homer Simpson"}"#;

fn weigh(schema_name: &str, schema: &str, more: &[&str]) -> crate::run::Run {
    let folder = Folder::new();
    let payload = folder.file("user.json", USERS);
    let schema = folder.file(schema_name, schema);
    let arguments =
        ["weigh", &payload, "--schema", &schema, "--sizes-only", "--coding", "none", "--json", "-"];
    manywire(&[&arguments[..], more].concat())
}

#[test]
fn proto_numbers_decide_the_bytes() {
    let proto = |number: u32| {
        format!(
            "syntax = \"proto3\";\nmessage Other {{ string x = 1; }}\nmessage User {{\n  int32 id = {number};\n  bool isActive = 2;\n  string fullname = 3;\n}}\n"
        )
    };
    // A field number takes one byte up to 15, and two bytes from 16 to 2047: 2 + 2 + 15 bytes, then
    // one more.
    for (number, bytes) in [(1, 19), (16, 20)] {
        let run = weigh("user.proto", &proto(number), &["--message", "User"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let report = run.json();
        assert_eq!(row(&report, "protobuf")["size_bytes"], bytes, "{number}");
        assert_eq!(row(&report, "protobuf")["fidelity"], "exact");
    }
}

#[test]
fn reads_avro_and_json_schemas() {
    let avsc = r#"{"type":"record","name":"User","fields":[
        {"name":"fullname","type":"string"},{"name":"id","type":"double"},{"name":"isActive","type":"boolean"}]}"#;
    let report = weigh("anything.txt", avsc, &[]).json();
    // The size is 14 bytes of text, 8 of a double and 1 of a boolean.
    assert_eq!(row(&report, "avro")["size_bytes"], 23);
    let json_schema = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
        "properties":{"id":{"type":"integer"},"isActive":{"type":"boolean"},"fullname":{"type":"string"}},
        "required":["id","isActive","fullname"]}"#;
    let report = weigh("schema.json", json_schema, &[]).json();
    assert_eq!(row(&report, "avro")["size_bytes"], 16);
    assert_eq!(row(&report, "protobuf")["fidelity"], "exact");
}

#[test]
fn avro_names_of_java_and_python_are_noted_or_refused() {
    let avsc = "{\"type\":\"record\",\"name\":\"User\",\"fields\":[\n{\"name\":\"user-id\",\"type\":\"int\"}]}";
    let folder = Folder::new();
    let payload = folder.file("user.json", r#"{"user-id":4}"#);
    let schema = folder.file("user.avsc", avsc);
    let note = "user.avsc:2:9: \"user-id\" is not a valid Avro name; it is read, and written as \
                valid ones such as \"user_id\"\n";
    let measure =
        ["weigh", &payload, "--schema", &schema, "--sizes-only", "--coding", "none", "--json", "-"];
    let run = manywire(&measure);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.starts_with("note: ") && run.stderr.contains(note), "{}", run.stderr);
    assert_eq!(row(&run.json(), "avro")["size_bytes"], 1);
    let convert = ["convert", &payload, "--to", "avro-datum", "--schema", &schema, "-o"];
    let datum = format!("{}/user.datum", folder.path());
    let explain = ["explain", &datum, "--from", "avro-datum", "--schema", &schema];
    let shape = ["shape", &schema];
    for command in [&measure[..], &[&convert[..], &[&datum]].concat(), &explain, &shape] {
        let run = manywire(command);
        assert_eq!(run.code, Some(0), "{command:?}: {}", run.stderr);
        assert!(run.stderr.contains(note), "{command:?}: {}", run.stderr);
        let run = manywire(&[command, &["--strict"]].concat());
        assert_eq!(run.code, Some(1), "{command:?}: {}", run.stderr);
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(note), "{}", run.stderr);
    }
}

#[test]
fn a_container_file_with_names_of_java_and_python_is_read() {
    let folder = Folder::new();
    let json = folder.file("user.json", r#"{"user_id":4}"#);
    let [valid, other] =
        ["valid.avro", "other.avro"].map(|name| format!("{}/{name}", folder.path()));
    let run = manywire(&["convert", &json, "-o", &valid]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mut bytes = std::fs::read(&valid).expect("the file");
    let at = bytes.windows(7).position(|part| part == b"user_id").expect("the name in the header");
    bytes[at + 4] = b'-';
    std::fs::write(&other, bytes).expect("a file");
    let run = manywire(&["convert", &other, "--to", "json"]);
    assert_eq!((run.code, run.stdout.trim()), (Some(0), r#"{"user-id":4}"#), "{}", run.stderr);
    let run = manywire(&["explain", &other]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("user-id"), "{}", run.stdout);
}

#[test]
fn a_payload_that_violates_the_schema_is_reported() {
    let proto = "syntax = \"proto3\";\nmessage User { int32 id = 1; bool isActive = 2; }\n";
    let run = weigh("user.proto", proto, &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert!(row(&report, "protobuf")["status"].as_str().unwrap().contains("fullname"), "{report}");
    assert_eq!(row(&report, "msgpack")["status"], "ok");
}

#[test]
fn an_invalid_schema_has_the_error_position() {
    let run = weigh("user.proto", "syntax = \"proto3\";\nmessage User {\n  int32 id = ;\n}\n", &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("user.proto:3:"), "{}", run.stderr);
}

const ORDER: &str = "syntax = \"proto3\";\npackage shop;\nimport \"common/money.proto\";\n\
    message Order { int32 id = 1; common.Money price = 2; }\nmessage Basket { int32 id = 1; }\n";
const MONEY: &str = "syntax = \"proto3\";\npackage common;\nmessage Money { int64 units = 1; string currency = 2; }\n";

#[test]
fn imports_are_found_beside_the_schema_and_in_named_folders() {
    let folder = Folder::new();
    let root = folder.path();
    for name in ["shop", "common", "other/common"] {
        std::fs::create_dir_all(format!("{root}/{name}")).expect("a folder");
    }
    let order = folder.file("shop/order.proto", ORDER);
    let payload = folder.file("order.json", r#"{"id":1,"price":{"units":"5","currency":"EUR"}}"#);
    let payload_of_numbers =
        folder.file("numbers.json", r#"{"id":1,"price":{"units":5,"currency":"EUR"}}"#);
    let file = format!("{root}/order.pb");
    let convert = |payload: &str, more: &[&str]| {
        let to_file = ["convert", payload, "--schema", &order, "--to", "protobuf", "-o", &file];
        manywire(&[&to_file[..], &["--message", "Order"], more].concat())
    };
    let run = convert(&payload_of_numbers, &[]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let missing = "order.proto:4:31: unknown type common.Money; \"common/money.proto\", which the \
                   file imports, was not found";
    assert!(run.stderr.contains(missing), "{}", run.stderr);
    // The folder of -I comes before those around the schema.
    folder.file("other/common/money.proto", MONEY);
    let include = format!("{root}/other");
    let run = convert(&payload_of_numbers, &["-I", &include]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    folder.file("common/money.proto", MONEY.replace("int64", "string"));
    let run = convert(&payload, &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for command in [
        &["explain", &file, "--from", "protobuf"][..],
        &["weigh", &payload, "--sizes-only"],
        &["convert", &payload, "--to", "json"],
    ] {
        let run = manywire(&[command, &["--schema", &order, "--message", "Order"]].concat());
        assert_eq!(run.code, Some(0), "{command:?}: {}", run.stderr);
        let run = manywire(&[command, &["--schema", &order]].concat());
        assert_eq!(run.code, Some(1), "{command:?}");
        let list = "(--message): one of shop.Order, shop.Basket";
        assert!(run.stderr.contains(list), "{}", run.stderr);
        let run = manywire(&[command, &["--schema", &order, "--message", "Ordr"]].concat());
        assert!(run.stderr.contains("did you mean shop.Order?"), "{}", run.stderr);
    }
    // Workers get the schema as one text.
    let weigh = ["weigh", &payload, "--quick", "--formats", "protobuf", "--coding", "none"];
    let more = ["--schema", &order, "--message", "Order", "--json", "-"];
    let run = manywire(&[&weigh[..], &more].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_eq!(row(&report, "protobuf")["status"], "ok", "{report}");
    assert_eq!(row(&report, "protobuf")["size_bytes"], 12);
}

#[test]
fn descriptor_sets_are_schemas() {
    // protoc --include_imports -o, of: syntax = "proto3"; message User { int32 id = 1; }
    let set = b"\x0a\x2c\x0a\x0auser.proto\x22\x16\x0a\x04User\x12\x0e\x0a\x02id\x18\x01 \x01(\x05R\x02idb\x06proto3";
    let folder = Folder::new();
    let schema = folder.file("user.binpb", set);
    let payload = folder.file("user.json", r#"{"id":300}"#);
    let file = format!("{}/user.pb", folder.path());
    let run = manywire(&["convert", &payload, "--schema", &schema, "-o", &file]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(std::fs::read(&file).expect("a file"), b"\x08\xac\x02");
    let run = manywire(&["convert", &file, "--schema", &schema, "--to", "json"]);
    assert_eq!(run.stdout, "{\"id\":300}\n", "{}", run.stderr);
    let run = manywire(&["shape", "--schema", &schema, "--as", "proto"]);
    assert!(run.stdout.contains("message User {\n  int32 id = 1;\n}"), "{}", run.stdout);
    let weigh = ["weigh", &payload, "--quick", "--formats", "protobuf", "--coding", "none"];
    let run = manywire(&[&weigh[..], &["--schema", &schema, "--json", "-"]].concat());
    assert_eq!(row(&run.json(), "protobuf")["status"], "ok", "{}", run.stderr);
    let cut = folder.file("cut.binpb", &set[..20]);
    let run = manywire(&["convert", &payload, "--schema", &cut, "--to", "protobuf"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("cut.binpb:1:1: invalid descriptor set at byte 2"),
        "{}",
        run.stderr
    );
}
