use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::command::{self, Ended};
use super::manifest::Tool;

/// A program that only prints its version; a Java machine takes a second on a busy computer.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// What is known of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is there, in this version.
    Ready(String),
    /// It is not there, is too old, or does not start: why, and how to get it.
    Missing(String),
}

/// Looks for a program and asks it for its version.
pub(super) fn find(tool: &Tool) -> Found {
    let missing = |why: &str| Found::Missing(format!("{}: {why}; {}", tool.program, tool.how));
    let Some(program) = resolve(&tool.program, None) else { return missing("not found in PATH") };
    let mut asked = Command::new(program);
    asked.args(&tool.version);
    let text = match command::run(asked, VERSION_LIMIT, &super::NEVER) {
        Ended::Done(text) => text,
        Ended::Failed(why) => return missing(&format!("does not start: {why}")),
        Ended::Interrupted => return missing("interrupted"),
    };
    let Some(version) = version(&text) else { return missing("its version cannot be read") };
    if numbers(&version) < numbers(&tool.minimum) {
        return missing(&format!("found {version}, expected {} or newer", tool.minimum));
    }
    Found::Ready(version)
}

/// Where a program is: a path within a folder, or else one of `PATH`.
pub(super) fn resolve(program: &str, folder: Option<&Path>) -> Option<PathBuf> {
    if program.contains('/') {
        let path = folder?.join(program);
        return path.is_file().then_some(path);
    }
    let extensions: &[&str] = if cfg!(windows) { &["exe", "cmd", "bat"] } else { &[""] };
    env::split_paths(&env::var_os("PATH")?)
        .flat_map(|folder| {
            extensions.iter().map(move |extension| folder.join(program).with_extension(extension))
        })
        .find(|path| path.is_file())
}

/// The first number with a dot in a text, or else the first number.
fn version(text: &str) -> Option<String> {
    let words = || {
        text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
            .map(|word| word.trim_matches('.'))
            .filter(|word| !word.is_empty())
    };
    words().find(|word| word.contains('.')).or_else(|| words().next()).map(str::to_owned)
}

fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::{numbers, version};

    #[test]
    fn versions_are_read_from_what_programs_print_and_compared_as_numbers() {
        for (text, expected) in [
            ("v20.20.2\n", "20.20.2"),
            ("go version go1.26.8 linux/amd64", "1.26.8"),
            ("Python 3.11.7", "3.11.7"),
            ("openjdk 17 2021-09-14", "17"),
            ("openjdk 17.0.15 2025-04-15", "17.0.15"),
        ] {
            assert_eq!(version(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(version("none"), None);
        assert!(numbers("1.26.8") > numbers("1.9"));
        assert!(numbers("20") < numbers("20.1"));
    }
}
