//! The command as a whole process, as a user runs it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io};

/// Builds the `manywire` command in release mode, unless `smoke` is true, and returns the path of
/// the command in the build folder of this program. Returns `None` if there is no command.
///
/// # Errors
///
/// Returns an error if the build fails.
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
    // Benches are in `deps`, inside the folder of the profile.
    let beside = env::current_exe()?
        .parent()
        .and_then(Path::parent)
        .map(|folder| folder.join("manywire").with_extension(env::consts::EXE_EXTENSION));
    Ok(beside.filter(|path| path.is_file()))
}

/// Returns the path of a document in `examples/`.
pub fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
