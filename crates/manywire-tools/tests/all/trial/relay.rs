//! The relay over real connections: it delivers all bytes, and never too early. The unit tests of
//! the link check without a clock that bytes are not late.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use manywire_tools::trial::link::{Link, Relay, SEGMENT_BYTES, wire_bytes};

/// Starts a server that sends back each received byte, or `answer` bytes for each. Returns its
/// port.
fn echo(answer: usize) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.expect("a connection");
            connection.set_nodelay(true).expect("an option");
            thread::spawn(move || {
                let mut byte = [0];
                while connection.read_exact(&mut byte).is_ok() {
                    if connection.write_all(&vec![byte[0]; answer]).is_err() {
                        return;
                    }
                }
            });
        }
    });
    port
}

fn link(text: &str) -> Link {
    text.parse().expect("a link")
}

fn connect(relay: &Relay) -> TcpStream {
    let connection = TcpStream::connect((Ipv4Addr::LOCALHOST, relay.port())).expect("a relay");
    connection.set_nodelay(true).expect("an option");
    connection
}

/// Returns the time from sending a byte to receiving the whole response.
fn ask(connection: &mut TcpStream, answer: usize) -> Duration {
    let start = Instant::now();
    connection.write_all(b"x").expect("sent");
    let mut received = vec![0; answer];
    connection.read_exact(&mut received).expect("answered");
    assert!(received.iter().all(|&byte| byte == b'x'));
    start.elapsed()
}

#[test]
fn a_byte_takes_at_least_the_round_trip() {
    for text in ["1gbit/200us", "20mbit/50ms"] {
        let link = link(text);
        let relay = Relay::start(&link, echo(1)).expect("a relay");
        let mut connection = connect(&relay);
        for _ in 0..15 {
            let (took, least) = (ask(&mut connection, 1), link.time(1, 1));
            assert!(took >= least, "{text}: {took:?} is less than {least:?}");
        }
    }
}

#[test]
fn bytes_are_paced_and_stay_in_order() {
    let link = link("20mbit/10ms");
    let answer = 300_000;
    let relay = Relay::start(&link, echo(answer)).expect("a relay");
    let mut connection = connect(&relay);
    let start = Instant::now();
    connection.write_all(b"x").expect("sent");
    let (mut received, mut buffer) = (0, vec![0; 64 << 10]);
    while received < answer {
        let count = connection.read(&mut buffer).expect("more");
        assert!(count > 0 && buffer[..count].iter().all(|&byte| byte == b'x'));
        received += count;
        // A slow reader never receives more than the link permits.
        let whole_segments = received - received % SEGMENT_BYTES as usize;
        let (took, least) = (start.elapsed(), link.time(1, whole_segments as u64));
        assert!(took >= least.mul_f64(0.999), "{received} bytes after {took:?}, not {least:?}");
    }
    assert_eq!(received, answer);
    assert_eq!(wire_bytes(500_000), 500_000 + 346 * 52);
}

#[test]
fn connections_share_the_relay() {
    let link = link("20mbit/2ms");
    let answer = 100_000;
    let relay = Relay::start(&link, echo(answer)).expect("a relay");
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| ask(&mut connect(&relay), answer));
        }
    });
    let (took, least) = (start.elapsed(), link.time(1, 3 * answer as u64));
    assert!(took >= least.mul_f64(0.99), "{took:?} is less than {least:?}");
}

#[test]
fn closing_one_end_closes_the_other() {
    let relay = Relay::start(&link("100mbit/5ms"), echo(1)).expect("a relay");
    let mut connection = connect(&relay);
    ask(&mut connection, 1);
    connection.shutdown(std::net::Shutdown::Write).expect("half closed");
    let mut rest = Vec::new();
    connection.read_to_end(&mut rest).expect("the end");
    assert!(rest.is_empty());
    // No server listens on the port, so the relay accepts the connection and closes it.
    let nobody = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = nobody.local_addr().expect("an address").port();
    drop(nobody);
    let relay = Relay::start(&link("100mbit/5ms"), port).expect("a relay");
    let mut connection = connect(&relay);
    assert_eq!(connection.read(&mut [0; 8]).unwrap_or(0), 0);
}
