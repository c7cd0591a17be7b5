//! The source files of lanes: from a folder, from the checkout, or packed into this program.

use std::borrow::Cow;
use std::fs::{self, File};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::time::SystemTime;
use std::{fmt, io};

use sha2::{Digest, Sha256};

/// A lane packed into this program: its name, and its files by path.
type CarriedLane = (&'static str, &'static [(&'static str, &'static [u8])]);

// Defines `CARRIED`: the folders of the lanes at compile time.
include!(concat!(env!("OUT_DIR"), "/carried.rs"));

/// Build output and git files in a lane's folder, which are not part of its source.
const LEFT_BEHIND: [&str; 7] =
    ["node_modules", "target", "venv", "bin", "__pycache__", ".git", ".gitignore"];

/// The files of a lane's folder.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The folder's name.
    pub(super) name: String,
    /// Each file by its path, with `/`, sorted.
    pub(super) files: Vec<(String, Cow<'static, [u8]>)>,
}

/// Returns the lanes of `folder`. Without a folder, returns those of the checkout that this program
/// was compiled in if it still exists, or else those packed into this program.
pub(super) fn sources(folder: Option<&Path>) -> Result<Vec<Source>, UnreadableFolder> {
    // The crate's own `lanes` is not used: in a package it is a folder that lacks the lanes with a
    // `Cargo.toml`.
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lanes");
    match folder {
        Some(folder) => read_all(folder),
        None if checkout.join("CONTRACT.md").is_file() => read_all(&checkout),
        None => Ok(carried()),
    }
}

/// Returns the lanes packed into this program.
pub(super) fn carried() -> Vec<Source> {
    let lane = |(name, files): &CarriedLane| {
        let files = files.iter().map(|(path, bytes)| ((*path).to_owned(), Cow::Borrowed(*bytes)));
        let mut files: Vec<_> = files.collect();
        // Sorted as text, like the files of a checkout. Paths would sort by component.
        files.sort();
        Source { name: (*name).to_owned(), files }
    };
    CARRIED.iter().map(lane).collect()
}

/// The error for a folder of lanes that cannot be read.
#[derive(Debug)]
pub struct UnreadableFolder {
    path: PathBuf,
    error: io::Error,
}

impl fmt::Display for UnreadableFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for UnreadableFolder {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Reads every folder that has a `lane.toml`.
fn read_all(folder: &Path) -> Result<Vec<Source>, UnreadableFolder> {
    let unreadable = |error| UnreadableFolder { path: folder.to_owned(), error };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.join("lane.toml").is_file() {
            names.push(path);
        }
    }
    names.sort();
    names.iter().map(|path| read(path)).collect()
}

fn read(folder: &Path) -> Result<Source, UnreadableFolder> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inner) = open.pop() {
        let here = folder.join(&inner);
        let unreadable = |error| UnreadableFolder { path: here.clone(), error };
        for entry in fs::read_dir(&here).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = inner.join(entry.file_name());
            // Links are followed: lanes link to sources of this project.
            let kind = fs::metadata(folder.join(&path)).map_err(unreadable)?;
            let left_behind = LEFT_BEHIND.iter().any(|name| entry.file_name() == *name);
            if left_behind {
                continue;
            }
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                let bytes = fs::read(folder.join(&path)).map_err(unreadable)?;
                let path = path.to_string_lossy().replace(MAIN_SEPARATOR, "/");
                files.push((path, Cow::Owned(bytes)));
            }
        }
    }
    files.sort();
    Ok(Source { name, files })
}

impl Source {
    /// Returns the text of a file; `None` if it is missing or not UTF-8.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        let (_, bytes) = self.files.iter().find(|(name, _)| name == path)?;
        std::str::from_utf8(bytes).ok()
    }

    /// Returns the fingerprint of these files, which names their build: sixteen hexadecimal digits.
    pub(super) fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for (path, bytes) in &self.files {
            for part in [path.as_bytes(), bytes] {
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part);
            }
        }
        format!("{:.16x}", hash.finalize())
    }

    /// Writes the files into a folder.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        for (path, bytes) in &self.files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, bytes)?;
        }
        Ok(())
    }

    /// Sets the modification time of the files in `folder` that are also in `written`. Builds share
    /// compiled libraries, and most tools rebuild those whose sources are newer, even if their
    /// content is the same.
    pub(super) fn date(&self, folder: &Path, written: &Source, time: SystemTime) -> io::Result<()> {
        for (path, _) in self.files.iter().filter(|file| written.files.contains(file)) {
            File::options().write(true).open(folder.join(path))?.set_modified(time)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_backslash_separates_no_folders_on_unix() {
        let folder = std::env::temp_dir().join(format!("manywire-source-{}", std::process::id()));
        fs::create_dir_all(folder.join("a")).expect("a folder");
        fs::write(folder.join("a/b"), "one").expect("a file");
        fs::write(folder.join("a\\b"), "two").expect("a file");
        let source = read(&folder).expect("the files");
        assert_eq!((source.text("a/b"), source.text("a\\b")), (Some("one"), Some("two")));
        fs::remove_dir_all(&folder).expect("it was there");
    }

    /// A package carries the lane by the links in `packed/`, which must cover every file.
    #[test]
    fn packed_links_lead_to_every_file_of_the_rust_lane() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let lane = read(&here.join("../../lanes/rust")).expect("the lane of the checkout");
        let packed = read(&here.join("packed/rust")).expect("the links of the package");
        let paths = |source: Source| -> Vec<String> {
            let mut paths: Vec<String> = source
                .files
                .into_iter()
                .map(|(path, _)| path.replace("Cargo.toml.packed", "Cargo.toml"))
                .collect();
            paths.sort();
            paths
        };
        assert_eq!(paths(packed), paths(lane));
    }
}
