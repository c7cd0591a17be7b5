use std::collections::{BTreeMap, BTreeSet};

use super::{Body, Recorded};

/// Where a body was sent to or came from.
pub(super) struct Place {
    method: String,
    host: String,
    path: String,
    is_request: bool,
}

impl Place {
    pub(super) fn of(method: &str, url: &str, is_request: bool) -> Place {
        let (host, path) = split(url);
        let path: Vec<&str> = path.split('/').map(template).collect();
        Place { method: shown(method), host: shown(host), path: shown(&path.join("/")), is_request }
    }

    fn endpoint(&self, with_host: bool) -> String {
        let Place { method, host, path, is_request } = self;
        let host = if with_host { host.as_str() } else { "" };
        let what = if *is_request { " (request)" } else { "" };
        format!("{method} {host}{path}{what}")
    }
}

/// Finds the names of bodies: the host is part of them only where there are several, and a number
/// only where an endpoint has several bodies.
pub(super) fn named(recorded: Vec<Recorded>) -> Vec<Body> {
    let hosts: BTreeSet<&str> =
        recorded.iter().map(|recorded| recorded.place.host.as_str()).collect();
    let with_host = hosts.len() > 1;
    let endpoints: Vec<String> =
        recorded.iter().map(|recorded| recorded.place.endpoint(with_host)).collect();
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    for endpoint in &endpoints {
        *totals.entry(endpoint).or_default() += 1;
    }
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    let names: Vec<String> = endpoints
        .iter()
        .map(|endpoint| {
            let number = seen.entry(endpoint).or_default();
            *number += 1;
            if totals[endpoint.as_str()] == 1 {
                endpoint.clone()
            } else {
                format!("{endpoint} #{number}")
            }
        })
        .collect();
    let whose = endpoints.into_iter().zip(names).zip(recorded);
    whose
        .map(|((endpoint, name), recorded)| Body {
            endpoint,
            name,
            form: recorded.form,
            bytes: recorded.bytes,
        })
        .collect()
}

/// Host with port, and path, of a URL: without who asks, what for, and which part.
fn split(url: &str) -> (&str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    (host, if path.is_empty() { "/" } else { path })
}

/// A hexadecimal number of at least this many digits names one thing among many: an ObjectId has
/// 24, a hash 32 and more.
const HEX_DIGITS_MIN: usize = 16;

/// A segment, or what stands for all segments like it.
fn template(segment: &str) -> &str {
    let digits = || segment.bytes().all(|byte| byte.is_ascii_digit());
    let hex = || segment.bytes().all(|byte| byte.is_ascii_hexdigit());
    let uuid = || {
        let lengths: Vec<usize> = segment.split('-').map(str::len).collect();
        let hex = segment.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        hex && lengths == [8, 4, 4, 4, 12]
    };
    let names_one = digits() || (segment.len() >= HEX_DIGITS_MIN && hex()) || uuid();
    if !segment.is_empty() && names_one { "{id}" } else { segment }
}

/// Text fit for a terminal.
fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '·' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{split, template};

    #[test]
    fn urls_are_split() {
        for (url, expected) in [
            ("https://api.example.com/v1/a?key=secret#x", ("api.example.com", "/v1/a")),
            ("http://user:pass@[::1]:8080", ("[::1]:8080", "/")),
            ("http://h?q=/", ("h", "/")),
            ("/bare", ("", "/bare")),
        ] {
            assert_eq!(split(url), expected, "{url}");
        }
    }

    #[test]
    fn segments_that_name_one_of_many_stand_for_all() {
        for segment in ["7", "64b0c20058b2a2055bb55bcb", "123e4567-e89b-12d3-a456-426614174000"] {
            assert_eq!(template(segment), "{id}");
        }
        for segment in ["", "v1", "decade", "face", "7a", "hotels.json"] {
            assert_eq!(template(segment), segment);
        }
    }
}
