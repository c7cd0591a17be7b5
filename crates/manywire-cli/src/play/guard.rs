//! The check that a request comes from the user's own page.
//!
//! A page of another site can send requests to loopback, too. Such a page does not know the token.
//! In addition, the browser names its site in `Origin`, and if the site resolves its own host name
//! to loopback, that name is in `Host`.

use manywire::input::{Input, InputDescription, InputReader, Read};
use manywire::{Fault, HeaderMap, InputLocation, header};

/// An input that refuses requests that do not come from the page of this command.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalRequest;

impl Input for LocalRequest {
    type Value = ();

    fn describe(&self, _description: &mut Vec<InputDescription>) {}
}

impl Read for LocalRequest {
    fn read(&self, reading: &mut InputReader<'_>) -> Option<()> {
        match refusal(reading.headers()) {
            None => Some(()),
            Some((name, detail)) => reading.note(Fault::new(InputLocation::Header, name, detail)),
        }
    }
}

/// Returns the name of the field that shows another site, with the reason; `None` if the request is
/// allowed.
fn refusal(headers: &HeaderMap) -> Option<(&'static str, String)> {
    let text = |name| headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let host = text(header::HOST).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(&*host, |(name, _)| name);
    if !["127.0.0.1", "localhost"].contains(&name) {
        return Some(("host", format!("expected 127.0.0.1 or localhost, found {host:?}")));
    }
    let origin = text(header::ORIGIN)?;
    let own = format!("http://{host}");
    (origin != own).then(|| ("origin", format!("expected {own}, found {origin:?}")))
}

#[cfg(test)]
mod tests {
    use manywire::HeaderValue;

    use super::*;

    #[test]
    fn other_sites_are_refused() {
        let cases = [
            ("127.0.0.1:4000", None, None),
            ("localhost:4000", Some("http://localhost:4000"), None),
            ("127.0.0.1:4000", Some("http://127.0.0.1:4000"), None),
            ("127.0.0.1", None, None),
            ("127.0.0.1:4000", Some("http://127.0.0.1:4001"), Some("origin")),
            ("127.0.0.1:4000", Some("https://127.0.0.1:4000"), Some("origin")),
            ("127.0.0.1:4000", Some("null"), Some("origin")),
            ("127.0.0.1:4000", Some("http://example.com"), Some("origin")),
            ("rebound.example.com:4000", None, Some("host")),
            ("127.0.0.1.example.com", None, Some("host")),
            ("", None, Some("host")),
        ];
        for (host, origin, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static(host));
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            }
            let found = refusal(&headers).map(|(name, _)| name);
            assert_eq!(found, expected, "{host} {origin:?}");
        }
    }
}
