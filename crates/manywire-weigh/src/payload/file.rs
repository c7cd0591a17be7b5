use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use manywire_format::{FORMATS, FORMS, Form, Format, Framing, Schema};

use super::InputError;
use manywire_payload::har::Body;
use manywire_payload::{STDIN, holds_lines};

/// One sample of a user's data, as it was written.
#[derive(Clone, Debug)]
pub struct Payload {
    /// The file's name; a line of a file is `events.ndjson:12`.
    pub name: String,
    /// The format of the bytes.
    pub format: Format,
    /// The bytes of this sample alone.
    pub bytes: Vec<u8>,
    /// What it answers, such as `GET /v1/hotels/{id}`, where that is known: payloads of one endpoint
    /// share their rows, those of different ones have nothing in common.
    pub endpoint: Option<String>,
    /// Which file it came from, and where in that file it begins.
    pub(crate) origin: Origin,
}

impl Payload {
    /// A payload that comes from nowhere in particular.
    pub fn new(name: &str, format: Format, bytes: Vec<u8>) -> Self {
        Payload {
            name: name.to_owned(),
            format,
            bytes,
            endpoint: None,
            origin: Origin { file: name.to_owned(), line: 0 },
        }
    }
}

impl Payload {
    /// A line of a file, counted from 1; 0 for the whole file.
    pub(crate) fn at_line(file: &str, line: usize, format: Format, bytes: Vec<u8>) -> Self {
        let origin = Origin { file: file.to_owned(), line: line.saturating_sub(1) };
        Payload { name: short_name(file), format, bytes, endpoint: None, origin }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) file: String,
    /// How many lines of the file stand before it.
    pub(crate) line: usize,
}

/// Whether payloads come in this form: one in the file, or one a line.
///
/// # Errors
///
/// Which forms they come in, in words.
pub fn check_form(form: Form) -> Result<(), String> {
    let whole = form.framing == Framing::Single && form.format.row().schema == Schema::InBand;
    if whole || form.framing == Framing::Lines {
        return Ok(());
    }
    Err(format!(
        "payloads are not read from {form}: a file holds one, in json, msgpack, cbor or bson, or \
         one a line, in ndjson, which `manywire convert --to ndjson` makes of any stream"
    ))
}

/// Reads every payload of these arguments: files, folders, or `-` for standard input.
///
/// What cannot be read is reported beside what can: one broken file does not hide the others.
/// `from` says the format of everything, where extensions do not.
pub fn read(arguments: &[PathBuf], from: Option<Form>) -> (Vec<Payload>, Vec<InputError>) {
    let mut payloads = Vec::new();
    let mut errors = Vec::new();
    for argument in arguments {
        let result = if argument.as_os_str() == "-" {
            read_stdin(from, &mut payloads)
        } else if argument.is_dir() {
            read_folder(argument, from, &mut payloads, &mut errors)
        } else {
            read_file(argument, from, &mut payloads)
        };
        errors.extend(result.err());
    }
    (payloads, errors)
}

fn read_stdin(from: Option<Form>, payloads: &mut Vec<Payload>) -> Result<(), InputError> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| InputError::unreadable(STDIN, &error))?;
    whole_stdin(bytes, from, payloads)
}

/// The payloads of content that came from elsewhere than a file, by a name for messages: what a
/// server sent. JSON is a value a line where its first bytes show that.
pub fn divide_content(name: &str, form: Form, bytes: Vec<u8>) -> (Vec<Payload>, Vec<InputError>) {
    let mut payloads = Vec::new();
    let result = check_form(form)
        .map_err(|message| InputError::whole(name, message))
        .and_then(|()| divide(name, with_lines(form, &bytes), bytes, &mut payloads));
    (payloads, result.err().into_iter().collect())
}

/// The payloads of a body that was recorded, which share the rows of their endpoint.
pub fn divide_body(file: &str, body: Body) -> (Vec<Payload>, Vec<InputError>) {
    let Body { endpoint, name, form, bytes } = body;
    let (mut payloads, errors) = divide_content(&format!("{file}: {name}"), form, bytes);
    let several = payloads.len() > 1;
    for (index, payload) in payloads.iter_mut().enumerate() {
        payload.name = if several { format!("{name}:{}", index + 1) } else { name.clone() };
        payload.endpoint = Some(endpoint.clone());
    }
    (payloads, errors)
}

fn whole_stdin(
    bytes: Vec<u8>,
    from: Option<Form>,
    payloads: &mut Vec<Payload>,
) -> Result<(), InputError> {
    let form = from.unwrap_or(Form::single(Format::Json));
    divide(STDIN, with_lines(form, &bytes), bytes, payloads)
}

/// JSON is a value a line where its first bytes show that.
pub(crate) fn with_lines(form: Form, head: &[u8]) -> Form {
    let lines = form == Form::single(Format::Json) && holds_lines(head);
    if lines { LINES } else { form }
}

const LINES: Form = Form { format: Format::Json, framing: Framing::Lines };

fn read_folder(
    folder: &Path,
    from: Option<Form>,
    payloads: &mut Vec<Payload>,
    errors: &mut Vec<InputError>,
) -> Result<(), InputError> {
    let name = folder.display().to_string();
    let unreadable = |error: io::Error| InputError::unreadable(&name, &error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() && kind_of(&path, from).is_some() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(InputError::whole(
            &name,
            format_args!("no payloads in this folder; a payload ends in {}", known_extensions()),
        ));
    }
    files.sort();
    for file in files {
        errors.extend(read_file(&file, from, payloads).err());
    }
    Ok(())
}

fn read_file(
    path: &Path,
    from: Option<Form>,
    payloads: &mut Vec<Payload>,
) -> Result<(), InputError> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| InputError::unreadable(&name, &error))?;
    let form = kind_of(path, from).ok_or_else(|| {
        InputError::whole(
            &name,
            format_args!(
                "unknown kind of file: name its format with --from, or let it end in {}",
                known_extensions()
            ),
        )
    })?;
    divide(&name, form, bytes, payloads)
}

/// What a file holds, by what the user says or by its extension.
pub(crate) fn kind_of(path: &Path, from: Option<Form>) -> Option<Form> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let lines = Form::from_extension(extension) == Some(LINES);
    match from {
        Some(form) if lines && form == Form::single(Format::Json) => Some(LINES),
        Some(form) => Some(form),
        None if lines => Some(LINES),
        None => Format::from_extension(extension).map(Form::single),
    }
}

fn known_extensions() -> String {
    let of_lines = FORMS.iter().filter(|row| row.form == LINES).flat_map(|row| row.extensions);
    let all: Vec<String> = FORMATS
        .iter()
        .filter(|row| row.schema == Schema::InBand)
        .flat_map(|row| row.extensions)
        .chain(of_lines)
        .map(|extension| format!(".{extension}"))
        .collect();
    all.join(", ")
}

fn divide(
    file: &str,
    form: Form,
    bytes: Vec<u8>,
    payloads: &mut Vec<Payload>,
) -> Result<(), InputError> {
    let format = form.format;
    let blank = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_whitespace);
    if bytes.is_empty() || (format.row().text && blank(&bytes)) {
        return Err(InputError::whole(file, "empty: there is no payload in it"));
    }
    if form.framing != Framing::Lines {
        let origin = Origin { file: file.to_owned(), line: 0 };
        let name = short_name(file);
        payloads.push(Payload { name, format, bytes, endpoint: None, origin });
        return Ok(());
    }
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if !blank(line) {
            let origin = Origin { file: file.to_owned(), line: index };
            let name = format!("{}:{}", short_name(file), index + 1);
            let bytes = line.to_vec();
            payloads.push(Payload { name, format, bytes, endpoint: None, origin });
        }
    }
    Ok(())
}

/// The last part of a path: what tables have room for.
fn short_name(file: &str) -> String {
    Path::new(file)
        .file_name()
        .map_or_else(|| file.to_owned(), |name| name.to_string_lossy().into_owned())
}
