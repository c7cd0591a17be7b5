use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder for the files of one test.
pub(crate) struct Folder(PathBuf);

static FOLDERS: AtomicUsize = AtomicUsize::new(0);

impl Folder {
    pub(crate) fn new() -> Self {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for files");
        Folder(path)
    }

    /// Writes a file in the folder, and returns its path.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.display().to_string()
    }

    pub(crate) fn path(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Leftover files in the build folder are harmless, so errors are ignored.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// The result of a run of the command.
pub(crate) struct Run<T = String> {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: T,
    pub(crate) stderr: String,
}

impl Run {
    /// Parses standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }
}

impl Run<Vec<u8>> {
    /// Returns standard output, which must be text.
    fn into_text(self) -> Run {
        let stdout = String::from_utf8(self.stdout).expect("text");
        Run { code: self.code, stdout, stderr: self.stderr }
    }
}

/// Returns the row of our codec for a format.
pub(crate) fn row<'a>(report: &'a serde_json::Value, format: &str) -> &'a serde_json::Value {
    let rows = report["rows"].as_array().expect("rows");
    let ours = |row: &&serde_json::Value| row["library"] == "manywire" && row["format"] == format;
    rows.iter().find(ours).unwrap_or_else(|| panic!("no row for {format}"))
}

pub(crate) fn manywire(arguments: &[&str]) -> Run {
    manywire_reading(arguments, b"")
}

/// Returns the bytes of standard output of a run that must succeed.
pub(crate) fn bytes_of(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_manywire"))
        .args(arguments)
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .output()
        .expect("the command runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

pub(crate) fn manywire_reading(arguments: &[&str], stdin: &[u8]) -> Run {
    run(arguments, &[], stdin).into_text()
}

/// Runs the command with environment variables.
#[cfg(unix)]
pub(crate) fn manywire_with(arguments: &[&str], environment: &[(&str, &str)]) -> Run {
    run(arguments, environment, b"").into_text()
}

/// Runs the command in a folder.
pub(crate) fn manywire_in(folder: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Run {
    run_in(Some(folder), arguments, environment, b"").into_text()
}

/// Runs the command, whose output may be binary.
pub(crate) fn manywire_bytes(arguments: &[&str], stdin: &[u8]) -> Run<Vec<u8>> {
    run(arguments, &[], stdin)
}

fn run(arguments: &[&str], environment: &[(&str, &str)], stdin: &[u8]) -> Run<Vec<u8>> {
    run_in(None, arguments, environment, stdin)
}

fn run_in(
    folder: Option<&str>,
    arguments: &[&str],
    environment: &[(&str, &str)],
    stdin: &[u8],
) -> Run<Vec<u8>> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_manywire"))
        .args(arguments)
        .current_dir(folder.unwrap_or("."))
        // Reports fit this width, which a terminal may have exported.
        .env_remove("COLUMNS")
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let bytes = stdin.to_vec();
    let writer = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the command ends");
    writer.join().expect("the writer ends");
    Run { code: status.code(), stdout, stderr: String::from_utf8(stderr).expect("text") }
}

/// Returns the root of the checkout.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).expect("the workspace")
}

/// Returns the path of a document in `examples/`.
pub(crate) fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns the peak resident memory of a running command in KiB, without the pages of its
/// executable, which depend on the profile. Unlike the figure of `wait`, it excludes the forked
/// process before `exec`.
#[cfg(target_os = "linux")]
pub(crate) fn peak_kib(child: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{child}/status")).expect("a status");
    let kib = |name| {
        let value = status.lines().find_map(|line| line.strip_prefix(name)).expect("a figure");
        value.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let (peak, files): (u64, u64) = (kib("VmHWM:"), kib("RssFile:"));
    peak.saturating_sub(files)
}
