use std::net::TcpListener;
use std::time::{Duration, Instant};

use manywire_codec::coding::Encoder;
use manywire_format::{Coding, CodingLevel};

use super::server::{LIMITS, Server, failure, failure_of_stall, with};

#[test]
fn a_status_is_named_with_the_first_line_of_its_body() {
    let server = Server::new(|lines| match lines[0].split([' ', '?']).nth(1) {
        Some("/401") => with("401 Unauthorized", "", b"\n\n  no token\x1b[31m  \nmore"),
        Some("/204") => b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".to_vec(),
        Some("/500") => with("500 Internal Server Error", "", &b"x".repeat(10_000)),
        Some("/304") => b"HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n".to_vec(),
        _ => with("404 Not Found", "Content-Encoding: gzip\r\n", b"not gzip"),
    });
    let prefix = |path: &str| server.url(path);
    assert_eq!(
        failure(&server.url("/401?key=secret")),
        format!(
            "{}: the server responded with 401 Unauthorized: no token·[31m\n\
             hint: --header 'Authorization: …' sends credentials",
            prefix("/401")
        )
    );
    let gone = format!("{}: the server responded with 404 Not Found", prefix("/gone"));
    assert_eq!(failure(&server.url("/gone")), gone);
    assert!(
        failure(&server.url("/204"))
            .ends_with("expected 200, found 204 No Content: this is not the whole content")
    );
    assert!(failure(&server.url("/304")).contains("304 Not Modified"));
    let long = failure(&server.url("/500"));
    assert!(long.ends_with('…') && long.len() < 400, "{long}");
}

#[test]
fn bodies_beyond_the_limits_are_refused() {
    let bomb = || {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(CodingLevel::from(Coding::Gzip)).unwrap();
        encoder.encode(&vec![b' '; 64 << 20], &mut out).unwrap();
        out
    };
    let bomb = bomb();
    assert!(bomb.len() < LIMITS.body_bytes);
    let server = Server::new(move |lines| match lines[0].split(' ').nth(1) {
        Some("/bomb") => with("200 OK", "Content-Encoding: gzip\r\n", &bomb),
        Some("/codings") => with("200 OK", "Content-Encoding: gzip, gzip, gzip\r\n", b""),
        Some("/unknown") => with("200 OK", "Content-Encoding: lzma\r\n", b""),
        // A declared length allocates no memory.
        Some("/claim") => b"HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000\r\n\r\n[".to_vec(),
        _ => with("200 OK", "", &vec![b' '; LIMITS.body_bytes + 1]),
    });
    let fails = |path: &str| failure(&server.url(path));
    assert!(fails("/").ends_with("more than 1 MiB: save it, and name the file"), "{}", fails("/"));
    assert!(fails("/bomb").contains("go beyond the limit of 1048576"), "{}", fails("/bomb"));
    assert!(fails("/codings").contains("content codings: 3"), "{}", fails("/codings"));
    assert!(fails("/unknown").contains("content coding \"lzma\""), "{}", fails("/unknown"));
    assert!(fails("/claim").contains("after 1 bytes"), "{}", fails("/claim"));
}

#[test]
fn a_server_that_stalls_or_ends_early_is_an_error_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let start = Instant::now();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let stalled = failure_of_stall(&url);
    assert!(stalled.contains("no data arrived for 300ms"), "{stalled}");
    assert!(start.elapsed() < Duration::from_secs(5));
    let cut = Server::new(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[1".to_vec());
    assert!(failure(&cut.url("/")).contains("after 2 bytes"), "{}", failure(&cut.url("/")));
    let garbage = Server::new(|_| b"SSH-2.0-OpenSSH\r\n\r\n".to_vec());
    assert!(failure(&garbage.url("/")).starts_with(&garbage.url("/")));
    let many = Server::new(|_| {
        let fields: String = (0..5_000).map(|n| format!("X-{n}: {n}{n}{n}{n}\r\n")).collect();
        with("200 OK", &fields, b"[1]")
    });
    failure(&many.url("/"));
}

#[test]
fn the_error_names_an_unreachable_server() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = failure(&format!("http://{closed}/"));
    assert!(refused.to_lowercase().contains("refused"), "{refused}");
    assert!(failure("http://").starts_with("http://: "), "{}", failure("http://"));
    assert!(failure("http://h:99999/?key=secret").starts_with("http://h:99999/: "));
    let unknown = failure("http://nowhere.invalid/");
    assert!(unknown.starts_with("http://nowhere.invalid/: "), "{unknown}");
}
