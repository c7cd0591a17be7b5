//! The HTTP client: header fields, redirects, and one request for each redirect.

use std::io::{self, Read};
use std::time::Instant;

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use manywire_format::{Coding, Form};
use percent_encoding::percent_decode_str;
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};
use url::Url;

use crate::fetch::response::{self, Content};
use crate::fetch::urls;
use crate::fetch::{FetchError, Header, Limits, Request};

/// Fetches the content of a URL, and follows redirects.
///
/// # Errors
/// Fails for an invalid URL; for a host that is not found, refuses the connection, has no valid
/// certificate or takes too long; for an invalid redirect, a redirect from `https` to `http`, or
/// too many redirects; for a status other than 200, with the first line of the body unless the
/// status is 2xx; and for content beyond a limit or in an unsupported coding.
pub fn fetch(request: &Request<'_>) -> Result<Content, FetchError> {
    let Request { headers, limits, .. } = request;
    let deadline = Instant::now() + limits.total;
    let first = urls::parse(request.url)?;
    let mut url = first.clone();
    for _ in 0..=limits.redirects {
        let mut fields = default_fields(request.accept);
        if urls::is_same_host(&first, &url) {
            headers.iter().for_each(|header| _ = fields.remove(&header.name));
            for Header { name, value } in *headers {
                fields.append(name, value.clone());
            }
            authorize(&first, &mut fields);
        }
        let response = exchange(&url, &fields, limits, deadline)?;
        match redirect(&url, &response)? {
            Some(next) => url = next,
            None => {
                return response::content(
                    &url,
                    response.status,
                    &response.fields,
                    response.body,
                    limits,
                );
            }
        }
    }
    let message = format!("more than {} redirects, the last to {}", limits.redirects, url.path());
    Err(FetchError::new(&urls::name_of(&first), message))
}

/// A response before decoding.
struct Response {
    status: StatusCode,
    fields: HeaderMap,
    body: Vec<u8>,
}

/// Returns the default header fields of a request.
fn default_fields(accept: &[Form]) -> HeaderMap {
    let mut fields = HeaderMap::new();
    let mut set = |name: HeaderName, value: String| {
        // All values come from our own tables and are valid.
        if let Ok(value) = HeaderValue::from_str(&value) {
            fields.insert(name, value);
        }
    };
    set(header::ACCEPT, accept_field(accept));
    let codings = [Coding::Zstd, Coding::Brotli, Coding::Gzip].map(Coding::name);
    set(header::ACCEPT_ENCODING, codings.join(", "));
    set(header::USER_AGENT, concat!("manywire/", env!("CARGO_PKG_VERSION")).to_owned());
    fields
}

/// Returns the `Accept` field (RFC 9110, section 12.5.1): every media type of every form, the first
/// form preferred. Any other type is accepted with a low weight, because many servers send wrong media
/// types.
fn accept_field(forms: &[Form]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for form in forms {
        let aliases = form.format.row().aliases.iter().copied();
        for name in std::iter::once(form.media_type()).chain(aliases) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let first = forms.first().map(|form| form.media_type());
    let weighed = names
        .into_iter()
        .map(|name| if Some(name) == first { name.to_owned() } else { format!("{name};q=0.9") });
    let mut members: Vec<String> = weighed.collect();
    members.push("*/*;q=0.1".to_owned());
    members.join(", ")
}

/// Adds the user and password in the URL as `Authorization` (RFC 7617), unless that field is set.
fn authorize(url: &Url, fields: &mut HeaderMap) {
    let has_user = !url.username().is_empty() || url.password().is_some();
    if has_user && !fields.contains_key(header::AUTHORIZATION) {
        let mut user: Vec<u8> = percent_decode_str(url.username()).collect();
        user.push(b':');
        user.extend(percent_decode_str(url.password().unwrap_or_default()));
        if let Ok(mut value) = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(user))) {
            value.set_sensitive(true);
            fields.insert(header::AUTHORIZATION, value);
        }
    }
}

/// Sends one request, and reads the response.
fn exchange(
    url: &Url,
    fields: &HeaderMap,
    limits: &Limits,
    deadline: Instant,
) -> Result<Response, FetchError> {
    let failed = |message: String| FetchError::new(&urls::name_of(url), message);
    let left = deadline.saturating_duration_since(Instant::now());
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let agent: Agent = Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_response_header_size(HEADER_BYTES_MAX)
        .timeout_connect(Some(limits.connect))
        .timeout_resolve(Some(limits.connect))
        .timeout_per_read(Some(limits.idle))
        .timeout_per_write(Some(limits.idle))
        .timeout_global(Some(left))
        .build()
        .into();
    let mut call = agent.get(urls::target_of(url).as_str());
    if let Some(all) = call.headers_mut() {
        all.extend(fields.clone());
    }
    let response = call.call().map_err(|error| failed(describe_error(error, limits)))?;
    let (parts, body) = response.into_parts();
    let mut bytes = Vec::new();
    let most = limits.body_bytes as u64;
    let read = body.into_reader().take(most + 1).read_to_end(&mut bytes);
    if let Err(error) = read {
        let error = ureq::Error::from(error);
        return Err(failed(format!(
            "after {} bytes: {}",
            bytes.len(),
            describe_error(error, limits)
        )));
    }
    if bytes.len() > limits.body_bytes {
        let megabytes = limits.body_bytes >> 20;
        return Err(failed(format!("more than {megabytes} MiB: save it, and name the file")));
    }
    Ok(Response { status: parts.status, fields: parts.headers, body: bytes })
}

/// The size limit of all header fields of a response.
const HEADER_BYTES_MAX: usize = 64 << 10;

/// Returns the URL that a redirect leads to, or `None` if the response is not a redirect.
fn redirect(url: &Url, response: &Response) -> Result<Option<Url>, FetchError> {
    let failed = |message: String| FetchError::new(&urls::name_of(url), message);
    if !matches!(response.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let status = response.status;
    let location = response.fields.get(header::LOCATION);
    let location = location.ok_or_else(|| failed(format!("{status} without a Location")))?;
    let location = location.to_str().ok().and_then(|location| url.join(location).ok());
    let next = location.ok_or_else(|| failed(format!("{status} to a Location that is no URL")))?;
    urls::check(&next).map_err(|why| failed(format!("{status}: {why}")))?;
    if url.scheme() == "https" && next.scheme() == "http" {
        let next = urls::name_of(&next);
        return Err(failed(format!("{status} from https to {next}, where anybody could listen")));
    }
    Ok(Some(next))
}

/// Describes an error of the connection.
fn describe_error(error: ureq::Error, limits: &Limits) -> String {
    use ureq::{Error, Timeout};
    match error {
        Error::HostNotFound => "the name of the host cannot be resolved".to_owned(),
        Error::Timeout(Timeout::Global) => format!("not done after {:?}", limits.total),
        Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
            format!("no connection after {:?}", limits.connect)
        }
        Error::Timeout(_) => format!("no data arrived for {:?}", limits.idle),
        Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
            format!("no data arrived for {:?}", limits.idle)
        }
        Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            "the connection ended before the end of the response".to_owned()
        }
        Error::Io(error) => error.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept_lists_every_media_type_once() {
        let forms = ["json", "ndjson", "msgpack", "msgpack-array"];
        let forms: Vec<Form> = forms.iter().map(|name| name.parse().unwrap()).collect();
        assert_eq!(
            accept_field(&forms),
            "application/json, text/json;q=0.9, application/x-ndjson;q=0.9, \
             application/vnd.msgpack;q=0.9, application/msgpack;q=0.9, \
             application/x-msgpack;q=0.9, */*;q=0.1"
        );
    }

    #[test]
    fn sends_the_user_in_the_url_as_authorization() {
        // RFC 7617, section 2.
        let mut fields = HeaderMap::new();
        authorize(&Url::parse("http://Aladdin:open%20sesame@h/").unwrap(), &mut fields);
        assert_eq!(fields[header::AUTHORIZATION], "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        let given = HeaderValue::from_static("Bearer x");
        fields.insert(header::AUTHORIZATION, given.clone());
        authorize(&Url::parse("http://a@h/").unwrap(), &mut fields);
        assert_eq!(fields[header::AUTHORIZATION], given);
    }
}
