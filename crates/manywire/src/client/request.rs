//! A request written from an endpoint and its arguments.

use http::Method;
use http::header::{self, HeaderMap, HeaderValue};
use http::uri::{PathAndQuery, Uri};
use manywire_format::Coding;

use super::{Client, formats};
use crate::codings;
use crate::content::own::AnyFormat;
use crate::content::{FORM, Media, Outgoing, Receive};
use crate::endpoint::{Context, Endpoint, PatternPart, parse_pattern};
use crate::input::{InputWriter, Inputs, WriteInputs};
use crate::percent::{encode as percent_encode, normalize};
use crate::problem::{Fault, InputLocation};

/// A request with erased types, ready to be sent repeatedly.
pub(super) struct Request {
    pub(super) head: RequestHead,
    pub(super) body: Option<Outgoing>,
}

/// A request without its body.
pub(super) struct RequestHead {
    pub(super) method: Method,
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    /// The formats for the body, in order of preference.
    pub(super) formats: Vec<AnyFormat>,
}

impl Request {
    /// Writes the inputs of an endpoint into a request.
    pub(super) fn new<In, Out, Fail, C>(
        client: &Client,
        endpoint: &Endpoint<In, Out, Fail, C>,
        arguments: In::Arguments,
    ) -> Result<Request, Box<Fault>>
    where
        In: WriteInputs,
        Out: Receive,
        C: Context,
    {
        let mut writing = InputWriter { headers: client.fields.clone(), ..InputWriter::default() };
        endpoint.inputs.write(arguments, &mut writing)?;
        Request::with(client, endpoint, writing, |writing| {
            uri(client, &endpoint.head.pattern, &writing.segments, &writing.query)
        })
    }

    /// Writes a request to a link, with the method, credentials and formats of an endpoint.
    pub(super) fn of_link<In, Out, Fail, C>(
        client: &Client,
        endpoint: &Endpoint<In, Out, Fail, C>,
        link: &str,
    ) -> Result<Request, Box<Fault>>
    where
        In: Inputs,
        Out: Receive,
        C: Context,
    {
        let writing = InputWriter { headers: client.fields.clone(), ..InputWriter::default() };
        Request::with(client, endpoint, writing, |writing| linked(client, link, &writing.query))
    }

    /// Completes a request from its written inputs: adds the credentials and header fields, and
    /// calls `uri` for its URI.
    fn with<In, Out, Fail, C>(
        client: &Client,
        endpoint: &Endpoint<In, Out, Fail, C>,
        mut writing: InputWriter,
        uri: impl FnOnce(&InputWriter) -> Result<Uri, Box<Fault>>,
    ) -> Result<Request, Box<Fault>>
    where
        In: Inputs,
        Out: Receive,
        C: Context,
    {
        if let Some(requirement) = endpoint.context.requirement() {
            client.credentials.write(&requirement, &mut writing)?;
        }
        let uri = uri(&writing)?;
        let endpoint_head = &endpoint.head;
        let formats = client.formats.for_endpoint(endpoint_head.formats.as_deref());
        let mut headers = writing.headers;
        let accept = accept(client, Out::media(), std::any::TypeId::of::<Out>(), &formats);
        if let Ok(accept) = HeaderValue::try_from(accept) {
            headers.entry(header::ACCEPT).or_insert(accept);
        }
        let codings: Vec<String> = codings::supported().map(|it: Coding| it.to_string()).collect();
        if let (false, Ok(codings)) =
            (codings.is_empty(), HeaderValue::try_from(codings.join(", ")))
        {
            headers.entry(header::ACCEPT_ENCODING).or_insert(codings);
        }
        let head = RequestHead { method: endpoint_head.method.clone(), uri, headers, formats };
        Ok(Request { head, body: writing.body })
    }
}

/// Returns `Accept`: the media types of the response, and of problems.
fn accept(client: &Client, media: Media, id: std::any::TypeId, formats: &[AnyFormat]) -> String {
    let name = |format: &AnyFormat| format.offer().media_type().to_string();
    let in_front_of_problems = |media_type: &str| {
        formats::accept(std::iter::once(media_type.to_owned()).chain(formats.iter().map(name)))
    };
    match media {
        Media::Formats(ty) => {
            let holds = |format: &&AnyFormat| client.formats.codecs(id, &ty, **format).is_ok();
            formats::accept(formats.iter().filter(holds).map(name))
        }
        Media::Text => in_front_of_problems("text/plain"),
        Media::Named(named) => in_front_of_problems(named),
        Media::Form(_) => in_front_of_problems(FORM),
        Media::OneOf(names) => formats::accept(names.iter().map(|name| (*name).to_owned())),
        Media::Raw | Media::RawStream => "*/*".to_owned(),
        Media::Items(ty) => {
            let holds = |format: &&AnyFormat| client.formats.codecs(id, &ty, **format).is_ok();
            let framings = formats.iter().filter(holds).flat_map(|format| format.framings());
            formats::accept(framings.map(|framing| framing.offer().media_type().to_string()))
        }
        Media::Nothing | Media::Multipart(_) => formats::accept(formats.iter().map(name)),
    }
}

/// Returns the URI: the base, and the pattern with its captures filled in.
fn uri(
    client: &Client,
    pattern: &str,
    segments: &[String],
    query: &str,
) -> Result<Uri, Box<Fault>> {
    let mut path = client.prefix.clone();
    let mut segments = segments.iter();
    let invalid = |error: &dyn std::fmt::Display| {
        Box::new(Fault::new(InputLocation::Path, "", error.to_string()))
    };
    for piece in parse_pattern(pattern).map_err(|error| invalid(&error))? {
        let name = match piece {
            PatternPart::Literal(text) => {
                path.push_str(&normalize(text).map_err(|_| invalid(&"invalid percent-encoding"))?);
                continue;
            }
            PatternPart::Capture(name) => name.trim_matches(['{', '}']),
        };
        let missing = || Fault::new(InputLocation::Path, name, "the endpoint takes no such input");
        let segment = segments.next().ok_or_else(missing)?;
        if name.starts_with('*') {
            // A capture of the rest of a path may contain slashes.
            for (index, part) in segment.split('/').enumerate() {
                path.push_str(if index > 0 { "/" } else { "" });
                percent_encode(part, &mut path);
            }
        } else {
            percent_encode(segment, &mut path);
        }
    }
    if !query.is_empty() {
        path.push('?');
        path.push_str(query);
    }
    of_server(client, &path).map_err(|error| invalid(&error))
}

/// Returns the URI of a link, with the credentials that are query parameters.
fn linked(client: &Client, link: &str, query: &str) -> Result<Uri, Box<Fault>> {
    let invalid = |why: String| Box::new(Fault::new(InputLocation::Path, "", why));
    // A link that begins with two slashes names a host (RFC 3986, section 4.2), which `Uri` takes for
    // a part of the path.
    let absolute = link.starts_with("//").then(|| format!("{}:{link}", client.scheme));
    let target = absolute.as_deref().unwrap_or(link).parse::<Uri>();
    let target = target.map_err(|error| invalid(format!("the link {link}: {error}")))?;
    let is_of_server = match (target.scheme(), target.authority()) {
        (None, None) => link.starts_with('/'),
        (scheme, authority) => {
            scheme == Some(&client.scheme) && authority == Some(&client.authority)
        }
    };
    if !is_of_server {
        let server = format!("{}://{}", client.scheme, client.authority);
        return Err(invalid(format!(
            "the link {link} is neither a path from the root nor a URI of {server}"
        )));
    }
    let mut path = target.path_and_query().map_or("/", PathAndQuery::as_str).to_owned();
    if !query.is_empty() {
        path.push(if target.query().is_some() { '&' } else { '?' });
        path.push_str(query);
    }
    of_server(client, &path).map_err(|error| invalid(format!("the link {link}: {error}")))
}

/// Returns the URI of a path and query on the server of a client.
fn of_server(client: &Client, path: &str) -> Result<Uri, http::Error> {
    let (scheme, authority) = (client.scheme.clone(), client.authority.clone());
    Uri::builder().scheme(scheme).authority(authority).path_and_query(path).build()
}

/// Returns the media type of a body.
pub(super) fn content_type(media: &Media, format: Option<AnyFormat>) -> Option<HeaderValue> {
    let media_type = match (media, format) {
        (Media::Formats(_), Some(format)) => format.media_type().to_string(),
        (Media::Text, _) => "text/plain; charset=utf-8".to_owned(),
        (Media::Items(_), Some(format)) => {
            format.framings().next()?.offer().media_type().to_string()
        }
        (Media::Form(_), _) => FORM.to_owned(),
        (Media::Named(name), _) => (*name).to_owned(),
        (Media::Raw | Media::RawStream, _) => "application/octet-stream".to_owned(),
        _ => return None,
    };
    HeaderValue::try_from(media_type).ok()
}
