use bytes::Bytes;
use manywire::content::{Raw, Text};
use manywire::{Reply, header, post as endpoint};

use super::wire::{post, service};
use crate::support::listening;

#[tokio::test]
async fn reads_text_in_its_charset_and_bytes_unchanged() {
    let text = endpoint("/text").body::<Text>().returns::<Text>();
    let file = endpoint("/file").body::<Raw>().returns::<Raw>();
    let routes = [
        text.to(|text: String| async move { text.to_uppercase() }),
        file.to(|bytes: Bytes| async move {
            let name = header::HeaderValue::from_static("image/png");
            Reply::new(bytes).with_header(header::CONTENT_TYPE, name)
        }),
    ];
    let address = listening(service(routes)).await;
    for (content_type, body) in [
        ("text/plain", "größe".as_bytes()),
        ("text/markdown; charset=utf-8", "größe".as_bytes()),
        ("text/plain; charset=iso-8859-1", b"gr\xF6\xDFe"),
        ("text/plain; charset=utf-16le", b"g\0r\0\xF6\0\xDF\0e\0"),
    ] {
        let response = post(address, "/text", content_type, body).await;
        assert_eq!((response.status, response.text()), (200, "GRÖSSE"), "{content_type}");
    }
    assert_eq!(post(address, "/text", "text/plain", b"\xFF").await.status, 400);
    assert_eq!(post(address, "/text", "text/plain; charset=koi8-r", "a").await.status, 415);
    assert_eq!(post(address, "/text", "application/json", "\"a\"").await.status, 415);

    let bytes: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    for content_type in ["image/png", "application/octet-stream", "application/json", "nonsense"] {
        let response = post(address, "/file", content_type, &bytes).await;
        assert_eq!(response.status, 200, "any type of bytes: {content_type}");
        assert_eq!(response.body, bytes);
        assert!(response.head.contains("content-type: image/png"), "{}", response.head);
    }
}
