//! Entity tags and 304, over sockets.

use std::net::SocketAddr;

use manywire::content::Items;
use manywire::{Api, EntityTags, Format, HeaderValue, Reply, Shaped, get, header, post};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::listening;

#[derive(Serialize, Deserialize, Shaped)]
struct Page {
    text: String,
}

async fn serve(tags: EntityTags) -> SocketAddr {
    let page = || Page { text: "many words ".repeat(500) };
    let tagged = get("/tagged").returns::<Page>().to(move || async move {
        Reply::new(page())
            .with_header(header::ETAG, HeaderValue::from_static("\"a,b\""))
            .with_header(header::CACHE_CONTROL, HeaderValue::from_static("max-age=60"))
            .with_header(header::CONTENT_LANGUAGE, HeaderValue::from_static("en"))
    });
    let service = Api::new("Pages")
        .formats([Format::Json, Format::Cbor])
        .entity_tags(tags)
        .serve(get("/page").returns::<Page>().to(move || async move { page() }))
        .serve(post("/page").returns::<Page>().to(move || async move { page() }))
        .serve(get("/items").returns::<Items<u8>>().to(|| async { Items::from_values(0..3) }))
        .serve(tagged)
        .build();
    listening(service.expect("a valid API")).await
}

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// Sends two requests on one connection. The second is plain, and its response must follow the
/// first directly.
async fn send(address: SocketAddr, request: &str, fields: &str) -> Answer {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let text = format!(
        "{request} HTTP/1.1\r\nhost: a\r\n{fields}\r\n\
         GET /nowhere HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(text.as_bytes()).await.expect("sent");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.expect("an answer");
    let next = b"HTTP/1.1 404";
    let end = bytes.windows(next.len()).rposition(|window| window == next);
    bytes.truncate(end.expect("the second answer follows the first"));
    let at = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8(bytes[..at].to_vec()).expect("text");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head, body: bytes.split_off(at + 4) }
}

#[tokio::test]
async fn tags_each_representation_and_responds_304() {
    for tags in [EntityTags::Weak, EntityTags::Strong] {
        let address = serve(tags).await;
        let mut seen: Vec<String> = Vec::new();
        for accept in [
            "",
            "accept: application/cbor\r\n",
            "accept-encoding: gzip\r\n",
            "accept-encoding: br\r\n",
            "accept: application/cbor\r\naccept-encoding: gzip\r\n",
        ] {
            let whole = send(address, "GET /page", accept).await;
            assert_eq!(whole.status, 200);
            assert_eq!(whole.field("vary"), Some("accept, accept-encoding"));
            let tag = whole.field("etag").expect("a tag").to_owned();
            assert_eq!(tag.starts_with("W/\""), tags == EntityTags::Weak, "{tag}");
            assert!(!seen.contains(&tag), "{accept}: {tag} is another representation's");

            let head = send(address, "HEAD /page", accept).await;
            assert_eq!(head.field("etag"), Some(&*tag), "HEAD says what GET would");

            // Weak or strong, alone or in a list: the tags name the same representation.
            let bare = tag.trim_start_matches("W/");
            for known in [
                format!("if-none-match: {tag}\r\n"),
                format!("if-none-match: \"x,y\" , W/{bare}\r\n"),
                format!("if-none-match: \"x\"\r\nif-none-match: {bare}\r\n"),
                "if-none-match: *\r\n".to_owned(),
            ] {
                for method in ["GET", "HEAD"] {
                    let fields = format!("{accept}{known}");
                    let answer = send(address, &format!("{method} /page"), &fields).await;
                    assert_eq!(answer.status, 304, "{method} {fields}");
                    assert_eq!(answer.field("etag"), Some(&*tag));
                    assert_eq!(answer.field("vary"), Some("accept, accept-encoding"));
                    for absent in
                        ["content-type", "content-encoding", "content-length", "transfer-encoding"]
                    {
                        assert_eq!(answer.field(absent), None, "{}", answer.head);
                    }
                    assert!(answer.body.is_empty());
                }
            }
            seen.push(tag);
        }
        // Each representation has its own tag.
        let fields = format!("accept: application/cbor\r\nif-none-match: {}\r\n", seen[0]);
        assert_eq!(send(address, "GET /page", &fields).await.status, 200);
    }
}

#[tokio::test]
async fn tags_only_responses_to_get() {
    let address = serve(EntityTags::Strong).await;
    let posted = send(address, "POST /page", "content-length: 0\r\n").await;
    assert_eq!((posted.status, posted.field("etag")), (200, None));
    let items = send(address, "GET /items", "if-none-match: \"x\"\r\n").await;
    assert_eq!((items.status, items.field("etag")), (200, None));
    let problem = send(address, "GET /nothing", "if-none-match: *\r\n").await;
    assert_eq!((problem.status, problem.field("etag")), (404, None));
    // An invalid list of tags is ignored.
    let page = send(address, "GET /page", "if-none-match: x\"y, \"\r\n").await;
    assert_eq!(page.status, 200);
}

#[tokio::test]
async fn keeps_the_tag_of_a_handler() {
    for tags in [EntityTags::None, EntityTags::Weak] {
        let address = serve(tags).await;
        let whole = send(address, "GET /tagged", "").await;
        assert_eq!((whole.status, whole.field("etag")), (200, Some("\"a,b\"")));
        let known = send(address, "GET /tagged", "if-none-match: \"a,b\"\r\n").await;
        assert_eq!((known.status, known.field("etag")), (304, Some("\"a,b\"")));
        assert_eq!(known.field("cache-control"), Some("max-age=60"));
        assert_eq!(known.field("content-language"), None);
        let other = send(address, "GET /tagged", "if-none-match: \"a\", \"b\"\r\n").await;
        assert_eq!(other.status, 200);
    }
    let address = serve(EntityTags::None).await;
    assert_eq!(send(address, "GET /page", "").await.field("etag"), None);
}
