use std::time::Duration;

use http::header::{self, HeaderMap};
use http::{Method, StatusCode};

/// The pause before a call is made for the second time; it doubles with each.
const PAUSE: Duration = Duration::from_millis(50);

/// Methods that do the same however often they are sent (RFC 9110, section 9.2.2).
pub(super) fn may_be_repeated(method: &Method) -> bool {
    matches!(
        *method,
        Method::GET | Method::HEAD | Method::PUT | Method::DELETE | Method::OPTIONS | Method::TRACE
    )
}

/// How long to wait before the call is made again.
pub(super) fn pause(attempt: u32) -> Duration {
    PAUSE.saturating_mul(1 << attempt.min(10))
}

/// How long the server wants a client to wait, where it says that it will do better then.
pub(super) fn retry_after(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if !matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        return None;
    }
    // A date is the other form (RFC 9110, section 10.2.3); clocks differ, so it is not trusted.
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse::<u32>().ok()?;
    Some(Duration::from_secs(seconds.into()))
}
