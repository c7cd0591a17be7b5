//! Runs the command on a file, and measures its time and memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use wait4::Wait4;

/// The result of a run, with its time and memory.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
    pub(crate) cpu: Duration,
    pub(crate) memory_bytes: u64,
}

/// Runs the command on a file, with its output to `stdout`.
pub(crate) fn run_to(stdout: Stdio, arguments: &[&str], file: &Path) -> Run {
    let errors = temporary(&format!("errors-{:?}", std::thread::current().id()));
    let mut child = Command::new(env!("CARGO_BIN_EXE_manywire"))
        .args(arguments)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(fs::File::create(&errors).expect("a file for errors"))
        .spawn()
        .expect("the command starts");
    let used = child.wait4().expect("the command ends");
    let stderr = fs::read(&errors).expect("its errors");
    Run {
        code: used.status.code(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        cpu: used.rusage.utime + used.rusage.stime,
        memory_bytes: used.rusage.maxrss,
    }
}

/// Returns the path of a temporary file of this process.
pub(crate) fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()))
}

pub(crate) fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let path = temporary(name);
    fs::write(&path, bytes).expect("a file");
    path
}
