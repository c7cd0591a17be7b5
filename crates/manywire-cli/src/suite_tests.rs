//! Runs `explain`, `convert` and `negotiate` on every file of the conformance suites, in this process,
//! with each option and as each form: no input makes a command panic. `tests/hostile` runs the other
//! commands on the same files, each in a new process.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Parser;
use manywire_format::FORMS;

use crate::arguments::{Arguments, Command};
use crate::{convert, explain, negotiate};

/// The options of `explain`, one for each path through its code.
const EXPLAIN: [&[&str]; 9] = [
    &[],
    &["--uncut", "--color", "always"],
    &["--json"],
    &["--check"],
    &["--depth", "2", "--items", "3"],
    &["--at", "0", "--path", "$.a"],
    &["--diag"],
    &["--top"],
    &["--reverse"],
];

/// The size limit of files. Longer files are collections of cases, which the tests of
/// `manywire-properties` run one by one.
const BYTES_MAX: u64 = 64 << 10;

fn parse(words: &[&str], file: &Path) -> Command {
    let words = ["manywire"].iter().chain(words).map(std::ffi::OsStr::new);
    let words = words.chain([file.as_os_str()]);
    let parsed = Arguments::try_parse_from(words);
    parsed.unwrap_or_else(|error| panic!("{error}")).command
}

/// Negotiates, and returns the message of an error.
fn negotiated(field: &str, accept: bool) -> Result<(), String> {
    negotiate::text(field, accept).map(drop).map_err(|error| error.to_string())
}

/// Checks that a failed command has a message.
fn check_message(result: Result<(), String>, words: &[&str], file: &Path) {
    if let Err(message) = result {
        assert!(!message.is_empty(), "{words:?} {} fails and says nothing", file.display());
    }
}

fn explain(words: &[&str], file: &Path) {
    let words = [&["explain"], words].concat();
    let Command::Explain(arguments) = parse(&words, file) else { panic!("{words:?}") };
    check_message(explain::explain_to(&arguments, &mut io::sink()), &words, file);
}

fn convert(words: &[&str], file: &Path) {
    let words = [&["convert"], words].concat();
    let Command::Convert(arguments) = parse(&words, file) else { panic!("{words:?}") };
    check_message(
        convert::convert_to(&arguments, &mut io::sink(), &AtomicBool::new(false)),
        &words,
        file,
    );
}

#[test]
fn no_file_of_the_suites_makes_a_command_panic() {
    let Some(root) = std::env::var_os("MANYWIRE_SUITES") else {
        println!("skipped: no suites");
        return;
    };
    let files = files(Path::new(&root));
    assert!(files.len() > 400, "only {} files", files.len());
    let mut runs = 0;
    for (number, file) in files.iter().enumerate() {
        EXPLAIN.iter().for_each(|options| explain(options, file));
        explain(&["--diff", &files[number / 2].to_string_lossy()], file);
        // Reads the file as each form that needs no schema, with one of the options at a time.
        for form in FORMS.iter().filter(|row| !row.form.needs_schema()) {
            // `--reverse` takes no form.
            let options = EXPLAIN[number % (EXPLAIN.len() - 1)];
            explain(&[&["--from", form.name], options].concat(), file);
            let to = FORMS[number % FORMS.len()].name;
            convert(&["--from", form.name, "--to", to], file);
            convert(&["--from", form.name, "--to", to, "--lossy"], file);
            runs += 3;
        }
        // Converts the file from its natural form to each form.
        for to in FORMS {
            convert(&["--from", natural(file), "--lossy", "--to", to.name], file);
        }
        let bytes = std::fs::read(file).expect("a file of the suites");
        let text = String::from_utf8_lossy(&bytes);
        check_message(negotiated(&text, true), &["negotiate"], file);
        check_message(negotiated(&text, false), &["negotiate"], file);
        runs += EXPLAIN.len() + FORMS.len() + 3;
    }
    println!("{} files, {runs} runs, no panic", files.len());
}

/// Returns the form that the extension of a file suggests.
fn natural(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("avro") => "avro",
        Some("jsonl") => "ndjson",
        _ => "json",
    }
}

/// Returns every file below a folder, except those that are too long.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the suites") {
            let path = entry.expect("an entry").path();
            match path.metadata().expect("a file of the suites") {
                metadata if metadata.is_dir() => folders.push(path),
                metadata if metadata.len() <= BYTES_MAX => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}
