//! The files that commands write: reports, schemas, and the output of `convert`.
//!
//! An [`OutputFile`] writes beside its target, and [`OutputFile::commit`] renames the finished file
//! over it. A command that fails or is interrupted leaves an existing file as it was, and a program
//! that reads the target never sees a part of the output. Standard output, pipes and devices cannot
//! be replaced, so they are written directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Stderr, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{NamedTempFile, TempDir};

/// An open output.
pub(crate) struct OutputFile {
    /// The name for messages: the path of the arguments, or `standard output`.
    name: String,
    writer: Writer,
}

enum Writer {
    Stdout(StdoutLock<'static>),
    Stderr(Stderr),
    /// A pipe, a device, or an open descriptor of this process.
    Direct(File),
    File(Replacement),
}

/// The destination that a path leads to.
#[derive(Debug, PartialEq, Eq)]
enum Destination {
    Stdout,
    Stderr,
    /// An open descriptor of this process, by its path.
    Descriptor(PathBuf),
    /// A pipe or a device.
    Device(PathBuf),
    /// A file, which may not exist yet. The last part of the path is not a symbolic link.
    File(PathBuf),
}

/// The maximum number of symbolic links to follow, as in Linux.
const LINKS_MAX: usize = 40;

impl Destination {
    /// Follows symbolic links to the destination of a path. `-` is standard output.
    fn of(path: &Path) -> io::Result<Destination> {
        if path.as_os_str() == "-" {
            return Ok(Destination::Stdout);
        }
        let mut path = path.to_owned();
        for _ in 0..=LINKS_MAX {
            // A descriptor may be open to a file, and replacing that file would not write to the
            // descriptor.
            match descriptor(&path) {
                Some(1) => return Ok(Destination::Stdout),
                Some(2) => return Ok(Destination::Stderr),
                Some(_) => return Ok(Destination::Descriptor(path)),
                None => {}
            }
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_symlink() => {
                    let link = fs::read_link(&path)?;
                    path = path.parent().map(|folder| folder.join(&link)).unwrap_or(link);
                }
                Ok(found) if found.is_file() => return Ok(Destination::File(path)),
                Ok(found) if found.is_dir() => {
                    let message = "this is a folder; name a file in it";
                    return Err(io::Error::new(io::ErrorKind::IsADirectory, message));
                }
                Ok(_) => return Ok(Destination::Device(path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Destination::File(path));
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("too many levels of symbolic links"))
    }
}

/// Returns the number of the descriptor that a path such as `/dev/stdout` or `/proc/self/fd/5` names.
fn descriptor(path: &Path) -> Option<u32> {
    let path = path.to_str()?;
    match path {
        "/dev/stdout" => return Some(1),
        "/dev/stderr" => return Some(2),
        _ => {}
    }
    let own = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"];
    own.iter().find_map(|folder| path.strip_prefix(folder))?.parse().ok()
}

impl OutputFile {
    /// Opens the output that a path names; `-` is standard output. A file is left as it is until
    /// [`OutputFile::commit`].
    ///
    /// # Errors
    /// Fails if the target may not be written, or if no file can be created in its folder.
    pub(crate) fn open(path: &Path) -> io::Result<OutputFile> {
        let name = match path.as_os_str() == "-" {
            true => "standard output".to_owned(),
            false => path.display().to_string(),
        };
        let open = |destination| {
            Ok(match destination {
                Destination::Stdout => Writer::Stdout(io::stdout().lock()),
                Destination::Stderr => Writer::Stderr(io::stderr()),
                Destination::Descriptor(path) => {
                    // Appends, because the descriptor may stand at the end of a file.
                    Writer::Direct(OpenOptions::new().append(true).open(path)?)
                }
                Destination::Device(path) => {
                    Writer::Direct(OpenOptions::new().write(true).open(path)?)
                }
                Destination::File(path) => Writer::File(Replacement::new(path)?),
            })
        };
        match Destination::of(path).and_then(open) {
            Ok(writer) => Ok(OutputFile { name, writer }),
            Err(error) => Err(with_name(&name, &error)),
        }
    }

    /// Checks that the file that a path names can be written, so that a long command fails before it
    /// begins. Standard output, pipes and devices are not checked.
    ///
    /// # Errors
    /// Fails as [`OutputFile::open`] does.
    pub(crate) fn check(path: &Path) -> io::Result<()> {
        match Destination::of(path) {
            Ok(Destination::File(_)) | Err(_) => OutputFile::open(path).map(drop),
            Ok(_) => Ok(()),
        }
    }

    /// Returns whether the output replaces a file when it is complete.
    pub(crate) fn is_replacement(&self) -> bool {
        matches!(self.writer, Writer::File(_))
    }

    /// Completes the output: renames the finished file over its target.
    ///
    /// # Errors
    /// Fails if the last bytes cannot be written or the file cannot be renamed.
    pub(crate) fn commit(self) -> io::Result<()> {
        let OutputFile { name, writer } = self;
        let completed = match writer {
            Writer::Stdout(mut stdout) => stdout.flush(),
            Writer::Stderr(mut stderr) => stderr.flush(),
            Writer::Direct(mut file) => file.flush(),
            Writer::File(replacement) => replacement.persist(),
        };
        completed.map_err(|error| with_name(&name, &error))
    }

    fn target(&mut self) -> &mut dyn Write {
        match &mut self.writer {
            Writer::Stdout(stdout) => stdout,
            Writer::Stderr(stderr) => stderr,
            Writer::Direct(file) => file,
            Writer::File(replacement) => replacement.temporary.as_file_mut(),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.target().write(bytes).map_err(|error| with_name(&self.name, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target().flush().map_err(|error| with_name(&self.name, &error))
    }
}

/// Adds the name of the output to an error, and keeps the kind: callers treat a closed pipe and an
/// interrupted call separately.
#[cold]
fn with_name(name: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

/// Returns whether two paths lead to the same output.
pub(crate) fn are_same(left: &Path, right: &Path) -> bool {
    match (Destination::of(left), Destination::of(right)) {
        (Ok(Destination::File(left)), Ok(Destination::File(right))) => {
            left == right
                || matches!((left.canonicalize(), right.canonicalize()), (Ok(l), Ok(r)) if l == r)
        }
        // Two outputs may share a device such as /dev/null.
        (Ok(Destination::Device(_)), _) => false,
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    }
}

/// A temporary file beside its target.
struct Replacement {
    temporary: NamedTempFile,
    target: PathBuf,
}

/// The temporary files of this process, which [`remove_unfinished`] removes.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files, because a process that exits by a signal drops nothing.
pub(crate) fn remove_unfinished() {
    for path in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // The process is about to end, and nobody could act on an error.
        drop(fs::remove_file(path));
    }
}

impl Replacement {
    fn new(target: PathBuf) -> io::Result<Replacement> {
        let folder = folder_of(&target);
        let old = match OpenOptions::new().write(true).open(&target) {
            // A file that may not be written is not replaced, even where its folder would allow it.
            Ok(file) => Some(file.metadata()?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        check_folder(folder)?;
        let temporary = create_in(folder).map_err(|error| {
            let message = format!(
                "a file cannot be created in its folder, where the output is written before it is \
                 renamed: {error}"
            );
            io::Error::new(error.kind(), message)
        })?;
        if let Some(old) = old {
            keep_permissions(&old, temporary.as_file())?;
        }
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        unfinished.push(temporary.path().to_owned());
        drop(unfinished);
        Ok(Replacement { temporary, target })
    }

    fn persist(self) -> io::Result<()> {
        let path = self.temporary.path().to_owned();
        self.temporary.persist(&self.target).map_err(|failed| failed.error)?;
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| *other != path);
        Ok(())
    }
}

/// Creates a temporary folder beside its target, for output that is a whole folder.
///
/// # Errors
/// Fails if no folder can be created there.
pub(crate) fn create_folder_beside(target: &Path) -> io::Result<TempDir> {
    let folder = folder_of(target);
    check_folder(folder)?;
    temporary(0o777).tempdir_in(folder)
}

/// Checks that the folder of a target exists. The error of the system would name a temporary file.
fn check_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let message = format!("there is no folder {}", folder.display());
    Err(io::Error::new(io::ErrorKind::NotFound, message))
}

fn create_in(folder: &Path) -> io::Result<NamedTempFile> {
    temporary(0o666).tempfile_in(folder)
}

/// Returns the folder that a target is in.
fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns a builder of temporary files or folders. On Unix, they have the permissions of `mode`
/// without those that the umask of the process removes.
fn temporary(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".manywire-").suffix(".tmp");
    set_permissions(&mut builder, mode);
    builder
}

#[cfg(unix)]
fn set_permissions(builder: &mut tempfile::Builder<'_, '_>, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn set_permissions(_: &mut tempfile::Builder<'_, '_>, _: u32) {}

/// Gives the new file the owner, the group and the permissions of the old one. If the group cannot
/// be kept, group permissions are limited to those of all users, because the new file has another
/// group.
#[cfg(unix)]
fn keep_permissions(old: &fs::Metadata, file: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o777;
    if new.uid() != old.uid() {
        // Only root may change the owner. Otherwise the file belongs to the user who wrote it.
        drop(fchown(file, Some(old.uid()), None));
    }
    if new.gid() != old.gid() && fchown(file, None, Some(old.gid())).is_err() {
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_permissions(_: &fs::Metadata, _: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Destination, descriptor};
    use std::path::Path;

    #[test]
    fn descriptors_are_recognised_by_their_paths() {
        let cases = [
            ("/dev/stdout", Some(1)),
            ("/dev/stderr", Some(2)),
            ("/dev/fd/63", Some(63)),
            ("/proc/self/fd/1", Some(1)),
            ("/dev/null", None),
            ("/dev/fd/x", None),
            ("stdout", None),
        ];
        for (path, expected) in cases {
            assert_eq!(descriptor(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn paths_lead_to_standard_output_devices_and_files() {
        let of = |path: &str| Destination::of(Path::new(path)).expect("a destination");
        assert_eq!(of("-"), Destination::Stdout);
        assert_eq!(of("/dev/stdout"), Destination::Stdout);
        assert_eq!(of("/dev/null"), Destination::Device("/dev/null".into()));
        assert_eq!(of("no-such-file"), Destination::File("no-such-file".into()));
        let folder = Destination::of(Path::new("/")).expect_err("a folder");
        assert_eq!(folder.to_string(), "this is a folder; name a file in it");
    }
}
