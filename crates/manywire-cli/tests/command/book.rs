//! Runs the commands of README.md and of the pages of docs/. Each must print exactly the output
//! that is shown below it.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::root;

/// Returns README.md and the pages of docs/.
fn pages() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("docs")).expect("docs/");
    let pages = entries.map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<PathBuf> =
        pages.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// Runs a shell command in the root of the checkout. Returns standard output and error in one text.
fn run(line: &str) -> String {
    let manywire = Path::new(env!("CARGO_BIN_EXE_manywire"));
    let folder = manywire.parent().expect("a folder").to_str().expect("UTF-8");
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("{line} 2>&1")])
        .env("PATH", path)
        .env_remove("COLUMNS")
        .current_dir(root())
        .output()
        .expect("sh runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn commands_print_the_output_below_them() {
    let mut count = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("UTF-8");
        let blocks = text.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
        for block in blocks.filter(|block| block.starts_with("$ ")) {
            let (command, expected) = block.split_once('\n').expect("a line");
            let printed = run(&command[2..]);
            assert_eq!(printed.trim_end(), expected.trim_end(), "{}: {command}", page.display());
            count += 1;
        }
    }
    assert!(count >= 5, "only {count} commands with output");
}
