//! Bodies that are small only while they are compressed.

use std::net::SocketAddr;
use std::time::Instant;

use manywire::Limits;
use manywire_codec::coding::Encoder;
use manywire_format::{Coding, CodingLevel};

use super::server::{ServerOutput, connect, read, serves_others, serving};
use crate::support::PATIENCE;
use tokio::io::AsyncWriteExt;

/// Returns the content of a bomb.
const BYTES: usize = 64 << 20;

pub(crate) const CODINGS: [Coding; 3] = [Coding::Gzip, Coding::Zstd, Coding::Brotli];

pub(crate) fn coded(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let encoder = Encoder::new(CodingLevel::from(coding));
    encoder.expect("compiled in").encode(bytes, &mut out).expect("it fits");
    out
}

/// Returns 64 MB of spaces.
pub(crate) fn bomb(coding: Coding) -> Vec<u8> {
    coded(coding, &vec![b' '; BYTES])
}

pub(crate) fn request(codings: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /tree HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-encoding: {codings}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

async fn post(address: SocketAddr, codings: &str, body: &[u8]) -> ServerOutput {
    let mut stream = connect(address).await;
    drop(stream.write_all(&request(codings, body)).await);
    read(&mut stream, PATIENCE).await
}

#[tokio::test]
async fn responds_413_to_decompression_bombs_quickly() {
    let address = serving(Limits::DEFAULT).await;
    for coding in CODINGS {
        let body = bomb(coding);
        assert!(body.len() < BYTES / 500, "{coding}: {} bytes", body.len());
        let connected = Instant::now();
        let received = post(address, coding.name(), &body).await;
        assert_eq!(received.statuses(), ["413"], "{coding}: {received:?}");
        assert!(connected.elapsed() < PATIENCE / 4, "{coding}: {:?}", connected.elapsed());
    }
    serves_others(address).await;
}

#[tokio::test]
async fn refuses_nested_bombs_and_more_than_two_codings() {
    let address = serving(Limits::DEFAULT).await;
    let twice = coded(Coding::Gzip, &bomb(Coding::Gzip));
    let received = post(address, "gzip, gzip", &twice).await;
    assert_eq!(received.statuses(), ["413"], "{received:?}");
    let received = post(address, "gzip, gzip, gzip", &coded(Coding::Gzip, &twice)).await;
    assert_eq!(received.statuses(), ["415"], "{received:?}");
}

#[tokio::test]
async fn responds_400_to_invalid_codings() {
    let address = serving(Limits::DEFAULT).await;
    for coding in CODINGS {
        let whole = coded(coding, br#"{"children":[]}"#);
        let received = post(address, coding.name(), &whole).await;
        assert_eq!(received.statuses(), ["200"], "{coding}: {received:?}");
        let cut = &whole[..whole.len() - 2];
        let behind = [&whole[..], b"x"].concat();
        let mut flipped = whole.clone();
        flipped[0] ^= 0xFF;
        for broken in [cut, &behind, &flipped, b"", b"{\"children\":[]}"] {
            let received = post(address, coding.name(), broken).await;
            assert_eq!(received.statuses(), ["400"], "{coding} {broken:02x?}: {received:?}");
        }
    }
}
