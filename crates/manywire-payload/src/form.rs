use std::fmt;
use std::path::Path;
use std::str::FromStr;

use manywire_format::{Coding, FORMATS, Format};

/// A format, and how values stand behind each other in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The format of each value.
    pub format: Format,
    /// What tells one value from the next.
    pub framing: Framing,
}

/// What tells one value from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Nothing: a value shows where it ends.
    Sequence,
    /// A line feed.
    Lines,
    /// There is one value, to the end of the file.
    Whole,
    /// Its length before each, as a varint.
    Delimited,
    /// The blocks of an Avro object container file.
    Container,
}

/// A row of [`FORMS`].
#[derive(Debug)]
pub struct Row {
    /// The form this row is about.
    pub form: Form,
    /// Its name on the command line.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// File extensions beyond those of the format, without the dot.
    pub extensions: &'static [&'static str],
    /// What it is, in words.
    pub about: &'static str,
}

/// Every form, the usual one of a format first.
pub static FORMS: &[Row] = &[
    Row {
        form: Form { format: Format::Json, framing: Framing::Sequence },
        name: "json",
        aliases: &[],
        extensions: &[],
        about: "JSON values behind each other",
    },
    Row {
        form: Form { format: Format::Json, framing: Framing::Lines },
        name: "ndjson",
        aliases: &["jsonl"],
        extensions: &["ndjson", "jsonl"],
        about: "a JSON value a line",
    },
    Row {
        form: Form { format: Format::MsgPack, framing: Framing::Sequence },
        name: "msgpack",
        aliases: &[],
        extensions: &[],
        about: "MessagePack values behind each other",
    },
    Row {
        form: Form { format: Format::MsgPackArray, framing: Framing::Sequence },
        name: "msgpack-array",
        aliases: &[],
        extensions: &[],
        about: "the same, with records as arrays in the order of their fields",
    },
    Row {
        form: Form { format: Format::Cbor, framing: Framing::Sequence },
        name: "cbor",
        aliases: &["cbor-seq"],
        extensions: &["cborseq"],
        about: "CBOR values behind each other: a CBOR sequence (RFC 8742)",
    },
    Row {
        form: Form { format: Format::Protobuf, framing: Framing::Whole },
        name: "protobuf",
        aliases: &[],
        extensions: &[],
        about: "one Protocol Buffers message",
    },
    Row {
        form: Form { format: Format::Protobuf, framing: Framing::Delimited },
        name: "protobuf-delimited",
        aliases: &[],
        extensions: &[],
        about: "Protocol Buffers messages, each with its length before it",
    },
    Row {
        form: Form { format: Format::Avro, framing: Framing::Container },
        name: "avro",
        aliases: &[],
        extensions: &[],
        about: "an Avro object container file",
    },
    Row {
        form: Form { format: Format::Avro, framing: Framing::Sequence },
        name: "avro-datum",
        aliases: &[],
        extensions: &[],
        about: "Avro datums behind each other, without a header",
    },
    Row {
        form: Form { format: Format::Bson, framing: Framing::Sequence },
        name: "bson",
        aliases: &[],
        extensions: &[],
        about: "BSON documents behind each other",
    },
];

impl Form {
    /// The usual form of a format.
    pub fn of(format: Format) -> Form {
        let usual = FORMS.iter().find(|row| row.form.format == format);
        usual.map_or(Form { format, framing: Framing::Sequence }, |row| row.form)
    }

    /// What the extensions of a file say: its form, and the coding around it.
    pub fn of_path(path: &Path) -> (Option<Form>, Option<Coding>) {
        let extension = |path: &Path| path.extension()?.to_str().map(str::to_owned);
        let Some(outer) = extension(path) else { return (None, None) };
        let Some(coding) = Coding::from_extension(&outer) else {
            return (Form::of_extension(&outer), None);
        };
        let inner = path.file_stem().map(Path::new).and_then(extension);
        (inner.and_then(|inner| Form::of_extension(&inner)), Some(coding))
    }

    /// The form that files with this extension have, without the dot.
    fn of_extension(extension: &str) -> Option<Form> {
        let known = |row: &&Row| row.extensions.iter().any(|e| e.eq_ignore_ascii_case(extension));
        match FORMS.iter().find(known) {
            Some(row) => Some(row.form),
            None => Format::from_extension(extension).map(Form::of),
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.row().map_or(self.format.name(), |row| row.name)
    }

    fn row(self) -> Option<&'static Row> {
        FORMS.iter().find(|row| row.form == self)
    }

    /// Whether values of this form can only be read by a schema that the bytes do not have.
    pub fn needs_schema(self) -> bool {
        let by_shape = self.format.row().schema != manywire_format::Schema::InBand;
        by_shape && self.framing != Framing::Container
    }
}

/// Extensions by which a file's form is known, for messages: `.json, .ndjson, …`.
pub fn known_extensions() -> String {
    let of_formats = FORMATS.iter().flat_map(|row| row.extensions);
    let of_forms = FORMS.iter().flat_map(|row| row.extensions);
    let all: Vec<String> = of_formats.chain(of_forms).map(|known| format!(".{known}")).collect();
    all.join(", ")
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no form's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownForm(String);

impl fmt::Display for UnknownForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = FORMS.iter().map(|row| row.name).collect();
        write!(f, "no format is called {:?}; there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownForm {}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        FORMS
            .iter()
            .find(|row| row.name == name || row.aliases.contains(&name))
            .map(|row| row.form)
            .ok_or_else(|| UnknownForm(name.to_owned()))
    }
}
