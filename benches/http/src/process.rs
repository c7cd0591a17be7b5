//! A server in its own process, which is this program started again.

use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::{env, fs, thread};

use tokio::sync::oneshot;

use super::Scenario;

/// The argument that makes the process a server.
pub const SERVE: &str = "--serve";

/// A running server, ended on drop.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// The address that the server listens on.
    pub address: String,
}

impl Server {
    /// Starts a stack for a scenario. The words of `before` come before this program, such as
    /// `valgrind` and its options.
    ///
    /// # Errors
    /// Returns an error if the program does not start, or the server prints no address.
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

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Lets the server end after its connections have ended.
    ///
    /// # Errors
    /// Returns an error if the server failed.
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
        // Both calls fail if the process has ended, which is the goal.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Reads the address from the first line that a server prints.
///
/// # Errors
/// Returns an error if the standard output is not captured or has ended.
pub fn address(server: &mut Child) -> io::Result<String> {
    let stdout = server.stdout.take().ok_or_else(|| io::Error::other("no standard output"))?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    match line.trim() {
        "" => Err(io::Error::other("the server did not say where it listens")),
        address => Ok(address.to_owned()),
    }
}

/// Returns the resident memory of a process in kB, which Linux reports.
///
/// # Errors
/// Returns an error if the process has ended.
pub fn memory_kb(id: u32) -> io::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| io::Error::other("the server has no VmRSS: it has ended"))
}

/// Waits until the parent closes the standard input, which ends the server.
pub async fn ended() {
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || {
        // An error counts as the end.
        drop(io::copy(&mut io::stdin().lock(), &mut io::sink()));
        // No one reads the result after the server has failed.
        let _ = sender.send(());
    });
    drop(receiver.await);
}
