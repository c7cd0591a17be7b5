//! `multipart/form-data` forms, in any number of pieces. Plain forms are compared with a parser
//! written from RFC 2046 and RFC 7578.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use http::{Method, StatusCode};
use manywire::content::{File, Multipart};
use manywire::{Api, Format, Problem, Service, Shaped, post};
use serde::{Deserialize, Serialize};

use super::client::{Answer, Request, call, problem};
use crate::target::{CheckResult, Violation, ensure};

/// A part, as the service reports it or as the test expects it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Shaped)]
struct Part {
    name: String,
    file_name: Option<String>,
    content_type: Option<String>,
    /// The content in hex.
    content: String,
}

#[derive(Debug, Deserialize, Shaped)]
struct Upload {
    title: String,
    #[serde(default)]
    numbers: Vec<u16>,
    place: Option<Point>,
    #[serde(default)]
    files: Vec<File>,
}

#[derive(Debug, Serialize, Deserialize, Shaped)]
struct Point {
    x: f64,
    y: Option<i8>,
}

/// The result of an upload.
#[derive(Serialize, Shaped)]
struct UploadResult {
    title: String,
    numbers: Vec<u16>,
    place: Option<Point>,
    files: Vec<Part>,
}

static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    let parts = post("/parts").body::<Multipart<BTreeMap<String, String>>>();
    let parts = parts.returns::<Vec<Part>>().to(|mut form| async move {
        let mut parts = Vec::new();
        while let Some(part) = form.next().await {
            let part = part?;
            let seen = Part {
                name: part.name().to_owned(),
                file_name: part.file_name().map(str::to_owned),
                content_type: part.content_type().map(|it| it.to_string()),
                content: String::new(),
            };
            parts.push(Part { content: hex(&part.bytes().await?), ..seen });
        }
        Ok::<_, Problem>(parts)
    });
    let typed = post("/typed").body::<Multipart<Upload>>();
    let typed = typed.returns::<UploadResult>().to(|form| async move {
        let Upload { title, numbers, place, files } = form.read().await?;
        let files = files.into_iter().map(|File { name, content_type, content }| Part {
            name: String::new(),
            file_name: name,
            content_type,
            content: hex(&content),
        });
        Ok::<_, Problem>(UploadResult { title, numbers, place, files: files.collect() })
    });
    let api = Api::new("Parts").formats([Format::Json, Format::Cbor, Format::Protobuf]);
    api.serve(parts).serve(typed).build().unwrap_or_else(|error| panic!("{error}"))
});

/// Checks an input of a line with the boundary and the body.
pub(crate) fn check(bytes: &[u8]) -> CheckResult {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (line, body) = bytes.split_at(end);
    let boundary = std::str::from_utf8(line).ok().filter(|text| is_boundary(text)).unwrap_or("b");
    let body = body.strip_prefix(b"\n").unwrap_or(body);
    let parts = answers("/parts", boundary, body)?;
    if let Some(expected) = plain(boundary.as_bytes(), body) {
        ensure!(parts.status == StatusCode::OK, "{} for {expected:?}", parts.status);
        let found: Vec<Part> = serde_json::from_slice(&parts.body)
            .map_err(|error| Violation(format!("the response is not JSON: {error}")))?;
        ensure!(found == expected, "{expected:?} was read as {found:?}");
    }
    let typed = answers("/typed", boundary, body)?;
    ensure!(
        parts.status == StatusCode::OK || typed.status != StatusCode::OK,
        "an invalid form was read as a record: {}",
        parts.status
    );
    Ok(())
}

/// Returns the response of the service, which must not depend on the pieces of the body.
fn answers(path: &'static str, boundary: &str, body: &[u8]) -> Result<Answer, Violation> {
    let kind = format!("multipart/form-data; boundary=\"{boundary}\"");
    let request = Request::with_body(Method::POST, path, &kind, body);
    let whole = call(&SERVICE, &request, None)?;
    ensure!(!whole.status.is_server_error(), "{path}: {}", whole.status);
    problem(&whole)?;
    for piece_bytes in [1, 7] {
        let found = call(&SERVICE, &request, Some(piece_bytes))?;
        let text = |answer: &Answer| {
            format!("{} {}", answer.status, String::from_utf8_lossy(&answer.body))
        };
        let (found, whole) = (text(&found), text(&whole));
        ensure!(found == whole, "{path}: {whole}, but in pieces of {piece_bytes}: {found}");
    }
    Ok(whole)
}

/// Returns true for a valid boundary (RFC 2046, section 5.1.1) without spaces.
fn is_boundary(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=?".contains(&byte);
    !text.is_empty() && text.len() <= 70 && text.bytes().all(known)
}

/// Parses a body in the plainest form that writers produce; returns `None` for any other body.
fn plain(boundary: &[u8], body: &[u8]) -> Option<Vec<Part>> {
    let mut delimiter = b"\r\n--".to_vec();
    delimiter.extend(boundary);
    let mut rest = body.strip_prefix(&delimiter[2..])?;
    let mut parts = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Some(parts);
        }
        rest = rest.strip_prefix(b"\r\n")?;
        let mut part = Part::default();
        let mut names = 0;
        while !rest.starts_with(b"\r\n") {
            let end = rest.windows(2).position(|pair| pair == b"\r\n")?;
            let line = std::str::from_utf8(&rest[..end]).ok()?;
            rest = &rest[end + 2..];
            if let Some(named) = line.strip_prefix("Content-Disposition: form-data; name=") {
                let (name, file) = quoted(named)?;
                part.name = name;
                part.file_name = match file.strip_prefix("; filename=") {
                    Some(file) => Some(quoted(file).filter(|(_, after)| after.is_empty())?.0),
                    None if file.is_empty() => None,
                    None => return None,
                };
                names += 1;
            } else {
                let kind = line.strip_prefix("Content-Type: ")?;
                let known = ["text/plain", "application/json", "application/cbor", "image/png"];
                let is_second = part.content_type.is_some();
                part.content_type = known.contains(&kind).then(|| kind.to_owned());
                (!is_second && part.content_type.is_some()).then_some(())?;
            }
        }
        // Exactly one name is valid.
        (names == 1).then_some(())?;
        rest = &rest[2..];
        let end = rest.windows(delimiter.len()).position(|window| window == delimiter)?;
        part.content = hex(&rest[..end]);
        parts.push(part);
        rest = &rest[end + delimiter.len()..];
    }
}

/// Parses a quoted text of plain characters, and returns the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let (text, rest) = text.strip_prefix('"')?.split_once('"')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -_.".contains(&byte);
    (!text.is_empty() && text.bytes().all(plain)).then(|| (text.to_owned(), rest))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
