//! The request header fields that negotiation reads.

use std::borrow::Cow;

use http::{HeaderMap, HeaderValue, header};

/// The header fields of a request that the response depends on. One pass over all fields finds
/// them: a lookup by hash for each costs more than looking at the dozen that a request has.
#[derive(Debug, Default)]
pub(super) struct RequestHeaders<'h> {
    /// The number of `Host` lines.
    pub(super) hosts: usize,
    pub(super) accept: Option<Cow<'h, [u8]>>,
    pub(super) accept_charset: Option<Cow<'h, [u8]>>,
    pub(super) accept_encoding: Option<Cow<'h, [u8]>>,
    pub(super) content_type: Option<&'h HeaderValue>,
    pub(super) content_encoding: Option<Cow<'h, [u8]>>,
    /// Indicates whether the request has `If-None-Match`. The field is read only when there is a
    /// tag to compare.
    pub(super) is_conditional: bool,
}

impl<'h> RequestHeaders<'h> {
    #[inline]
    pub(super) fn read(headers: &'h HeaderMap) -> Self {
        let mut fields = RequestHeaders::default();
        for (name, value) in headers {
            let list = match *name {
                header::HOST => {
                    fields.hosts += 1;
                    continue;
                }
                header::ACCEPT => &mut fields.accept,
                header::ACCEPT_ENCODING => &mut fields.accept_encoding,
                header::ACCEPT_CHARSET => &mut fields.accept_charset,
                header::CONTENT_TYPE => {
                    fields.content_type = Some(value);
                    continue;
                }
                header::CONTENT_ENCODING => &mut fields.content_encoding,
                header::IF_NONE_MATCH => {
                    fields.is_conditional = true;
                    continue;
                }
                _ => continue,
            };
            match list {
                None => *list = Some(Cow::Borrowed(value.as_bytes())),
                Some(list) => append_line(list, value),
            }
        }
        fields
    }
}

/// Appends a further line to a list (RFC 9110, section 5.3).
#[cold]
#[inline(never)]
fn append_line(list: &mut Cow<'_, [u8]>, value: &HeaderValue) {
    let list = list.to_mut();
    list.extend_from_slice(b", ");
    list.extend_from_slice(value.as_bytes());
}
