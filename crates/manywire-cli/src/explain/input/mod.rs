//! What is explained: a file, a URL, standard input, or bytes on the command line.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use manywire_format::{Form, Format};
use manywire_inspect::detect;
use manywire_payload::text;

use crate::arguments::{Explain, Web};
use crate::exit::Exit;
use crate::web;

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
    rest: Box<dyn Read>,
}

impl Input {
    /// Reads a file if there is one of that name, or asks for a URL, if possible in this form;
    /// otherwise the words are the bytes.
    pub(crate) fn of_words(
        words: &[PathBuf],
        from: Option<Form>,
        web: &Web,
    ) -> Result<Self, Refusal> {
        if let [word] = words
            && let Some(url) = web::url(word)
        {
            return Input::of_url(url, from, web);
        }
        if let [path] = words
            && (is_stdin(path) || path.exists())
        {
            return Input::of_path(path);
        }
        if words.len() > 1 && words.iter().all(|word| word.exists()) {
            let message =
                "one input is explained at a time; --top adds up many, --diff compares two";
            return Err((Exit::Usage, message.to_owned()));
        }
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let text = words.join(" ");
        match text::hex(&text).or_else(|| text::base64(&text)) {
            Some(bytes) => Ok(Input::of_bytes(String::from("the bytes given"), bytes)),
            None => Err((
                Exit::Usage,
                format!("{text}: there is no such file, and it is neither hex nor base64"),
            )),
        }
    }

    fn of_path(path: &Path) -> Result<Self, Refusal> {
        if is_stdin(path) {
            let stdin = Box::new(io::stdin().lock());
            return Input::of_reader(String::from("standard input"), None, None, stdin);
        }
        let name = path.display().to_string();
        let failed = |error: io::Error| (Exit::Failed, format!("{name}: {error}"));
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            let message = format!("{name}: this is a folder; name the files in it");
            return Err((Exit::Failed, message));
        }
        let length = metadata.is_file().then(|| usize::try_from(metadata.len()).ok()).flatten();
        let extension = path.extension().and_then(|extension| extension.to_str());
        let form = extension.and_then(Form::from_extension);
        Input::of_reader(name, length, form, Box::new(file))
    }

    fn of_url(url: &str, from: Option<Form>, web: &Web) -> Result<Self, Refusal> {
        let content = web::bytes(url, from, |_| true, web)
            .map_err(|error| (Exit::Failed, error.to_string()))?;
        let length = Some(content.bytes.len());
        Input::of_reader(content.name, length, content.form, Box::new(Cursor::new(content.bytes)))
    }

    fn of_bytes(name: String, bytes: Vec<u8>) -> Self {
        let length = Some(bytes.len());
        Input { name, head: bytes, whole: true, length, form: None, rest: Box::new(io::empty()) }
    }

    fn of_reader(
        name: String,
        length: Option<usize>,
        form: Option<Form>,
        mut rest: Box<dyn Read>,
    ) -> Result<Self, Refusal> {
        let mut head = Vec::new();
        let read = (&mut rest).take(HEAD as u64).read_to_end(&mut head);
        let read = read.map_err(|error| (Exit::Failed, format!("{name}: {error}")))?;
        let whole = read < HEAD;
        if whole && form.is_none() && detect(&head, true, &[Format::Json]).fitting.is_empty() {
            // What is no JSON and reads as hex is hex.
            if let Some(bytes) = text::bytes_of(&head) {
                return Ok(Input::of_bytes(name, bytes));
            }
        }
        let length = if whole { Some(head.len()) } else { length };
        Ok(Input { name, head, whole, length, form, rest })
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
        Cursor::new(self.head).chain(self.rest)
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
    let Explain { input, from, web, .. } = arguments;
    input.iter().enumerate().map(|(index, word)| {
        let from = from.get(index).or(from.last()).copied();
        Input::of_words(std::slice::from_ref(word), from, web)
    })
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

const FORMATS: [Format; 6] =
    [Format::Json, Format::MsgPack, Format::Cbor, Format::Bson, Format::Protobuf, Format::Avro];
