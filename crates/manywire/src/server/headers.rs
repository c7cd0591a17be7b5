//! The request header fields that negotiation reads.

use std::borrow::Cow;

use http::{HeaderMap, HeaderValue, header};

use super::refusal::Refusal;

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
    pub(super) transfer: TransferCodings,
    /// Indicates whether the request has preconditions or a range. These fields are read only when
    /// there is a representation to compare.
    pub(super) is_conditional: bool,
}

/// The transfer codings of a request body (RFC 9112, section 6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TransferCodings {
    #[default]
    None,
    /// `chunked` alone, which hyper decodes.
    Chunked,
    /// Any other list. hyper checks only that `chunked` is the last coding, and would pass on a body
    /// that still has the others.
    Other,
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
                // By the grammar, an empty `Accept` accepts nothing. Clients that send one mean
                // that they have no preference.
                header::ACCEPT if is_empty_list(value) => continue,
                header::ACCEPT => &mut fields.accept,
                header::ACCEPT_ENCODING => &mut fields.accept_encoding,
                header::ACCEPT_CHARSET => &mut fields.accept_charset,
                header::CONTENT_TYPE => {
                    fields.content_type = Some(value);
                    continue;
                }
                header::CONTENT_ENCODING => &mut fields.content_encoding,
                header::TRANSFER_ENCODING => {
                    fields.transfer = fields.transfer.and(value);
                    continue;
                }
                header::IF_MATCH
                | header::IF_NONE_MATCH
                | header::IF_UNMODIFIED_SINCE
                | header::IF_MODIFIED_SINCE
                | header::RANGE => {
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

impl TransferCodings {
    /// Returns the codings with those of a further line.
    fn and(self, line: &HeaderValue) -> TransferCodings {
        match self {
            TransferCodings::None if line.as_bytes().eq_ignore_ascii_case(b"chunked") => {
                TransferCodings::Chunked
            }
            _ => TransferCodings::Other,
        }
    }

    /// Checks that the body has no transfer codings, or `chunked` once.
    ///
    /// # Errors
    /// Returns a refusal that closes the connection. The body must not be read: another server may
    /// find the end of the body at a different place.
    #[inline]
    pub(super) fn check(self, headers: &HeaderMap) -> Result<(), Refusal<'static>> {
        match self {
            TransferCodings::Other => Err(invalid_transfer_codings(headers)),
            TransferCodings::None | TransferCodings::Chunked => Ok(()),
        }
    }
}

/// Returns 501 for a coding other than `chunked`, and 400 for a list in which `chunked` is not
/// exactly one member.
#[cold]
fn invalid_transfer_codings(headers: &HeaderMap) -> Refusal<'static> {
    let lines = headers.get_all(header::TRANSFER_ENCODING);
    let lines: Vec<_> = lines.iter().map(|line| String::from_utf8_lossy(line.as_bytes())).collect();
    let found = lines.join(", ");
    let is_known = |name: &str| name.is_empty() || name.eq_ignore_ascii_case("chunked");
    match found.split(',').map(str::trim).all(is_known) {
        true => Refusal::InvalidTransferCodings { found },
        false => Refusal::UnsupportedTransferCodings { found },
    }
}

/// Returns whether a list has no members.
#[inline]
fn is_empty_list(value: &HeaderValue) -> bool {
    value.as_bytes().iter().all(|byte| matches!(byte, b',' | b' ' | b'\t'))
}

/// Appends a further line to a list (RFC 9110, section 5.3).
#[cold]
#[inline(never)]
fn append_line(list: &mut Cow<'_, [u8]>, value: &HeaderValue) {
    let list = list.to_mut();
    list.extend_from_slice(b", ");
    list.extend_from_slice(value.as_bytes());
}
