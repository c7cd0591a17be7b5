//! Inputs to explain: a file, a URL, standard input, or bytes on the command line.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use manywire_format::{Form, Format};
use manywire_inspect::detect;
use manywire_tools::payload::{Opened, Packed, Source, text};

use crate::arguments::{Explain, InputCoding, Web};
use crate::exit::Exit;
use crate::input;

/// How much of an input is looked at to find out its format.
const HEAD: usize = 64 * 1_024;

type Refusal = (Exit, String);

/// Bytes to explain.
pub(crate) struct Input {
    /// What to call it.
    pub(crate) name: String,
    /// How it begins.
    pub(crate) head: Vec<u8>,
    /// Whether that is all of it.
    pub(crate) whole: bool,
    /// How long it is, where that is known beforehand.
    pub(crate) length: Option<usize>,
    /// What its extension says.
    form: Option<Form>,
    rest: Opened,
    /// Why what is behind the head cannot be read.
    error: Option<io::Error>,
}

impl Input {
    /// Reads a file if there is one of that name, or asks for a URL, if possible in this form;
    /// otherwise the words are the bytes. What is compressed is unpacked.
    pub(crate) fn of_words(
        words: &[PathBuf],
        from: Option<Form>,
        coding: Option<InputCoding>,
        web: &Web,
    ) -> Result<Self, Refusal> {
        if let [word] = words
            && let Some(url) = input::url(word)
        {
            let content = input::bytes(url, from, |_| true, web)
                .map_err(|error| (Exit::Failed, error.to_string()))?;
            let length = content.bytes.len();
            let source = Source::of_bytes(&content.name, content.bytes);
            return Input::of_source(coded(source, coding), content.form, Some(length));
        }
        if let [path] = words
            && (is_stdin(path) || path.exists())
        {
            return Input::of_path(path, coding);
        }
        if words.len() > 1 && words.iter().all(|word| word.exists()) {
            let message =
                "one input is explained at a time; --top adds up many, --diff compares two";
            return Err((Exit::Usage, message.to_owned()));
        }
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let text = words.join(" ");
        match text::hex(&text).or_else(|| text::base64(&text)) {
            Some(bytes) => Input::of_bytes("the bytes given", bytes, coding),
            None => Err((
                Exit::Usage,
                format!("{text}: there is no such file, and it is neither hex nor base64"),
            )),
        }
    }

    fn of_path(path: &Path, coding: Option<InputCoding>) -> Result<Self, Refusal> {
        let (form, coding_of_path) = Form::of_path(path);
        let coding = coding.or(coding_of_path.map(InputCoding::Of));
        let source = coded(Source::new(path, None), coding);
        if is_stdin(path) {
            return Input::of_source(source, None, None);
        }
        let name = path.display().to_string();
        let metadata = fs::metadata(path);
        let metadata = metadata.map_err(|error| (Exit::Failed, format!("{name}: {error}")))?;
        if metadata.is_dir() {
            let message = format!("{name}: this is a folder; name the files in it");
            return Err((Exit::Failed, message));
        }
        let length = metadata.is_file().then(|| usize::try_from(metadata.len()).ok()).flatten();
        Input::of_source(source, form, length)
    }

    /// Bytes that someone wrote down: what they are is not looked at as text again.
    fn of_bytes(name: &str, bytes: Vec<u8>, coding: Option<InputCoding>) -> Result<Self, Refusal> {
        let length = bytes.len();
        Input::begin(coded(Source::of_bytes(name, bytes), coding), None, Some(length))
    }

    /// A source of bytes, or of text that writes them down. `length` is that of a source which is
    /// not compressed.
    fn of_source(
        source: Source,
        form: Option<Form>,
        length: Option<usize>,
    ) -> Result<Self, Refusal> {
        let input = Input::begin(source, form, length)?;
        if input.whole
            && form.is_none()
            && detect(&input.head, true, &[Format::Json]).fitting.is_empty()
            && let Some(bytes) = text::bytes_of(&input.head)
        {
            // What is no JSON and reads as hex is hex.
            return Input::of_bytes(&input.name, bytes, None);
        }
        Ok(input)
    }

    fn begin(source: Source, form: Option<Form>, length: Option<usize>) -> Result<Self, Refusal> {
        let name = source.name();
        let mut rest = source.open().map_err(|error| (Exit::Failed, error.to_string()))?;
        let mut head = Vec::new();
        let read = (&mut rest).take(HEAD as u64).read_to_end(&mut head);
        let (whole, error) = match read {
            Ok(read) => (read < HEAD, None),
            // What was unpacked until then can be looked at.
            Err(error) if rest.packed().is_some() && !head.is_empty() => (false, Some(error)),
            Err(error) => return Err((Exit::Failed, format!("{name}: {error}"))),
        };
        let length = match rest.packed() {
            _ if whole => Some(head.len()),
            Some(_) => None,
            None => length,
        };
        Ok(Input { name, head, whole, length, form, rest, error })
    }

    /// What the bytes are unpacked from, unless they come as they are.
    pub(crate) fn packed(&self) -> Option<&Packed> {
        self.rest.packed()
    }

    /// The form that was asked for, that the extension says or that the bytes show, and what
    /// else they could be. A format that is known is still looked at for how its values follow
    /// each other.
    pub(crate) fn form(&self, asked: Option<Form>, known: Option<Format>) -> Found {
        let said = asked.or(self.form);
        if let Some(form) = said.filter(|form| *form != Form::of(form.format)) {
            return Found { form, others: Vec::new() };
        }
        let (head, whole) = (&self.head, self.whole);
        if let Some(format) = said.map(|form| form.format).or(known) {
            let form = match format {
                // The same bytes under another name.
                Format::MsgPackArray => {
                    Form { format, ..detect(head, whole, &[Format::MsgPack]).likeliest() }
                }
                format => detect(head, whole, &[format]).likeliest(),
            };
            return Found { form, others: Vec::new() };
        }
        let found = detect(head, whole, &FORMATS);
        let others = found.fitting.get(1..).unwrap_or_default().to_vec();
        Found { form: found.likeliest(), others }
    }

    /// Whether its extension says what it is.
    pub(crate) fn has_extension(&self) -> bool {
        self.form.is_some()
    }

    /// All of its bytes.
    pub(crate) fn into_reader(self) -> impl Read {
        Cursor::new(self.head).chain(Failed(self.error)).chain(self.rest)
    }
}

/// Fails once, if there is an error, and is empty.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// How an input is read.
pub(crate) struct Found {
    pub(crate) form: Form,
    /// What it could be as well.
    pub(crate) others: Vec<Form>,
}

/// The inputs of a view that takes several: each word is one.
pub(crate) fn each(arguments: &Explain) -> impl Iterator<Item = Result<Input, Refusal>> {
    let Explain { input, from, coding, web, .. } = arguments;
    input.iter().enumerate().map(|(index, word)| {
        let from = from.get(index).or(from.last()).copied();
        Input::of_words(std::slice::from_ref(word), from, *coding, web)
    })
}

fn coded(source: Source, coding: Option<InputCoding>) -> Source {
    match coding {
        None => source,
        Some(InputCoding::None) => source.without_coding(),
        Some(InputCoding::Of(coding)) => source.with_coding(Some(coding)),
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

const FORMATS: [Format; 6] =
    [Format::Json, Format::MsgPack, Format::Cbor, Format::Bson, Format::Protobuf, Format::Avro];
