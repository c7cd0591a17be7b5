//! Entity tags and what a client does with them (RFC 9110, sections 8.8.3 and 13.1.2).

use bytes::Bytes;
use http::header::HeaderMap;
use http::{HeaderValue, header};
use twox_hash::XxHash3_128;

/// Whether answers to GET and HEAD carry an `ETag`, so that a client that has one already can ask
/// for no more than 304.
///
/// Each representation has a tag of its own: the format and the coding count. A tag that a handler
/// sets is left as it is. Streams have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntityTags {
    /// No tags but those of handlers; `If-None-Match` is still answered by those.
    #[default]
    None,
    /// Tags of what is said, `W/"…"`: of the content before its coding, which is then not even
    /// applied for a client that has it.
    Weak,
    /// Tags of the very bytes that are sent, as caches need that join ranges.
    Strong,
}

/// The tags that a client has the representations of: `If-None-Match`.
#[derive(Debug)]
pub(super) struct IfNoneMatch(Vec<HeaderValue>);

impl IfNoneMatch {
    /// What a request says of it.
    #[cold]
    pub(super) fn from_headers(headers: &HeaderMap) -> Box<IfNoneMatch> {
        let lines = headers.get_all(header::IF_NONE_MATCH);
        Box::new(IfNoneMatch(lines.iter().cloned().collect()))
    }

    /// Whether the client has what goes by this tag. Weak and strong are not told apart (section
    /// 13.1.2); `*` is anything there is.
    pub(super) fn matches(&self, tag: &HeaderValue) -> bool {
        let opaque = |tag: &[u8]| tag.strip_prefix(b"W/").unwrap_or(tag).to_vec();
        let wanted = opaque(tag.as_bytes());
        self.0.iter().any(|line| {
            let mut rest = line.as_bytes();
            if rest.trim_ascii() == b"*" {
                return true;
            }
            std::iter::from_fn(|| next_tag(&mut rest)).any(|tag| opaque(tag) == wanted)
        })
    }
}

/// The next tag of a list: a tag may hold commas, which no splitting would see. Where the list is
/// none, it ends.
fn next_tag<'l>(rest: &mut &'l [u8]) -> Option<&'l [u8]> {
    let start = rest.iter().position(|byte| !matches!(byte, b',' | b' ' | b'\t'))?;
    let list = &rest[start..];
    let quote = if list.starts_with(b"W/") { 2 } else { 0 };
    if list.get(quote) != Some(&b'"') {
        return None;
    }
    let end = list.iter().skip(quote + 1).position(|byte| *byte == b'"')?;
    let (tag, behind) = list.split_at(quote + 1 + end + 1);
    *rest = behind;
    Some(tag)
}

/// The tag of content as it is represented: what it is and how it is coded count, since the same
/// bytes say different things in different formats.
#[cold]
pub(super) fn tag(
    is_weak: bool,
    content: &Bytes,
    content_type: Option<&HeaderValue>,
    coding: &str,
) -> Option<HeaderValue> {
    let kind = content_type.map_or(0, |kind| XxHash3_128::oneshot(kind.as_bytes()));
    let seed = kind ^ XxHash3_128::oneshot(coding.as_bytes()).rotate_left(1);
    let hash = XxHash3_128::oneshot_with_seed(seed as u64, content);
    let weak = if is_weak { "W/" } else { "" };
    HeaderValue::try_from(format!("{weak}\"{:032x}\"", hash)).ok()
}

/// The fields of an answer without those that describe content which is not sent (section 15.4.5).
pub(super) fn remove_content_headers(fields: &mut HeaderMap) {
    for name in [
        header::CONTENT_TYPE,
        header::CONTENT_ENCODING,
        header::CONTENT_LENGTH,
        header::CONTENT_LANGUAGE,
        header::CONTENT_RANGE,
    ] {
        fields.remove(name);
    }
}
