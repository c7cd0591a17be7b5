//! Attacks with handwritten HTTP/2 frames.

use std::net::SocketAddr;
use std::time::Duration;

use manywire::content::RawStream;
use manywire::{Api, Limits, get};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower::limit::ConcurrencyLimitLayer;

use super::server::{SHORT, closes, connect, impatient, serves_others, serving};
use crate::support::{PATIENCE, listening};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// Returns a setting (RFC 9113, section 6.5.2).
const INITIAL_WINDOW_SIZE: u16 = 4;

/// Returns a frame (RFC 9113, section 4.1).
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("small").to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend_from_slice(&[kind, flags]);
    frame.extend_from_slice(&stream.to_be_bytes());
    frame.extend_from_slice(payload);
    frame
}

/// The head of `GET /x` for the host `a`, with fields of HPACK's static table and two literals.
const GET: &[u8] = b"\x82\x86\x04\x02/x\x01\x01a";

pub(crate) fn preface() -> Vec<u8> {
    [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), frame(SETTINGS, 0, 0, &[])].concat()
}

/// Opens streams and resets them at once (CVE-2023-44487).
pub(crate) fn rapid_reset(streams: u32) -> Vec<u8> {
    let pair = |number: u32| {
        let stream = 2 * number + 1;
        let request = frame(HEADERS, END_STREAM | END_HEADERS, stream, GET);
        [request, frame(RST_STREAM, 0, stream, &8u32.to_be_bytes())].concat()
    };
    [preface(), (0..streams).flat_map(pair).collect()].concat()
}

async fn connected(address: SocketAddr) -> TcpStream {
    let mut stream = connect(address).await;
    stream.write_all(&preface()).await.expect("sent");
    stream
}

/// Sends a frame repeatedly until the server closes the connection.
async fn ends(address: SocketAddr, what: &str, mut frames: impl FnMut(u32) -> Vec<u8>, count: u32) {
    let mut stream = connected(address).await;
    let mut reader = connect(address).await;
    std::mem::swap(&mut stream, &mut reader);
    let (mut read, mut write) = reader.into_split();
    let reading = tokio::spawn(async move {
        let mut all = Vec::new();
        // The end of the connection matters, not the bytes that are read.
        let ended = tokio::io::AsyncReadExt::read_to_end(&mut read, &mut all);
        tokio::time::timeout(PATIENCE, ended).await.is_ok()
    });
    for number in 0..count {
        if write.write_all(&frames(number)).await.is_err() {
            break;
        }
    }
    assert!(reading.await.expect("no panic"), "{what}: still open");
    drop(stream);
    serves_others(address).await;
}

#[tokio::test]
async fn closes_the_connection_after_rapid_resets() {
    let address = serving(Limits::DEFAULT).await;
    let mut stream = connect(address).await;
    drop(stream.write_all(&rapid_reset(20_000)).await);
    closes(&mut stream).await;
    serves_others(address).await;
}

#[tokio::test]
async fn closes_the_connection_after_endless_continuation_frames() {
    let address = serving(Limits::DEFAULT).await;
    // Each fragment is a literal field, and the head never ends (CVE-2024-27316).
    let field = [&b"\x00\x01x\x7f\x81\x7f"[..], &[b'y'; 16_000]].concat();
    let pieces = |number: u32| match number {
        0 => frame(HEADERS, END_STREAM, 1, GET),
        _ => frame(CONTINUATION, 0, 1, &field),
    };
    ends(address, "CONTINUATION", pieces, 2_000).await;
}

#[tokio::test]
async fn closes_the_connection_after_invalid_frames() {
    let address = serving(Limits::DEFAULT).await;
    for (what, bytes) in [
        ("data of no stream", frame(DATA, 0, 0, b"x")),
        ("headers of an even stream", frame(HEADERS, END_STREAM | END_HEADERS, 2, GET)),
        ("a frame beyond the limit", frame(HEADERS, END_HEADERS, 1, &vec![0; 20_000])),
        ("a PING of seven bytes", frame(PING, 0, 0, &[0; 7])),
        (
            "HPACK beyond its table",
            frame(HEADERS, END_STREAM | END_HEADERS, 1, &[0xFF, 0x80, 0x7F]),
        ),
        ("a head within another", [frame(HEADERS, 0, 1, GET), frame(HEADERS, 0, 3, GET)].concat()),
    ] {
        let mut stream = connected(address).await;
        drop(stream.write_all(&bytes).await);
        let took = closes(&mut stream).await;
        assert!(took < PATIENCE / 2, "{what}: {took:?}");
    }
    serves_others(address).await;
}

#[tokio::test]
async fn answers_pings_and_settings_in_bounded_memory() {
    let address = serving(Limits::DEFAULT).await;
    for bytes in [frame(PING, 0, 0, &[0; 8]), frame(SETTINGS, 0, 0, &[])] {
        let mut stream = connected(address).await;
        // The responses are not read: the server may stop reading, or close.
        let flood = bytes.repeat(1_000);
        let sent = async {
            for _ in 0..200 {
                if stream.write_all(&flood).await.is_err() {
                    break;
                }
            }
        };
        drop(tokio::time::timeout(Duration::from_secs(2), sent).await);
        serves_others(address).await;
    }
}

#[tokio::test]
async fn closes_a_silent_connection() {
    let address = impatient().await;
    let mut stream = connected(address).await;
    let took = closes(&mut stream).await;
    assert!(took >= SHORT && took < PATIENCE / 2, "{took:?}");
}

/// Reads frames until one of type `kind`, and returns its stream and payload. Pings and settings
/// are acknowledged, so the connection is alive.
async fn frame_of(stream: &mut TcpStream, kind: u8) -> (u32, Vec<u8>) {
    let read = async {
        loop {
            let mut head = [0; 9];
            stream.read_exact(&mut head).await.expect("a frame");
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
            let mut payload = vec![0; length];
            stream.read_exact(&mut payload).await.expect("its payload");
            let number = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
            if head[3] == kind {
                return (number, payload);
            }
            assert!(head[3] != GOAWAY, "the connection ends");
            if head[3] == PING && head[4] & ACK == 0 {
                stream.write_all(&frame(PING, ACK, 0, &payload)).await.expect("sent");
            }
        }
    };
    tokio::time::timeout(PATIENCE, read).await.expect("a frame in time")
}

/// Returns the preface of a client with this initial window for each stream.
fn preface_with_window(bytes: u32) -> Vec<u8> {
    let window = [&INITIAL_WINDOW_SIZE.to_be_bytes()[..], &bytes.to_be_bytes()].concat();
    [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), frame(SETTINGS, 0, 0, &window)].concat()
}

/// Sends a request whose response does not fit the window, waits until the server resets its
/// stream, and returns the connection.
async fn stalled(address: SocketAddr, window: u32, request: &[u8]) -> TcpStream {
    let mut stream = connect(address).await;
    stream.write_all(&preface_with_window(window)).await.expect("sent");
    // The window of the connection is wide open, so each stream stalls by itself.
    let wide = frame(WINDOW_UPDATE, 0, 0, &(1_u32 << 30).to_be_bytes());
    stream.write_all(&wide).await.expect("sent");
    stream.write_all(&frame(HEADERS, END_STREAM | END_HEADERS, 1, request)).await.expect("sent");
    let connected = std::time::Instant::now();
    let (reset, reason) = frame_of(&mut stream, RST_STREAM).await;
    assert_eq!((reset, &*reason), (1, &8_u32.to_be_bytes()[..]), "CANCEL, by {window}");
    let took = connected.elapsed();
    assert!(took >= SHORT && took < PATIENCE / 2, "{window}: {took:?}");
    stream
}

#[tokio::test]
async fn resets_streams_that_the_client_does_not_read() {
    let address = impatient().await;
    let large = b"\x82\x86\x04\x06/large\x01\x01a";
    // The windows permit no data of a short response, a part of a frame, or a part of the response.
    for (window, request) in
        [(0, GET), (0, &large[..]), (1, large), (65_535, large), (1 << 20, large)]
    {
        let mut stream = stalled(address, window, request).await;
        // The connection stays open, and the next stream is read.
        let request = frame(HEADERS, END_STREAM | END_HEADERS, 3, GET);
        let let_come = frame(WINDOW_UPDATE, 0, 3, &64_u32.to_be_bytes());
        stream.write_all(&[request, let_come].concat()).await.expect("sent");
        assert_eq!(frame_of(&mut stream, DATA).await, (3, b"x".to_vec()), "{window}");
    }
    serves_others(address).await;
}

/// The protocol takes a chunk into its buffer once the window permits one byte of the chunk, also
/// if the chunk is the last one.
#[tokio::test]
async fn resets_streams_of_which_the_client_reads_one_byte() {
    let bytes = || RawStream::from_reader(std::io::Cursor::new(vec![b'x'; 3_000]));
    let stream = get("/stream").returns::<RawStream>().to(move || async move { bytes() });
    let sized = get("/sized").returns::<RawStream>();
    let sized = sized.to(move || async move { bytes().with_size_bytes(3_000) });
    let api = Api::new("Streams").limits(Limits::DEFAULT.with_body_idle_timeout(SHORT));
    let service = api.serve(stream).serve(sized).build().expect("a valid API");
    let layered = service.clone().layer(ConcurrencyLimitLayer::new(9));
    let layered = layered.bind("127.0.0.1:0").await.expect("a port");
    let addresses = [listening(service).await, layered.local_address()];
    tokio::spawn(layered.run());
    for address in addresses {
        for path in ["/stream", "/sized"] {
            let length = [u8::try_from(path.len()).expect("short")];
            let request = [&b"\x82\x86\x04"[..], &length, path.as_bytes(), b"\x01\x01a"].concat();
            stalled(address, 1, &request).await;
        }
    }
}

#[tokio::test]
async fn serves_a_slow_reader_completely() {
    let address = impatient().await;
    let stream = connect(address).await;
    let io = hyper_util::rt::TokioIo::new(stream);
    let executor = hyper_util::rt::TokioExecutor::new();
    let (mut sender, connection) = hyper::client::conn::http2::Builder::new(executor)
        .initial_stream_window_size(1 << 20)
        .handshake::<_, http_body_util::Empty<bytes::Bytes>>(io)
        .await
        .expect("HTTP/2");
    tokio::spawn(connection);
    let request = http::Request::get("http://a/large").body(http_body_util::Empty::new());
    let response = sender.send_request(request.expect("a request")).await.expect("an answer");
    let mut body = response.into_body();
    // Reading takes many times the stall timeout.
    let mut size_bytes = 0;
    let connected = std::time::Instant::now();
    let mut paused = 0;
    while let Some(frame) = http_body_util::BodyExt::frame(&mut body).await {
        size_bytes += frame.expect("more of it").data_ref().map_or(0, bytes::Bytes::len);
        if size_bytes >> 22 > paused {
            paused += 1;
            tokio::time::sleep(SHORT / 3).await;
        }
    }
    assert_eq!(size_bytes, 64 << 20);
    assert!(connected.elapsed() > SHORT * 4, "{:?}", connected.elapsed());
}
