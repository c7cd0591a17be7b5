use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use manywire_format::Form;
use manywire_tools::fetch::{Content, FetchError, Header, Limits, Request, fetch};

/// A function from the lines of a request head to all bytes of the response.
pub(crate) type Say = dyn Fn(&[String]) -> Vec<u8> + Send + Sync;

/// A server on a separate port that handles one request for each connection and runs until the test
/// ends.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// The lines of every request so far.
    pub(crate) requests: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Server {
    pub(crate) fn new(say: impl Fn(&[String]) -> Vec<u8> + Send + Sync + 'static) -> Server {
        Server::through(say, |stream| stream)
    }

    /// Starts a server that wraps its connections, for example in TLS.
    pub(crate) fn through<S: Read + Write>(
        say: impl Fn(&[String]) -> Vec<u8> + Send + Sync + 'static,
        wrap: impl Fn(std::net::TcpStream) -> S + Send + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client may disconnect early, so errors are ignored.
                drop(answer(wrap(stream), &say, &seen));
            }
        });
        Server { address, requests }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the fields of the last request that start with `name`.
    pub(crate) fn fields(&self, name: &str) -> Vec<String> {
        let requests = self.requests.lock().expect("no test has panicked");
        let last = requests.last().expect("a request");
        last.iter().filter(|line| line.to_lowercase().starts_with(name)).cloned().collect()
    }
}

fn answer(stream: impl Read + Write, say: &Say, seen: &Mutex<Vec<Vec<String>>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let bytes = say(&lines);
    seen.lock().expect("no test has panicked").push(lines);
    let stream = reader.get_mut();
    stream.write_all(&bytes)?;
    stream.flush()
}

/// Returns a response with these fields and this body.
pub(crate) fn with(status: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\n{fields}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

pub(crate) const LIMITS: Limits = Limits {
    redirects: 3,
    connect: Duration::from_secs(5),
    idle: Duration::from_secs(20),
    total: Duration::from_secs(20),
    body_bytes: 1 << 20,
    decoded_bytes: 1 << 20,
};

pub(crate) fn get(url: &str) -> Result<Content, FetchError> {
    get_with(url, &[])
}

pub(crate) fn get_with(url: &str, headers: &[&str]) -> Result<Content, FetchError> {
    get_within(LIMITS, url, headers)
}

fn get_within(limits: Limits, url: &str, headers: &[&str]) -> Result<Content, FetchError> {
    let accept: Vec<Form> = ["json", "cbor"].map(|name| name.parse().expect("a form")).to_vec();
    let headers: Vec<Header> =
        headers.iter().map(|header| header.parse().expect("a header field")).collect();
    fetch(&Request { url, accept: &accept, headers: &headers, limits })
}

/// Returns the error text of a request that must fail.
pub(crate) fn failure(url: &str) -> String {
    get(url).expect_err("a failure").to_string()
}

/// Returns the error text of a request to a server that stalls.
pub(crate) fn failure_of_stall(url: &str) -> String {
    let impatient = Limits { idle: Duration::from_millis(300), ..LIMITS };
    get_within(impatient, url, &[]).expect_err("a failure").to_string()
}
