//! Inputs to explain: a file, a URL, standard input, or bytes on the command line.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use manywire_format::{Form, Format, Framing};
use manywire_inspect::{detect, is_text, recognised_formats};
use manywire_tools::payload::{BYTE_ORDER_MARK, ByteReader, CodedInput, InputCoding, Source, text};

use crate::arguments::{Explain, Web};
use crate::detect::{HEAD_BYTES as HEAD_BYTES_MAX, check_named, check_unnamed, without_mark};
use crate::exit::{CommandError, failed, usage};
use crate::input;

/// An open input.
pub(crate) struct Input {
    /// The name for messages.
    pub(crate) name: String,
    /// The first bytes.
    pub(crate) head: Vec<u8>,
    /// True if `head` is the whole input.
    pub(crate) whole: bool,
    /// The length, if it is known before the walk.
    pub(crate) length: Option<usize>,
    /// The form that the extension or the server gives.
    form: Option<Form>,
    /// True if the bytes were given as hex or base64, so that they are hardly text.
    is_decoded: bool,
    rest: ByteReader,
    /// The error that stops reading after `head`.
    error: Option<io::Error>,
}

impl Input {
    /// Opens the input that the arguments name: a URL, which is requested in the form `from`; an existing
    /// file or standard input; otherwise the words are the bytes as hex or base64. Compressed input is
    /// decompressed.
    pub(crate) fn from_arguments(
        words: &[PathBuf],
        from: Option<Form>,
        coding: Option<InputCoding>,
        web: &Web,
    ) -> Result<Self, CommandError> {
        if let [word] = words
            && let Some(url) = input::as_url(word)
        {
            let content = input::fetch_bytes(url, from, |_| true, web).map_err(failed)?;
            let length = content.bytes.len();
            let source = Source::of_bytes(&content.name, content.bytes);
            return Input::from_source(source.with_coding(coding), content.form, Some(length));
        }
        if let [path] = words
            && (is_stdin(path) || path.exists())
        {
            return Input::from_path(path, coding);
        }
        if words.len() > 1 && words.iter().all(|word| word.exists()) {
            let message =
                "one input is explained at a time; --top adds up many, --diff compares two";
            return Err(usage(message));
        }
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let text = words.join(" ");
        match text::hex(&text).or_else(|| text::base64(&text)) {
            Some(bytes) => Input::from_bytes(&name_of_text(&text), bytes, coding),
            None => Err(failed(format!(
                "{text}: there is no such file, and it is neither hex nor base64"
            ))),
        }
    }

    fn from_path(path: &Path, coding: Option<InputCoding>) -> Result<Self, CommandError> {
        let source = Source::new(path).with_coding(coding);
        if is_stdin(path) {
            return Input::from_source(source, None, None);
        }
        let name = path.display().to_string();
        let metadata = fs::metadata(path);
        let metadata = metadata.map_err(|error| failed(format!("{name}: {error}")))?;
        if metadata.is_dir() {
            return Err(failed(format!("{name}: this is a folder; name the files in it")));
        }
        let length = metadata.is_file().then(|| usize::try_from(metadata.len()).ok()).flatten();
        Input::from_source(source, Form::of_path(path).0, length)
    }

    /// Opens bytes that were given as hex or base64. They are not parsed as text again.
    fn from_bytes(
        name: &str,
        bytes: Vec<u8>,
        coding: Option<InputCoding>,
    ) -> Result<Self, CommandError> {
        let length = bytes.len();
        let source = Source::of_bytes(name, bytes).with_coding(coding);
        let input = Input::open(source, None, Some(length))?;
        Ok(Input { is_decoded: true, ..input })
    }

    /// Opens a source of bytes, or of text with the bytes as hex or base64. `length` is the length of the
    /// source if it is not compressed.
    fn from_source(
        source: Source,
        form: Option<Form>,
        length: Option<usize>,
    ) -> Result<Self, CommandError> {
        let input = Input::open(source, form, length)?;
        if input.whole
            && form.is_none()
            && let Some(bytes) = text::bytes_of(&input.head)
            && detect(&input.head, true, &[Format::Json]).fitting.is_empty()
        {
            // Text that is valid hex but not JSON is hex.
            return Input::from_bytes(&input.name, bytes, None);
        }
        Ok(input)
    }

    fn open(
        source: Source,
        form: Option<Form>,
        length: Option<usize>,
    ) -> Result<Self, CommandError> {
        let name = source.name();
        let mut rest = source.open().map_err(failed)?;
        let mut head = Vec::new();
        let read = (&mut rest).take(HEAD_BYTES_MAX as u64).read_to_end(&mut head);
        let (whole, error) = match read {
            Ok(read) => (read < HEAD_BYTES_MAX, None),
            // The bytes that were decompressed before the error can be explained.
            Err(error) if rest.coded_input().is_some() && !head.is_empty() => (false, Some(error)),
            Err(error) => return Err(failed(format!("{name}: {error}"))),
        };
        let length = match rest.coded_input() {
            _ if whole => Some(head.len()),
            Some(_) => None,
            None => length,
        };
        Ok(Input { name, head, whole, length, form, is_decoded: false, rest, error })
    }

    /// Returns the compressed input that the bytes come from, if they were compressed.
    pub(crate) fn coded_input(&self) -> Option<&CodedInput> {
        self.rest.coded_input()
    }

    /// Checks that the content agrees with the extension, or without an extension and a `known` format
    /// that it is not text in UTF-16, if no form was requested.
    pub(crate) fn check_content(
        &self,
        requested: Option<Form>,
        known: Option<Format>,
    ) -> Result<(), CommandError> {
        let checked = match (requested, self.form, known) {
            (None, Some(form), _) => check_named(&self.name, form, &self.head, self.whole),
            (None, None, None) if !self.is_decoded => {
                check_unnamed(&self.name, &self.head, self.whole)
            }
            _ => Ok(()),
        };
        checked.map_err(failed)
    }

    /// Skips a byte order mark, which walkers do not accept and the readers of the other commands
    /// skip, too. Prints a note, because offsets are then counted after the mark.
    pub(crate) fn skip_byte_order_mark(&mut self) {
        if self.head.starts_with(BYTE_ORDER_MARK) {
            let (name, bytes) = (&self.name, BYTE_ORDER_MARK.len());
            eprintln!("note: {name}: offsets are counted after a byte order mark of {bytes} bytes");
            self.head.drain(..bytes);
            self.length = self.length.map(|length| length.saturating_sub(bytes));
        }
    }

    /// Returns the form that the arguments or the extension give or that is detected from the bytes, and
    /// other possible forms. The framing of a known format is detected, too.
    pub(crate) fn form(&self, requested: Option<Form>, known: Option<Format>) -> DetectedForm {
        let given = requested.or(self.form);
        if let Some(form) = given.filter(|form| *form != Form::of(form.format)) {
            return DetectedForm { form, others: Vec::new() };
        }
        let head = if is_text(&self.head) { without_mark(&self.head) } else { &self.head };
        let whole = self.whole;
        if let Some(format) = given.map(|form| form.format).or(known) {
            let form = match format {
                // Records as arrays have the framing of MessagePack.
                Format::MsgPackArray => {
                    Form { format, ..detect(head, whole, &[Format::MsgPack]).likeliest() }
                }
                format => detect(head, whole, &[format]).likeliest(),
            };
            return DetectedForm::by_content(form, Vec::new());
        }
        let found = detect(head, whole, &recognised_formats());
        if found.fitting.is_empty() && !self.is_decoded && is_text(&self.head) {
            // The other commands read text as JSON, too.
            let form = detect(head, whole, &[Format::Json]).likeliest();
            return DetectedForm::by_content(form, Vec::new());
        }
        let others = found.fitting.get(1..).unwrap_or_default().to_vec();
        DetectedForm::by_content(found.likeliest(), others)
    }

    /// Returns whether the extension gives the form.
    pub(crate) fn has_extension(&self) -> bool {
        self.form.is_some()
    }

    /// Returns a reader of all bytes.
    pub(crate) fn into_reader(self) -> impl Read {
        Cursor::new(self.head).chain(ErrorReader(self.error)).chain(self.rest)
    }
}

/// The maximum number of characters of a text that name its bytes in messages.
const NAME_CHARS_MAX: usize = 24;

/// Returns the name of bytes that were given as text: the beginning of the text. A misspelt file name may
/// happen to be base64, and should be recognised in messages.
fn name_of_text(text: &str) -> String {
    match text.char_indices().nth(NAME_CHARS_MAX) {
        None => format!("the bytes {text}"),
        Some((end, _)) => format!("the bytes {}…", &text[..end]),
    }
}

/// An empty reader that returns its error once, if it has one.
struct ErrorReader(Option<io::Error>);

impl Read for ErrorReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// The form to read an input in.
pub(crate) struct DetectedForm {
    pub(crate) form: Form,
    /// Other possible forms.
    pub(crate) others: Vec<Form>,
}

impl DetectedForm {
    /// Creates the form that the first bytes show. JSON whose first bytes are lines is a sequence, as
    /// the other commands read it: a later value may have several lines, or a line several values.
    fn by_content(form: Form, others: Vec<Form>) -> Self {
        let lines = Form { format: Format::Json, framing: Framing::Lines };
        let form = if form == lines { Form { framing: Framing::Sequence, ..form } } else { form };
        DetectedForm { form, others }
    }
}

/// Opens the inputs of a view of several inputs: one for each argument.
pub(crate) fn open_each(arguments: &Explain) -> impl Iterator<Item = Result<Input, CommandError>> {
    let Explain { input, from, coding, web, .. } = arguments;
    input.iter().enumerate().map(|(index, word)| {
        let from = from.get(index).or(from.last()).copied();
        Input::from_arguments(std::slice::from_ref(word), from, *coding, web)
    })
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
