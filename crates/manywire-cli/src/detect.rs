//! Decides the form of inputs by name and content, and refuses inputs whose name and content
//! contradict each other.
//!
//! Every command decides in the same way. `--from` is never doubted. Without it, the extension
//! decides, unless the content is certainly in another format: then the input is refused, because
//! a format such as MessagePack reads almost any bytes as numbers. Without an extension, as on
//! standard input, the content decides if it is certain or if it is text, which is read as JSON.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use manywire_format::{FORMATS, Form, Format};
use manywire_inspect::{Detection, detect, is_text, reads};
use manywire_tools::payload::{
    BYTE_ORDER_MARK, InputCoding, InputError, PayloadSource, STDIN, Source,
};

/// The number of first bytes that show the format of an input without a name.
pub(crate) const HEAD_BYTES: usize = 64 << 10;

/// The number of first bytes that are compared with the name of a file. A folder may have many files.
const CHECKED_BYTES: usize = 4 << 10;

/// Returns the formats that can be recognised with certainty.
fn recognised() -> Vec<Format> {
    let rows = FORMATS.iter().filter(|row| row.recognition.is_certain());
    rows.map(|row| row.format).collect()
}

/// Returns standard input as a source, with the form that its first bytes show.
///
/// # Errors
/// Fails if standard input cannot be read, or if the bytes are not text and do not show their
/// format.
pub(crate) fn standard_input(coding: Option<InputCoding>) -> Result<PayloadSource, InputError> {
    let unreadable = |error: io::Error| InputError::unreadable(STDIN, &error);
    let mut raw = Vec::new();
    let (head, whole) = loop {
        let read = read_some(&mut raw).map_err(unreadable)?;
        let head = decoded_head(&raw, coding);
        // A user may be typing, so text is read as soon as it arrives.
        let enough = raw.len() >= HEAD_BYTES || (!head.is_empty() && is_text(&head));
        if read == 0 || enough {
            break (head, read == 0);
        }
    };
    let form = form_of_content(STDIN, &head, whole)?;
    Ok(PayloadSource::new(Source::of_stdin_after(raw).with_coding(coding), form))
}

/// Reads the bytes of standard input that are available, or waits for the first.
fn read_some(raw: &mut Vec<u8>) -> io::Result<usize> {
    let mut chunk = vec![0; HEAD_BYTES];
    loop {
        match io::stdin().lock().read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => {
                let read = read?;
                raw.extend_from_slice(&chunk[..read]);
                return Ok(read);
            }
        }
    }
}

/// Decompresses the beginning of an input. The compressed bytes may be cut off.
pub(crate) fn decoded_head(raw: &[u8], coding: Option<InputCoding>) -> Vec<u8> {
    let source = Source::of_bytes(STDIN, raw).with_coding(coding);
    let mut head = Vec::new();
    if let Ok(reader) = source.open() {
        // After an error, the bytes before it are in `head`.
        drop(reader.take(HEAD_BYTES as u64).read_to_end(&mut head));
    }
    head
}

/// Returns a file without a known extension as a source, with the form that its content shows.
///
/// # Errors
/// Fails if the file cannot be read, or if its content does not show its format.
pub(crate) fn unnamed_file(
    path: &Path,
    coding: Option<InputCoding>,
    reads: impl Fn(Form) -> bool,
) -> Result<PayloadSource, InputError> {
    let name = path.display().to_string();
    let unreadable = |error: io::Error| InputError::unreadable(&name, &error);
    let source = Source::new(path).with_coding(coding);
    if fs::metadata(path).map_err(unreadable)?.is_file() {
        let (head, whole) = head_of(&source, HEAD_BYTES)?;
        let found = detect(without_mark(&head), whole, &recognised());
        if let Some(form) = found.certain {
            return Ok(PayloadSource::new(source, Form::of(form.format)));
        }
    }
    let message = format_args!(
        "unknown kind of file: name its format with --from, or let it end in {}",
        Form::known_extensions(reads)
    );
    Err(InputError::whole(&name, message))
}

/// Returns the form of bytes that have no name: the one that is certain, or JSON for text.
///
/// # Errors
/// Fails for other bytes, with the formats that they could be in.
pub(crate) fn form_of_content(name: &str, head: &[u8], whole: bool) -> Result<Form, InputError> {
    if is_text(head) {
        return Ok(Form::of(Format::Json));
    }
    let found = detect(head, whole, &recognised());
    if let Some(form) = found.certain {
        return Ok(Form::of(form.format));
    }
    check_charset(name, head)?;
    let message = match candidates(&found) {
        None => {
            "the content is binary and does not show its format: name it with --from".to_owned()
        }
        Some(candidates) => {
            format!("the content could be {candidates}: name its format with --from")
        }
    };
    Err(InputError::whole(name, message))
}

/// Lists the formats that read all bytes. Returns `None` if there are none.
fn candidates(found: &Detection) -> Option<String> {
    let mut names: Vec<&str> = found.fitting.iter().map(|form| form.format.name()).collect();
    names.dedup();
    (!names.is_empty()).then(|| names.join(" or "))
}

/// Checks that the content of a source is in the format that its name says. A source that cannot be
/// read twice is not checked, and one that cannot be read fails later.
///
/// # Errors
/// Fails if the content is certainly in another format.
pub(crate) fn check_source(found: PayloadSource) -> Result<PayloadSource, InputError> {
    if found.source.is_repeatable()
        && let Ok((head, whole)) = head_of(&found.source, CHECKED_BYTES)
    {
        check_named(&found.source.name(), found.form, &head, whole)?;
    }
    Ok(found)
}

/// Checks that the first bytes of an input are in the format that its name says.
///
/// # Errors
/// Fails if the content is certainly in another format.
pub(crate) fn check_named(
    name: &str,
    form: Form,
    head: &[u8],
    whole: bool,
) -> Result<(), InputError> {
    if form.format == Format::Json {
        check_charset(name, head)?;
    }
    let Some(content) = contradiction(form.format, without_mark(head), whole) else {
        return Ok(());
    };
    let named = Form::of(form.format);
    let message = format_args!(
        "the name says {named}, and the content is {content}: name the right one with \
         --from {content} or --from {named}"
    );
    Err(InputError::whole(name, message))
}

/// Checks that the first bytes of an input without a name are not text in UTF-16. The length of a BSON
/// document can look like the byte order mark of UTF-16, so the mark counts only if no format is certain.
///
/// # Errors
/// Fails if the content is UTF-16.
pub(crate) fn check_unnamed(name: &str, head: &[u8], whole: bool) -> Result<(), InputError> {
    let checked = check_charset(name, head);
    // Hardly any input begins with the mark, and detection walks the bytes in every format.
    if checked.is_err() && detect(head, whole, &recognised()).certain.is_some() {
        return Ok(());
    }
    checked
}

/// Returns the form of the content if it is certainly not in this format.
fn contradiction(format: Format, head: &[u8], whole: bool) -> Option<Form> {
    let by_schema = !format.row().recognition.is_certain();
    // MessagePack reads every text as numbers, so a fitting format is not enough: no payload in a
    // binary format is a JSON document.
    let is_json = || detect(head, whole, &[Format::Json]).certain;
    match format {
        Format::Json if is_text(head) => return None,
        Format::Json => {}
        _ => {
            if let Some(json) = is_json() {
                return Some(Form::of(json.format));
            }
        }
    }
    // A format with a schema does not show whether bytes are in it.
    if by_schema || !detect(head, whole, &[format]).fitting.is_empty() {
        return None;
    }
    let other = detect(head, whole, &recognised()).certain?.format;
    // The bytes of a map in MessagePack can also be an array and numbers in CBOR. A format with a
    // length or a mark at its start does not fit by coincidence.
    let is_distinct = other.row().recognition.is_distinct();
    (other != format && (is_distinct || !reads(head, whole, format))).then(|| Form::of(other))
}

/// Checks that text is not in UTF-16, in which some editors write JSON (RFC 8259, section 8.1).
fn check_charset(name: &str, head: &[u8]) -> Result<(), InputError> {
    match head {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] if head.get(2..).is_some_and(|it| it.contains(&0)) => {
            let message = "the content is UTF-16, and JSON is UTF-8: convert it first, for example \
                           with iconv -f UTF-16 -t UTF-8";
            Err(InputError::whole(name, message))
        }
        _ => Ok(()),
    }
}

/// Removes a byte order mark.
pub(crate) fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head)
}

/// Reads the first bytes of a source, decompressed, and returns whether they are all.
fn head_of(source: &Source, limit: usize) -> Result<(Vec<u8>, bool), InputError> {
    let mut head = Vec::new();
    let read = source.open()?.take(limit as u64).read_to_end(&mut head);
    let read = read.map_err(|error| InputError::unreadable(&source.name(), &error))?;
    Ok((head, read < limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_of_names_and_contents() {
        let json = b"{\"a\": [1, 2]}".as_slice();
        let msgpack = b"\x82\xa2id\x04\xa8isActive\xc3".as_slice();
        let cbor = b"\xa2\x62id\x04\x68isActive\xf5".as_slice();
        let bson = b"\x18\0\0\0\x10id\0\x04\0\0\0\x08isActive\0\x01\0".as_slice();
        let cases = [
            (Format::Json, json, None),
            (Format::MsgPack, json, Some(Format::Json)),
            (Format::Cbor, json, Some(Format::Json)),
            (Format::Bson, json, Some(Format::Json)),
            (Format::Avro, json, Some(Format::Json)),
            (Format::Protobuf, json, Some(Format::Json)),
            (Format::MsgPackArray, json, Some(Format::Json)),
            (Format::Json, msgpack, Some(Format::MsgPack)),
            (Format::Json, cbor, Some(Format::Cbor)),
            (Format::MsgPack, bson, Some(Format::Bson)),
            (Format::Avro, bson, Some(Format::Bson)),
            // A broken document is reported with its position, by the reader.
            (Format::Json, &json[..5], None),
            (Format::Json, b"{\"a\": nul}", None),
            (Format::MsgPack, &msgpack[..7], None),
            // Numbers look like numbers in other formats, and messages with a schema like any
            // bytes.
            (Format::MsgPack, b"123", None),
            // An array and two numbers in CBOR, and a map in MessagePack.
            (Format::Cbor, b"\x82\x01\x02\x03\x04", None),
            (Format::MsgPack, b"\x82\x01\x02\x03\x04", None),
            (Format::Json, b"\x82\x01\x02\x03\x04", Some(Format::MsgPack)),
            (Format::Json, b"123", None),
            (Format::Protobuf, msgpack, None),
            (Format::MsgPack, msgpack, None),
            (Format::Cbor, cbor, None),
            (Format::Bson, bson, None),
        ];
        for (format, bytes, expected) in cases {
            let found = contradiction(format, bytes, true).map(|form| form.format);
            assert_eq!(found, expected, "{format} {bytes:02x?}");
        }
    }

    #[test]
    fn bytes_without_a_name() {
        let form = |bytes: &[u8]| form_of_content("x", bytes, true).map(|form| form.format);
        let cases: [(&[u8], Format); 7] = [
            (b"", Format::Json),
            (b" {\"a\":1}", Format::Json),
            (b"hello", Format::Json),
            ("\u{feff}[1]".as_bytes(), Format::Json),
            (b"\x82\xa2id\x04\xa8isActive\xc3", Format::MsgPack),
            (b"\xd9\xd9\xf7\x01", Format::Cbor),
            (b"\x05\0\0\0\0", Format::Bson),
        ];
        for (bytes, expected) in cases {
            assert_eq!(form(bytes).ok(), Some(expected), "{bytes:02x?}");
        }
        for bytes in [&b"\x01\x02\x03"[..], b"\xc1", b"\xff\xfe{\0}\0"] {
            let error = form(bytes).expect_err("no form").to_string();
            assert!(error.contains("--from") || error.contains("UTF-16"), "{error}");
        }
    }
}
