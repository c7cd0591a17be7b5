//! Conditional requests and ranges (RFC 9110, sections 13 and 14).

use http::header::HeaderMap;
use http::{HeaderName, HeaderValue, header};

use super::etags::next_tag;

/// The header fields of conditional and range requests, which are compared with the current
/// representation. They are read only if a request has one of them.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    if_match: Vec<HeaderValue>,
    if_none_match: Vec<HeaderValue>,
    if_unmodified_since: Option<HeaderValue>,
    if_modified_since: Option<HeaderValue>,
    range: Option<HeaderValue>,
    if_range: Option<HeaderValue>,
}

/// The names of the header fields in [`Conditions`].
pub(super) const CONDITION_HEADERS: [HeaderName; 6] = [
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::IF_UNMODIFIED_SINCE,
    header::IF_MODIFIED_SINCE,
    header::RANGE,
    header::IF_RANGE,
];

/// The validators of the current representation (section 8.8).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Validators<'v> {
    /// Indicates whether there is a current representation.
    pub(super) exists: bool,
    pub(super) tag: Option<&'v HeaderValue>,
    pub(super) last_modified: Option<&'v HeaderValue>,
}

/// The result of the preconditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Precondition {
    /// The preconditions hold, or there are none: the request is handled.
    Holds,
    /// The client has the current representation: 304.
    NotModified,
    /// The precondition in this header field fails: 412.
    Failed(HeaderName),
}

/// The range of a representation that a client requests (section 14.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteRange {
    /// The whole representation.
    Whole,
    /// These bytes, `last` included.
    Part { first: u64, last: u64 },
    /// The range begins after the end: 416.
    Unsatisfiable,
}

impl Conditions {
    /// Reads the header fields.
    #[cold]
    pub(super) fn from_headers(headers: &HeaderMap) -> Box<Conditions> {
        let lines = |name: HeaderName| headers.get_all(name).iter().cloned().collect();
        let field = |name: HeaderName| headers.get(name).cloned();
        Box::new(Conditions {
            if_match: lines(header::IF_MATCH),
            if_none_match: lines(header::IF_NONE_MATCH),
            if_unmodified_since: field(header::IF_UNMODIFIED_SINCE),
            if_modified_since: field(header::IF_MODIFIED_SINCE),
            range: field(header::RANGE),
            if_range: field(header::IF_RANGE),
        })
    }

    /// Returns whether there is a precondition that applies to methods other than GET and HEAD.
    pub(super) fn guard_a_change(&self) -> bool {
        !self.if_match.is_empty()
            || !self.if_none_match.is_empty()
            || self.if_unmodified_since.is_some()
    }

    /// Evaluates the preconditions in the order of section 13.2.2.
    pub(super) fn evaluate(&self, current: Validators<'_>, is_get: bool) -> Precondition {
        let modified_after = |field: &Option<HeaderValue>| {
            Some(date(current.last_modified?)? > date(field.as_ref()?)?)
        };
        if !self.if_match.is_empty() {
            let matches = current.exists && matches(&self.if_match, current.tag, strongly_equal);
            if !matches {
                return Precondition::Failed(header::IF_MATCH);
            }
        } else if modified_after(&self.if_unmodified_since) == Some(true) {
            return Precondition::Failed(header::IF_UNMODIFIED_SINCE);
        }
        if !self.if_none_match.is_empty() {
            let has_it = current.exists && matches(&self.if_none_match, current.tag, weakly_equal);
            return match (has_it, is_get) {
                (false, _) => Precondition::Holds,
                (true, true) => Precondition::NotModified,
                (true, false) => Precondition::Failed(header::IF_NONE_MATCH),
            };
        }
        match is_get && modified_after(&self.if_modified_since) == Some(false) {
            true => Precondition::NotModified,
            false => Precondition::Holds,
        }
    }

    /// Returns the range of a representation of this size. Several ranges are answered by the whole
    /// representation, which section 14.2 permits.
    pub(super) fn range(&self, current: Validators<'_>, bytes: u64) -> ByteRange {
        let Some(range) = &self.range else { return ByteRange::Whole };
        let is_current = match &self.if_range {
            None => true,
            Some(tag) if tag.as_bytes().ends_with(b"\"") => {
                current.tag.is_some_and(|now| strongly_equal(tag.as_bytes(), now.as_bytes()))
            }
            // The date must be exactly the one that the client was sent (section 13.1.5).
            Some(date) => current.last_modified == Some(date),
        };
        match is_current {
            true => byte_range(range, bytes).unwrap_or(ByteRange::Whole),
            false => ByteRange::Whole,
        }
    }
}

/// Returns whether a list has the tag, or is `*`. If an entry is not an entity tag, the list ends
/// there.
fn matches(
    lines: &[HeaderValue],
    tag: Option<&HeaderValue>,
    are_equal: impl Fn(&[u8], &[u8]) -> bool,
) -> bool {
    lines.iter().any(|line| {
        let mut rest = line.as_bytes();
        if rest.trim_ascii() == b"*" {
            return true;
        }
        let Some(current) = tag else { return false };
        std::iter::from_fn(|| next_tag(&mut rest)).any(|tag| are_equal(tag, current.as_bytes()))
    })
}

/// Returns whether two tags are equal and neither is weak (section 8.8.3.2).
fn strongly_equal(one: &[u8], other: &[u8]) -> bool {
    one == other && !one.starts_with(b"W/")
}

/// Returns whether two tags are equal, weak or not.
fn weakly_equal(one: &[u8], other: &[u8]) -> bool {
    fn opaque(tag: &[u8]) -> &[u8] {
        tag.strip_prefix(b"W/").unwrap_or(tag)
    }
    opaque(one) == opaque(other)
}

/// Parses a time in any of the three formats of HTTP. Returns `None` for an invalid time, whose
/// field is then ignored.
fn date(field: &HeaderValue) -> Option<std::time::SystemTime> {
    httpdate::parse_http_date(field.to_str().ok()?).ok()
}

/// Parses one range of bytes. Returns `None` for another unit, for several ranges and for an
/// invalid range: the field is then ignored.
fn byte_range(field: &HeaderValue, bytes: u64) -> Option<ByteRange> {
    let (unit, range) = field.to_str().ok()?.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let part = match (number(first)?, number(last)?) {
        (None, None) => return None,
        (None, Some(0)) => return Some(ByteRange::Unsatisfiable),
        // The end of empty content exists, but `Content-Range` cannot name it.
        (None, Some(_)) if bytes == 0 => return Some(ByteRange::Whole),
        (None, Some(suffix)) => (bytes.saturating_sub(suffix), u64::MAX),
        (Some(first), None) => (first, u64::MAX),
        (Some(first), Some(last)) if first <= last => (first, last),
        (Some(_), Some(_)) => return None,
    };
    let (first, last) = part;
    Some(match first < bytes {
        true => ByteRange::Part { first, last: last.min(bytes - 1) },
        false => ByteRange::Unsatisfiable,
    })
}

/// Parses digits, if there are any. A number beyond 64 bits is larger than any content.
fn number(digits: &str) -> Option<Option<u64>> {
    match digits {
        "" => Some(None),
        _ if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(Some(digits.parse().unwrap_or(u64::MAX)))
        }
        _ => None,
    }
}
