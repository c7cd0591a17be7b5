//! Requests: a payload as text or bytes, in a form that is named or detected, perhaps with a schema.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use manywire_format::{Form, Format};
use manywire_inspect::{detect, recognised_formats};
use manywire_schema::Language;
use manywire_shape::Shaped;
use manywire_tools::payload::{
    BYTE_ORDER_MARK, InputCoding, Schema, Source, framing_of_json, text,
};
use serde::{Deserialize, Serialize};

/// The name of the payload in messages.
pub(crate) const NAME: &str = "the payload";

/// The maximum length of a payload in bytes, decompressed. `manywire explain` shows larger ones.
pub const PAYLOAD_BYTES_MAX: usize = 16 << 20;

/// A payload to view. Exactly one of `text` and `bytes` is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct ViewRequest {
    /// JSON, or bytes as hex or base64: text that a user typed or pasted.
    #[serde(default)]
    pub text: Option<String>,
    /// Bytes in base64 (RFC 4648, section 4): a file, or bytes that a user edited.
    #[serde(default)]
    pub bytes: Option<String>,
    /// The name of the form of the bytes, as `--from` has it. Without it the form is detected.
    #[serde(default)]
    pub form: Option<String>,
    /// The text of a `.proto` or an `.avsc` to read the bytes with.
    #[serde(default)]
    pub schema: Option<String>,
    /// The message that is the root of a `.proto` with several.
    #[serde(default)]
    pub message: Option<String>,
}

/// The error for a request that cannot be read as a payload at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidRequest {
    /// Both or none of `text` and `bytes` are set.
    NoPayload,
    /// `bytes` are not base64.
    Base64(String),
    /// No form has the given name.
    Form(String),
    /// The schema cannot be read. The message has line and column.
    Schema(String),
    /// The bytes are longer than [`PAYLOAD_BYTES_MAX`].
    TooLong(usize),
    /// The bytes cannot be decompressed.
    Coding(String),
}

impl fmt::Display for InvalidRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidRequest::NoPayload => f.write_str("expected either text or bytes"),
            InvalidRequest::Base64(error) => write!(f, "bytes: expected base64: {error}"),
            InvalidRequest::Form(error)
            | InvalidRequest::Schema(error)
            | InvalidRequest::Coding(error) => f.write_str(error),
            InvalidRequest::TooLong(length) => write!(
                f,
                "expected a payload of at most {PAYLOAD_BYTES_MAX} bytes, found {length}: \
                 `manywire explain` shows files of any length"
            ),
        }
    }
}

impl std::error::Error for InvalidRequest {}

/// The way in which the payload of a request was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadAs {
    Text,
    Hex,
    Base64,
    Bytes,
}

impl ReadAs {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ReadAs::Text => "text",
            ReadAs::Hex => "hex",
            ReadAs::Base64 => "base64",
            ReadAs::Bytes => "bytes",
        }
    }
}

/// The payload of a request.
pub(crate) struct Payload {
    pub(crate) read_as: ReadAs,
    /// The bytes, decompressed and without a byte order mark.
    pub(crate) bytes: Vec<u8>,
    pub(crate) form: Form,
    /// Other forms in which the bytes can be read.
    pub(crate) others: Vec<Form>,
    pub(crate) schema: Option<Schema>,
}

impl Payload {
    pub(crate) fn source(&self) -> Source {
        Source::of_bytes(NAME, self.bytes.as_slice()).with_coding(Some(InputCoding::None))
    }
}

impl ViewRequest {
    /// Returns the request to view bytes, in a form that is named or detected.
    pub fn of_bytes(bytes: &[u8], form: Option<Form>) -> ViewRequest {
        ViewRequest {
            bytes: Some(STANDARD.encode(bytes)),
            form: form.map(|form| form.name().to_owned()),
            ..ViewRequest::default()
        }
    }

    /// Returns the source of the payload's values and their form, as the tools of the command read them.
    ///
    /// # Errors
    /// Fails for a request that has no payload.
    pub fn source(&self) -> Result<(Source, Form), InvalidRequest> {
        let payload = self.payload()?;
        Ok((payload.source(), payload.form))
    }

    pub(crate) fn payload(&self) -> Result<Payload, InvalidRequest> {
        let (read_as, bytes) = match (&self.text, &self.bytes) {
            (Some(text), None) => read_text(text),
            (None, Some(bytes)) => {
                let bytes = STANDARD.decode(bytes);
                (ReadAs::Bytes, bytes.map_err(|error| InvalidRequest::Base64(error.to_string()))?)
            }
            _ => return Err(InvalidRequest::NoPayload),
        };
        let mut bytes = match read_as {
            ReadAs::Text => bytes,
            _ => decompress(bytes)?,
        };
        if bytes.len() > PAYLOAD_BYTES_MAX {
            return Err(InvalidRequest::TooLong(bytes.len()));
        }
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        let schema = self.schema()?;
        let (form, others) = self.form(&bytes, read_as, schema.as_ref())?;
        Ok(Payload { read_as, bytes, form, others, schema })
    }

    fn schema(&self) -> Result<Option<Schema>, InvalidRequest> {
        let Some(text) = &self.schema else { return Ok(None) };
        let document = manywire_schema::read("schema", text, self.message.as_deref());
        let document = document.map_err(|error| InvalidRequest::Schema(error.to_string()))?;
        Ok(Some(document.into()))
    }

    /// Returns the form, and other forms in which the bytes can be read.
    fn form(
        &self,
        bytes: &[u8],
        read_as: ReadAs,
        schema: Option<&Schema>,
    ) -> Result<(Form, Vec<Form>), InvalidRequest> {
        if let Some(name) = &self.form {
            let form = name.parse::<Form>();
            return form
                .map(|form| (form, Vec::new()))
                .map_err(|error| InvalidRequest::Form(error.to_string()));
        }
        if read_as == ReadAs::Text {
            let framing = framing_of_json(bytes);
            return Ok((Form { format: Format::Json, framing }, Vec::new()));
        }
        let described = match schema.and_then(|schema| schema.language.as_ref()) {
            Some(Language::Proto(_)) => Some(Format::Protobuf),
            Some(Language::Avro(_)) => Some(Format::Avro),
            _ => None,
        };
        let found = match &described {
            Some(format) => detect(bytes, true, std::slice::from_ref(format)),
            None => detect(bytes, true, &recognised_formats()),
        };
        let others = found.fitting.get(1..).unwrap_or_default().to_vec();
        Ok((found.likeliest(), others))
    }
}

/// Returns the bytes that `typed` has as hex or base64. JSON, and any other text, is returned as it
/// is.
fn read_text(typed: &str) -> (ReadAs, Vec<u8>) {
    let bytes = typed.as_bytes();
    let is_json = !detect(bytes, true, &[Format::Json]).fitting.is_empty();
    match text::bytes_of(bytes).filter(|_| !is_json) {
        Some(found) if text::hex(typed.trim()).is_some() => (ReadAs::Hex, found),
        Some(found) => (ReadAs::Base64, found),
        None => (ReadAs::Text, bytes.to_vec()),
    }
}

fn decompress(bytes: Vec<u8>) -> Result<Vec<u8>, InvalidRequest> {
    let source = Source::of_bytes(NAME, bytes);
    source.bytes().map_err(|error| InvalidRequest::Coding(error.to_string()))
}
