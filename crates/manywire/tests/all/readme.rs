//! The curl commands of the README print the responses below them.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The running example server of hotels.
struct Hotels {
    process: Child,
    address: String,
}

impl Hotels {
    fn start() -> Self {
        let test = std::env::current_exe().expect("this test");
        let build = test.parent().and_then(|deps| deps.parent()).expect("a build folder");
        let mut process = Command::new(build.join("examples/hotels"))
            .args(["--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("cargo builds examples with tests");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://").expect("the address");
        Hotels { process, address: address.to_owned() }
    }
}

impl Drop for Hotels {
    fn drop(&mut self) {
        // The process may have exited by itself, in which case the test has already failed.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

#[test]
fn curl_prints_the_responses_in_the_readme() {
    let readme = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(readme).expect("README.md");
    let blocks = text.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let commands: Vec<(&str, &str)> = blocks
        .flat_map(|block| block.split("$ curl ").skip(1))
        .filter_map(|entry| entry.split_once('\n'))
        .collect();
    assert!(commands.len() >= 6, "the README shows {} curl lines", commands.len());
    let hotels = Hotels::start();
    for (command, expected) in commands {
        let command = format!("curl {}", command.replace("127.0.0.1:8080", &hotels.address));
        let output = Command::new("sh").args(["-c", &command]).output().expect("sh runs");
        let printed = String::from_utf8(output.stdout).expect("text");
        assert_eq!(printed.trim_end(), expected.trim_end(), "{command}");
    }
}
