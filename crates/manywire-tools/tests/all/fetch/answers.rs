use manywire_codec::coding::Encoder;
use manywire_format::{Coding, CodingLevel};

use super::server::{Server, get, get_with, with};

#[test]
fn the_media_type_gives_the_form() {
    let server = Server::new(|lines| match lines[0].split(' ').nth(1) {
        Some("/plain.json") => with("200 OK", "Content-Type: text/plain\r\n", b"[1]"),
        Some("/nothing") => with("200 OK", "", b"[1]"),
        Some("/lines") => with("200 OK", "Content-Type: application/x-ndjson\r\n", b"1\n2\n"),
        Some("/hal") => with("200 OK", "Content-Type: application/hal+json;a=b\r\n", b"{}"),
        _ => with("200 OK", "Content-Type: application/cbor\r\n", b"\x81\x01"),
    });
    for (path, form, bytes) in [
        ("/cbor?page=2", Some("cbor"), &b"\x81\x01"[..]),
        ("/plain.json", Some("json"), b"[1]"),
        ("/nothing", None, b"[1]"),
        ("/lines", Some("ndjson"), b"1\n2\n"),
        ("/hal", Some("json"), b"{}"),
    ] {
        let content = get(&server.url(path)).unwrap();
        assert_eq!(content.form.map(|form| form.name()), form, "{path}");
        assert_eq!(content.bytes, bytes, "{path}");
    }
}

#[test]
fn the_query_is_sent_and_is_not_in_the_name() {
    let server = Server::new(|_| with("200 OK", "", b"[1]"));
    let content = get(&server.url("/a%20b?key=secret#part")).unwrap();
    assert_eq!(content.name, server.url("/a%20b"));
    assert_eq!(server.fields("get "), ["GET /a%20b?key=secret HTTP/1.1"]);
}

#[test]
fn the_request_accepts_every_form_that_is_read() {
    let server = Server::new(|_| with("200 OK", "", b"[1]"));
    get_with(&server.url("/"), &["X-Key: 7", "User-Agent: me"]).unwrap();
    assert_eq!(
        server.fields("accept:"),
        ["accept: application/json, text/json;q=0.9, application/cbor;q=0.9, */*;q=0.1"]
    );
    assert_eq!(server.fields("accept-encoding:"), ["accept-encoding: zstd, br, gzip"]);
    assert_eq!(server.fields("x-key:"), ["x-key: 7"]);
    assert_eq!(server.fields("user-agent:"), ["user-agent: me"], "what is given wins");
}

#[test]
fn content_codings_are_removed_in_reverse_order() {
    fn coded(codings: &[Coding]) -> Vec<u8> {
        codings.iter().fold(b"{\"a\":1}".to_vec(), |bytes, &coding| {
            let mut out = Vec::new();
            let encoder = Encoder::new(CodingLevel::from(coding));
            encoder.unwrap().encode(&bytes, &mut out).unwrap();
            out
        })
    }
    let server = Server::new(|lines| {
        let name = lines[0].split(['/', ' ']).nth(2).unwrap_or_default();
        let codings: Vec<Coding> = name.split('+').map(|name| name.parse().unwrap()).collect();
        let names = name.replace('+', ", ");
        with("200 OK", &format!("Content-Encoding: {names}\r\n"), &coded(&codings))
    });
    for path in ["/gzip", "/br", "/zstd", "/deflate", "/gzip+br"] {
        assert_eq!(get(&server.url(path)).unwrap().bytes, b"{\"a\":1}", "{path}");
    }
}

#[test]
fn chunked_bodies_are_joined() {
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n\
        2\r\n[1\r\n3;x=y\r\n,2]\r\n0\r\n\r\n";
    let server = Server::new(move |_| chunked.to_vec());
    assert_eq!(get(&server.url("/")).unwrap().bytes, b"[1,2]");
}
