//! What the relay lets through, and when, over real connections.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use manywire_trial::link::{Link, Relay, wire_bytes};

/// A server that sends what it is sent, or `answer` for each byte.
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

/// How long it takes until a byte is answered by so many.
fn ask(connection: &mut TcpStream, answer: usize) -> Duration {
    let start = Instant::now();
    connection.write_all(b"x").expect("sent");
    let mut received = vec![0; answer];
    connection.read_exact(&mut received).expect("answered");
    assert!(received.iter().all(|&byte| byte == b'x'));
    start.elapsed()
}

#[test]
fn a_byte_takes_the_round_trip_and_little_more() {
    for text in ["1gbit/200us", "20mbit/50ms"] {
        let link = link(text);
        let relay = Relay::start(&link, echo(1)).expect("a relay");
        let mut connection = connect(&relay);
        let mut times: Vec<Duration> = (0..15).map(|_| ask(&mut connection, 1)).collect();
        times.sort();
        let least = link.time(1, 1);
        assert!(times[0] >= least, "{text}: {:?} is less than {least:?}", times[0]);
        // Threads must be woken four times; a busy machine takes its time over that.
        let most = least + Duration::from_millis(3);
        assert!(times[2] <= most, "{text}: {:?} is more than {most:?}", times[2]);
    }
}

#[test]
fn bytes_go_at_the_bandwidth() {
    let link = link("20mbit/10ms");
    let answer = 500_000;
    let relay = Relay::start(&link, echo(answer)).expect("a relay");
    let took = ask(&mut connect(&relay), answer);
    let due = link.time(1, answer as u64);
    // 0.2 s of it, so that being late at both ends is within a few per cent.
    assert!(took >= due.mul_f64(0.995), "{took:?} is less than {due:?}");
    assert!(took <= due.mul_f64(1.15), "{took:?} is much more than {due:?}");
    assert_eq!(wire_bytes(answer as u64), 500_000 + 346 * 52);
}

#[test]
fn connections_share_the_line() {
    let link = link("20mbit/2ms");
    let answer = 200_000;
    let relay = Relay::start(&link, echo(answer)).expect("a relay");
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| ask(&mut connect(&relay), answer));
        }
    });
    let due = link.time(3, 3 * answer as u64);
    let took = start.elapsed();
    assert!(took >= due.mul_f64(0.99) && took <= due.mul_f64(1.25), "{took:?}, expected {due:?}");
}

#[test]
fn what_one_end_closes_the_other_sees_closed() {
    let relay = Relay::start(&link("100mbit/5ms"), echo(1)).expect("a relay");
    let mut connection = connect(&relay);
    ask(&mut connection, 1);
    connection.shutdown(std::net::Shutdown::Write).expect("half closed");
    let mut rest = Vec::new();
    connection.read_to_end(&mut rest).expect("the end");
    assert!(rest.is_empty());
    // Nobody listens there: the connection is taken, and closed.
    let nobody = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = nobody.local_addr().expect("an address").port();
    drop(nobody);
    let relay = Relay::start(&link("100mbit/5ms"), port).expect("a relay");
    let mut connection = connect(&relay);
    assert_eq!(connection.read(&mut [0; 8]).unwrap_or(0), 0);
}
