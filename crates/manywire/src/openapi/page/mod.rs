//! The page that shows the document of an API to people and sends requests from there: Swagger UI,
//! compiled in. The page loads nothing from other hosts. Its content security policy permits only
//! its own files, and requests to the servers of the API.
//!
//! The files of the viewer have the viewer's version in their names, so that caches may keep them.
//! The page and the script that starts the viewer are small, and caches revalidate them each time.

use std::fmt::Write;

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use manywire_codec::Result;
use twox_hash::XxHash3_128;

use super::documents::DOCUMENT_PATH;
use super::info::Info;
use crate::content::{Content, Encode, Encoding, Media};
use crate::endpoint::{Reply, Route, get};

/// The names of the viewer's files, with its version.
const SCRIPT_NAME: &str = "swagger-ui-5.35.0.js";
const STYLE_NAME: &str = "swagger-ui-5.35.0.css";
const START_NAME: &str = "start.js";

const SCRIPT: &str = include_str!("../../../assets/swagger-ui/swagger-ui-bundle.js");
const STYLE: &str = include_str!("../../../assets/swagger-ui/swagger-ui.css");
const START: &str = include_str!("start.js");

/// The `Cache-Control` of files whose names change with their content (RFC 8246).
const FOREVER: &str = "public, max-age=31536000, immutable";
/// The `Cache-Control` of files that may change with the service: caches must revalidate them.
const ASK: &str = "no-cache";

/// The path of the page of an API, or `None` without a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct DocsPage(Option<String>);

impl DocsPage {
    /// Creates the page at this path.
    pub(crate) fn at(path: String) -> DocsPage {
        DocsPage(Some(path))
    }

    /// Returns the endpoints that serve the page and its files, below its path.
    pub(crate) fn routes(self, info: &Info) -> Vec<Route> {
        let Some(path) = self.0 else { return Vec::new() };
        let below = |name: &str| format!("{}/{name}", path.trim_end_matches('/'));
        vec![
            file::<Html>(&path, html(&path, &info.name), ASK, Some(policy(info))),
            file::<Script>(&below(START_NAME), START, ASK, None),
            file::<Script>(&below(SCRIPT_NAME), SCRIPT, FOREVER, None),
            file::<Style>(&below(STYLE_NAME), STYLE, FOREVER, None),
        ]
    }
}

/// Returns the endpoint of a file with its fields for caches.
fn file<T>(
    path: &str,
    text: impl Into<Bytes>,
    caching: &'static str,
    policy: Option<HeaderValue>,
) -> Route
where
    T: Content<Value = Bytes> + Encode,
{
    let content = text.into();
    let mut fields = HeaderMap::new();
    let mut set = |name: HeaderName, value: HeaderValue| fields.insert(name, value);
    set(CACHE_CONTROL, HeaderValue::from_static(caching));
    set(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    set(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    // Weak, since it is the same in every content coding.
    let tag = format!("W/\"{:032x}\"", XxHash3_128::oneshot(&content));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        set(ETAG, tag);
    }
    if let Some(policy) = policy {
        set(CONTENT_SECURITY_POLICY, policy);
    }
    get(path).returns::<T>().to(move || {
        let reply = Reply::new(content.clone()).with_headers(fields.clone());
        async move { reply }
    })
}

/// Returns the page. Its links are relative, so that it works under any prefix.
fn html(path: &str, name: &str) -> String {
    let (folders, own_name) = path.rsplit_once('/').unwrap_or(("", path));
    let to_root = "../".repeat(folders.matches('/').count());
    let document = format!("{to_root}{}", DOCUMENT_PATH.trim_start_matches('/'));
    let own = if own_name.is_empty() { String::new() } else { format!("{}/", escaped(own_name)) };
    let name = escaped(name);
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{own}{STYLE_NAME}">
</head>
<body>
<div id="swagger-ui" data-document="{document}"></div>
<noscript>This page needs JavaScript. <a href="{document}">The document</a> does not.</noscript>
<script src="{own}{SCRIPT_NAME}"></script>
<script src="{own}{START_NAME}"></script>
</body>
</html>
"#
    )
}

/// Returns text with the characters escaped that end text or an attribute in HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '<' | '>' | '"' | '\'' => {
                // Writing into a `String` does not fail.
                _ = write!(out, "&#{};", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

/// Returns the content security policy (Content Security Policy Level 3): nothing but the files of
/// the page, and requests to the servers of the API. The viewer sets styles of elements and has
/// pictures in its style sheet.
fn policy(info: &Info) -> HeaderValue {
    let mut policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; connect-src 'self'"
        .to_owned();
    for (url, _) in &info.servers {
        // A relative URL names this server, and only the viewer knows the values of a URL with
        // variables.
        if let Some(origin) = origin(url) {
            policy.push(' ');
            policy.push_str(origin);
        }
    }
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// Returns the scheme and authority of an absolute `http` or `https` URL.
fn origin(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    let is_valid = matches!(scheme, "http" | "https")
        && !authority.is_empty()
        && authority.bytes().all(is_plain);
    is_valid.then(|| &url[..scheme.len() + "://".len() + authority.len()])
}

/// Declares content of one media type that is written as it is.
macro_rules! files {
    ($($name:ident $media_type:literal),+ $(,)?) => {$(
        #[doc = concat!("Content of the type `", $media_type, "`.")]
        struct $name;

        impl Content for $name {
            type Value = Bytes;

            fn media() -> Media {
                Media::Named($media_type)
            }
        }

        impl Encode for $name {
            fn encode_ref(value: &Bytes, _to: &mut Encoding<'_>) -> Result<Bytes> {
                Ok(value.clone())
            }
        }
    )+};
}

files! {
    Html "text/html;charset=utf-8",
    Script "text/javascript;charset=utf-8",
    Style "text/css;charset=utf-8",
}
