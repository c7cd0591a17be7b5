//! All attacks at once against a separate process whose memory and descriptors are measured.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use manywire::Limits;

use super::bombs::{CODINGS, bomb, request};
use super::http2::rapid_reset;
use super::server::service;
use crate::support::PATIENCE;

/// The prefix of the line in which the serving process prints its address.
const LISTENING: &str = "listening on ";

/// The memory that the server may need beyond its idle level: a few bodies of maximum size.
const MEMORY_KB: u64 = 160 << 10;

/// The number of rounds of every attack, each by several clients.
const ROUNDS: usize = 3;
const CLIENTS: usize = 4;

/// The process under attack, which the test below starts. It is not a test itself.
#[test]
#[ignore = "started by another test"]
fn process_under_attack() {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let server = service(Limits::DEFAULT).bind("127.0.0.1:0").await.expect("a port");
        println!("{LISTENING}{}", server.local_address());
        server.run().await.expect("it serves");
    });
}

struct Server(Child);

impl Server {
    fn start() -> (Self, SocketAddr) {
        let this = std::env::current_exe().expect("this test");
        let mut child = Command::new(this)
            .args(["--exact", "abuse::memory::process_under_attack", "--ignored", "--nocapture"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut lines = stdout.lines().map_while(Result::ok);
        let address = lines.find_map(|line| {
            let (_, address) = line.split_once(LISTENING)?;
            address.trim().parse().ok()
        });
        // The pipe stays open: the test harness writes to it when a test takes more than a minute.
        thread::spawn(move || lines.for_each(drop));
        (Server(child), address.expect("the address"))
    }

    /// Returns a line of `/proc/…/status`, in kB.
    fn status(&self, name: &str) -> u64 {
        let path = format!("/proc/{}/status", self.0.id());
        let text = std::fs::read_to_string(path).expect("the process is running");
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
        let number = line.trim_start_matches(':').split_whitespace().next();
        number.and_then(|number| number.parse().ok()).expect("a number")
    }

    fn descriptors(&self) -> usize {
        let path = format!("/proc/{}/fd", self.0.id());
        std::fs::read_dir(path).expect("the process is running").count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have exited by itself, in which case the test has already failed.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Sends bytes, and either reads the response or disconnects at once.
fn attack(address: SocketAddr, bytes: &[u8], stays: bool) {
    let Ok(mut stream) = TcpStream::connect(address) else { return };
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
    // The server may refuse before everything is sent, and may close at any time.
    drop(stream.write_all(bytes));
    if stays {
        drop(stream.read_to_end(&mut Vec::new()));
    }
}

#[test]
fn memory_and_descriptors_return_to_their_level_after_attacks() {
    let (server, address) = Server::start();
    let head =
        "POST /tree HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\n";
    let deep = "{\"children\":[".repeat(100_000);
    let mut attacks: Vec<Vec<u8>> =
        CODINGS.map(|coding| request(coding.name(), &bomb(coding))).to_vec();
    attacks.extend([
        rapid_reset(5_000),
        format!("{head}content-length: {}\r\n\r\n{deep}", deep.len()).into_bytes(),
        format!("{head}content-length: 999999999999\r\n\r\n{deep}").into_bytes(),
        format!("{head}transfer-encoding: chunked\r\n\r\n{}", "10000\r\n".repeat(50_000))
            .into_bytes(),
        format!("GET /x HTTP/1.1\r\nhost: a\r\n{}", "x: y\r\n".repeat(100_000)).into_bytes(),
        "GET /x HTTP/1.1\r\nhost: a\r\n\r\n".repeat(2_000).into_bytes(),
    ]);
    attack(address, b"GET /x HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", true);
    let (memory, descriptors) = (server.status("VmHWM"), server.descriptors());
    for round in 0..ROUNDS {
        for bytes in &attacks {
            thread::scope(|scope| {
                for client in 0..CLIENTS {
                    // Every other client does not wait for its response.
                    let stays = (round + client) % 2 == 0 && !bytes.starts_with(b"GET");
                    scope.spawn(move || attack(address, bytes, stays));
                }
            });
        }
    }
    let grown = server.status("VmHWM") - memory;
    assert!(grown < MEMORY_KB, "{grown} kB more than at rest");
    // The server notices abandoned connections at once or after their timeouts.
    let connected = Instant::now();
    while server.descriptors() > descriptors {
        assert!(
            connected.elapsed() < PATIENCE,
            "{} descriptors, {descriptors} at rest",
            server.descriptors()
        );
        thread::sleep(Duration::from_millis(50));
    }
}
