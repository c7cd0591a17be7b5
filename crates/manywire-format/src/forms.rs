//! The list of all forms, and the ways to find one: by name, file, media type or first bytes. The
//! types are in `format`, whose table has the forms.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::{Coding, FORMATS, Form, FormRow, Format, Framing, MediaType, STREAMS, SchemaNeeds};

impl Form {
    /// Returns the form of a single value without framing.
    pub fn single(format: Format) -> Form {
        Form { format, framing: Framing::Single }
    }

    /// Returns the usual form of a format, which has the same name as the format.
    pub fn of(format: Format) -> Form {
        Form::all_of(format).next().unwrap_or(Form::single(format))
    }

    /// Returns every form of a format, the usual one first.
    pub fn all_of(format: Format) -> impl Iterator<Item = Form> {
        format.row().forms.iter().map(|row| row.form)
    }

    /// Returns the form and the content coding of a file by its extensions.
    pub fn of_path(path: &Path) -> (Option<Form>, Option<Coding>) {
        let extension = |path: &Path| path.extension()?.to_str().map(str::to_owned);
        let Some(outer) = extension(path) else { return (None, None) };
        let Some(coding) = Coding::from_extension(&outer) else {
            return (Form::from_extension(&outer), None);
        };
        let inner = path.file_stem().map(Path::new).and_then(extension);
        (inner.and_then(|inner| Form::from_extension(&inner)), Some(coding))
    }

    /// Returns the form of files with this extension, in any letter case and without the dot.
    pub fn from_extension(extension: &str) -> Option<Form> {
        let known =
            |row: &&FormRow| row.extensions.iter().any(|e| e.eq_ignore_ascii_case(extension));
        match FORMS.into_iter().find(known) {
            Some(row) => Some(row.form),
            None => Format::from_extension(extension).map(Form::of),
        }
    }

    /// Returns the form of a format's streams: the first form that separates values.
    pub fn stream_of(format: Format) -> Option<Form> {
        Form::all_of(format).find(|form| form.framing != Framing::Single)
    }

    /// Returns the form whose mark the bytes begin with.
    pub fn of_mark(head: &[u8]) -> Option<Form> {
        let is_marked = |row: &&FormRow| row.mark.is_some_and(|mark| head.starts_with(mark));
        FORMS.into_iter().find(is_marked).map(|row| row.form)
    }

    /// Returns the form of content with this media type: the usual form of the format, unless the
    /// media type is only that of a [stream](STREAMS). Returns `None` if the media type is unknown,
    /// or if files have no form of the stream.
    pub fn from_media_type(media_type: &MediaType) -> Option<Form> {
        let mut streams = STREAMS.iter().filter(|row| row.is_distinct());
        match streams.find(|row| row.matches(media_type)) {
            Some(row) => row.form,
            None => media_type.format().map(Form::of),
        }
    }

    /// Returns the media type for sending content of this form, without parameters.
    pub fn media_type(self) -> &'static str {
        let stream = STREAMS.iter().find(|row| row.form == Some(self));
        let own = stream.and_then(|row| row.media_types.first());
        own.unwrap_or(&self.format.row().media_type)
    }

    /// Returns the file extensions of the forms that `reads` accepts, for messages:
    /// `.json, .ndjson, …`.
    pub fn known_extensions(reads: impl Fn(Form) -> bool) -> String {
        let of_formats = FORMATS.iter().filter(|row| reads(Form::of(row.format)));
        let of_formats = of_formats.flat_map(|row| row.extensions);
        let of_forms = FORMS.iter().filter(|row| reads(row.form)).flat_map(|row| row.extensions);
        let all: Vec<String> =
            of_formats.chain(of_forms).map(|known| format!(".{known}")).collect();
        all.join(", ")
    }

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        let row = FORMS.iter().find(|row| row.form == self);
        row.map_or(self.format.name(), |row| row.name)
    }

    /// Returns whether reading values of this form needs a schema that the bytes do not contain.
    pub fn needs_schema(self) -> bool {
        self.format.row().schema != SchemaNeeds::InBand && self.framing != Framing::Container
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for an unknown form name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownForm(String);

impl fmt::Display for UnknownForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = FORMS.iter().map(|row| row.name).collect();
        write!(f, "unknown format {:?}: expected one of {}", self.0, names.join(", "))
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

/// Every form: those of each format in [`FORMATS`], the usual one of a format first.
pub static FORMS: [&FormRow; FORM_COUNT] = {
    let mut forms = [&FORMATS[0].forms[0]; FORM_COUNT];
    let (mut row, mut at) = (0, 0);
    while row < FORMATS.len() {
        let mut form = 0;
        while form < FORMATS[row].forms.len() {
            forms[at] = &FORMATS[row].forms[form];
            (form, at) = (form + 1, at + 1);
        }
        row += 1;
    }
    forms
};

const FORM_COUNT: usize = {
    let (mut count, mut row) = (0, 0);
    while row < FORMATS.len() {
        count += FORMATS[row].forms.len();
        row += 1;
    }
    count
};
