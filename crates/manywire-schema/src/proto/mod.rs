//! Reads `.proto` files: proto2, proto3, and the editions 2023 and 2024.
//!
//! | `.proto` | shape |
//! |---|---|
//! | `int32`, `sint64`, `fixed32` … | the integer, with its encoding |
//! | `bool`, `string`, `bytes`, `float`, `double` | the same |
//! | `repeated` | an array |
//! | `map<K, V>` | a map |
//! | `enum` | an enum without content, with the names of its values, and the aliases of `allow_alias` |
//! | message | a record with the JSON names of its fields, and their `.proto` names as aliases |
//! | `optional`, a message, a member of a `oneof` | an optional field that may be null |
//! | `required` | a field that must be there |
//! | any other field | a field that is zero or empty if it is absent |
//! | a group | as a field of its message |
//! | `google.protobuf.Timestamp`, `google.protobuf.Empty` | a timestamp, null |
//! | `google.protobuf.StringValue` … | the scalar, which may be null |
//!
//! The messages that our writer uses for enums with content and for tuples are read as records, and
//! so are those for arrays of arrays and for unions if their marks are missing. Fields that share a
//! JSON name, as proto2 permits, have their names in the `.proto` instead. Services and
//! options without effect on the encoding are ignored. The fields of extensions are unknown fields.
//!
//! Imports are followed: Google's well-known files are built in, and an [`Importer`] finds the
//! others. A descriptor set has all files, parsed by another program.

mod build;
mod descriptor_set;
mod files;
mod lex;
mod marks;
mod parse;
mod shape;
mod tree;
mod well_known;

use manywire_shape::Shape;
use manywire_shape::proto::Schema;

pub(crate) use descriptor_set::is_descriptor_set;
pub(crate) use shape::scalar_node;

use self::files::Files;
use crate::Error;

/// Finds the file that an import names by its path.
///
/// # Errors
///
/// Returns `None` if there is no such file, which is an error only if something in the file is
/// used. Returns a message if the file cannot be read.
pub type Importer<'i> = dyn Fn(&str) -> Result<Option<ImportedFile>, String> + 'i;

/// A `.proto` that another one imports.
#[derive(Clone, Debug)]
pub struct ImportedFile {
    /// The name for errors.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Reads a `.proto` file: the root message with the messages that it refers to, and the shape of
/// the root.
///
/// `file` is used only in error messages. `message` is the name of the root, with or without its
/// package. Without a name, the root is the message with the mark of the root
/// ([`ROOT_MARK`](manywire_shape::proto::ROOT_MARK)), or else the one that no other refers to. Imports
/// of files other than the well-known ones of Google are not followed.
///
/// # Errors
///
/// Fails if the text is invalid, if a type is not declared, if a number is duplicate or out of
/// range, or if the root is missing or ambiguous.
pub fn read_proto(
    file: &str,
    text: &str,
    message: Option<&str>,
) -> std::result::Result<(Schema, Shape), Error> {
    let (schema, shape, _) = read_files(file, text, message, None)?;
    Ok((schema, shape))
}

/// Reads a `.proto` file and its imports. Returns the names of all files, too.
pub(crate) fn read_files(
    file: &str,
    text: &str,
    message: Option<&str>,
    importer: Option<&Importer<'_>>,
) -> std::result::Result<(Schema, Shape, Vec<String>), Error> {
    let files = Files::read(file, text, importer)?;
    build_root(&files, message)
}

/// Reads a descriptor set. Returns the names of its files, too.
pub(crate) fn read_descriptor_set(
    file: &str,
    bytes: &[u8],
    message: Option<&str>,
) -> std::result::Result<(Schema, Shape, Vec<String>), Error> {
    let parsed = descriptor_set::read(bytes).map_err(|fault| {
        let message = format_args!(
            "invalid descriptor set at byte {}: expected {}",
            fault.offset, fault.expected
        );
        Error::at(file, "", 0, message)
    })?;
    if parsed.is_empty() {
        return Err(Error::at(file, "", 0, "invalid descriptor set: it has no files"));
    }
    build_root(&Files::of_descriptors(file, parsed), message)
}

fn build_root(
    files: &Files,
    message: Option<&str>,
) -> std::result::Result<(Schema, Shape, Vec<String>), Error> {
    let build = || {
        let types = build::Types::new(files)?;
        let root = types.root(message)?;
        build::schema(&types, root)
    };
    let schema = build().map_err(|fault| files.locate(&fault))?;
    let shape = shape::shape(&schema);
    Ok((schema, shape, files.names()))
}

/// Reads every message and enum of a `.proto` file, without choosing a root.
pub(crate) fn read_whole(file: &str, text: &str) -> std::result::Result<Schema, Error> {
    let files = Files::read(file, text, None)?;
    let build = || build::everything(&build::Types::new(&files)?);
    build().map_err(|fault| files.locate(&fault))
}

/// A fault at a byte of the text of a file.
#[derive(Debug)]
struct Fault {
    /// The index of the file.
    file: usize,
    offset: usize,
    message: String,
}

impl Fault {
    #[cold]
    fn new(offset: usize, message: impl std::fmt::Display) -> Box<Self> {
        Box::new(Fault { file: 0, offset, message: message.to_string() })
    }

    #[cold]
    fn in_file(mut self: Box<Self>, file: usize) -> Box<Self> {
        self.file = file;
        self
    }

    #[cold]
    fn at(&self, file: &str, text: &str) -> Error {
        Error::at(file, text, self.offset, &self.message)
    }
}

type Result<T, E = Box<Fault>> = std::result::Result<T, E>;
