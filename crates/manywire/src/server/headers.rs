//! The request header fields that negotiation reads, found in one pass.

use std::borrow::Cow;

use http::{HeaderMap, HeaderValue, header};

/// The fields of a request that matter to an answer, found in one pass: looking each up by its
/// hash costs more than looking at the dozen there are.
#[derive(Debug, Default)]
pub(super) struct RequestHeaders<'h> {
    /// How many lines there are of `Host`.
    pub(super) hosts: usize,
    pub(super) accept: Option<Cow<'h, [u8]>>,
    pub(super) accept_charset: Option<Cow<'h, [u8]>>,
    pub(super) accept_encoding: Option<Cow<'h, [u8]>>,
    pub(super) content_type: Option<&'h HeaderValue>,
    pub(super) content_encoding: Option<Cow<'h, [u8]>>,
    /// Whether there is `If-None-Match`, which is only read once there is something to match.
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

/// Adds a further line to a list (RFC 9110, section 5.3).
#[cold]
#[inline(never)]
fn append_line(list: &mut Cow<'_, [u8]>, value: &HeaderValue) {
    let list = list.to_mut();
    list.extend_from_slice(b", ");
    list.extend_from_slice(value.as_bytes());
}
