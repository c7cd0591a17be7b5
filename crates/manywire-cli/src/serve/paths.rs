use std::path::{Path, PathBuf};

use manywire_format::Coding;

use crate::exit::{Exit, Refusal};

/// Where each file is served: at its name without the extensions of its coding and its format.
///
/// # Errors
/// Two files of one name, which no path would tell apart, or a file without a name.
pub(super) fn of(files: &[PathBuf]) -> Result<Vec<String>, Refusal> {
    let mut paths: Vec<String> = Vec::with_capacity(files.len());
    for file in files {
        let Some(stem) = stem(file) else {
            return Err((Exit::Usage, format!("{}: not the name of a file", file.display())));
        };
        let path = format!("/{}", segment(&stem));
        if let Some(other) = paths.iter().position(|known| *known == path) {
            let (first, second) = (files[other].display(), file.display());
            let message = format!("{first} and {second} would both be served at {path}");
            return Err((Exit::Usage, format!("{message}: rename one of them")));
        }
        paths.push(path);
    }
    Ok(paths)
}

fn stem(file: &Path) -> Option<String> {
    if file.as_os_str() == "-" {
        return Some("stdin".to_owned());
    }
    let is_coded = |extension: &str| Coding::from_extension(extension).is_some();
    let coded = file.extension().and_then(|extension| extension.to_str()).is_some_and(is_coded);
    let file = if coded { Path::new(file.file_stem()?) } else { file };
    Some(file.file_stem()?.to_string_lossy().into_owned())
}

/// A name as a segment of a path (RFC 3986, section 3.3).
fn segment(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
