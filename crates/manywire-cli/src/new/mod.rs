//! `manywire new`: writes a crate with a service of three endpoints, to begin with.
//!
//! The files of the crate are in `template/`, with these placeholders: `{name}` for the name of the
//! package, `{crate}` for that name in paths of Rust, and `{dependency}` for the library in
//! `Cargo.toml`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::arguments::New;
use crate::exit::{CommandError, Exit, failed, usage};
use crate::output_file;

/// The files of the crate: their paths and their text.
const FILES: [(&str, &str); 9] = [
    // The template has another name, because cargo leaves a folder with a `Cargo.toml` out of a
    // package.
    ("Cargo.toml", include_str!("template/manifest.toml")),
    ("src/lib.rs", include_str!("template/lib.rs")),
    ("src/main.rs", include_str!("template/main.rs")),
    ("tests/service.rs", include_str!("template/tests.rs")),
    ("schema.proto", include_str!("template/schema.proto")),
    ("README.md", include_str!("template/README.md")),
    ("Dockerfile", include_str!("template/Dockerfile")),
    (".dockerignore", include_str!("template/dockerignore")),
    (".gitignore", include_str!("template/gitignore")),
];

/// Names that cargo or the compiler refuses for a package, or that would hide a crate that the service
/// uses.
const RESERVED: [&str; 52] = [
    "abstract", "alloc", "as", "async", "await", "become", "box", "break", "const", "continue",
    "core", "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen",
    "if", "impl", "in", "let", "loop", "macro", "manywire", "match", "mod", "move", "mut",
    "override", "priv", "pub", "ref", "return", "self", "serde", "static", "std", "struct",
    "super", "test", "tokio", "trait", "true", "try", "type", "use", "while",
];

/// Writes the crate, and prints the next step to standard error.
pub(crate) fn run(arguments: &New) -> Exit {
    Exit::of(new(arguments))
}

fn new(arguments: &New) -> Result<Exit, CommandError> {
    let folder = &arguments.folder;
    let name = match (&arguments.name, folder.file_name()) {
        (Some(name), _) => name.clone(),
        (None, Some(last)) => last.to_string_lossy().into_owned(),
        (None, None) => {
            return Err(usage(format!("{}: name the service with --name", folder.display())));
        }
    };
    check_name(&name).map_err(usage)?;
    if fs::symlink_metadata(folder).is_ok() {
        let message = "there is such a file or folder already; name a new one";
        return Err(failed(format!("{}: {message}", folder.display())));
    }
    write(folder, &name).map_err(|error| failed(format!("{}: {error}", folder.display())))?;
    let folder = folder.display();
    eprintln!("{folder}: a service of three endpoints; `cargo test` in that folder calls them");
    Ok(Exit::Done)
}

/// Checks that cargo accepts the name of a package.
fn check_name(name: &str) -> Result<(), String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(is_part) {
        return Err(format!(
            "invalid package name {name:?}: expected a letter, and then letters, digits, - or _; \
             --name gives another one"
        ));
    }
    if RESERVED.contains(&name) {
        return Err(format!(
            "{name:?} is reserved, so no package may have it; --name gives another one"
        ));
    }
    Ok(())
}

/// Writes the crate beside its folder and renames it, so that no part of it is left on a failure.
fn write(folder: &Path, name: &str) -> io::Result<()> {
    let temporary = output_file::create_folder_beside(folder)?;
    let dependency = dependency()?;
    for (path, text) in FILES {
        let text = text
            .replace("{name}", name)
            .replace("{crate}", &name.replace('-', "_"))
            .replace("{dependency}", &dependency);
        let path = temporary.path().join(path);
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        fs::write(path, text)?;
    }
    fs::rename(temporary.path(), folder)?;
    // The folder was renamed, so it must not be removed.
    drop(temporary.keep());
    Ok(())
}

/// Returns the line of `Cargo.toml` for the library: by path if the checkout that this command was
/// built in is still there, or else by version.
fn dependency() -> io::Result<String> {
    let library = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../manywire");
    if !library.join("Cargo.toml").is_file() {
        return Ok(format!("manywire = {:?}", env!("CARGO_PKG_VERSION")));
    }
    // TOML strings have the escapes of JSON strings.
    let path = serde_json::to_string(&library.canonicalize()?)?;
    Ok(format!("manywire = {{ path = {path} }}"))
}
