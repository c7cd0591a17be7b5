//! Exchanges in a user's own format, which behave as in a built-in one.

use manywire::{Api, Format};

use super::formats::{POSTCARD, Postcard, Yaml};
use super::service::{Hotel, Room, Tree, create, hotel, send, send_with};
use crate::support::{self, request};

const YAML: (&str, &str) = ("content-type", "application/yaml");

fn yaml(value: &impl serde::Serialize) -> Vec<u8> {
    serde_yaml_ng::to_string(value).expect("YAML").into()
}

#[tokio::test]
async fn responds_in_the_requested_format() {
    for (accept, expected) in [
        ("application/yaml", "application/yaml"),
        ("text/yaml", "application/yaml"),
        ("text/html, application/yaml;q=0.5, application/json;q=0.1", "application/yaml"),
        ("x/postcard", "application/x-postcard; v=1"),
        ("application/x-postcard;v=1", "application/x-postcard; v=1"),
        ("*/*", "application/json"),
        ("application/yaml;q=0, */*;q=0.1", "application/json"),
    ] {
        let answer = send("/hotels/5", &[("accept", accept)], b"").await;
        assert_eq!(answer.status, 200, "{accept}");
        assert_eq!(answer.field("content-type"), Some(expected), "{accept}");
        assert_eq!(answer.field("vary"), Some("accept, accept-encoding"));
        let read: Hotel = match expected {
            "application/yaml" => serde_yaml_ng::from_slice(&answer.body).expect("YAML"),
            "application/json" => serde_json::from_slice(&answer.body).expect("JSON"),
            _ => postcard::from_bytes(&answer.body).expect("postcard"),
        };
        assert_eq!(read, hotel(5), "{accept}");
    }
    assert_eq!(send("/only", &[], b"").await.text(), "beds: 1\nrate: 1.0\n");
}

#[tokio::test]
async fn reads_a_body_by_its_content_type() {
    let posted = hotel(6);
    let (text, bytes) = (yaml(&posted), postcard::to_stdvec(&posted).expect("postcard"));
    for (content_type, body) in [
        ("application/yaml", &text),
        ("Application/YAML; charset=utf-8", &text),
        ("text/yaml", &text),
        ("application/vnd.hotel+yaml", &text),
        ("application/x-postcard;v=1", &bytes),
        ("application/x-postcard; V=1; charset=whatever", &bytes),
        ("x/postcard", &bytes),
    ] {
        let answer = send("/hotels", &[("content-type", content_type)], body).await;
        assert_eq!(answer.status, 201, "{content_type}: {}", answer.text());
        let read: Hotel = serde_json::from_slice(&answer.body).expect("JSON");
        assert_eq!(read, posted, "{content_type}");
    }
    let wide: Vec<u8> =
        yaml_text(&text).encode_utf16().flat_map(|unit| unit.to_le_bytes()).collect();
    let answer = send("/hotels", &[("content-type", "text/yaml;charset=utf-16le")], &wide).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
}

#[tokio::test]
async fn distinguishes_formats_by_a_parameter() {
    static DENSE: Postcard =
        Postcard { name: "dense", media_types: &["application/yaml;layout=dense"], sequence: None };
    let posted = hotel(6);
    let (text, bytes) = (yaml(&posted), postcard::to_stdvec(&posted).expect("postcard"));
    let echo = || create().to(|hotel| async move { hotel });
    for service in [
        Api::new("Hotels").formats((Format::Json, &Yaml, &DENSE)).serve(echo()).build(),
        Api::new("Hotels").formats((Format::Json, &DENSE, &Yaml)).serve(echo()).build(),
    ] {
        let service = service.unwrap_or_else(|error| panic!("{error}"));
        for (content_type, body) in [
            ("application/yaml", &text),
            ("application/yaml;layout=block", &text),
            ("application/yaml;layout=dense", &bytes),
        ] {
            let request = request("POST", "/hotels", &[("content-type", content_type)]);
            let answer = support::send(&service, request, body.clone()).await;
            assert_eq!(answer.status, 201, "{content_type}: {}", answer.text());
            let read: Hotel = serde_json::from_slice(&answer.body).expect("JSON");
            assert_eq!(read, posted, "{content_type}");
        }
    }
}

fn yaml_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[tokio::test]
async fn lists_available_and_accepted_types_in_refusals() {
    let answer = send("/hotels/5", &[("accept", "text/html")], b"").await;
    assert_eq!(answer.status, 406);
    let list = "application/json, application/cbor, application/yaml, application/x-postcard;v=1";
    assert!(answer.text().contains(list), "{}", answer.text());
    for content_type in ["application/x-postcard", "application/toml", "yaml"] {
        let answer = send("/hotels", &[("content-type", content_type)], b"x").await;
        assert_eq!(answer.status, 415, "{content_type}");
        assert_eq!(answer.field("accept"), Some(list), "{content_type}");
    }
}

#[tokio::test]
async fn reports_the_location_of_faults() {
    let fields = [YAML, ("accept", "application/yaml")];
    let wrong = "id: 1\nname: Ritz\nrooms:\n- beds: 2\n  rate: 1.5\n- beds: 300\n  rate: 1.5\nclass: Plain\n";
    let answer = send("/hotels", &fields, wrong.as_bytes()).await;
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert_eq!(answer.field("content-type"), Some("application/yaml"));
    let problem: serde_yaml_ng::Value = serde_yaml_ng::from_slice(&answer.body).expect("YAML");
    let fault = &problem["errors"][0];
    assert_eq!(fault["path"], "$.rooms[1].beds", "{}", answer.text());
    assert_eq!((fault["line"].as_u64(), fault["column"].as_u64()), (Some(6), Some(9)));
    assert_eq!(fault["offset"].as_u64(), wrong.find("300").map(|at| at as u64));
    assert_eq!(fault["detail"], "invalid value: integer `300`, expected u8");

    let answer = send("/hotels", &fields, b"id: [1").await;
    assert_eq!(answer.status, 400, "{}", answer.text());
    let answer = send("/hotels", &fields, b"id: 1\nname: Ritz\n").await;
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert!(answer.text().contains("missing field `rooms`"), "{}", answer.text());
}

#[tokio::test]
async fn rejects_trailing_bytes() {
    let fields = [("content-type", "x/postcard")];
    let mut bytes = postcard::to_stdvec(&hotel(3)).expect("postcard");
    let cut = send("/hotels", &fields, &bytes[..bytes.len() - 1]).await;
    assert_eq!(cut.status, 400, "{}", cut.text());
    let end = bytes.len();
    bytes.push(0);
    let long = send("/hotels", &fields, &bytes).await;
    assert_eq!(long.status, 400, "{}", long.text());
    assert!(long.text().contains(&format!("\"offset\":{end},\"detail\"")), "{}", long.text());
}

/// Postcard has no depth limit: one byte per level.
#[tokio::test]
async fn limits_the_depth_of_bodies() {
    let fields = [("content-type", "x/postcard")];
    let mut deep = vec![1; 1 << 20];
    deep.push(0);
    let answer = send("/trees", &fields, &deep).await;
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(answer.text().contains("nested deeper than the limit of 128"), "{}", answer.text());
    let tree = (0..60).fold(Tree { inner: vec![] }, |tree, _| Tree { inner: vec![tree] });
    let bytes = postcard::to_stdvec(&tree).expect("postcard");
    assert_eq!(send("/trees", &fields, &bytes).await.status, 204);
}

#[tokio::test]
async fn supports_codings_tags_and_head() {
    let fields = [("accept", "application/yaml"), ("accept-encoding", "gzip")];
    let answer = send("/hotels/4095", &fields, b"").await;
    assert_eq!(answer.field("content-encoding"), Some("gzip"));
    let tag = answer.field("etag").expect("a tag").to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    let known = [fields[0], fields[1], ("if-none-match", &*tag)];
    assert_eq!(send("/hotels/4095", &known, b"").await.status, 304);
    let other = [("accept", "application/json"), fields[1], ("if-none-match", &*tag)];
    assert_eq!(send("/hotels/4095", &other, b"").await.status, 200);
    let plain = send("/hotels/5", &fields[..1], b"").await;
    let head = send_with("HEAD", "/hotels/5", &fields[..1], b"").await;
    assert_eq!(head.body.len(), 0);
    assert_eq!(head.headers["content-length"], plain.body.len().to_string());
    assert_eq!(head.field("content-type"), Some("application/yaml"));
}

#[tokio::test]
async fn carries_borrowed_and_dynamic_values() {
    let fields = [YAML, ("accept", "application/yaml")];
    let answer = send("/notes", &fields, b"text: lent\n").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "text: lent\n"));
    let bytes = postcard::to_stdvec("lent").expect("postcard");
    let fields = [("content-type", POSTCARD.media_types[1]), ("accept", POSTCARD.media_types[1])];
    let answer = send("/notes", &fields, &bytes).await;
    assert_eq!((answer.status.as_u16(), &*answer.body), (200, &*bytes));

    let answer = send("/dynamic", &[YAML], b"beds: 2\nrate: 1.5\n").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "beds: 2\nrate: 1.5\n"));
    let read: Room = serde_yaml_ng::from_slice(&answer.body).expect("YAML");
    assert_eq!(read.beds, 2);
    let answer = send("/dynamic", &[YAML], b"beds: many\nrate: 1.5\n").await;
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert!(answer.text().contains("$.beds"), "{}", answer.text());
}
