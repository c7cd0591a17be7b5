//! A server as a process of its own: this program, started again.

use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};
use std::{env, thread};

use tokio::sync::oneshot;

use super::Scenario;

/// The argument by which the process knows that it is a server.
pub const SERVE: &str = "--serve";

/// A server at work. It is ended when this is dropped, if it has not ended by then.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// Where it listens.
    pub address: String,
}

impl Server {
    /// Starts a stack for a scenario, by this program and the words before its own, such as
    /// `valgrind` and its options.
    ///
    /// # Errors
    /// When there is no such program, or the server does not say where it listens.
    pub fn start(before: &[&str], stack: &str, scenario: Scenario) -> io::Result<Server> {
        let own = env::current_exe()?;
        let own = own.to_string_lossy();
        let name = scenario.name();
        let words: Vec<&str> =
            before.iter().copied().chain([&*own, SERVE, stack, name.as_str()]).collect();
        let mut child = Command::new(words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let address = address(&mut child);
        let mut server = Server { child, address: String::new() };
        server.address = address?;
        Ok(server)
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Has it end by itself, once its connections have.
    ///
    /// # Errors
    /// When it has failed.
    pub fn end(mut self) -> io::Result<()> {
        drop(self.child.stdin.take());
        let status = self.child.wait()?;
        match status.success() {
            true => Ok(()),
            false => Err(io::Error::other(format!("the server ended with {status}"))),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail where it has ended, which is all that is wanted.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The line that a server prints first.
///
/// # Errors
/// When its standard output was not kept, or has ended.
pub fn address(server: &mut Child) -> io::Result<String> {
    let stdout = server.stdout.take().ok_or_else(|| io::Error::other("no standard output"))?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    match line.trim() {
        "" => Err(io::Error::other("the server did not say where it listens")),
        address => Ok(address.to_owned()),
    }
}

/// When whoever started this server wants it to end: with its standard input.
pub async fn ended() {
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || {
        // An error is an end, too.
        drop(io::copy(&mut io::stdin().lock(), &mut io::sink()));
        // Nobody is there to be told once the server has failed.
        let _ = sender.send(());
    });
    drop(receiver.await);
}

/// What a bench ends with: success where all targets were met.
pub fn exit_code(result: io::Result<bool>) -> ExitCode {
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
