//! The command as a whole process, for benches of what a user runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io};

/// The `manywire` command, built in release first; only tried out, the one that stands beside this
/// program, if there is one.
///
/// # Errors
///
/// If it cannot be built.
pub fn manywire(smoke: bool) -> io::Result<Option<PathBuf>> {
    if !smoke {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["build", "--release", "-p", "manywire-cli"])
            .current_dir(root())
            .status()?;
        if !status.success() {
            return Err(io::Error::other(format!("cargo build: {status}")));
        }
    }
    // Benches stand in `deps`, below the folder of the profile.
    let beside = env::current_exe()?
        .parent()
        .and_then(Path::parent)
        .map(|folder| folder.join("manywire").with_extension(env::consts::EXE_EXTENSION));
    Ok(beside.filter(|path| path.is_file()))
}

/// One of the documents in `examples/`.
pub fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
