//! Restores the `.proto` files of generated messages from their descriptors, and serves them.

mod names;
mod writer;

use std::fmt;

use manywire::content::Text;
use manywire::{Api, Route, get};
use prost::Message;
use prost_types::FileDescriptorSet;

use names::TypeNames;

/// The files of a `FileDescriptorSet`, as text.
///
/// prost-build writes the set with `Config::file_descriptor_set_path`, and tonic includes it with
/// `include_file_descriptor_set!`. The text has the names, numbers, oneofs, maps, reserved numbers,
/// defaults and services of the set, and its leading comments if there are any. Custom options are
/// left out. Of the standard options, the text has those that name packages and prefixes for other
/// languages, `java_multiple_files`, `allow_alias`, `packed`, `json_name`, and `deprecated` except
/// on services and methods. Files below `google/protobuf/` are left out, since every compiler has
/// them.
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
    /// Decodes a set.
    ///
    /// # Errors
    /// Fails for bytes that are not a set, or have no files; for a file in another language than
    /// proto2 or proto3; for groups, which `.proto` files lost in proto3; and for invalid names.
    pub fn from_descriptors(bytes: &[u8]) -> Result<Self, InvalidDescriptors> {
        let set = FileDescriptorSet::decode(bytes)
            .map_err(|error| InvalidDescriptors(format!("invalid FileDescriptorSet: {error}")))?;
        let names = TypeNames::of(&set);
        let own = set.file.iter().filter(|file| !file.name().starts_with("google/protobuf/"));
        let files = own.map(|file| {
            let text = writer::file_text(file, &names)
                .map_err(|error| InvalidDescriptors(format!("{}: {}", file.name(), error.0)))?;
            Ok((file.name().to_owned(), text))
        });
        let files: Vec<_> = files.collect::<Result<_>>()?;
        if files.is_empty() {
            return invalid("", "the FileDescriptorSet has no files");
        }
        Ok(Schemas { files })
    }

    /// Returns the names and texts of the files, imported files first. The name is the one that
    /// other files use to import the file.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, text)| (&**name, &**text))
    }

    /// Returns the text of the file that imports the others: the last one, as compilers order them.
    pub fn root(&self) -> &str {
        self.files.last().map_or("", |(_, text)| text)
    }
}

/// The error for descriptors that cannot be written as `.proto`, with file, location and reason.
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

impl Schemas {
    /// Returns endpoints that serve the files below `/schemas/`, each at the name that other files
    /// use to import it, so that imports resolve.
    pub fn routes(&self) -> impl Iterator<Item = Route> + use<'_> {
        self.files().map(|(name, text)| route(&format!("/schemas/{name}"), text))
    }

    /// Adds the endpoints of [`Schemas::routes`] to an API.
    pub fn serve_in(&self, api: Api) -> Api {
        self.routes().fold(api, Api::serve)
    }

    /// Returns an endpoint that serves the root file at `path`. A documented API with Protocol
    /// Buffers has its own types at `/schema.proto`; any other API may use that path.
    pub fn root_at(&self, path: &str) -> Route {
        route(path, self.root())
    }
}

fn route(path: &str, text: &str) -> Route {
    let text = text.to_owned();
    get(path).returns::<Text>().to(move || {
        let text = text.clone();
        async move { text }
    })
}
