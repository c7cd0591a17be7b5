//! The arguments and the exit code of a bench.

use std::fmt::Display;
use std::process::ExitCode;
use std::str::FromStr;
use std::{env, io};

/// Runs a bench with the arguments of the program, and prints its error. Returns success if the
/// bench met all its targets.
pub fn run(bench: impl FnOnce(&[&str]) -> io::Result<bool>) -> ExitCode {
    // Cargo adds `--bench` to the arguments.
    let arguments: Vec<String> = env::args().skip(1).filter(|text| text != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match bench(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the number that follows `option`, the only argument of a bench, or `default` if there
/// are no arguments.
///
/// # Errors
/// Returns an error for other arguments, and for a number below `min`.
pub fn number<N: FromStr + PartialOrd + Display>(
    words: &[&str],
    option: &str,
    default: N,
    min: N,
) -> io::Result<N> {
    match words {
        [] => Ok(default),
        [name, number] if *name == option => match number.parse() {
            Ok(number) if number >= min => Ok(number),
            _ => Err(io::Error::other(format!(
                "{option}: expected a number of at least {min}, found {number:?}"
            ))),
        },
        other => Err(io::Error::other(format!("expected {option} NUMBER, found {other:?}"))),
    }
}
