//! Views: a payload in every format, with its schemas and native types.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use manywire_codec::avro::container::Compression;
use manywire_codec::coding::Encoder;
use manywire_format::{Coding, CodingLevel, FORMATS, Form, Format, Framing};
use manywire_inspect::Role;
use manywire_schema::native::{self, NativeLanguage};
use manywire_schema::{Language, TARGET_LANGUAGES, TargetLanguage, TargetRow};
use manywire_shape::fidelity::{Losses, without_duplicates};
use manywire_shape::infer::Inference;
use manywire_shape::{Shape, Shaped};
use manywire_tools::convert::{self, Conversion, SchemaFailure, schema_text};
use manywire_tools::payload::{Halt, Input, InputError, InputPosition, Item, Schema, Take};
use serde::{Deserialize, Serialize};

use crate::request::{InvalidRequest, NAME, Payload, ViewRequest};
use crate::spans::{Finding, PathTotal, Spans, Tables, Walked, walk};

/// The maximum length in bytes of the JSON text of a view.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// A payload in every format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct View {
    /// The form in which the request was read.
    pub input: InputView,
    /// The error, if the payload cannot be read. Then `formats` has the format of the payload alone,
    /// up to the fault.
    pub failure: Option<Failure>,
    /// The values as JSON that a user can edit, if they are readable.
    pub json: Option<JsonText>,
    /// The paths that spans and findings refer to.
    pub paths: Vec<String>,
    /// The types that spans refer to.
    pub types: Vec<String>,
    /// The roles that spans refer to.
    pub roles: Vec<String>,
    /// The formats, in the order of [`FORMATS`].
    pub formats: Vec<FormatView>,
    /// The schemas and native types of the values.
    pub schemas: Vec<SchemaView>,
}

/// The form in which a request was read, and the size of the payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct InputView {
    /// `text`, `hex`, `base64` or `bytes`.
    pub read_as: String,
    /// The name of the form, as `--from` has it.
    pub form: String,
    /// The name of the format.
    pub format: String,
    /// The title of the format.
    pub title: String,
    /// The names of other forms that read the bytes.
    pub also: Vec<String>,
    /// The number of bytes, decompressed.
    pub length: u64,
    /// The number of values before the failure, if there is one.
    pub values: u64,
}

/// The error of a payload that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct Failure {
    /// The message: the error and what was expected.
    pub message: String,
    /// The path of the value with the fault.
    pub path: String,
    /// The offset of the fault in bytes, if it is known.
    pub offset: Option<u64>,
    /// The line in a text, counted from 1.
    pub line: Option<u64>,
    /// The column in characters, counted from 1.
    pub column: Option<u64>,
}

/// Values as indented JSON; the payload itself if it is JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct JsonText {
    /// The text, or its beginning.
    pub text: String,
    /// True if the text is only the beginning.
    pub truncated: bool,
    /// The losses on the way to JSON.
    pub losses: Vec<LossView>,
}

/// The payload in one format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct FormatView {
    /// The name of the format.
    pub format: String,
    /// The title of the format.
    pub title: String,
    /// The name of the form of these bytes, as `--from` has it.
    pub form: String,
    /// True if the bytes are the payload.
    pub is_input: bool,
    /// The name of the schema in [`View::schemas`] that the bytes are read with.
    pub schema: Option<String>,
    /// The reason why the format cannot represent the values. Then all figures are 0.
    pub refused: Option<Refusal>,
    /// The number of bytes.
    pub length: u64,
    /// The number of bytes after gzip.
    pub gzip: Option<u64>,
    /// The bytes of the spans that are shown, in base64.
    pub bytes: String,
    /// True if `bytes` and `spans` are only the beginning.
    pub truncated: bool,
    /// The values that the format cannot represent, and that were replaced.
    pub losses: Vec<LossView>,
    /// The number of losses that are not listed.
    pub losses_unlisted: u64,
    /// Bytes of keys.
    pub keys: u64,
    /// Bytes of heads, lengths, quotes and separators.
    pub structure: u64,
    /// Bytes of the content of values.
    pub values: u64,
    /// Bytes that were not read.
    pub unread: u64,
    /// Faults and remarks.
    pub findings: Vec<Finding>,
    /// The number of spans, including those that are not shown.
    pub span_count: u64,
    /// The spans.
    pub spans: Spans,
    /// The paths with the most bytes.
    pub largest: Vec<PathTotal>,
}

/// The reason why a format cannot represent the values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct Refusal {
    /// The path of the value.
    pub path: String,
    /// The reason.
    pub message: String,
}

/// A value that was replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct LossView {
    /// The path of the first occurrence.
    pub path: String,
    /// The value, and its replacement.
    pub lost: String,
    /// The number of occurrences.
    pub places: u64,
}

/// A schema of the values, or their types in a programming language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct SchemaView {
    /// The name, as `shape --as` has it.
    pub name: String,
    /// The title.
    pub title: String,
    /// The usual name of the file.
    pub file: String,
    /// The text, or `None` if it is refused.
    pub text: Option<String>,
    /// The reason why there is no such schema.
    pub refused: Option<String>,
}

impl View {
    /// Returns the view of a payload.
    ///
    /// # Errors
    /// Fails for a request that has no payload. A payload with faults has a view.
    pub fn of(request: &ViewRequest) -> Result<View, InvalidRequest> {
        let payload = request.payload()?;
        let mut survey = Survey::default();
        let result = survey.read(&payload);
        let mut viewer = Viewer { tables: Tables::default(), schemas: Vec::new() };
        let mut view = View {
            input: input_view(&payload, survey.count),
            failure: None,
            json: None,
            paths: Vec::new(),
            types: Vec::new(),
            roles: Role::ALL.iter().map(|role| role.name().to_owned()).collect(),
            formats: Vec::new(),
            schemas: Vec::new(),
        };
        match result {
            Err(error) => {
                let input = viewer.input(&payload);
                view.failure = Some(failure(error, &input));
                view.formats.push(input);
            }
            Ok(()) => {
                let framed = !matches!(payload.form.framing, Framing::Single | Framing::Container);
                let is_stream = framed || survey.count != 1;
                view.json = json(&payload, is_stream);
                for row in FORMATS {
                    view.formats.push(match row.format == payload.form.format {
                        true => viewer.input(&payload),
                        false => viewer.converted(&payload, target(row.format, is_stream)),
                    });
                }
                let known = payload.schema.clone().or(survey.schema);
                let schema = known.unwrap_or_else(|| survey.inference.shape().into());
                viewer.describe(&schema);
                view.schemas = viewer.schemas;
            }
        }
        view.paths = viewer.tables.paths.into_texts();
        view.types = viewer.tables.types.into_texts();
        Ok(view)
    }
}

/// Returns the name of the schema for MessagePack arrays: JSON Schema, which keeps all names, their
/// order and unions. Returns `None` for other formats.
fn array_schema(format: Format) -> Option<String> {
    (format == Format::MsgPackArray).then(|| TargetLanguage::JsonSchema.row().name.to_owned())
}

/// Returns the form of converted values.
fn target(format: Format, is_stream: bool) -> Form {
    let stream = Form::stream_of(format).filter(|_| is_stream);
    stream.unwrap_or(Form::single(format))
}

/// Reads all values, to find faults and the shape.
#[derive(Default)]
struct Survey {
    count: u64,
    inference: Inference,
    /// The schema that the payload contains.
    schema: Option<Schema>,
}

impl Survey {
    fn read(&mut self, payload: &Payload) -> Result<(), InputError> {
        let mut input = Input::open(&payload.source(), payload.form, payload.schema.as_ref())?;
        self.schema = input.schema().cloned();
        input.each(self)?;
        match self.count {
            0 if payload.form.framing != Framing::Container => {
                Err(InputError::whole(NAME, "the input has no value"))
            }
            _ => Ok(()),
        }
    }
}

impl Take for Survey {
    fn value(&mut self, item: Item<'_>) -> Result<(), Halt> {
        self.count += 1;
        self.inference.add(&without_duplicates(item.value, item.arena).0);
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Halt> {
        Ok(())
    }
}

impl Payload {
    fn conversion(&self, to: Form) -> Conversion {
        Conversion {
            source: self.source(),
            from: self.form,
            to,
            schema: self.schema.clone(),
            lossy: true,
            pretty: false,
            compression: Compression::default(),
        }
    }
}

fn input_view(payload: &Payload, values: u64) -> InputView {
    InputView {
        read_as: payload.read_as.name().to_owned(),
        form: payload.form.name().to_owned(),
        format: payload.form.format.name().to_owned(),
        title: payload.form.format.row().title.to_owned(),
        also: payload.others.iter().map(|form| form.name().to_owned()).collect(),
        length: payload.bytes.len() as u64,
        values,
    }
}

fn failure(error: InputError, input: &FormatView) -> Failure {
    let (line, column, byte) = match error.place {
        InputPosition::Text { line, column, .. } => (Some(line as u64), Some(column as u64), None),
        InputPosition::Byte(offset) => (None, None, Some(offset as u64)),
        InputPosition::Whole => (None, None, None),
    };
    // The error has no offset for a text, so the offset is that of the walker's first fault.
    let walked = input.findings.iter().find(|finding| finding.kind == "fault");
    Failure {
        message: error.message,
        path: error.path.into(),
        offset: byte.or(walked.map(|finding| finding.offset)),
        line,
        column,
    }
}

/// Returns the values as JSON to edit: a JSON payload as it is, one value of another format
/// indented. Returns `None` if the conversion to JSON fails.
fn json(payload: &Payload, is_stream: bool) -> Option<JsonText> {
    let mut losses = Losses::default();
    let converted;
    let bytes = match payload.form.format {
        Format::Json => &payload.bytes,
        _ => {
            let to = target(Format::Json, is_stream);
            let conversion = Conversion { pretty: !is_stream, ..payload.conversion(to) };
            let mut out = Vec::new();
            let outcome = conversion.run(&mut out, &mut |_| Ok(()), &AtomicBool::new(false));
            if outcome.failure.is_some() {
                return None;
            }
            losses = outcome.losses;
            converted = out;
            &converted
        }
    };
    let text = std::str::from_utf8(bytes).ok()?;
    let shown = text.floor_char_boundary(TEXT_BYTES_MAX);
    Some(JsonText {
        text: text[..shown].to_owned(),
        truncated: shown < text.len(),
        losses: loss_views(&losses),
    })
}

fn loss_views(losses: &Losses) -> Vec<LossView> {
    let view = |loss: &manywire_shape::fidelity::Loss| LossView {
        path: loss.path.clone(),
        lost: loss.lost.clone(),
        places: loss.places,
    };
    losses.list().iter().map(view).collect()
}

/// The state while the formats of a view are filled in.
struct Viewer {
    tables: Tables,
    schemas: Vec<SchemaView>,
}

impl Viewer {
    /// Returns the view of the payload itself.
    fn input(&mut self, payload: &Payload) -> FormatView {
        let language = payload.schema.as_ref().and_then(|schema| schema.language.as_ref());
        let name = language.and_then(|language| self.add_given(payload, language));
        let shape = payload.schema.as_ref().map(|schema| &schema.shape);
        let mut view = self.walked(&payload.bytes, payload.form, language, shape);
        view.is_input = true;
        view.schema = name.or(array_schema(payload.form.format));
        view
    }

    /// Adds the schema that was given with the payload, if the payload is read by this schema, and
    /// returns its name; otherwise returns `None`.
    fn add_given(&mut self, payload: &Payload, language: &Language) -> Option<String> {
        let format = match language {
            Language::Proto(_) => Format::Protobuf,
            Language::Avro(_) => Format::Avro,
            Language::JsonSchema => return None,
        };
        let schema = payload.schema.as_ref().filter(|_| format == payload.form.format)?;
        let text = schema_text(schema, Path::new(""), format).ok()?;
        Some(self.add_schema(format, text))
    }

    /// Returns the view of the values in another form.
    fn converted(&mut self, payload: &Payload, to: Form) -> FormatView {
        let mut bytes = Vec::new();
        let mut written = None;
        let mut shape = None;
        let mut keep_schema = |schema: &Schema| -> Result<(), SchemaFailure> {
            shape = Some(schema.shape.clone());
            if matches!(to.format, Format::Protobuf | Format::Avro) {
                written = Some(schema_text(schema, Path::new(""), to.format)?);
            }
            Ok(())
        };
        let conversion = payload.conversion(to);
        let outcome = conversion.run(&mut bytes, &mut keep_schema, &AtomicBool::new(false));
        if let Some(failure) = outcome.failure {
            let refused = match failure {
                convert::Failure::Input(error) => {
                    Refusal { path: error.path.into(), message: error.message }
                }
                other => Refusal { path: "$".to_owned(), message: other.to_string() },
            };
            return FormatView { refused: Some(refused), ..FormatView::named(to) };
        }
        if to == Form::single(Format::Json) {
            // The line feed after the value is for files.
            bytes.pop_if(|last| *last == b'\n');
        }
        // Walks by the text of the schema, by which a user who copies the text would read the
        // bytes.
        let document = written.as_ref().map(|text| manywire_schema::read("schema", text, None));
        let language = match &document {
            Some(Err(error)) => {
                let refused = Refusal { path: "$".to_owned(), message: error.to_string() };
                return FormatView { refused: Some(refused), ..FormatView::named(to) };
            }
            Some(Ok(document)) => Some(&document.language),
            None => None,
        };
        let mut view = self.walked(&bytes, to, language, shape.as_ref());
        let name = written.map(|text| self.add_schema(to.format, text));
        view.schema = name.or(array_schema(to.format));
        view.losses = loss_views(&outcome.losses);
        view.losses_unlisted = outcome.losses.unlisted();
        view
    }

    fn walked(
        &mut self,
        bytes: &[u8],
        form: Form,
        language: Option<&Language>,
        shape: Option<&Shape>,
    ) -> FormatView {
        let shape = shape.filter(|_| form.format == Format::MsgPackArray);
        let Walked { spans, span_count, shown_bytes, findings, largest, summary } =
            walk(bytes, form, language, shape, &mut self.tables);
        FormatView {
            length: bytes.len() as u64,
            gzip: gzip_bytes(bytes),
            bytes: STANDARD.encode(&bytes[..shown_bytes.min(bytes.len())]),
            truncated: span_count > spans.starts.len() as u64,
            keys: summary.keys as u64,
            structure: summary.heads as u64,
            values: summary.values as u64,
            unread: summary.unread as u64,
            findings,
            span_count,
            spans,
            largest,
            ..FormatView::named(form)
        }
    }

    /// Adds the schema that the bytes of a format are read with, and returns its name.
    fn add_schema(&mut self, format: Format, text: String) -> String {
        let row = match format {
            Format::Protobuf => TargetLanguage::Proto.row(),
            _ => TargetLanguage::Avro.row(),
        };
        self.schemas.push(SchemaView::of(row, Ok(text)));
        row.name.to_owned()
    }

    /// Adds the other schemas and the native types, in the order of [`TARGET_LANGUAGES`].
    fn describe(&mut self, schema: &Schema) {
        let mut known = std::mem::take(&mut self.schemas);
        for row in &TARGET_LANGUAGES {
            let view = match known.iter().position(|view| view.name == row.name) {
                Some(index) => known.swap_remove(index),
                None => SchemaView::of(row, schema_in(row, schema)),
            };
            self.schemas.push(view);
        }
    }
}

impl FormatView {
    fn named(form: Form) -> FormatView {
        FormatView {
            format: form.format.name().to_owned(),
            title: form.format.row().title.to_owned(),
            form: form.name().to_owned(),
            ..FormatView::default()
        }
    }
}

/// Returns the number of bytes after gzip.
fn gzip_bytes(bytes: &[u8]) -> Option<u64> {
    let mut out = Vec::new();
    Encoder::new(CodingLevel::from(Coding::Gzip)).ok()?.encode(bytes, &mut out).ok()?;
    Some(out.len() as u64)
}

/// The class around the records in Java and the module in Haskell, which must have the name of its
/// file.
const CLASS: &str = "Payload";

/// Returns the usual name of the file of a schema.
fn file_name(row: &TargetRow) -> String {
    match row.language {
        TargetLanguage::Native(NativeLanguage::Java | NativeLanguage::Haskell) => {
            format!("{CLASS}.{}", row.extension)
        }
        _ => format!("payload.{}", row.extension),
    }
}

/// Returns the text of a schema in the language of a row.
fn schema_in(row: &TargetRow, schema: &Schema) -> manywire_codec::Result<String> {
    match row.language {
        TargetLanguage::Proto => schema_text(schema, Path::new(""), Format::Protobuf),
        TargetLanguage::Avro => schema_text(schema, Path::new(""), Format::Avro),
        // The extension of the file selects JSON Schema.
        TargetLanguage::JsonSchema => schema_text(schema, Path::new("payload.json"), Format::Json),
        TargetLanguage::Native(language) => {
            let options = native::Options { class: CLASS.to_owned(), ..native::Options::default() };
            Ok(native::write(&schema.shape, language, &options).text)
        }
    }
}

impl SchemaView {
    fn of(row: &TargetRow, text: manywire_codec::Result<String>) -> SchemaView {
        let (text, refused) = match text {
            Ok(text) => (Some(text), None),
            Err(error) => (None, Some(error.to_string())),
        };
        SchemaView {
            name: row.name.to_owned(),
            title: row.title.to_owned(),
            file: file_name(row),
            text,
            refused,
        }
    }
}
