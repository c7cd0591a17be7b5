//! Forms of parts, typed as a whole and streamed part by part.

use std::process::Command;

use manywire::content::{File, Multipart};
use manywire::{Api, Format, Limits, Problem, Route, Shaped, post as endpoint};
use manywire_codec::{cbor, msgpack, protobuf};
use manywire_shape::Shape;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::wire::{TestResponse, post};
use crate::support::listening;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u32,
    name: String,
}

#[derive(Debug, Deserialize, Shaped)]
struct Upload {
    title: String,
    stars: Option<u8>,
    hotel: Hotel,
    near: Option<Hotel>,
    #[serde(default)]
    others: Vec<Hotel>,
    #[serde(default)]
    tags: Vec<u16>,
    photo: Option<File>,
    #[serde(default)]
    photos: Vec<File>,
}

/// Both layouts of MessagePack have the same media type, which is listed once.
const FORMATS: [Format; 6] = [
    Format::Json,
    Format::MsgPack,
    Format::Cbor,
    Format::Protobuf,
    Format::Avro,
    Format::MsgPackArray,
];

fn upload() -> Route {
    let upload = endpoint("/").body::<Multipart<Upload>>().returns::<String>().formats(FORMATS);
    upload.to(|form| async move {
        let Upload { title, stars, hotel, near, others, tags, photo, photos } = form.read().await?;
        let file =
            |file: &File| format!("{:?} {:?} {}", file.name, file.content_type, file.content.len());
        let near = near.map(|near| near.name);
        let others: Vec<_> = others.into_iter().map(|other| other.name).collect();
        let photo = photo.as_ref().map(file);
        let photos: Vec<_> = photos.iter().map(file).collect();
        let hotel = hotel.name;
        Ok::<_, Problem>(format!(
            "{title} {stars:?} {hotel} {near:?} {others:?} {tags:?} {photo:?} {photos:?}"
        ))
    })
}

fn part(name: &str, rest: &str, content: impl AsRef<[u8]>) -> Vec<u8> {
    let head = format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"{rest}\r\n\r\n");
    [head.as_bytes(), content.as_ref(), b"\r\n"].concat()
}

fn form(parts: &[Vec<u8>]) -> Vec<u8> {
    [parts.concat(), b"--edge--\r\n".to_vec()].concat()
}

const MULTIPART: &str = "multipart/form-data; boundary=edge";

async fn send_body(address: std::net::SocketAddr, parts: &[Vec<u8>]) -> TestResponse {
    post(address, "/", MULTIPART, form(parts)).await
}

fn api(route: Route) -> manywire::Service {
    Api::new("Parts").serve(route).build().unwrap_or_else(|error| panic!("{error}"))
}

#[tokio::test]
async fn reads_each_part_by_its_own_type() {
    let address = listening(api(upload())).await;
    let hotel = |name: &str| Hotel { id: 1, name: name.to_owned() };
    let plan = protobuf::Plan::from_shape(&Shape::of::<Hotel>()).expect("a plan");
    let content = |format: &str| format!("\r\nContent-Type: {format}");
    let response = send_body(
        address,
        &[
            part("title", "", "Größe"),
            part("tags", "", "7"),
            part("hotel", &content("application/json"), r#"{"id":1,"name":"A"}"#),
            part(
                "near",
                &content("application/vnd.msgpack"),
                msgpack::to_vec(&hotel("B")).expect("bytes"),
            ),
            part("others", &content("application/cbor"), cbor::to_vec(&hotel("C")).expect("bytes")),
            part(
                "others",
                &content("application/protobuf"),
                plan.to_vec(&hotel("D")).expect("bytes"),
            ),
            part("unknown", &content("image/gif"), b"\xFF\x00"),
            part("tags", "", "8"),
            part("photo", "; filename=\"a b.png\"\r\nContent-Type: image/png", b"\xFF\x00\xFE"),
            part("photos", "; filename=\"x.json\"\r\nContent-Type: application/json", "[1]"),
        ],
    )
    .await;
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(
        response.json(),
        json!(
            "Größe None A Some(\"B\") [\"C\", \"D\"] [7, 8] \
             Some(\"Some(\\\"a b.png\\\") Some(\\\"image/png\\\") 3\") \
             [\"Some(\\\"x.json\\\") Some(\\\"application/json\\\") 3\"]"
        )
    );
    // A list may be one part, text may have any charset, and a file may have a format.
    let response = send_body(
        address,
        &[
            part("title", &content("text/plain; charset=iso-8859-1"), b"Gr\xF6\xDFe"),
            part("stars", "", "5"),
            part(
                "hotel",
                "; filename=\"h.json\"\r\nContent-Type: application/json",
                r#"{"id":1,"name":"A"}"#,
            ),
            part(
                "others",
                &content("application/json"),
                r#"[{"id":1,"name":"C"},{"id":2,"name":"E"}]"#,
            ),
        ],
    )
    .await;
    assert_eq!(response.json(), json!("Größe Some(5) A None [\"C\", \"E\"] [] None []"));
}

#[tokio::test]
async fn reports_every_fault_by_path() {
    let address = listening(api(upload())).await;
    let json_type = "\r\nContent-Type: application/json";
    let response = send_body(
        address,
        &[
            part("stars", "", "many"),
            part("hotel", json_type, r#"{"id":-1,"name":"A"}"#),
            part("near", "", "a hotel"),
            part("tags", "", "1"),
            part("tags", "", "x"),
        ],
    )
    .await;
    assert_eq!(response.status, 422, "{response:?}");
    let found = response.json();
    let mut paths: Vec<&str> = found["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|error| error["path"].as_str().expect("a path"))
        .collect();
    paths.sort_unstable();
    assert_eq!(paths, ["$.hotel.id", "$.near", "$.stars", "$.tags", "$.title"], "{found}");

    let whole = [part("title", "", "a"), part("hotel", json_type, r#"{"id":1,"name""#)];
    let response = send_body(address, &whole).await;
    assert_eq!(response.status, 400, "bytes that are not JSON: {response:?}");
    assert!(response.json()["errors"][0]["path"].as_str().expect("a path").starts_with("$.hotel"));
    let whole = [
        part("title", "", "a"),
        part("title", "", "b"),
        part("hotel", json_type, r#"{"id":1,"name":"a"}"#),
    ];
    assert_eq!(send_body(address, &whole).await.status, 422, "two values for one field");
    let charset = [part("title", "\r\nContent-Type: text/plain; charset=koi8-r", "a")];
    assert_eq!(send_body(address, &charset).await.status, 415);
}

#[tokio::test]
async fn a_part_under_an_alias_is_not_missing() {
    #[derive(Debug, Deserialize, Shaped)]
    struct Note {
        #[serde(alias = "t")]
        title: String,
        stars: u8,
    }
    let note = endpoint("/").body::<Multipart<Note>>().returns::<String>();
    let note = note.to(|form| async move {
        let Note { title, stars } = form.read().await?;
        Ok::<_, Problem>(format!("{title} {stars}"))
    });
    let address = listening(api(note)).await;
    let parts = [part("t", "", "a"), part("stars", "", "many")];
    let found = send_body(address, &parts).await.json();
    let paths: Vec<_> =
        found["errors"].as_array().expect("errors").iter().map(|it| &it["path"]).collect();
    assert_eq!(paths, ["$.stars"], "{found}");
}

#[tokio::test]
async fn lists_the_accepted_types_of_a_part() {
    let address = listening(api(upload())).await;
    let content = |media_type| format!("\r\nContent-Type: {media_type}");
    let hotel = part("hotel", &content("application/json"), r#"{"id":1,"name":"A"}"#);
    let formats = "application/json, application/vnd.msgpack, application/cbor, \
                   application/protobuf, application/avro";
    let response = send_body(
        address,
        &[
            part("title", &content("image/png"), "a"),
            part("hotel", &content("application/xml"), "<hotel/>"),
            part("others", &content("application/bson"), ""),
            part("tags", &content("application/toml"), "1"),
            part("stars", "", "many"),
            // Bytes may have any type, and so may unknown parts.
            part("photo", "; filename=\"a\"\r\nContent-Type: image/png", "a"),
            part("unknown", &content("application/xml"), "a"),
        ],
    )
    .await;
    assert_eq!(response.status, 415, "{response:?}");
    let found = response.json();
    let error = |path: &str, expected: &str, found: &str| json!({"in": "body", "path": path, "detail": format!("expected {expected}, found {found}")});
    let text = format!("text/plain, {formats}");
    assert_eq!(
        found["errors"],
        json!([
            error("$.title", &text, "image/png"),
            error("$.hotel", formats, "application/xml"),
            error("$.others", formats, "application/bson"),
            error("$.tags", &text, "application/toml"),
        ])
    );
    assert_eq!(found["available"], json!(text.split(", ").collect::<Vec<_>>()));
    // A record cannot be sent as plain text.
    let parts = [part("title", "", "a"), part("hotel", &content("application/xml"), "")];
    let found = send_body(address, &parts).await.json();
    assert_eq!(found["available"], json!(formats.split(", ").collect::<Vec<_>>()));
    let parts = [part("title", &content("text/html"), "a"), hotel];
    assert_eq!(send_body(address, &parts).await.status, 200, "any text type is accepted");
}

#[tokio::test]
async fn reads_the_names_of_parts() {
    let address = listening(api(upload())).await;
    let named = |disposition: &str, content: &str| {
        format!("--edge\r\nContent-Disposition: {disposition}\r\n\r\n{content}\r\n").into_bytes()
    };
    let hotel = part("hotel", "\r\nContent-Type: application/json", r#"{"id":1,"name":"A"}"#);
    // A parameter inside a quoted name is part of the name.
    let parts = [
        named(r#"form-data; name="tags; filename=x""#, "not a number"),
        named(r#"form-data; filename="name=hotel"; name="photo""#, "123"),
        named(r#"FORM-DATA; name=title"#, "a"),
        named(r#"form-data; name="photos"; filename="_"; filename*=UTF-8''%E2%82%AC.png"#, "1"),
        named(r#"form-data; name="photos"; filename="a\"b%22.png""#, "12"),
        hotel.clone(),
    ];
    let response = send_body(address, &parts).await;
    assert_eq!(
        response.json(),
        json!(
            "a None A None [] [] Some(\"Some(\\\"name=hotel\\\") None 3\") \
             [\"Some(\\\"€.png\\\") None 1\", \"Some(\\\"a\\\\\\\"b\\\\\\\".png\\\") None 2\"]"
        )
    );
    for disposition in [
        "form-data; name=\"title",
        "form-data; name=\"title\"x",
        "form-data; name=title; name=hotel",
        "attachment; name=title",
        "form-data; name=a b",
    ] {
        let response = send_body(address, &[named(disposition, "a"), hotel.clone()]).await;
        assert_eq!(response.status, 400, "{disposition}: {response:?}");
        assert!(response.text().contains("of the Content-Disposition of a part"), "{response:?}");
    }
}

#[tokio::test]
async fn refuses_malformed_multipart_bodies() {
    let address = listening(api(upload())).await;
    assert_eq!(post(address, "/", "application/json", "{}").await.status, 415);
    assert_eq!(post(address, "/", "multipart/mixed; boundary=edge", "").await.status, 415);
    assert_eq!(post(address, "/", "multipart/form-data", form(&[])).await.status, 400);
    let title = part("title", "", "a");
    for body in [
        title.clone(),
        [&title[..], b"--edg"].concat(),
        b"--edge\r\nContent-Disposition".to_vec(),
        b"--edge\r\n: \r\n\r\n\r\n--edge--".to_vec(),
        Vec::new(),
        b"nothing of the kind".to_vec(),
    ] {
        let response = post(address, "/", MULTIPART, &body).await;
        assert_eq!(response.status, 400, "{}: {response:?}", String::from_utf8_lossy(&body));
    }
}

#[tokio::test]
async fn limits_each_part_and_their_total() {
    let limits = Limits::DEFAULT.with_body_bytes(1_000).with_multipart_bytes(4_000);
    let service = Api::new("Parts").limits(limits).serve(upload()).build().expect("a valid API");
    let address = listening(service).await;
    let response = send_body(address, &[part("title", "", "x".repeat(2_000))]).await;
    assert_eq!(response.status, 413);
    assert!(response.text().contains(r#"the part \"title\" exceeds the limit of 1000 bytes"#));
    let many: Vec<_> = (0..10).map(|_| part("unknown", "", "x".repeat(900))).collect();
    let response = send_body(address, &many).await;
    assert_eq!(response.status, 413);
    assert!(response.text().contains("the body exceeds the limit of 4000 bytes"));
    let many = vec![part("a", "", ""); 1_100];
    let address = listening(api(upload())).await;
    assert_eq!(send_body(address, &many).await.status, 413, "too many parts");
}

#[tokio::test]
async fn streams_parts_to_the_handler() {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel::<String>();
    let route = endpoint("/").body::<Multipart<Upload>>().to(move |mut form| {
        let sender = sender.clone();
        async move {
            while let Some(part) = form.next().await {
                let mut part = part?;
                let head =
                    format!("{} {:?} {:?}", part.name(), part.file_name(), part.content_type());
                sender.send(head).expect("heard");
                if part.name() == "hotel" {
                    let hotel = part.value::<Hotel>().await?;
                    sender.send(hotel.name).expect("heard");
                    continue;
                }
                while let Some(piece) = part.chunk().await {
                    sender.send(String::from_utf8_lossy(&piece?).into_owned()).expect("heard");
                }
            }
            Ok::<_, Problem>(())
        }
    });
    let address = listening(api(route)).await;
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head = format!(
        "POST / HTTP/1.1\r\nhost: a\r\ncontent-type: {MULTIPART}\r\ncontent-length: 100000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    let hotel = part("hotel", "\r\nContent-Type: application/json", r#"{"id":1,"name":"Ritz"}"#);
    stream.write_all(&hotel).await.expect("sent");
    let photo = part("photo", "; filename=\"a.png\"\r\nContent-Type: image/png", "");
    let photo = photo.strip_suffix(b"\r\n").expect("an end");
    stream.write_all(photo).await.expect("sent");
    assert!(receiver.recv().await.expect("told").starts_with("hotel None"));
    assert_eq!(receiver.recv().await.expect("told"), "Ritz");
    assert!(receiver.recv().await.expect("told").starts_with("photo Some(\"a.png\")"));
    // Each chunk is delivered before the next is sent.
    for piece in ["first", "second"] {
        stream.write_all(piece.repeat(100).as_bytes()).await.expect("sent");
        assert!(receiver.recv().await.expect("told").contains(piece));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_what_curl_sends() {
    let address = listening(api(upload())).await;
    let output = Command::new("curl")
        .args([
            "-s",
            "-F",
            "title=a b",
            "-F",
            "hotel={\"id\":1,\"name\":\"Ritz\"};type=application/json",
        ])
        .args(["-F", "photo=@Cargo.toml;type=text/x-toml", "-F", "tags=1", "-F", "tags=2"])
        .arg(format!("http://{address}/"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("curl runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.starts_with("\"a b None Ritz None [] [1, 2] Some("), "{text}");
    assert!(text.contains("Cargo.toml"), "{text}");
}

#[test]
fn documents_the_parts() {
    let api = Api::new("Parts").serve(upload());
    let documents = api.documents().expect("documents");
    let document: serde_json::Value = serde_json::from_str(documents.openapi()).expect("JSON");
    let body = &document["paths"]["/"]["post"]["requestBody"]["content"]["multipart/form-data"];
    let binary = json!({"contentMediaType": "application/octet-stream"});
    let properties = &body["schema"]["properties"];
    assert_eq!(body["schema"]["required"], json!(["title", "hotel"]));
    assert_eq!(properties["title"], json!({"type": "string"}));
    assert_eq!(properties["hotel"], json!({"$ref": "#/components/schemas/Hotel"}));
    assert_eq!(properties["near"], json!({"$ref": "#/components/schemas/Hotel"}));
    assert_eq!(properties["photo"], binary);
    assert_eq!(properties["photos"], json!({"type": "array", "items": binary}));
    let types = "application/json, application/vnd.msgpack, application/cbor, application/protobuf, application/avro";
    assert_eq!(body["encoding"]["hotel"], json!({"contentType": types}));
    assert_eq!(body["encoding"].as_object().expect("an object").len(), 3);
}

#[test]
fn rejects_parts_without_fields_at_build() {
    let list = endpoint("/").body::<Multipart<Vec<u32>>>().to(|_| async {});
    let error = Api::new("Parts").serve(list).build().expect_err("a list");
    assert!(error.to_string().contains("a form of parts is a record"), "{error}");
}
