//! Descriptors are written as `.proto` text, which compiles to the same descriptors.

use manywire_prost::Schemas;
use prost::Message as _;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet};
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

const DESCRIPTORS: &[u8] = include_bytes!("../generated/descriptors.bin");

/// The generated texts, as files for the compiler.
struct Texts(Vec<(String, String)>);

impl FileResolver for Texts {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match self.0.iter().find(|(known, _)| known == name) {
            Some((_, text)) => File::from_source(name, text),
            None => Err(protox::Error::file_not_found(name)),
        }
    }
}

fn compile(texts: &[(&str, &str)], root: &str) -> FileDescriptorSet {
    let texts = texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let mut resolver = ChainFileResolver::new();
    resolver.add(Texts(texts.collect()));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(true);
    if let Err(error) = compiler.open_file(root) {
        panic!("{root}: {error}");
    }
    let set = compiler.encode_file_descriptor_set();
    FileDescriptorSet::decode(&*set).expect("a set")
}

/// Returns a file without source positions.
fn without_places(file: FileDescriptorProto) -> FileDescriptorProto {
    FileDescriptorProto { source_code_info: None, ..file }
}

#[test]
fn text_compiles_to_the_same_descriptors() {
    let legacy = include_str!("../proto/legacy.proto");
    let legacy = compile(&[("legacy.proto", legacy)], "legacy.proto").encode_to_vec();
    for (set, root) in [(DESCRIPTORS, "hotels/v1/hotels.proto"), (&*legacy, "legacy.proto")] {
        let schemas = Schemas::from_descriptors(set).expect("schemas");
        let texts: Vec<_> = schemas.files().collect();
        let again = compile(&texts, root);
        let first = FileDescriptorSet::decode(set).expect("a set");
        let names = |set: &FileDescriptorSet| -> Vec<String> {
            set.file.iter().map(|file| file.name().to_owned()).collect()
        };
        assert_eq!(names(&again), names(&first));
        for (again, first) in again.file.into_iter().zip(first.file) {
            assert_eq!(comments(&again), comments(&first), "{}", first.name());
            let text = texts.iter().find(|(name, _)| *name == first.name());
            let text = text.map(|(_, text)| *text).unwrap_or_default();
            assert_eq!(without_places(again), without_places(first), "\n{text}");
        }
    }
}

/// Returns the comment of each declaration, in the order of the paths.
fn comments(file: &FileDescriptorProto) -> Vec<(&[i32], &str)> {
    let all = file.source_code_info.iter().flat_map(|info| &info.location);
    let mut all: Vec<_> =
        all.filter_map(|at| Some((&*at.path, at.leading_comments.as_deref()?))).collect();
    all.sort_unstable();
    all
}

#[test]
fn writes_conventional_text() {
    let schemas = Schemas::from_descriptors(DESCRIPTORS).expect("schemas");
    let root = schemas.root();
    for line in [
        "// A hotel and its rooms.\n//\n// Numbers were given as fields came, and two were taken away.\nmessage Hotel {",
        "  reserved 2, 5 to 7, 900 to max;",
        "  // Never 0.\n  uint64 id = 1;",
        "  map<string, Room.Kind> kinds = 9;",
        "    Owner owner = 13;",
        "  common.Point place = 14 [json_name = \"where\"];",
        "  google.protobuf.Timestamp opened = 15;",
        "  repeated int32 years = 17 [packed = false];",
        "  rpc Watch(stream Hotel) returns (stream Hotel.Owner);",
    ] {
        assert!(root.contains(line), "{line} is not in\n{root}");
    }
    let names: Vec<_> = schemas.files().map(|(name, _)| name).collect();
    assert_eq!(names, ["common/geo.proto", "hotels/v1/hotels.proto"]);
}

#[test]
fn rejects_descriptors_without_a_text_form() {
    use prost_types::FieldDescriptorProto;
    use prost_types::field_descriptor_proto::Type;

    let refused = |file: FileDescriptorProto| {
        let file = FileDescriptorProto { name: Some("a.proto".to_owned()), ..file };
        let set = FileDescriptorSet { file: vec![file] }.encode_to_vec();
        Schemas::from_descriptors(&set).expect_err("no text").to_string()
    };
    let message = |field: FieldDescriptorProto| FileDescriptorProto {
        package: Some("p".to_owned()),
        message_type: vec![DescriptorProto {
            name: Some("M".to_owned()),
            field: vec![field],
            ..Default::default()
        }],
        ..Default::default()
    };
    let field = |number: i32, kind: Type| FieldDescriptorProto {
        name: Some("f".to_owned()),
        number: Some(number),
        r#type: Some(kind.into()),
        ..Default::default()
    };
    let editions =
        FileDescriptorProto { syntax: Some("editions".to_owned()), ..Default::default() };
    assert_eq!(refused(editions), "a.proto: syntax: expected proto2 or proto3, found editions");
    let group = message(field(1, Type::Group));
    assert_eq!(refused(group), "a.proto: p.M: f is a group: make it a message");
    let unnumbered = message(field(0, Type::Bool));
    assert_eq!(refused(unnumbered), "a.proto: p.M: the field f has the number 0");
    let typeless = message(field(1, Type::Message));
    assert_eq!(refused(typeless), "a.proto: p.M: f is of the type \"\"");
    let nameless = FileDescriptorProto {
        enum_type: vec![EnumDescriptorProto { name: Some("1;".to_owned()), ..Default::default() }],
        ..Default::default()
    };
    assert_eq!(refused(nameless), "a.proto: \"1;\" is not a valid enum name");
    let error = Schemas::from_descriptors(b"").expect_err("no files");
    assert_eq!(error.to_string(), "the FileDescriptorSet has no files");
    let error = Schemas::from_descriptors(b"\xFF").expect_err("no set");
    assert!(error.to_string().starts_with("invalid FileDescriptorSet: "), "{error}");
}
