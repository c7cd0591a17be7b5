use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use manywire_codec::coding::stream;
use manywire_format::CodingLevel;

/// Where the bytes go.
pub(super) enum Output {
    Plain(Target),
    Coded(Box<stream::Writer<Target>>),
}

/// Standard output, or a file that is made when the first bytes for it are there: an input that
/// cannot be read does not cost the file that was there before.
pub(super) enum Target {
    Stdout(io::StdoutLock<'static>),
    File { path: PathBuf, file: Option<File> },
}

impl Output {
    /// A file, or standard output for none and for `-`.
    pub(super) fn new(path: Option<&Path>, coding: Option<CodingLevel>) -> Result<Output, String> {
        let target = match path.filter(|path| path.as_os_str() != "-") {
            None => Target::Stdout(io::stdout().lock()),
            Some(path) => Target::File { path: path.to_owned(), file: None },
        };
        Ok(match coding {
            None => Output::Plain(target),
            Some(level) => {
                let writer = stream::Writer::new(level, target);
                Output::Coded(Box::new(writer.map_err(|error| error.to_string())?))
            }
        })
    }

    /// Writes what ends the coding, and makes the file even if nothing was written to it, if all
    /// went well.
    pub(super) fn finish(self, well: bool) -> io::Result<()> {
        let mut target = match self {
            Output::Plain(target) => target,
            // What was written before a failure can be read, and so must end.
            Output::Coded(writer) => writer.finish()?,
        };
        if well && let Target::File { path, file: file @ None } = &mut target {
            *file = Some(create(path)?);
        }
        target.flush()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Plain(target) => target.write(bytes),
            Output::Coded(writer) => writer.write(bytes),
        }
    }

    /// A coding is not flushed: each time would cost it a part of what it saves.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Plain(target) => target.flush(),
            Output::Coded(_) => Ok(()),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Stdout(stdout) => stdout.write(bytes),
            Target::File { file: Some(file), .. } => file.write(bytes),
            Target::File { .. } if bytes.is_empty() => Ok(0),
            Target::File { path, file } => file.insert(create(path)?).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Stdout(stdout) => stdout.flush(),
            Target::File { file: Some(file), .. } => file.flush(),
            Target::File { .. } => Ok(()),
        }
    }
}

fn create(path: &Path) -> io::Result<File> {
    File::create(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}
