//! Streams in a user's own formats: in both directions, at both ends, over sockets.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use manywire::content::Items;
use manywire::content::own::{Boundaries, Limits};
use manywire::input::Body;
use manywire::{
    Api, CallError, Endpoint, Format, FormatError, OwnFormat, Problem, Sequence, Service, post,
};
use serde::Serialize;
use serde::de::DeserializeSeed;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower::ServiceExt;

use super::formats::{POSTCARD, Postcard, Yaml};
use super::service::{Hotel, hotel};
use crate::support::{client, listening};

/// Netstrings: a length in decimal digits, a colon, JSON, and a comma. They follow each other
/// without a delimiter, and each byte is scanned once, however the chunks arrive.
struct Netstrings;

#[derive(Default)]
struct Scan {
    at: usize,
    length: usize,
}

impl Boundaries for Scan {
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, FormatError> {
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'0'..=b'9' if self.at < 9 => {
                    self.length = self.length * 10 + usize::from(byte - b'0');
                }
                b':' => return Ok(Some(self.at + 1 + self.length + 1)),
                _ => return Err(FormatError::new("expected digits and a colon").at_byte(self.at)),
            }
            self.at += 1;
        }
        Ok(None)
    }
}

impl OwnFormat for Netstrings {
    fn name(&self) -> &'static str {
        "netstrings"
    }

    fn media_types(&self) -> &'static [&'static str] {
        &["application/x-netstring"]
    }

    fn sequence(&self) -> Option<Sequence> {
        Some(Sequence::concatenated(|| Box::new(Scan::default())))
    }

    fn encode<T: Serialize + ?Sized>(
        &self,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<(), FormatError> {
        let text = serde_json::to_string(value)?;
        out.extend_from_slice(format!("{}:{text},", text.len()).as_bytes());
        Ok(())
    }

    fn decode<'de, S: DeserializeSeed<'de>>(
        &self,
        seed: S,
        bytes: &'de [u8],
        _limits: Limits,
    ) -> Result<S::Value, FormatError> {
        let expected = || FormatError::new("expected a netstring");
        let colon = bytes.iter().position(|byte| *byte == b':').ok_or_else(expected)?;
        let text = bytes.strip_suffix(b",").ok_or_else(expected)?;
        let text = text.get(colon + 1..).ok_or_else(expected)?;
        Ok(seed.deserialize(&mut serde_json::Deserializer::from_slice(text))?)
    }
}

/// Values with a zero byte between them. Each is a text that may contain one.
static ZEROES: Postcard = Postcard {
    name: "zeroes",
    media_types: &["x/zeroes"],
    sequence: Some(Sequence::separated_by(b"\0")),
};

fn next() -> Endpoint<(Body<Items<Hotel>>,), Items<Hotel>> {
    post("/next").body::<Items<Hotel>>().returns::<Items<Hotel>>()
}

fn texts() -> Endpoint<(Body<Items<String>>,), Items<String>> {
    post("/texts").body::<Items<String>>().returns::<Items<String>>()
}

fn count() -> Endpoint<(Body<Items<Hotel>>,), u64> {
    post("/count").body::<Items<Hotel>>().returns::<u64>()
}

fn service() -> Service {
    Api::new("Streams")
        .formats((Format::Json, &Yaml, &POSTCARD, &Netstrings, &ZEROES))
        .serve(next().to(|hotels| async move { hotels }))
        .serve(texts().to(|texts| async move { texts }))
        .serve(count().to(|mut hotels: Items<Hotel>| async move {
            let mut count = 0;
            while let Some(hotel) = hotels.next().await {
                drop(hotel?);
                count += 1;
            }
            Ok::<u64, Problem>(count)
        }))
        .build()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Posts without a socket, and returns the status and the body.
async fn posted(path: &str, content_type: &str, accept: &str, body: &[u8]) -> (u16, String) {
    let request = http::Request::post(path)
        .header("content-type", content_type)
        .header("accept", accept)
        .body(Full::new(Bytes::copy_from_slice(body)))
        .expect("a request");
    let response = service().oneshot(request).await.expect("infallible");
    let status = response.status().as_u16();
    let body = match response.into_body().collect().await {
        Ok(body) => String::from_utf8_lossy(&body.to_bytes()).into_owned(),
        Err(error) => error.to_string(),
    };
    (status, body)
}

#[tokio::test]
async fn client_streams_in_each_format() {
    let address = listening(service()).await;
    for (client, content_type) in [
        (client(address).formats([&Yaml]), "application/yaml"),
        (client(address).formats([&POSTCARD]), "application/x-postcard-seq"),
        (client(address).formats([&Netstrings]), "application/x-netstring"),
        (client(address).formats((&Netstrings, Format::Json)), "application/x-netstring"),
    ] {
        for length in [0, 1, 100] {
            let hotels = Items::from_values((0..length).map(hotel));
            let answer = client.fetch(&next(), hotels).await.expect("an answer");
            let found = answer.header::<String>("content-type").expect("a field");
            assert_eq!(found, content_type);
            let mut items = answer.into_value();
            for id in 0..length {
                let item = items.next().await.expect("one more").expect("a hotel");
                assert_eq!(item, hotel(id), "{content_type}");
            }
            assert!(items.next().await.is_none());
            let hotels = Items::from_values((0..length).map(hotel));
            assert_eq!(client.call(&count(), hotels).await.expect("a count"), length);
        }
    }
}

#[tokio::test]
async fn client_falls_back_to_an_own_format() {
    let count = count().formats([&Yaml]);
    let route = count.clone().to(|mut hotels: Items<Hotel>| async move {
        hotels.next().await.transpose().map(|hotel| u64::from(hotel.is_some()))
    });
    let address = listening(Api::new("Yaml").serve(route).build().expect("a valid API")).await;
    let client = client(address).formats((Format::Cbor, &POSTCARD, &Yaml));
    let again = || Items::repeatable(|| Items::from_values([hotel(1)]));
    let any = post("/count").body::<Items<Hotel>>().returns::<u64>();
    assert_eq!(client.call(&any, again()).await.expect("a count"), 1);
    assert_eq!(client.learned(), Some((&Yaml).into()));
    // A stream that can be sent only once is sent in the learned format.
    let once = Items::from_values([hotel(1)]);
    assert_eq!(client.call(&any, once).await.expect("a count"), 1);
}

#[tokio::test]
async fn frames_values_as_the_sequence_does() {
    let (status, body) =
        posted("/texts", "application/yaml", "application/yaml", b"a\n...\nb").await;
    assert_eq!((status, &*body), (200, "a\n\n...\nb\n\n...\n"));
    let (_, body) =
        posted("/texts", "application/yaml", "application/x-netstring", b"\n...\n a\n\n...\n \n")
            .await;
    assert_eq!(body, "3:\"a\",");
    let (_, body) =
        posted("/texts", "application/x-netstring", "x/zeroes", b"3:\"a\",4:\"bc\",").await;
    assert_eq!(body, "\x01a\0\x02bc");
    let (_, body) =
        posted("/texts", "x/zeroes", "application/x-postcard-seq", b"\x01a\0\x02bc").await;
    assert_eq!(body, "\x02\x01a\x03\x02bc");
    // The same format, requested with quality values.
    let accept = "application/x-ndjson;q=0.5, application/x-netstring";
    let (_, body) = posted("/texts", "application/x-ndjson", accept, b"\"a\"").await;
    assert_eq!(body, "3:\"a\",");
}

#[tokio::test]
async fn truncates_at_a_value_that_contains_the_delimiter() {
    let (_, body) =
        posted("/texts", "application/json", "x/zeroes", b"[\"a\", \"b\\u0000c\"]").await;
    assert_eq!(body, "the stream failed");
}

#[tokio::test]
async fn reports_the_index_and_location_of_a_faulty_value() {
    let json = "application/json";
    let (status, body) = posted("/count", "application/x-netstring", json, b"2:{},x").await;
    assert_eq!(status, 422, "{body}");
    assert!(body.contains("\"path\":\"$[0]\""), "{body}");
    let one = serde_json::to_string(&hotel(0)).expect("JSON");
    let one = format!("{}:{one},", one.len());
    let (status, body) =
        posted("/count", "application/x-netstring", json, format!("{one}x").as_bytes()).await;
    assert_eq!(status, 400, "{body}");
    let offset = format!("\"offset\":{}", one.len());
    assert!(body.contains(&offset) && body.contains("expected digits and a colon"), "{body}");
    for cut in [1, 5, one.len() - 1] {
        let (status, body) =
            posted("/count", "application/x-netstring", json, &one.as_bytes()[..cut]).await;
        assert_eq!(
            (status, body.contains("the stream ends within a value")),
            (400, true),
            "{body}"
        );
    }
    let yaml = "id: 1\n...\nid: 2\n";
    let (status, body) = posted("/count", "application/yaml", json, yaml.as_bytes()).await;
    assert_eq!(status, 422, "{body}");
    let (status, body) = posted("/count", "application/yaml;charset=utf-16", json, b"a").await;
    assert_eq!(status, 415, "{body}");
    // A body in the media type of a single value is not a stream if the sequence has its own media
    // type.
    let (status, body) = posted("/count", "application/x-postcard;v=1", json, b"").await;
    assert_eq!(status, 415);
    assert!(body.contains("application/yaml, application/x-postcard-seq"), "{body}");
}

#[tokio::test]
async fn sends_each_value_before_the_next_is_ready() {
    let address = listening(service()).await;
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head = "POST /texts HTTP/1.1\r\nhost: a\r\ncontent-type: application/yaml\r\n\
                accept: application/x-netstring\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut received = Vec::new();
    for text in ["first", "second"] {
        for byte in format!("{text}\n...\n").bytes() {
            stream.write_all(&[b'1', b'\r', b'\n', byte, b'\r', b'\n']).await.expect("sent");
        }
        let expected = format!("{}:\"{text}\",", text.len() + 2);
        while !String::from_utf8_lossy(&received).contains(&expected) {
            let mut piece = [0; 1024];
            let read = stream.read(&mut piece).await.expect("read");
            assert!(read > 0, "{}", String::from_utf8_lossy(&received));
            received.extend_from_slice(&piece[..read]);
        }
    }
}

#[tokio::test]
async fn refuses_a_value_beyond_the_limit_early() {
    let claim = "99999999:";
    let (status, body) =
        posted("/count", "application/x-netstring", "application/json", claim.as_bytes()).await;
    assert_eq!(status, 400, "{body}");
    let large = format!("{claim}{}", "x".repeat(3 << 20));
    let (status, body) =
        posted("/count", "application/x-netstring", "application/json", large.as_bytes()).await;
    assert_eq!(status, 413, "{body}");
}

#[tokio::test]
async fn reports_a_client_format_without_a_sequence() {
    static SINGLE: Postcard =
        Postcard { name: "single", media_types: &["x/single"], sequence: None };
    let client = client(listening(service()).await).formats([&SINGLE]);
    let error = client.call(&count(), Items::from_values([hotel(1)])).await.expect_err("no stream");
    assert!(matches!(error, CallError::Body(_)), "{error}");
    assert!(error.to_string().contains("single has no streams"), "{error}");
}
