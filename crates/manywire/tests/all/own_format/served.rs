//! What goes over the wire: as of a built-in format.

use super::formats::POSTCARD;
use super::service::{Hotel, Room, Tree, ask, asked, hotel};

const YAML: (&str, &str) = ("content-type", "application/yaml");

fn yaml(value: &impl serde::Serialize) -> Vec<u8> {
    serde_yaml_ng::to_string(value).expect("YAML").into()
}

#[tokio::test]
async fn a_client_has_the_format_that_it_asks_for() {
    for (accept, expected) in [
        ("application/yaml", "application/yaml"),
        ("text/yaml", "application/yaml"),
        ("text/html, application/yaml;q=0.5, application/json;q=0.1", "application/yaml"),
        ("x/postcard", "application/x-postcard; v=1"),
        ("application/x-postcard;v=1", "application/x-postcard; v=1"),
        ("*/*", "application/json"),
        ("application/yaml;q=0, */*;q=0.1", "application/json"),
    ] {
        let answer = ask("/hotels/5", &[("accept", accept)], b"").await;
        assert_eq!(answer.status, 200, "{accept}");
        assert_eq!(answer.field("content-type"), expected, "{accept}");
        assert_eq!(answer.field("vary"), "accept, accept-encoding");
        let read: Hotel = match expected {
            "application/yaml" => serde_yaml_ng::from_slice(&answer.body).expect("YAML"),
            "application/json" => serde_json::from_slice(&answer.body).expect("JSON"),
            _ => postcard::from_bytes(&answer.body).expect("postcard"),
        };
        assert_eq!(read, hotel(5), "{accept}");
    }
    assert_eq!(ask("/only", &[], b"").await.text(), "beds: 1\nrate: 1.0\n");
}

#[tokio::test]
async fn a_body_is_read_by_its_content_type() {
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
        let answer = ask("/hotels", &[("content-type", content_type)], body).await;
        assert_eq!(answer.status, 201, "{content_type}: {}", answer.text());
        let read: Hotel = serde_json::from_slice(&answer.body).expect("JSON");
        assert_eq!(read, posted, "{content_type}");
    }
    let wide: Vec<u8> =
        yaml_text(&text).encode_utf16().flat_map(|unit| unit.to_le_bytes()).collect();
    let answer = ask("/hotels", &[("content-type", "text/yaml;charset=utf-16le")], &wide).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
}

fn yaml_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[tokio::test]
async fn what_cannot_be_had_and_what_is_not_read_is_listed() {
    let answer = ask("/hotels/5", &[("accept", "text/html")], b"").await;
    assert_eq!(answer.status, 406);
    let list = "application/json, application/cbor, application/yaml, application/x-postcard;v=1";
    assert!(answer.text().contains(list), "{}", answer.text());
    for content_type in ["application/x-postcard", "application/toml", "yaml"] {
        let answer = ask("/hotels", &[("content-type", content_type)], b"x").await;
        assert_eq!((answer.status.as_u16(), answer.field("accept")), (415, list), "{content_type}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_told_with_its_place_in_the_format() {
    let fields = [YAML, ("accept", "application/yaml")];
    let wrong = "id: 1\nname: Ritz\nrooms:\n- beds: 2\n  rate: 1.5\n- beds: 300\n  rate: 1.5\nclass: Plain\n";
    let answer = ask("/hotels", &fields, wrong.as_bytes()).await;
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert_eq!(answer.field("content-type"), "application/yaml");
    let problem: serde_yaml_ng::Value = serde_yaml_ng::from_slice(&answer.body).expect("YAML");
    let fault = &problem["errors"][0];
    assert_eq!(fault["path"], "$.rooms[1].beds", "{}", answer.text());
    assert_eq!((fault["line"].as_u64(), fault["column"].as_u64()), (Some(6), Some(9)));
    assert_eq!(fault["offset"].as_u64(), wrong.find("300").map(|at| at as u64));
    assert_eq!(fault["detail"], "invalid value: integer `300`, expected u8");

    let answer = ask("/hotels", &fields, b"id: [1").await;
    assert_eq!(answer.status, 400, "{}", answer.text());
    let answer = ask("/hotels", &fields, b"id: 1\nname: Ritz\n").await;
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert!(answer.text().contains("missing field `rooms`"), "{}", answer.text());
}

#[tokio::test]
async fn bytes_are_read_to_their_end_and_no_further() {
    let fields = [("content-type", "x/postcard")];
    let mut bytes = postcard::to_stdvec(&hotel(3)).expect("postcard");
    let cut = ask("/hotels", &fields, &bytes[..bytes.len() - 1]).await;
    assert_eq!(cut.status, 400, "{}", cut.text());
    let end = bytes.len();
    bytes.push(0);
    let long = ask("/hotels", &fields, &bytes).await;
    assert_eq!(long.status, 400, "{}", long.text());
    assert!(long.text().contains(&format!("\"offset\":{end},\"detail\"")), "{}", long.text());
}

/// Postcard has no limit of its own: a byte a level, on and on.
#[tokio::test]
async fn no_body_is_deeper_than_the_limit() {
    let fields = [("content-type", "x/postcard")];
    let mut deep = vec![1; 1 << 20];
    deep.push(0);
    let answer = ask("/trees", &fields, &deep).await;
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(answer.text().contains("nested deeper than the limit of 128"), "{}", answer.text());
    let tree = (0..60).fold(Tree { inner: vec![] }, |tree, _| Tree { inner: vec![tree] });
    let bytes = postcard::to_stdvec(&tree).expect("postcard");
    assert_eq!(ask("/trees", &fields, &bytes).await.status, 204);
}

#[tokio::test]
async fn codings_tags_and_head_are_those_of_any_format() {
    let fields = [("accept", "application/yaml"), ("accept-encoding", "gzip")];
    let answer = ask("/hotels/4095", &fields, b"").await;
    assert_eq!(answer.field("content-encoding"), "gzip");
    let tag = answer.field("etag").to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    let known = [fields[0], fields[1], ("if-none-match", &*tag)];
    assert_eq!(ask("/hotels/4095", &known, b"").await.status, 304);
    let other = [("accept", "application/json"), fields[1], ("if-none-match", &*tag)];
    assert_eq!(ask("/hotels/4095", &other, b"").await.status, 200);
    let plain = ask("/hotels/5", &fields[..1], b"").await;
    let head = asked("HEAD", "/hotels/5", &fields[..1], b"").await;
    assert_eq!(head.body.len(), 0);
    assert_eq!(head.field("content-length"), plain.body.len().to_string());
    assert_eq!(head.field("content-type"), "application/yaml");
}

#[tokio::test]
async fn borrowed_and_dynamic_values_are_carried_too() {
    let fields = [YAML, ("accept", "application/yaml")];
    let answer = ask("/notes", &fields, b"text: lent\n").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "text: lent\n"));
    let bytes = postcard::to_stdvec("lent").expect("postcard");
    let fields = [("content-type", POSTCARD.media_types[1]), ("accept", POSTCARD.media_types[1])];
    let answer = ask("/notes", &fields, &bytes).await;
    assert_eq!((answer.status.as_u16(), &*answer.body), (200, &*bytes));

    let answer = ask("/dynamic", &[YAML], b"beds: 2\nrate: 1.5\n").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "beds: 2\nrate: 1.5\n"));
    let read: Room = serde_yaml_ng::from_slice(&answer.body).expect("YAML");
    assert_eq!(read.beds, 2);
    let answer = ask("/dynamic", &[YAML], b"beds: many\nrate: 1.5\n").await;
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert!(answer.text().contains("$.beds"), "{}", answer.text());
}
