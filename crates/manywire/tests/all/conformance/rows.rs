//! Requests, responses and checks for the rows of the table.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use manywire::{Format, Problem};

use super::formats::{ada, encode, media_type, problem, problem_type};

/// A plain request.
#[derive(Clone, Debug)]
pub(crate) struct TestRequest {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl TestRequest {
    pub(crate) fn new(method: &'static str, path: &str) -> Self {
        TestRequest { method, path: path.to_owned(), headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl TestResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let values: Vec<_> = self.headers.get_all(name).iter().collect();
        assert!(values.len() < 2, "{name} stands there twice: {values:?}");
        values.first().map(|value| value.to_str().expect("text"))
    }
}

/// The way in which a request reaches the service.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Transport {
    Call,
    Socket,
}

/// Returns a request with `Content-Type` and `Accept`.
pub(crate) fn echo(format: Format) -> TestRequest {
    TestRequest::new("POST", "/echo")
        .with("content-type", format.row().media_type)
        .with("accept", media_type(format))
        .body(encode(format, &ada()))
}

/// Checks a problem: its status in both places, its media type, and `Vary`.
pub(crate) fn is_problem(response: &TestResponse, status: u16, format: Format) -> Problem {
    assert_eq!(response.status, status, "{format}: {response:?}");
    let content_type = response.header("content-type").expect("a content type");
    assert_eq!(content_type, problem_type(format), "in the client's format");
    // A field that is a list may stand in several lines.
    let vary: Vec<_> = response.headers.get_all("vary").iter().collect();
    assert!(
        vary.iter().any(|line| *line == "accept" || *line == "accept, accept-encoding"),
        "{vary:?}"
    );
    let found = problem(content_type, &response.body);
    assert_eq!(found.status(), status);
    found
}

/// Defines a test that runs a row in both ways.
macro_rules! row {
    ($name:ident, |$send:ident| $body:block) => {
        #[tokio::test]
        async fn $name() {
            for transport in [super::rows::Transport::Call, super::rows::Transport::Socket] {
                let service = super::service::service();
                let $send =
                    |request: TestRequest| super::service::send(transport, &service, request);
                $body
            }
        }
    };
}

pub(crate) use row;
