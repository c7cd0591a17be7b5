//! Builds a lane with native types that are generated from the payloads.

use std::borrow::Cow;

use manywire_schema::native::{self, NativeLanguage};
use manywire_shape::{Node, Shape};

use super::build::{self, BuildError, BuildMonitor};
use super::lane::{BuiltLane, Lane};
use super::lane_input::LaneInput;
use super::manifest::GeneratedContent;

/// The reason that a lane has no types for some payloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypesError {
    /// The types of the language cannot hold such values.
    Unsupported(String),
    /// A build command failed although the toolchain is complete. If the command refused the types,
    /// the first line says so, and the next ones are the command and parts of its output.
    Failed(String),
}

impl TypesError {
    /// Returns the reason.
    pub fn reason(&self) -> &str {
        match self {
            TypesError::Unsupported(why) | TypesError::Failed(why) => why,
        }
    }
}

/// A lane built for some payloads.
#[derive(Clone, Debug)]
pub struct PreparedLane {
    /// The build: with generated types if the lane uses them and they could be generated, otherwise
    /// the plain lane.
    pub built: BuiltLane,
    /// The reason that types of the payloads are missing, if they were needed.
    pub types_error: Option<TypesError>,
}

impl Lane {
    /// Builds the lane for some payloads, unless a build exists. The toolchain is not checked. A
    /// build with types does all that the plain lane does, so the plain lane is built only if there
    /// are no types.
    ///
    /// # Errors
    ///
    /// Fails with the name of the failed command and the end of its output.
    pub(super) fn prepare(
        &self,
        lane_input: &LaneInput,
        monitor: BuildMonitor<'_>,
    ) -> Result<PreparedLane, BuildError> {
        let (built, types_error) = match self.with_types(lane_input, monitor) {
            Ok(Some(built)) => (built, None),
            Ok(None) => (self.build_with_toolchain(monitor)?, None),
            Err(types_error) => (self.build_with_toolchain(monitor)?, Some(types_error)),
        };
        Ok(PreparedLane { built, types_error })
    }

    /// Builds the lane with types for some payloads; `None` if the lane uses no types.
    fn with_types(
        &self,
        lane_input: &LaneInput,
        monitor: BuildMonitor<'_>,
    ) -> Result<Option<BuiltLane>, TypesError> {
        let Some(typed) = &self.manifest().typed else { return Ok(None) };
        if let Some(what) = unsupported_value(lane_input.shape(), typed.language) {
            let why = format!("types that every library here reads alike do not hold {what}");
            return Err(TypesError::Unsupported(why));
        }
        let mut source = self.source.clone();
        let options = native::Options {
            package: typed.package.clone(),
            go_tags: typed.tags.clone(),
            ..native::Options::default()
        };
        let types = native::write(lane_input.shape(), typed.language, &options);
        for file in &typed.file {
            let bytes = match (file.content, &file.text) {
                (Some(GeneratedContent::Types), _) => types.text.clone().into_bytes(),
                (Some(GeneratedContent::Proto), _) => lane_input.proto().unwrap_or_default().into(),
                (Some(GeneratedContent::Descriptors), _) => lane_input.schema_request().1.to_vec(),
                (Some(GeneratedContent::Avro), _) => lane_input.avro().unwrap_or_default().into(),
                (None, Some(text)) => {
                    let message = lane_input.root_message().unwrap_or_default();
                    text.replace("{root}", &types.root).replace("{message}", message).into_bytes()
                }
                (None, None) => {
                    let why = format!("{}: neither content nor text", file.path);
                    return Err(TypesError::Failed(why));
                }
            };
            source.files.retain(|(path, _)| *path != file.path);
            source.files.push((file.path.clone(), Cow::Owned(bytes)));
        }
        source.files.sort();
        let lane = &self.source;
        let folder = build::build(&source, lane, &typed.build, self.idle_limit(), monitor)
            .map_err(|error| match error {
                // The plain lane is built by the same toolchain, so the types are at fault.
                BuildError::Refused { .. } => TypesError::Failed(uncompiled(&error.to_string())),
                _ => TypesError::Failed(error.to_string()),
            })?;
        Ok(Some(BuiltLane::new(self.clone(), folder)))
    }
}

/// Returns the reason of a row whose generated code does not compile: one line, and then the words
/// of the compiler, which only `--verbose` shows.
pub(super) fn uncompiled(words: &str) -> String {
    format!(
        "manywire generated code that does not compile: please report it, with the words that --verbose shows\n{words}"
    )
}

/// Returns a kind of value in the shape that the types of a language cannot hold in every library;
/// `None` if there is no such value.
///
/// Values of several kinds in one place are not unsupported as such: their type is an untagged
/// `enum` or a `serde_json::Value` in Rust, and a type of any value in C#, Go, Haskell and Scala. In
/// Rust, text with bytes and timestamps with other kinds are unsupported. A library that cannot read
/// such a type fails in its own row.
fn unsupported_value(shape: &Shape, language: NativeLanguage) -> Option<&'static str> {
    let mut visited = vec![false; shape.nodes().len()];
    let mut pending = vec![shape.root()];
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut visited[id.index()], true) {
            continue;
        }
        match shape.node(id) {
            Node::Enum(_) => return Some("a sum type"),
            Node::Tuple(_) => return Some("a tuple"),
            Node::Int(int) if int.bits > 64 => return Some("integers beyond 64 bits"),
            Node::Record(record) if record.rest.is_some() => {
                return Some("entries that are no named field");
            }
            Node::Record(record) => pending.extend(record.fields.iter().map(|field| field.node)),
            Node::Map { key, .. } if !matches!(shape.node(*key), Node::Str) => {
                return Some("keys that are no text");
            }
            Node::Map { value, .. } => pending.push(*value),
            Node::Option(inner) => pending.push(*inner),
            Node::Array(array) => pending.push(array.item),
            // A type of any value needs no types for the branches.
            Node::Union(_) if holds_any_value(language) => {}
            Node::Union(branches) => {
                let has = |wanted: fn(&Node) -> bool| {
                    branches.iter().any(|branch| wanted(shape.node(*branch)))
                };
                // An untagged enum buffers the value, and bytes that are UTF-8 are text to its
                // branches.
                if has(|node| *node == Node::Bytes) && has(|node| *node == Node::Str) {
                    return Some("text and bytes in one place");
                }
                if has(|node| *node == Node::Timestamp) {
                    return Some("points in time and other values in one place");
                }
                // Integers in an untagged enum have one branch for each sign.
                pending.extend(
                    branches.iter().filter(|branch| !matches!(shape.node(**branch), Node::Int(_))),
                );
            }
            _ => {}
        }
    }
    None
}

/// Returns whether a language has one type for any value: `object` in C#, `any` in Go, a `Value`
/// of the library in Haskell and `Any` in Scala.
fn holds_any_value(language: NativeLanguage) -> bool {
    use NativeLanguage::{CSharp, Go, Haskell, Scala};
    matches!(language, CSharp | Go | Haskell | Scala)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    use manywire_schema::native::{NativeLanguage, Options, write};
    use manywire_schema::{TARGET_LANGUAGES, TargetLanguage};
    use manywire_shape::infer::Inference;
    use manywire_shape::{Arena, Shape, ValueSeed};
    use serde::de::DeserializeSeed;

    use super::{holds_any_value, unsupported_value};

    /// The languages of the lanes with a separate build for types.
    const LANGUAGES: [NativeLanguage; 5] = [
        NativeLanguage::CSharp,
        NativeLanguage::Go,
        NativeLanguage::Haskell,
        NativeLanguage::Rust,
        NativeLanguage::Scala,
    ];

    fn shape(json: &str) -> Shape {
        let arena = Arena::new();
        let mut reader = serde_json::Deserializer::from_str(json);
        let value = ValueSeed::new(&arena).deserialize(&mut reader).expect("JSON");
        let mut inference = Inference::new();
        inference.add(&value);
        inference.shape()
    }

    #[test]
    fn unions_are_no_reason_to_have_no_types() {
        for json in [
            r#"{"rules": {"semi": 2, "quotes": [2, "double"], "eqeqeq": "off"}}"#,
            r#"[{"a": 1}, {"a": {"b": null}}, {"a": [{"b": 0.5}, true]}]"#,
            r#"[-1, 18446744073709551615, 0.5]"#,
        ] {
            for language in LANGUAGES {
                assert_eq!(unsupported_value(&shape(json), language), None, "{language:?}: {json}");
            }
        }
        let wide = shape("[-1, 18446744073709551615]");
        assert_eq!(unsupported_value(&wide, NativeLanguage::Go), Some("integers beyond 64 bits"));
    }

    /// An untagged enum in Rust reads bytes that are UTF-8 as text.
    #[test]
    fn text_and_bytes_in_one_place_have_no_type_in_rust() {
        use manywire_shape::Value;
        let mut inference = Inference::new();
        inference.add(&Value::Array(&[Value::Str("a"), Value::Bytes(b"a")]));
        let shape = inference.shape();
        for language in LANGUAGES.into_iter().filter(|language| holds_any_value(*language)) {
            assert_eq!(unsupported_value(&shape, language), None, "{language:?}");
        }
        let reason = unsupported_value(&shape, NativeLanguage::Rust);
        assert_eq!(reason, Some("text and bytes in one place"));
    }

    /// Adds the paths of all JSON documents below a folder.
    fn add_documents(folder: &Path, all: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension() {
                _ if path.is_dir() => add_documents(&path, all),
                Some(extension) if extension == "json" => all.push(path),
                _ => {}
            }
        }
    }

    #[test]
    fn foreign_documents_get_typed_rows() {
        let Some(suites) = env::var_os("MANYWIRE_SUITES") else {
            eprintln!("skipped: no suites");
            return;
        };
        let mut documents = Vec::new();
        add_documents(&Path::new(&suites).join("payloads"), &mut documents);
        assert!(documents.len() >= 30, "{} documents", documents.len());
        for path in documents {
            let shape = shape(&fs::read_to_string(&path).expect("text"));
            for language in LANGUAGES {
                let reason = unsupported_value(&shape, language);
                assert_eq!(reason, None, "{}: {language:?}", path.display());
            }
            for row in &TARGET_LANGUAGES {
                let TargetLanguage::Native(language) = row.language else { continue };
                let source = write(&shape, language, &Options::default());
                let mut names = source.root.split(['[', '<', ']', '>', '.']);
                let root = names.rfind(|name| !name.is_empty()).expect("a name");
                assert!(source.text.contains(root), "{}: {language:?}: {root}", path.display());
            }
        }
    }
}
