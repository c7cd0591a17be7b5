//! The `.proto` that messages were generated from, out of its descriptors.

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

impl Schemas {
    /// Endpoints that serve the files below `/schemas/`, each at the name that others import it by,
    /// so that imports are found from there.
    pub fn routes(&self) -> impl Iterator<Item = Route> + use<'_> {
        self.files().map(|(name, text)| route(&format!("/schemas/{name}"), text))
    }

    /// An API with these endpoints, too.
    pub fn serve_in(&self, api: Api) -> Api {
        self.routes().fold(api, Api::serve)
    }

    /// The root at a path of one's own. An API that is documented and speaks Protocol Buffers has
    /// the problem and its own types at `/schema.proto`; any other is free to have this there.
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
