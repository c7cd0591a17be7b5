//! Bodies that handlers take as they come.

use http::HeaderValue;
use manywire_codec::Result;

use super::limits::Limits;
use super::request::BodyKind;
use crate::codings::InflateLimits;
use crate::content::{Arriving, Bounds, Representation, Sender};

impl BodyKind {
    /// A body that is read as it comes: what it says it is, and what is taken of it.
    ///
    /// # Errors
    /// A coding whose library has no memory.
    pub(super) fn arriving<B>(
        &self,
        body: B,
        content_type: Option<&HeaderValue>,
        limits: &Limits,
    ) -> Result<Arriving>
    where
        B: http_body::Body + Send + 'static,
    {
        let bounds = Bounds {
            value_bytes: limits.body_bytes,
            all_bytes: limits.multipart_bytes,
            idle_timeout: limits.body_idle_timeout,
            sender: Sender::Client,
        };
        // Of values there may be any number, each of which is limited, and of bytes that are taken
        // one by one; of parts there may not.
        let is_endless = self.representation != Representation::Multipart;
        let inflate = InflateLimits {
            ratio: InflateLimits::RATIO,
            coded_bytes: if is_endless { usize::MAX } else { limits.multipart_bytes },
            time: limits.inflate_timeout,
            is_endless,
        };
        let arriving = Arriving::new(body, bounds).with_content_type(content_type);
        arriving.with_codings(self.codings(), inflate)
    }
}
