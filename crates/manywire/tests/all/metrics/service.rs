//! A service with metrics, requests without a socket, and a parser of the exposition.

use std::collections::BTreeMap;

use manywire::content::{Items, Text};
use manywire::{Api, Format, Problem, Service, StatusCode, get, post};

use crate::support::{self, TestResponse, request};

pub(crate) fn service() -> Service {
    let service = Api::new("Counted")
        .formats([Format::Json, Format::MsgPack])
        .metrics("/metrics")
        .serve(get("/items/{id}").path::<u64>().returns::<u64>().to(|id| async move {
            match id {
                0 => Err(Problem::new(StatusCode::NOT_FOUND)),
                id => Ok(id),
            }
        }))
        .serve(
            post("/words")
                .body::<Vec<String>>()
                .returns::<Vec<String>>()
                .to(|it| async move { it }),
        )
        .serve(get("/stream").returns::<Items<u32>>().to(|| async { Items::from_values(0..1_000) }))
        .serve(post("/sum").body::<Items<u32>>().returns::<u32>().to(
            |mut items: Items<u32>| async move {
                let mut sum = 0;
                while let Some(item) = items.next().await {
                    sum += item?;
                }
                Ok::<_, Problem>(sum)
            },
        ))
        .serve(get("/text").returns::<Text>().to(|| async { "text".to_owned() }))
        .serve(get("/never").to(std::future::pending::<()>))
        .build();
    service.unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) async fn send(
    service: &Service,
    method: &str,
    path: &str,
    fields: &[(&str, &str)],
    body: &'static [u8],
) -> TestResponse {
    support::send(service, request(method, path, fields), body).await
}

/// Returns the samples of a service, by name with labels.
pub(crate) async fn samples(service: &Service) -> BTreeMap<String, f64> {
    let answer = send(service, "GET", "/metrics", &[], b"").await;
    assert_eq!(answer.status, 200);
    let lines = answer.text().lines().filter(|line| !line.starts_with('#'));
    let sample = |line: &str| {
        let (name, value) = line.rsplit_once(' ').expect("a value");
        (name.to_owned(), value.parse().expect("a number"))
    };
    lines.map(sample).collect()
}

/// Returns the sample with a name and labels, or zero if it does not exist.
pub(crate) fn value(samples: &BTreeMap<String, f64>, name: &str, labels: &str) -> f64 {
    let key = if labels.is_empty() { name.to_owned() } else { format!("{name}{{{labels}}}") };
    samples.get(&key).copied().unwrap_or_default()
}

/// Returns the number of requests by `method,route,status,format,coding`.
pub(crate) fn requests(samples: &BTreeMap<String, f64>, labels: [&str; 5]) -> f64 {
    let [method, route, status, format, coding] = labels;
    let labels = format!(
        "method=\"{method}\",route=\"{route}\",status=\"{status}\",format=\"{format}\",\
         coding=\"{coding}\""
    );
    value(samples, "http_server_requests_total", &labels)
}
