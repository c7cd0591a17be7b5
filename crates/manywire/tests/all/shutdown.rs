//! The shutdown of a server in a separate process: a request that was written before the signal is
//! answered, whether the server had accepted its connection or not.
//!
//! `MANYWIRE_TRIALS=100 cargo test -p manywire --test manywire_all -- shutdown --nocapture` prints
//! the losses of a hundred trials of each kind.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use manywire::content::Text;
use manywire::{Api, get};

/// Set in the process that serves.
const SERVES: &str = "MANYWIRE_TEST_SERVES";

/// A timeout longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The number of requests of one trial.
const REQUESTS: usize = 200;

/// The server of the other tests. Without their variable, there is nothing to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serves_until_a_signal() {
    if std::env::var_os(SERVES).is_none() {
        return;
    }
    let name = get("/{name}").path::<String>().returns::<Text>();
    let service = Api::new("Names").serve(name.to(|name| async move { name })).build();
    let server = service.expect("a valid API").bind("127.0.0.1:0").await.expect("a port");
    println!("listening on {}", server.local_address());
    server.run().await.expect("every request is answered in time");
}

/// A server, and a shell that signals it as soon as it reads a line: starting a program takes longer
/// than the server needs for the requests.
struct Server {
    process: Child,
    address: SocketAddr,
    shell: Child,
    signal: ChildStdin,
}

impl Server {
    fn start(signal: &str) -> Server {
        let program = std::env::current_exe().expect("this program");
        let mut process = Command::new(program)
            .args(["shutdown::serves_until_a_signal", "--exact", "--nocapture"])
            .env(SERVES, "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let address = lines.by_ref().find_map(|line| {
            let line = line.expect("text");
            let (_, address) = line.split_once("listening on ")?;
            Some(address.parse().expect("an address"))
        });
        // The pipe stays open: the test harness writes to it at the end.
        std::thread::spawn(move || lines.for_each(drop));
        let mut shell = Command::new("sh")
            .args(["-c", &format!("echo; read -r line; kill -{signal} {}", process.id())])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        // The shell runs once it has printed a line.
        shell.stdout.take().expect("its output").read_exact(&mut [0]).expect("a line");
        let pipe = shell.stdin.take().expect("its input");
        Server { process, address: address.expect("an address"), shell, signal: pipe }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// Signals the server, and returns the number of connections without a whole response.
    fn stop(mut self, connections: Vec<TcpStream>) -> usize {
        self.signal.write_all(b"\n").expect("the shell reads");
        let mut lost = 0;
        for mut stream in connections {
            let mut text = Vec::new();
            let ended = stream.read_to_end(&mut text);
            let is_whole = text.starts_with(b"HTTP/1.1 200") && text.ends_with(b"\r\n\r\nlast");
            lost += usize::from(ended.is_err() || !is_whole);
        }
        assert!(self.shell.wait().expect("the shell ends").success(), "the signal was sent");
        let status = self.process.wait().expect("the server ends");
        assert!(status.success(), "{status}");
        lost
    }
}

fn request(stream: &mut TcpStream, name: &str) {
    let request = format!("GET /{name} HTTP/1.1\r\nhost: a\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
}

/// Runs the trials with both signals, and returns the losses of each.
fn trials(connect: impl Fn(&Server) -> Vec<TcpStream>) -> Vec<usize> {
    let trials = std::env::var("MANYWIRE_TRIALS").ok().and_then(|text| text.parse().ok());
    let signals = ["TERM", "INT"].into_iter().cycle();
    let trials = signals.take(trials.unwrap_or(4)).map(|signal| {
        let server = Server::start(signal);
        let mut connections = connect(&server);
        for stream in &mut connections {
            request(stream, "last");
        }
        server.stop(connections)
    });
    let lost: Vec<usize> = trials.collect();
    let worst = lost.iter().max().copied().unwrap_or_default();
    let (count, all) = (lost.len(), lost.iter().sum::<usize>());
    println!("{count} trials of {REQUESTS} requests: {all} lost, {worst} in the worst trial");
    lost
}

#[test]
fn answers_requests_of_new_connections_written_before_a_signal() {
    let lost = trials(|server| (0..REQUESTS).map(|_| server.connect()).collect());
    assert!(lost.iter().all(|lost| *lost == 0), "{lost:?}");
}

#[test]
fn answers_requests_of_idle_connections_written_before_a_signal() {
    let lost = trials(|server| {
        let mut connections: Vec<TcpStream> = (0..REQUESTS).map(|_| server.connect()).collect();
        for stream in &mut connections {
            request(stream, "first");
            let mut text = Vec::new();
            while !text.ends_with(b"\r\n\r\nfirst") {
                let mut chunk = [0; 1_024];
                let count = stream.read(&mut chunk).expect("a response");
                assert!(count > 0, "the connection closed");
                text.extend_from_slice(&chunk[..count]);
            }
        }
        connections
    });
    assert!(lost.iter().all(|lost| *lost == 0), "{lost:?}");
}
