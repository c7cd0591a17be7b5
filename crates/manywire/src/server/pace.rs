//! What a body tells whoever watches that its client lets it come, and how much it gives at a time.
//!
//! The two meet within one poll of one task, with only the protocol between them, which passes
//! nothing on. So what they say stands beside them, for as long as the poll takes.

use std::cell::Cell;

/// What a body did in a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It was not asked for anything.
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "nobody watches"))]
    Quiet,
    /// It gave what it had, or its end.
    Gave,
    /// It had nothing at hand.
    Waits,
}

thread_local! {
    /// What the body did in the poll at hand; nothing where nobody watches.
    static STEP: Cell<Option<Step>> = const { Cell::new(None) };
}

/// What the body did while `poll` was at work.
#[cfg(feature = "server")]
pub(super) fn watch<T>(poll: impl FnOnce() -> T) -> (T, Step) {
    let _before = Before(STEP.replace(Some(Step::Quiet)));
    let polled = poll();
    (polled, STEP.get().unwrap_or(Step::Quiet))
}

/// What is put back at the end of a poll, also of one that panics.
#[cfg(feature = "server")]
struct Before(Option<Step>);

#[cfg(feature = "server")]
impl Drop for Before {
    fn drop(&mut self) {
        STEP.set(self.0);
    }
}

/// Says what a body did.
#[inline]
pub(super) fn note(step: Step) {
    if is_watched() {
        STEP.set(Some(step));
    }
}

#[inline]
fn is_watched() -> bool {
    STEP.get().is_some()
}

/// The most that is given at a time where it is watched, in bytes: one frame of HTTP/2 (RFC 9113,
/// section 4.2). What was given is out of sight until it is sent, so that a client that reads this
/// much in its time is one that reads.
const PIECE_BYTES: usize = 16 << 10;

/// Content up to this size is given whole, in bytes. Of any other the last byte goes alone: the
/// protocol asks for it once the client takes it, and has nothing left to hold on to.
const WHOLE_BYTES: usize = 1 << 10;

/// How much goes next of content that has so many bytes left.
#[inline]
pub(super) fn next_of_content(left_bytes: usize) -> usize {
    match left_bytes > WHOLE_BYTES && is_watched() {
        true => PIECE_BYTES.min(left_bytes - 1),
        false => left_bytes,
    }
}

/// How much goes next of a piece of a stream.
#[inline]
pub(super) fn next_of_piece(left_bytes: usize) -> usize {
    if is_watched() { PIECE_BYTES.min(left_bytes) } else { left_bytes }
}
