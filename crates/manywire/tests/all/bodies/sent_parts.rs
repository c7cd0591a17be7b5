//! Forms of parts that a client builds.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use manywire::content::{File, FileStream, Multipart};
use manywire::{
    Api, CallError, Endpoint, Format, Limits, Problem, Shaped, input::Body, post as endpoint,
};
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;

use crate::support::{client, listening};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u32,
    name: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
enum Board {
    None,
    Meals(u8),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Upload {
    title: String,
    stars: Option<u8>,
    score: f64,
    board: Board,
    hotel: Hotel,
    near: Option<Hotel>,
    others: Vec<Hotel>,
    tags: Vec<u16>,
    #[serde(default)]
    extras: Vec<String>,
    place: (f32, f32),
    photo: Option<File>,
    photos: Vec<File>,
}

fn hotel(id: u32) -> Hotel {
    Hotel { id, name: format!("Hôtel \"{id}\"\r\n--edge") }
}

fn file(name: &str, content_type: &str, content: &'static [u8]) -> File {
    let content = Bytes::from_static(content);
    File { name: Some(name.to_owned()), content_type: Some(content_type.to_owned()), content }
}

fn complete_upload() -> Upload {
    Upload {
        title: "Größe & mehr\r\n".to_owned(),
        stars: Some(5),
        score: -0.5,
        board: Board::Meals(2),
        hotel: hotel(1),
        near: Some(hotel(2)),
        others: vec![hotel(3), hotel(4)],
        tags: vec![7, 8],
        extras: vec!["a".to_owned(), String::new()],
        place: (48.5, 2.25),
        photo: Some(file("a b.png", "image/png", b"\xFF\x00\r\n--\xFE")),
        photos: vec![file("x.json", "application/json", b"[1]"), file("y", "text/plain", b"")],
    }
}

fn minimal_upload() -> Upload {
    Upload {
        stars: None,
        board: Board::None,
        near: None,
        others: Vec::new(),
        tags: Vec::new(),
        extras: Vec::new(),
        photo: None,
        photos: Vec::new(),
        ..complete_upload()
    }
}

const FORMATS: [Format; 5] =
    [Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf, Format::Avro];

fn upload() -> Endpoint<(Body<Multipart<Upload>>,), String> {
    endpoint("/").body::<Multipart<Upload>>().returns::<String>().formats(FORMATS)
}

#[tokio::test]
async fn round_trips_a_record_in_every_format() {
    let served =
        upload().to(|form| async move { Ok::<_, Problem>(format!("{:?}", form.read().await?)) });
    let address = listening(Api::new("Parts").serve(served).build().expect("valid")).await;
    let one = Upload {
        others: vec![hotel(9)],
        tags: vec![1],
        photos: vec![file("z", "application/cbor", b"\x01")],
        ..complete_upload()
    };
    for format in FORMATS {
        let client = client(address).formats([format]);
        for record in [complete_upload(), one.clone(), minimal_upload()] {
            let said = client.call(&upload(), Multipart::of(record.clone())).await;
            let said = said.unwrap_or_else(|error| panic!("{format}: {error}"));
            assert_eq!(said, format!("{record:?}"), "{format}");
        }
    }
}

#[tokio::test]
async fn builds_a_form_part_by_part() {
    let served =
        upload().to(|form| async move { Ok::<_, Problem>(format!("{:?}", form.read().await?)) });
    let address = listening(Api::new("Parts").serve(served).build().expect("valid")).await;
    let Upload { title, score, board, place, .. } = complete_upload();
    let form = Multipart::<Upload>::new()
        .with_text("title", title)
        .with_text("score", score.to_string())
        .with_value("board", board)
        .with_value("place", place)
        .with_value("hotel", hotel(1))
        .with_value("others", Vec::<Hotel>::new())
        .with_text("tags", "7")
        .with_text("tags", "8")
        .with_file("photo", File { content: Bytes::from_static(b"x"), ..File::default() })
        .with_stream("photos", FileStream::from_reader(&b"streamed"[..]).with_name("s.txt"));
    let said = client(address).formats([Format::Cbor]).call(&upload(), form).await.expect("taken");
    let octets = "application/octet-stream";
    let expected = Upload {
        photo: Some(file("blob", octets, b"x")),
        photos: vec![file("s.txt", octets, b"streamed")],
        board: Board::Meals(2),
        tags: vec![7, 8],
        ..Upload { title: complete_upload().title, ..minimal_upload() }
    };
    let expected = Upload { stars: None, ..expected };
    assert_eq!(said, format!("{expected:?}"));
}

#[derive(Deserialize, Shaped)]
struct Parts {}

/// Responds with a list of the received parts and their sizes.
fn listed() -> Endpoint<(Body<Multipart<Parts>>,), Vec<String>> {
    endpoint("/").body::<Multipart<Parts>>().returns::<Vec<String>>()
}

async fn listing() -> manywire::Client {
    let served = listed().to(|mut form| async move {
        let mut all = Vec::new();
        while let Some(part) = form.next().await {
            let mut part = part?;
            let name = format!("{:?} {:?}", part.name(), part.file_name());
            let mut size = 0;
            while let Some(piece) = part.chunk().await {
                size += piece?.len();
            }
            all.push(format!("{name} {size}"));
        }
        Ok::<_, Problem>(all)
    });
    let limits = Limits::DEFAULT.with_body_bytes(1 << 30).with_multipart_bytes(1 << 30);
    let api = Api::new("Parts").limits(limits).serve(served);
    client(listening(api.build().expect("a valid API")).await)
}

#[tokio::test]
async fn streams_files() {
    let client = listing().await;
    let size = 40 << 20;
    let form = Multipart::new()
        .with_stream("a", FileStream::from_reader(tokio::io::repeat(b'-').take(size)))
        .with_text("b", "between")
        .with_stream("c", FileStream::from_reader(tokio::io::empty()).with_name("none"));
    let received = client.call(&listed(), form).await.expect("taken");
    let expected = [
        format!("\"a\" Some(\"blob\") {size}"),
        "\"b\" None 7".to_owned(),
        "\"c\" Some(\"none\") 0".to_owned(),
    ];
    assert_eq!(received, expected);
}

struct BreakingStream(u8);

impl Stream for BreakingStream {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0 += 1;
        Poll::Ready(Some(match self.0 {
            1 => Ok(Bytes::from_static(b"some")),
            _ => Err(io::Error::other("the disk is gone")),
        }))
    }
}

#[tokio::test]
async fn aborts_the_request_if_a_file_cannot_be_read() {
    let client = listing().await;
    let form = Multipart::new().with_stream("a", FileStream::new(BreakingStream(0)));
    let error = client.call(&listed(), form).await.expect_err("a truncated file is an error");
    assert!(matches!(error, CallError::Connection(_) | CallError::Problem(_)), "{error:?}");
}

#[tokio::test]
async fn part_headers_cannot_be_injected() {
    let client = listing().await;
    let name = "a\"; other=\"b\r\nX-Evil: 1\r\n\r\n";
    let form = Multipart::new().with_text(name, "x").with_text("ü", "y");
    let received = client.call(&listed(), form).await.expect("taken");
    assert_eq!(received.len(), 2, "{received:?}");
    // The name arrives unchanged, regardless of its encoding on the wire.
    assert_eq!(received[0], format!("{name:?} None 1"));
    assert_eq!(received[1], "\"ü\" None 1");
    for content_type in ["image/png\r\nX-Evil: 1", "png", ""] {
        let form = Multipart::new().with_file("a", file("a", content_type, b""));
        let error = client.call(&listed(), form).await.expect_err("no media type");
        assert!(matches!(&error, CallError::Body(_)), "{error:?}");
        assert!(error.to_string().contains("the part \"a\""), "{error}");
    }
}
