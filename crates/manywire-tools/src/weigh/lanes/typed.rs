//! Builds a lane with native types that are generated from the payloads.

use std::borrow::Cow;

use manywire_schema::native;
use manywire_shape::{Node, Shape};
use serde::Deserialize;

use super::build::{self, BuildMonitor};
use super::lane::{BuiltLane, Lane};
use super::lane_input::LaneInput;

/// The part of a manifest that builds a lane with generated types: files to write beside its
/// sources, and build commands.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypedBuild {
    /// The language of the types.
    pub language: Language,
    /// The package or module of the types, in languages that have one.
    #[serde(default)]
    pub package: String,
    /// Libraries whose struct tags every Go type gets.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Build commands, in order, instead of the lane's own.
    #[serde(default)]
    pub build: Vec<Vec<String>>,
    /// The files to write.
    pub file: Vec<GeneratedFile>,
}

/// The languages that types are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "they are named as people name them")]
pub enum Language {
    Go,
    Java,
    Python,
    Rust,
    TypeScript,
}

/// A file to write.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratedFile {
    /// The path within the lane's folder.
    pub path: String,
    /// The generated content; or
    #[serde(default)]
    pub content: Option<GeneratedContent>,
    /// a fixed text, in which `{root}` is replaced by the type of the whole value and `{message}`
    /// by its message.
    #[serde(default)]
    pub text: Option<String>,
}

/// The kinds of generated content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GeneratedContent {
    /// The types.
    Types,
    /// A `.proto`.
    Proto,
    /// A `google.protobuf.FileDescriptorSet`.
    Descriptors,
    /// An `.avsc`.
    Avro,
}

/// The reason that a lane has no types for some payloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypesError {
    /// The types of the language cannot hold such values.
    Unsupported(String),
    /// A build command failed although the toolchain is complete. The text has the end of its
    /// output.
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
    ) -> Result<PreparedLane, String> {
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
        if let Some(what) = unsupported_value(lane_input.shape()) {
            let why = format!("types that every library here reads alike do not hold {what}");
            return Err(TypesError::Unsupported(why));
        }
        let mut source = self.source.clone();
        let target = match typed.language {
            Language::Go => native::TargetLanguage::Go,
            Language::Java => native::TargetLanguage::Java,
            Language::Python => native::TargetLanguage::Python,
            Language::Rust => native::TargetLanguage::Rust,
            Language::TypeScript => native::TargetLanguage::TypeScript,
        };
        let options = native::Options {
            package: typed.package.clone(),
            go_tags: typed.tags.clone(),
            ..native::Options::default()
        };
        let types = native::write(lane_input.shape(), target, &options);
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
            .map_err(TypesError::Failed)?;
        Ok(Some(BuiltLane::new(self.clone(), folder)))
    }
}

/// Returns a kind of value in the shape for which libraries have no type, or have different types.
fn unsupported_value(shape: &Shape) -> Option<&'static str> {
    shape.nodes().iter().find_map(|node| match node {
        Node::Record(record) if record.rest.is_some() => Some("entries that are no named field"),
        Node::Enum(_) => Some("a sum type"),
        Node::Union(_) => Some("values of several kinds in one place"),
        Node::Any => Some("values of any kind"),
        Node::Tuple(_) => Some("a tuple"),
        Node::Map { key, .. } if !matches!(shape.node(*key), Node::Str) => {
            Some("keys that are no text")
        }
        Node::Int(int) if int.bits > 64 => Some("integers beyond 64 bits"),
        _ => None,
    })
}
