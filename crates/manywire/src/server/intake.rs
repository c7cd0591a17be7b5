use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use super::collect::Collected;
use super::limits::Limits;
use super::refusal::Refusal;

pin_project! {
    /// A body being taken in whole, within the limits of size and patience.
    pub(super) struct Intake<B> {
        collected: Collected,
        #[pin]
        body: B,
        #[pin]
        idle: Option<Sleep>,
    }
}

impl<B: http_body::Body> Intake<B> {
    /// A body of which nothing was taken yet.
    ///
    /// # Errors
    /// What is too large by its own account: it is not even begun with, nor is "100 Continue" sent.
    pub(super) fn begin(body: B, limits: &Limits) -> Result<Self, Refusal<'static>> {
        if body.size_hint().lower() > limits.body_bytes as u64 {
            return Err(Refusal::TooLarge { limit: limits.body_bytes });
        }
        Ok(Intake { collected: Collected::default(), body, idle: None })
    }

    /// Takes in what there is.
    pub(super) fn poll(
        self: Pin<&mut Self>,
        limits: &Limits,
        context: &mut Context<'_>,
    ) -> Poll<Result<Bytes, Refusal<'static>>> {
        let this = self.project();
        let (mut body, mut idle) = (this.body, this.idle);
        let limit = limits.body_bytes;
        loop {
            match body.as_mut().poll_frame(context) {
                Poll::Ready(None) => return Poll::Ready(Ok(this.collected.take())),
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Err(Refusal::BrokenOff)),
                Poll::Ready(Some(Ok(frame))) => {
                    // Trailers are of no use to anybody here.
                    if let Ok(data) = frame.into_data()
                        && !this.collected.add(data, limit)
                    {
                        return Poll::Ready(Err(Refusal::TooLarge { limit }));
                    }
                    if body.is_end_stream() {
                        return Poll::Ready(Ok(this.collected.take()));
                    }
                    if let Some(idle) = idle.as_mut().as_pin_mut() {
                        idle.reset(Instant::now() + limits.body_idle_timeout);
                    }
                }
                Poll::Pending => {
                    // A timer costs as much as reading a small header, so it is only made once
                    // there is something to wait for.
                    if idle.is_none() {
                        idle.set(Some(sleep_until(Instant::now() + limits.body_idle_timeout)));
                    }
                    if let Some(idle) = idle.as_mut().as_pin_mut() {
                        ready!(idle.poll(context));
                        return Poll::Ready(Err(Refusal::Timeout));
                    }
                    return Poll::Pending;
                }
            }
        }
    }
}
