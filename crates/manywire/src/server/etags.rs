//! Entity tags and conditional requests (RFC 9110, sections 8.8.3 and 13.1.2).

use bytes::Bytes;
use http::header::HeaderMap;
use http::{HeaderValue, header};
use twox_hash::XxHash3_128;

/// The kind of `ETag` in responses to GET and HEAD. A client that has the current representation
/// receives 304 instead of the content.
///
/// Each representation has its own tag, which depends on format and coding. A tag set by a handler
/// is left unchanged. Streams have no tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntityTags {
    /// Only tags set by handlers. `If-None-Match` is still compared with those.
    #[default]
    None,
    /// Weak tags, `W/"…"`: of the content before its coding. The coding is not applied for a client
    /// that has the content.
    Weak,
    /// Strong tags: of the bytes that are sent, as caches need them that join ranges.
    Strong,
}

/// The entity tags in `If-None-Match`.
#[derive(Debug)]
pub(super) struct IfNoneMatch(Vec<HeaderValue>);

impl IfNoneMatch {
    /// Reads the header field.
    #[cold]
    pub(super) fn from_headers(headers: &HeaderMap) -> Box<IfNoneMatch> {
        let lines = headers.get_all(header::IF_NONE_MATCH);
        Box::new(IfNoneMatch(lines.iter().cloned().collect()))
    }

    /// Returns whether the field contains this tag. Weak and strong tags are compared alike
    /// (section 13.1.2), and `*` matches any tag.
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

/// Returns the next tag of a list. A tag may contain commas, so the list cannot be split at them.
/// The list ends at the first syntax error.
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

/// Returns the tag of a representation. Its hash includes the format and the coding, since the same
/// bytes mean different things in different formats.
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

/// Removes the header fields that describe content, for a response without content (section
/// 15.4.5).
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
