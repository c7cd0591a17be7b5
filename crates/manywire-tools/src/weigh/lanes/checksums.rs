//! Checksums of a build's files, which find a build that was damaged after it was made.
//!
//! Builds stay in the cache for months. A crash, a full disk, or a program that cleans up caches can
//! leave files that are missing or cut, and the failures of such a build would look like faults of a
//! library. So each build records its files when it is complete, and is compared with the record
//! before it is used.

use std::fs::{self, File};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::{fmt, io};

use sha2::{Digest, Sha256};

/// The file that holds the checksums, in the format of `sha256sum`.
const CHECKSUMS: &str = ".manywire-checksums";

/// The name of folders that programs write into while they run.
const RUN_TIME_CACHE: &str = "__pycache__";

/// A difference between a build and its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// The record itself cannot be read.
    Record,
    /// A file is missing or cannot be read. The path is relative to the build's folder.
    Unreadable(String),
    /// A file has another content.
    Changed(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Record => write!(f, "{CHECKSUMS} cannot be read"),
            Damage::Unreadable(path) => write!(f, "{path} is missing or cannot be read"),
            Damage::Changed(path) => write!(f, "{path} has changed since it was built"),
        }
    }
}

/// Records the files of a complete build.
///
/// # Errors
///
/// Fails if a file cannot be read, or if the record cannot be written.
pub(super) fn record(folder: &Path) -> io::Result<()> {
    let mut text = String::new();
    for path in files(folder)? {
        text.push_str(&format!("{}  {path}\n", checksum(&folder.join(&path))?));
    }
    fs::write(folder.join(CHECKSUMS), text)
}

/// Compares a build with its record, and returns the first difference. Files that are not in the
/// record are ignored, because programs may write files when they run.
pub(super) fn find_damage(folder: &Path) -> Option<Damage> {
    let Ok(text) = fs::read_to_string(folder.join(CHECKSUMS)) else { return Some(Damage::Record) };
    for line in text.lines() {
        let Some((expected, path)) = line.split_once("  ") else { return Some(Damage::Record) };
        match checksum(&folder.join(path)) {
            Ok(found) if found == expected => {}
            Ok(_) => return Some(Damage::Changed(path.to_owned())),
            Err(_) => return Some(Damage::Unreadable(path.to_owned())),
        }
    }
    None
}

fn checksum(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hash)?;
    Ok(format!("{:x}", hash.finalize()))
}

/// Returns the paths of all files in the folder, with `/`, sorted. Links are left out, since they
/// lead to files of the system or to files that are listed already. Files whose names a line of the
/// record cannot hold are left out, too.
fn files(folder: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inner) = open.pop() {
        for entry in fs::read_dir(folder.join(&inner))? {
            let entry = entry?;
            let path = inner.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() && entry.file_name() != RUN_TIME_CACHE {
                open.push(path);
            } else if kind.is_file()
                && let Some(path) = path.to_str().filter(|path| !path.contains(['\n', '\r']))
            {
                files.push(path.replace(MAIN_SEPARATOR, "/"));
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_recorded_file_is_damage() {
        let folder = std::env::temp_dir().join(format!("manywire-damage-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        write("lib/code", "one");
        write("lib/__pycache__/code", "compiled");
        write("program", "two");
        // A backslash is part of a name where it separates no folders.
        write("lib\\data", "three");
        assert_eq!(find_damage(&folder), Some(Damage::Record));
        record(&folder).expect("a record");
        assert_eq!(find_damage(&folder), None);
        write("log", "written by a program");
        write("lib/__pycache__/code", "compiled again");
        assert_eq!(find_damage(&folder), None);
        write("lib/code", "onf");
        assert_eq!(find_damage(&folder), Some(Damage::Changed("lib/code".to_owned())));
        write("lib/code", "one");
        fs::remove_file(folder.join("program")).expect("it was there");
        assert_eq!(find_damage(&folder), Some(Damage::Unreadable("program".to_owned())));
        write("program", "two");
        assert_eq!(find_damage(&folder), None);
        fs::remove_dir_all(&folder).expect("it was there");
    }
}
