//! Bodies that are small only as long as they are coded.

use std::net::SocketAddr;
use std::time::Instant;

use manywire::Limits;
use manywire_codec::coding::Encoder;
use manywire_format::{Coding, CodingLevel};

use super::server::{Came, PATIENCE, connect, read, serves_others, serving};
use tokio::io::AsyncWriteExt;

/// What a bomb holds.
const BYTES: usize = 64 << 20;

pub(crate) const CODINGS: [Coding; 3] = [Coding::Gzip, Coding::Zstd, Coding::Brotli];

pub(crate) fn coded(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let encoder = Encoder::new(CodingLevel::from(coding));
    encoder.expect("compiled in").encode(bytes, &mut out).expect("it fits");
    out
}

/// Sixty-four megabytes of blanks.
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

async fn post(address: SocketAddr, codings: &str, body: &[u8]) -> Came {
    let mut stream = connect(address).await;
    drop(stream.write_all(&request(codings, body)).await);
    read(&mut stream, PATIENCE).await
}

#[tokio::test]
async fn bombs_are_413_in_no_time() {
    let address = serving(Limits::DEFAULT).await;
    for coding in CODINGS {
        let body = bomb(coding);
        assert!(body.len() < BYTES / 500, "{coding}: {} bytes", body.len());
        let begun = Instant::now();
        let came = post(address, coding.name(), &body).await;
        assert_eq!(came.statuses(), ["413"], "{coding}: {came:?}");
        assert!(begun.elapsed() < PATIENCE / 4, "{coding}: {:?}", begun.elapsed());
    }
    serves_others(address).await;
}

#[tokio::test]
async fn a_bomb_in_a_bomb_is_refused_and_so_are_more_codings() {
    let address = serving(Limits::DEFAULT).await;
    let twice = coded(Coding::Gzip, &bomb(Coding::Gzip));
    let came = post(address, "gzip, gzip", &twice).await;
    assert_eq!(came.statuses(), ["413"], "{came:?}");
    let came = post(address, "gzip, gzip, gzip", &coded(Coding::Gzip, &twice)).await;
    assert_eq!(came.statuses(), ["415"], "{came:?}");
}

#[tokio::test]
async fn broken_codings_are_400() {
    let address = serving(Limits::DEFAULT).await;
    for coding in CODINGS {
        let whole = coded(coding, br#"{"children":[]}"#);
        let came = post(address, coding.name(), &whole).await;
        assert_eq!(came.statuses(), ["200"], "{coding}: {came:?}");
        let cut = &whole[..whole.len() - 2];
        let behind = [&whole[..], b"x"].concat();
        let mut flipped = whole.clone();
        flipped[0] ^= 0xFF;
        for broken in [cut, &behind, &flipped, b"", b"{\"children\":[]}"] {
            let came = post(address, coding.name(), broken).await;
            assert_eq!(came.statuses(), ["400"], "{coding} {broken:02x?}: {came:?}");
        }
    }
}
