use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use manywire_format::{Form, Format, Framing};

use crate::payload::{InputError, kind_of, with_lines};

/// Payloads that were read together and are worked on together.
#[derive(Default)]
pub(super) struct Batch {
    /// Whole lines, or one whole file.
    pub(super) bytes: Vec<u8>,
    /// The file they came from.
    pub(super) file: String,
    /// How many lines of the file stand before them.
    pub(super) lines_before: usize,
    /// The format of each payload.
    pub(super) format: Option<Format>,
    /// Whether each line is a payload.
    pub(super) divided: bool,
}

/// Bytes gathered before a batch is handed out: enough to make the lock on the reader rare, few
/// enough for a batch a thread to stay small.
const BATCH_BYTES: usize = 1 << 20;

/// Reads several inputs, batch by batch.
pub(super) struct Batches {
    waiting: std::vec::IntoIter<PathBuf>,
    from: Option<Form>,
    open: Option<Source>,
    /// What could not be opened or read.
    pub(super) errors: Vec<InputError>,
    /// Bytes read so far.
    pub(super) bytes_read: u64,
}

struct Source {
    name: String,
    input: Box<dyn Read + Send>,
    form: Form,
    // The beginning of a line whose end was not yet read.
    carry: Vec<u8>,
    lines: usize,
}

impl Batches {
    pub(super) fn new(inputs: Vec<PathBuf>, from: Option<Form>) -> Self {
        Batches { waiting: inputs.into_iter(), from, open: None, errors: Vec::new(), bytes_read: 0 }
    }

    /// Fills the batch with what comes next; `false` once there is nothing more.
    pub(super) fn next(&mut self, batch: &mut Batch) -> bool {
        loop {
            let Some(source) = &mut self.open else {
                let Some(path) = self.waiting.next() else { return false };
                match open(&path, self.from) {
                    Ok(source) => self.open = Some(source),
                    Err(error) => self.errors.push(error),
                }
                continue;
            };
            match source.fill(batch) {
                Ok(true) => {
                    self.bytes_read += batch.bytes.len() as u64;
                    return true;
                }
                Ok(false) => self.open = None,
                Err(error) => {
                    self.errors.push(InputError::whole(&source.name, error));
                    self.open = None;
                }
            }
        }
    }
}

fn open(path: &PathBuf, from: Option<Form>) -> Result<Source, InputError> {
    if path.as_os_str() == "-" {
        return open_stdin(from);
    }
    let name = path.display().to_string();
    let unknown = || InputError::whole(&name, "unknown kind of file: name its format with --from");
    let form = kind_of(path, from).ok_or_else(unknown)?;
    let input = File::open(path).map_err(|error| InputError::whole(&name, error))?;
    Ok(Source { name, input: Box::new(input), form, carry: Vec::new(), lines: 0 })
}

/// Standard input holds one value, or one a line: its first megabyte tells.
fn open_stdin(from: Option<Form>) -> Result<Source, InputError> {
    let name = "standard input".to_owned();
    let form = from.unwrap_or(Form::single(Format::Json));
    let mut carry = Vec::new();
    io::stdin()
        .take(BATCH_BYTES as u64)
        .read_to_end(&mut carry)
        .map_err(|error| InputError::whole(&name, error))?;
    let form = with_lines(form, &carry);
    Ok(Source { name, input: Box::new(io::stdin()), form, carry, lines: 0 })
}

impl Source {
    fn fill(&mut self, batch: &mut Batch) -> io::Result<bool> {
        batch.bytes.clear();
        batch.bytes.append(&mut self.carry);
        batch.file.clone_from(&self.name);
        batch.lines_before = self.lines;
        batch.format = Some(self.form.format);
        batch.divided = self.form.framing == Framing::Lines;
        let mut searched = 0;
        loop {
            let wanted = if batch.divided { BATCH_BYTES as u64 } else { u64::MAX };
            let read = self.input.by_ref().take(wanted).read_to_end(&mut batch.bytes)?;
            if read == 0 || !batch.divided {
                return Ok(!batch.bytes.is_empty());
            }
            // Only what was just read can hold the newline that was missing before.
            if let Some(newline) = batch.bytes[searched..].iter().rposition(|&byte| byte == b'\n') {
                let end = searched + newline + 1;
                self.carry.extend_from_slice(&batch.bytes[end..]);
                batch.bytes.truncate(end);
                self.lines += batch.bytes.iter().filter(|&&byte| byte == b'\n').count();
                return Ok(true);
            }
            searched = batch.bytes.len();
        }
    }
}

impl Batch {
    /// Each payload with the number of its line, counted from 1 (0 for a whole file).
    pub(super) fn payloads(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let (whole, lines) = if self.divided {
            (None, Some(self.bytes.split(|&byte| byte == b'\n')))
        } else {
            (Some(&self.bytes[..]), None)
        };
        let lines = lines
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(index, line)| (self.lines_before + index + 1, line));
        let blank = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_whitespace);
        whole.map(|bytes| (0, bytes)).into_iter().chain(lines.filter(move |(_, line)| !blank(line)))
    }
}
