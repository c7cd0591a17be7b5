//! Emulates a link: a relay on loopback that delays bytes by the bandwidth and round trip of the
//! link.
//!
//! The relay uses threads, not an asynchronous runtime, whose timers have steps of a millisecond:
//! one profile has a round trip of a fifth of a millisecond. Connections are set up without delay,
//! and the kernel's slow start does not see the link, so a connection behaves as if it had been
//! open for a while.
//!
//! Each direction is a [`Line`]: bytes come out in the order in which they went in, no faster than
//! the bandwidth, and no earlier than the delay allows.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::{Link, SEGMENT_BYTES, SEGMENT_OVERHEAD_BYTES};

/// A relay in front of a server. Dropping it stops accepting connections.
#[derive(Debug)]
pub struct Relay {
    port: u16,
    stopped: Arc<AtomicBool>,
}

/// The size of a read from a connection.
const CHUNK_BYTES: usize = 16 << 10;

/// The number of chunks that wait beyond those that fill the link.
const QUEUE_CHUNKS: usize = 4;

/// The maximum number of simultaneous connections, because each takes threads.
const CONNECTIONS_MAX: usize = 256;

/// Both directions.
#[derive(Debug)]
struct Lines {
    up: Line,
    down: Line,
}

impl Relay {
    /// Starts a relay to a port of this machine.
    ///
    /// # Errors
    ///
    /// Returns the system's error if no port can be opened.
    pub fn start(link: &Link, port: u16) -> std::io::Result<Relay> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let own = listener.local_addr()?.port();
        let stopped = Arc::new(AtomicBool::new(false));
        let lines = Arc::new(Lines { up: Line::new(link), down: Line::new(link) });
        let stop = Arc::clone(&stopped);
        thread::spawn(move || accept(&listener, port, &lines, &stop));
        Ok(Relay { port: own, stopped })
    }

    /// Returns the port to connect to instead of the server's.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // This connection wakes the thread that waits in `accept`.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
    }
}

fn accept(listener: &TcpListener, port: u16, lines: &Arc<Lines>, stopped: &AtomicBool) {
    let open = Arc::new(AtomicUsize::new(0));
    for connection in listener.incoming() {
        if stopped.load(Ordering::Relaxed) {
            return;
        }
        let Ok(client) = connection else { continue };
        if open.load(Ordering::Relaxed) >= CONNECTIONS_MAX {
            continue;
        }
        let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { continue };
        open.fetch_add(1, Ordering::Relaxed);
        let (lines, open) = (Arc::clone(lines), Arc::clone(&open));
        thread::spawn(move || {
            // If the system refuses `TCP_NODELAY`, both connections are closed, which the client
            // sees.
            drop(carry(&client, &server, &lines));
            drop(client.shutdown(Shutdown::Both));
            drop(server.shutdown(Shutdown::Both));
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

fn carry(client: &TcpStream, server: &TcpStream, lines: &Lines) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    thread::scope(|scope| {
        for (from, to, line) in [(client, server, &lines.up), (server, client, &lines.down)] {
            let chunks = line.capacity_bytes() / CHUNK_BYTES + QUEUE_CHUNKS;
            // The bounded channel makes the sender wait while the link is full.
            let (sender, receiver) = sync_channel(chunks);
            scope.spawn(move || take_in(from, line, &sender));
            scope.spawn(move || let_out(to, &receiver));
        }
    });
    Ok(())
}

fn take_in(mut from: &TcpStream, line: &Line, sender: &SyncSender<(Vec<u8>, Transmission)>) {
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                let passage = line.enqueue(count, Instant::now());
                if sender.send((buffer[..count].to_vec(), passage)).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn let_out(mut to: &TcpStream, receiver: &Receiver<(Vec<u8>, Transmission)>) {
    for (bytes, passage) in receiver {
        let mut done = 0;
        while done < bytes.len() {
            let (out, next) = passage.arrived(bytes.len(), Instant::now());
            if out == done {
                wait_until(next);
                continue;
            }
            if to.write_all(&bytes[done..out]).is_err() {
                break;
            }
            done = out;
        }
        if done < bytes.len() {
            break;
        }
    }
    // Only the write side is closed: the other direction may still carry data.
    drop(to.shutdown(Shutdown::Write));
}

/// One direction of a link, shared by all connections. It carries one segment at a time.
#[derive(Debug)]
pub(super) struct Line {
    seconds_per_byte: f64,
    delay: Duration,
    free_at: Mutex<Option<Instant>>,
}

/// The instants at which the segments of some bytes arrive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    first: Instant,
    each: Duration,
    // The last segment may be shorter and take less time.
    last: Instant,
}

impl Line {
    pub(super) fn new(link: &Link) -> Line {
        Line {
            seconds_per_byte: 8.0 / link.bits_per_s,
            delay: link.round_trip / 2,
            free_at: Mutex::new(None),
        }
    }

    /// Returns the bytes in transit on a full link.
    pub(super) fn capacity_bytes(&self) -> usize {
        (self.delay.as_secs_f64() / self.seconds_per_byte) as usize
    }

    /// Sends bytes at an instant, after those that are already on the link.
    pub(super) fn enqueue(&self, bytes: usize, now: Instant) -> Transmission {
        let whole = (SEGMENT_BYTES + SEGMENT_OVERHEAD_BYTES) as f64 * self.seconds_per_byte;
        let segments = (bytes as u64).div_ceil(SEGMENT_BYTES);
        let wire = bytes as u64 + segments * SEGMENT_OVERHEAD_BYTES;
        let all = Duration::from_secs_f64(wire as f64 * self.seconds_per_byte);
        // The lock is never poisoned: nothing panics while it is held.
        let mut free_at = self.free_at.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let begin = free_at.map_or(now, |free_at| free_at.max(now));
        *free_at = Some(begin + all);
        let each = Duration::from_secs_f64(whole);
        let (first, last) = (begin + each.min(all) + self.delay, begin + all + self.delay);
        Transmission { first, each, last }
    }
}

impl Transmission {
    /// Returns how many of these bytes have arrived, and when the next ones arrive.
    pub(super) fn arrived(&self, bytes: usize, now: Instant) -> (usize, Instant) {
        let Some(since) = now.checked_duration_since(self.first) else { return (0, self.first) };
        if now >= self.last {
            return (bytes, self.last);
        }
        let nanoseconds = self.each.as_nanos().max(1);
        let segments = since.as_nanos() / nanoseconds + 1;
        let out = u128::from(SEGMENT_BYTES) * segments;
        let next = u64::try_from(segments * nanoseconds).unwrap_or(u64::MAX);
        let out = usize::try_from(out).unwrap_or(usize::MAX).min(bytes);
        (out, self.last.min(self.first + Duration::from_nanos(next)))
    }
}

/// The length of the busy loop at the end of a wait, because a sleep may end this much late (Linux
/// gives timers a slack of 50 µs).
const AWAKE: Duration = Duration::from_micros(70);

/// Waits until an instant, to within a few microseconds.
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
    use std::time::{Duration, Instant};

    use super::{Line, Transmission};
    use crate::trial::link::Link;

    fn link(text: &str) -> Link {
        text.parse().expect("a link")
    }

    /// Returns when the last of these bytes arrives, by a clock that steps from segment to segment.
    fn end(passage: &Transmission, bytes: usize) -> Instant {
        let mut now = passage.first;
        loop {
            let (out, next) = passage.arrived(bytes, now);
            if out == bytes {
                return now;
            }
            assert!(next > now, "the clock goes on");
            now = next;
        }
    }

    /// Asserts that two durations are equal up to rounding.
    fn assert_same(found: Duration, expected: Duration) {
        let off = found.abs_diff(expected);
        assert!(off < Duration::from_micros(1), "{found:?}, expected {expected:?}");
    }

    #[test]
    fn segments_arrive_in_order() {
        let line = Line::new(&link("12mbit/20ms"));
        let start = Instant::now();
        // At 12 Mbit/s a whole segment of 1,500 bytes takes a millisecond.
        let passage = line.enqueue(1_448 * 3 + 1, start);
        assert_same(passage.first - start, Duration::from_millis(11));
        let at = |micros: u64| passage.first + Duration::from_micros(micros);
        let before = passage.first.checked_sub(Duration::from_nanos(1)).expect("an instant");
        assert_eq!(passage.arrived(4_345, before), (0, passage.first));
        assert_eq!(passage.arrived(4_345, at(0)), (1_448, at(1_000)));
        assert_eq!(passage.arrived(4_345, at(1_999)), (2_896, at(2_000)));
        assert_eq!(passage.arrived(4_345, at(2_000)), (4_344, passage.last));
        assert_eq!(passage.arrived(4_345, passage.last).0, 4_345);
        assert_same(passage.last - passage.first, Duration::from_nanos(2_035_333));
        // The next bytes, on any connection, wait until the link is free: the last segment has one
        // byte and its headers.
        let next = line.enqueue(1_448, start + Duration::from_micros(500));
        assert_same(next.first - passage.last, Duration::from_millis(1));
        // A free link causes no wait.
        let later = start + Duration::from_secs(1);
        assert_same(line.enqueue(1_448, later).first - later, Duration::from_millis(11));
    }

    #[test]
    fn byte_takes_half_the_round_trip_plus_its_time() {
        for text in ["1gbit/200us", "20mbit/50ms", "10mbit/600ms"] {
            let link = link(text);
            let now = Instant::now();
            let (up, down) = (Line::new(&link), Line::new(&link));
            let there = end(&up.enqueue(1, now), 1);
            let back = end(&down.enqueue(1, there), 1);
            assert_same(back - now, link.time(1, 1));
        }
    }

    #[test]
    fn bytes_arrive_at_the_bandwidth() {
        let link = link("20mbit/10ms");
        let now = Instant::now();
        for chunk in [1_448, 14_480, 500_000] {
            let line = Line::new(&link);
            let mut last = now;
            let mut left: usize = 500_000;
            while left > 0 {
                let bytes = left.min(chunk);
                last = end(&line.enqueue(bytes, now), bytes);
                left -= bytes;
            }
            // The round trip is twice the delay of one direction; the request is empty.
            assert_same(last - now, link.time(0, 500_000) - link.round_trip / 2);
        }
    }

    #[test]
    fn connections_share_the_line() {
        let link = link("20mbit/2ms");
        let (line, now) = (Line::new(&link), Instant::now());
        // Chunks of three connections in turn.
        let ends: Vec<Instant> = (0..42).map(|_| end(&line.enqueue(14_480, now), 14_480)).collect();
        assert!(ends.is_sorted());
        assert_same(ends[41] - now, link.time(0, 42 * 14_480) - link.round_trip / 2);
    }
}
