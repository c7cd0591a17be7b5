//! Parts of forms in a user's own formats.

use manywire::content::Multipart;
use manywire::input::Body;
use manywire::{Api, Endpoint, Format, Shaped, post};
use serde::{Deserialize, Serialize};

use super::formats::{POSTCARD, Yaml};
use super::service::{Hotel, hotel};
use crate::support::{client, listening, request, send};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Upload {
    title: String,
    hotel: Hotel,
    others: Vec<Hotel>,
}

fn upload() -> Endpoint<(Body<Multipart<Upload>>,), Upload> {
    post("/upload").body::<Multipart<Upload>>().returns::<Upload>()
}

fn api() -> Api {
    let read = |form: Multipart<Upload>| async move { form.read().await };
    Api::new("Parts").formats((Format::Json, &Yaml, &POSTCARD)).serve(upload().to(read))
}

fn record() -> Upload {
    Upload { title: "A".to_owned(), hotel: hotel(5), others: vec![hotel(1), hotel(2)] }
}

#[tokio::test]
async fn client_sends_parts_in_own_formats() {
    let client = client(listening(api().build().expect("a valid API")).await);
    for client in [client.clone().formats([&Yaml]), client.clone().formats([&POSTCARD])] {
        let answer = client.call(&upload(), Multipart::of(record())).await;
        assert_eq!(answer.expect("an upload"), record());
    }
    // A form that the server refuses is sent again in an accepted format.
    let client = client.formats((Format::Cbor, &Yaml));
    let form = Multipart::new()
        .with_text("title", "A")
        .with_value("hotel", hotel(5))
        .with_value("others", vec![hotel(1), hotel(2)]);
    assert_eq!(client.call(&upload(), form).await.expect("an upload"), record());
    assert_eq!(client.learned(), Some((&Yaml).into()));
}

/// Posts handwritten parts with a content type each.
async fn posted(parts: &[(&str, &str, &str)]) -> (u16, serde_json::Value) {
    let mut body = String::new();
    for (name, content_type, content) in parts {
        body.push_str(&format!(
            "--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\
             Content-Type: {content_type}\r\n\r\n{content}\r\n"
        ));
    }
    body.push_str("--x--\r\n");
    let service = api().build().expect("a valid API");
    let fields = [("content-type", "multipart/form-data; boundary=x")];
    let response = send(&service, request("POST", "/upload", &fields), body).await;
    (response.status.as_u16(), response.json())
}

#[tokio::test]
async fn reports_faults_of_a_part_by_path() {
    let yaml = serde_yaml_ng::to_string(&hotel(5)).expect("YAML");
    let hotels = "[]";
    let (status, answer) = posted(&[
        ("title", "text/plain", "A"),
        ("hotel", "text/yaml", &yaml),
        ("others", "application/yaml", hotels),
    ])
    .await;
    assert_eq!(status, 200, "{answer}");
    let broken = yaml.replacen("beds: 2", "beds: 300", 1);
    let (status, answer) =
        posted(&[("hotel", "application/yaml", &broken), ("others", "application/yaml", hotels)])
            .await;
    assert_eq!(status, 422, "{answer}");
    let paths: Vec<&str> = answer["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|error| error["path"].as_str().expect("a path"))
        .collect();
    assert_eq!(paths, ["$.title", "$.hotel.rooms[0].beds"], "{answer}");
    let line = broken.lines().position(|line| line.contains("300")).expect("a line") + 1;
    assert_eq!(answer["errors"][1]["line"], line, "{answer}");
    let (status, answer) = posted(&[("hotel", "application/yaml", "a: [")]).await;
    assert_eq!(status, 400, "{answer}");
}

#[test]
fn documents_own_formats_of_parts() {
    let documents = api().documents().expect("documents");
    let document: serde_json::Value = serde_json::from_str(documents.openapi()).expect("JSON");
    let body = &document["paths"]["/upload"]["post"]["requestBody"]["content"];
    assert_eq!(
        body["multipart/form-data"]["encoding"]["hotel"]["contentType"],
        "application/json, application/yaml, application/x-postcard;v=1"
    );
}
