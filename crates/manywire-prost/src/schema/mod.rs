//! The `.proto` that messages were generated from, out of its descriptors.

mod comments;
mod enumeration;
mod field;
mod file;
mod message;
mod names;
mod routes;
mod service;

use std::fmt;

use prost::Message;
use prost_types::FileDescriptorSet;

use names::Names;

/// The files of a `FileDescriptorSet`, as text.
///
/// prost-build keeps the set by `Config::file_descriptor_set_path`, tonic includes it by
/// `include_file_descriptor_set!`. The text says what they say: names, numbers, oneofs, maps,
/// reserved numbers, defaults, services, and comments where the set has them. Custom options are
/// left out. Files below `google/protobuf/` are left to whoever reads the text, who has them.
///
/// ```
/// # use prost::Message;
/// # let file = prost_types::FileDescriptorProto {
/// #     name: Some("hotels.proto".to_owned()),
/// #     syntax: Some("proto3".to_owned()),
/// #     ..Default::default()
/// # };
/// # let set = prost_types::FileDescriptorSet { file: vec![file] }.encode_to_vec();
/// # let descriptors = set.as_slice();
/// // const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
/// let schemas = manywire_prost::Schemas::from_descriptors(descriptors)?;
/// assert!(schemas.root().starts_with("syntax = \"proto3\";"));
/// let api = schemas.serve_in(manywire::Api::new("Hotels")); // GET /schemas/hotels.proto
/// let api = api.serve(schemas.root_at("/schema.proto"));
/// # api.build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schemas {
    files: Vec<(String, String)>,
}

impl Schemas {
    /// Reads the bytes of a set.
    ///
    /// # Errors
    /// Bytes that are no set, or one without files; a file of another language than proto2 or proto3; groups, which
    /// have had no place in `.proto` files since proto3; names that are none.
    pub fn from_descriptors(bytes: &[u8]) -> Result<Self, InvalidDescriptors> {
        let set = FileDescriptorSet::decode(bytes)
            .map_err(|error| InvalidDescriptors(format!("no FileDescriptorSet: {error}")))?;
        let names = Names::of(&set);
        let own = set.file.iter().filter(|file| !file.name().starts_with("google/protobuf/"));
        let files = own.map(|file| {
            let text = file::text(file, &names)
                .map_err(|error| InvalidDescriptors(format!("{}: {}", file.name(), error.0)))?;
            Ok((file.name().to_owned(), text))
        });
        let files: Vec<_> = files.collect::<Result<_>>()?;
        if files.is_empty() {
            return invalid("", "the FileDescriptorSet has no files");
        }
        Ok(Schemas { files })
    }

    /// The files, each by the name that others import it by, imported ones first.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, text)| (&**name, &**text))
    }

    /// The file that imports the others: the last, as compilers order them.
    pub fn root(&self) -> &str {
        self.files.last().map_or("", |(_, text)| text)
    }
}

/// Descriptors that no `.proto` can be written from: in which file and where, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidDescriptors(String);

impl fmt::Display for InvalidDescriptors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidDescriptors {}

type Result<T, E = InvalidDescriptors> = std::result::Result<T, E>;

#[cold]
fn invalid<T>(place: &str, reason: impl fmt::Display) -> Result<T> {
    let colon = if place.is_empty() { "" } else { ": " };
    Err(InvalidDescriptors(format!("{place}{colon}{reason}")))
}
