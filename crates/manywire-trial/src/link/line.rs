//! One direction of a link: what is put in on one side comes out on the other, in order, not
//! faster than the line and not earlier than its length allows.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::{Link, SEGMENT_BYTES, SEGMENT_OVERHEAD_BYTES};

/// What all connections share: the line is free for one segment at a time.
#[derive(Debug)]
pub(super) struct Line {
    seconds_per_byte: f64,
    delay: Duration,
    free_at: Mutex<Instant>,
}

/// When the segments of a stretch of bytes come out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    first: Instant,
    each: Duration,
}

impl Line {
    pub(super) fn new(link: &Link) -> Line {
        Line {
            seconds_per_byte: 8.0 / link.bits_per_s,
            delay: link.round_trip / 2,
            free_at: Mutex::new(Instant::now()),
        }
    }

    /// Bytes that are under way on a line that is full.
    pub(super) fn holds(&self) -> usize {
        (self.delay.as_secs_f64() / self.seconds_per_byte) as usize
    }

    /// Puts a stretch of bytes on the line, behind whatever is on it already.
    pub(super) fn admit(&self, bytes: usize) -> Passage {
        let whole = (SEGMENT_BYTES + SEGMENT_OVERHEAD_BYTES) as f64 * self.seconds_per_byte;
        let segments = (bytes as u64).div_ceil(SEGMENT_BYTES);
        let wire = bytes as u64 + segments * SEGMENT_OVERHEAD_BYTES;
        let all = Duration::from_secs_f64(wire as f64 * self.seconds_per_byte);
        // A thread that panicked while it held the lock cannot be: nothing in here panics.
        let mut free_at = self.free_at.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let begin = (*free_at).max(Instant::now());
        *free_at = begin + all;
        let each = Duration::from_secs_f64(whole);
        Passage { first: begin + each.min(all) + self.delay, each }
    }
}

impl Passage {
    /// How many of these bytes have come out, and when the next do.
    pub(super) fn out(&self, bytes: usize, now: Instant) -> (usize, Instant) {
        let Some(since) = now.checked_duration_since(self.first) else { return (0, self.first) };
        let nanoseconds = self.each.as_nanos().max(1);
        let segments = since.as_nanos() / nanoseconds + 1;
        let out = u128::from(SEGMENT_BYTES) * segments;
        let next = u64::try_from(segments * nanoseconds).unwrap_or(u64::MAX);
        let out = usize::try_from(out).unwrap_or(usize::MAX).min(bytes);
        (out, self.first + Duration::from_nanos(next))
    }
}

/// A sleep ends up to this much late (Linux gives timers a slack of 50 µs), so the rest is waited
/// out awake.
const AWAKE: Duration = Duration::from_micros(70);

/// Waits for an instant, to within a few microseconds.
pub(super) fn wait_until(instant: Instant) {
    loop {
        let left = instant.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        match left.checked_sub(AWAKE) {
            Some(asleep) if !asleep.is_zero() => thread::sleep(asleep),
            _ => thread::yield_now(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Line;

    #[test]
    fn segments_come_out_one_after_another() {
        let line = Line::new(&"12mbit/20ms".parse().expect("a link"));
        // At 12 Mbit/s a whole segment of 1,500 bytes takes a millisecond.
        let passage = line.admit(1_448 * 3 + 1);
        let at = |micros: u64| passage.first + Duration::from_micros(micros);
        let before = passage.first.checked_sub(Duration::from_nanos(1)).expect("an instant");
        assert_eq!(passage.out(4_345, before), (0, passage.first));
        assert_eq!(passage.out(4_345, at(0)), (1_448, at(1_000)));
        assert_eq!(passage.out(4_345, at(1_999)), (2_896, at(2_000)));
        assert_eq!(passage.out(4_345, at(3_000)).0, 4_345);
        // Whoever comes next, on whichever connection, waits for the line to be free.
        let next = line.admit(1_448);
        let gap = next.first - passage.first;
        assert!(
            gap >= Duration::from_micros(3_035) && gap < Duration::from_micros(3_500 + 1_000),
            "{gap:?}"
        );
    }
}
