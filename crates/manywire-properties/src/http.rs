//! Requests of any kind to a service with endpoints of every kind, without a socket.
//!
//! Whatever the request says, the answer is one of its endpoint's own, the same each time, in what
//! its header fields say it is in; and what the handlers are given is what the text means.

mod call;
mod form;
mod multipart;
mod pattern;
mod reading;
mod request;
mod service;

use http::{Method, StatusCode, header};
use manywire::MediaType;
use serde_json::Value as Json;

use crate::target::{Broken, Holds, hold};

use call::{Answer, call};
pub(crate) use form::check as form;
pub(crate) use multipart::check as multipart;
pub(crate) use pattern::check as pattern;
use request::Request;

pub(crate) fn request(bytes: &[u8]) -> Holds {
    let Some(request) = Request::parse(bytes) else { return Ok(()) };
    let answer = call(&service::SERVICE, &request, None)?;
    let again = call(&service::SERVICE, &request, None)?;
    hold!(again.status == answer.status, "{}, then {}", answer.status, again.status);
    hold!(again.body == answer.body, "{:?}, then {:?}", answer.body, again.body);
    let Answer { status, headers, body } = &answer;
    hold!(!status.is_server_error(), "{status}: {:?}", String::from_utf8_lossy(body));
    if request.method == Method::HEAD {
        hold!(body.is_empty(), "an answer to HEAD with {} bytes", body.len());
        return Ok(());
    }
    if *status == StatusCode::METHOD_NOT_ALLOWED {
        hold!(headers.contains_key(header::ALLOW), "405 without Allow");
    }
    if let Some(text) = request.text().filter(|_| *status == StatusCode::OK) {
        let coded = headers.contains_key(header::CONTENT_ENCODING);
        let in_utf8 = request.fields.iter().all(|(name, _)| *name != header::ACCEPT_CHARSET);
        let same = text.as_ref().is_some_and(|text| text.as_bytes() == &body[..]);
        let found = String::from_utf8_lossy(body);
        hold!(text.is_some(), "broken percent-encoding came back as {found:?}");
        hold!(same || coded || !in_utf8, "{text:?} came back as {found:?}");
    }
    problem(&answer)
}

/// A failure in JSON says of itself what the status line says.
fn problem(answer: &Answer) -> Holds {
    let Answer { status, headers, body } = answer;
    if !status.is_client_error() || headers.contains_key(header::CONTENT_ENCODING) {
        return Ok(());
    }
    let Some(content_type) = headers.get(header::CONTENT_TYPE) else {
        return Err(Broken(format!("{status} without Content-Type")));
    };
    let text = String::from_utf8_lossy(content_type.as_bytes()).into_owned();
    let media_type = MediaType::parse(&text)
        .map_err(|error| Broken(format!("{status} with the Content-Type {text:?}: {error}")))?;
    if media_type.essence() != "application/problem+json" {
        return Ok(());
    }
    let problem: Json = serde_json::from_slice(body)
        .map_err(|error| Broken(format!("{status} with a body that is no JSON: {error}")))?;
    let said = problem["status"].as_u64();
    hold!(said == Some(status.as_u16().into()), "{status} with a problem of {said:?}");
    Ok(())
}
