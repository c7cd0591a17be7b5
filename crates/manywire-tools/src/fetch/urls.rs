//! URLs: detection, names for messages, and the hosts that header fields may be sent to.

use std::fmt;

use http::Uri;
use http::uri::InvalidUri;
use url::Url;

use crate::fetch::FetchError;

/// Returns whether an argument is a URL for [`fetch`](crate::fetch::fetch) and not a file: whether it
/// begins with `http://` or `https://`, in any letter case.
pub fn is_url(argument: &str) -> bool {
    let begins = |scheme: &str| {
        argument.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    };
    begins("http://") || begins("https://")
}

/// Returns the name of a URL for messages and reports: scheme, host and path. The user, the password
/// and the query are left out because they may be secret.
pub fn name(url: &str) -> String {
    match Url::parse(url) {
        Ok(url) => name_of(&url),
        // An invalid URL is cut where a secret could begin.
        Err(_) => {
            let end = url.find(['?', '#']).unwrap_or(url.len());
            let (scheme, rest) = url[..end].split_once("://").unwrap_or(("http", ""));
            let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
            format!("{scheme}://{rest}")
        }
    }
}

pub(crate) fn name_of(url: &Url) -> String {
    let mut url = target_of(url);
    url.set_query(None);
    url.to_string()
}

/// Returns the part of a URL that a request is sent to: without user, password and fragment.
pub(crate) fn target_of(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    // Both calls fail only for URLs without a host, and these URLs always have a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

/// Parses a URL, and checks that a request can be sent to it.
pub(crate) fn parse(text: &str) -> Result<Url, FetchError> {
    let invalid = |what: &dyn fmt::Display| FetchError::new(&name(text), what);
    let url = Url::parse(text).map_err(|error| invalid(&error))?;
    check(&url).map_err(|error| invalid(&error))?;
    Ok(url)
}

/// The reason that a URL cannot be fetched.
#[derive(Debug)]
pub(crate) enum UnfetchableUrl {
    /// The scheme is not `http` or `https`.
    Scheme(String),
    /// The URL is not valid as the URI of a request.
    Uri(InvalidUri),
}

impl fmt::Display for UnfetchableUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnfetchableUrl::Scheme(scheme) => {
                write!(f, "{scheme} is not fetched here, only http and https are")
            }
            UnfetchableUrl::Uri(error) => error.fmt(f),
        }
    }
}

/// Checks that a request can be sent to a URL.
pub(crate) fn check(url: &Url) -> Result<(), UnfetchableUrl> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UnfetchableUrl::Scheme(url.scheme().to_owned()));
    }
    url.as_str().parse::<Uri>().map(drop).map_err(UnfetchableUrl::Uri)
}

/// Returns whether header fields for one URL may be sent to another: if the origin is the same (RFC
/// 6454), or if the host is the same, both ports are the defaults, and `https` replaces `http`.
pub(crate) fn is_same_host(from: &Url, to: &Url) -> bool {
    let upgraded = from.scheme() == "http"
        && to.scheme() == "https"
        && from.port().is_none()
        && to.port().is_none();
    from.host() == to.host() && (from.origin() == to.origin() || upgraded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_urls_from_files() {
        for url in ["http://a", "HTTPS://a/b"] {
            assert!(is_url(url), "{url}");
        }
        for file in ["", "-", "http", "http:", "https/x.json", "ftp://a", "añ/http://", "é"] {
            assert!(!is_url(file), "{file}");
        }
    }

    #[test]
    fn names_contain_no_secrets() {
        assert_eq!(name("https://u:p@h.example/a?key=secret#f"), "https://h.example/a");
        assert_eq!(name("http://u:p@h:port/a?key=secret"), "http://h:port/a");
    }

    #[test]
    fn sends_header_fields_to_the_same_host_only() {
        let same = |from: &str, to: &str| {
            is_same_host(&Url::parse(from).unwrap(), &Url::parse(to).unwrap())
        };
        assert!(same("https://a/x", "https://a/y"));
        assert!(same("http://a/x", "https://a/x"));
        assert!(!same("https://a/x", "https://b/x"));
        assert!(!same("https://a/x", "https://a:8443/x"));
        assert!(!same("http://a:80/x", "http://a:81/x"));
    }
}
