//! Requests, written as they stand in HTTP/1.1.

use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Method, Uri};

/// A request line, header fields, an empty line, a body.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) fields: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// A request with a body of this type.
    pub(crate) fn of_body(method: Method, path: &'static str, kind: &str, body: &[u8]) -> Request {
        let content_type = HeaderValue::try_from(kind).map(|kind| (CONTENT_TYPE, kind));
        let fields = content_type.into_iter().collect();
        Request { method, uri: Uri::from_static(path), fields, body: body.to_vec() }
    }

    /// Reads a request; nothing where what carries requests would not hand one over.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Request> {
        let mut rest = bytes;
        let line = next_line(&mut rest);
        let space = line.iter().position(|byte| *byte == b' ')?;
        let method = Method::from_bytes(&line[..space]).ok()?;
        let uri = Uri::try_from(&line[space + 1..]).ok()?;
        let mut fields = Vec::new();
        while !rest.is_empty() {
            let line = next_line(&mut rest);
            if line.is_empty() {
                break;
            }
            let colon = line.iter().position(|byte| *byte == b':')?;
            let name = HeaderName::from_bytes(&line[..colon]).ok()?;
            let value = line[colon + 1..].trim_ascii();
            fields.push((name, HeaderValue::from_bytes(value).ok()?));
        }
        Some(Request { method, uri, fields, body: rest.to_vec() })
    }

    /// The text that `GET /text/…` asks back: nothing within where its encoding is broken.
    pub(crate) fn text(&self) -> Option<Option<String>> {
        let segment = self.uri.path().strip_prefix("/text/")?;
        let is_one = self.method == Method::GET && !segment.contains('/') && !segment.is_empty();
        is_one.then(|| Request::decoded(segment))
    }

    /// Text without its percent-encoding (RFC 3986, section 2.1), by a reading of its own.
    fn decoded(segment: &str) -> Option<String> {
        let mut text = Vec::new();
        let mut pieces = segment.split('%');
        text.extend(pieces.next()?.bytes());
        for piece in pieces {
            let digits = piece.get(..2).filter(|digits| digits.bytes().all(is_digit))?;
            text.push(u8::from_str_radix(digits, 16).ok()?);
            text.extend(piece.get(2..)?.bytes());
        }
        String::from_utf8(text).ok()
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// The next line, without its end.
fn next_line<'b>(rest: &mut &'b [u8]) -> &'b [u8] {
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let line = &rest[..end];
    *rest = rest.get(end + 1..).unwrap_or_default();
    line.strip_suffix(b"\r").unwrap_or(line)
}
