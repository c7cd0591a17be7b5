//! Entity tags (RFC 9110, section 8.8.3).

use bytes::Bytes;
use http::header::HeaderMap;
use http::{HeaderValue, header};
use twox_hash::XxHash3_128;

/// The kind of `ETag` in responses to GET and HEAD. A client that has the current representation
/// receives 304 instead of the content.
///
/// Each representation has its own tag, which depends on format and coding. A tag set by a handler
/// is left unchanged in every format and coding, because handlers compare preconditions with the tags
/// that they set. Representations that share a tag need a weak one (section 8.8.1), which never
/// matches `If-Match`. Streams have no tag.
///
/// With weak or strong tags, the preconditions of requests that change something (RFC 9110, section
/// 13) are evaluated before their handler runs: `If-Match` on a PUT is compared with the tag that a
/// GET of the same path with the same header fields has now. The handler of GET runs for this
/// comparison. If the path has no such handler, `If-Match` fails. `If-Match` needs strong tags. An
/// endpoint that takes a precondition (such as `If-Match` or `If-None-Match`), `Range` or
/// `If-Range` as an input must evaluate its preconditions itself. Use such an input if two changes
/// can happen at the same time, because a change may come between the comparison and the handler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntityTags {
    /// Only tags set by handlers. The preconditions of GET and HEAD are still compared with these
    /// tags.
    #[default]
    None,
    /// Weak tags, `W/"…"`: of the content before its coding. The coding is not applied for a client
    /// that has the content.
    Weak,
    /// Strong tags: of the bytes that are sent. Caches that combine ranges need strong tags.
    Strong,
}

/// Returns the next tag of a list. A tag may contain commas, so the list cannot be split at them.
/// The list ends at the first syntax error.
pub(super) fn next_tag<'l>(rest: &mut &'l [u8]) -> Option<&'l [u8]> {
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
