use std::time::{Duration, Instant};

use crate::core::error::{Category, Error, Result};

/// How much decoded bytes may be, so that a small message cannot fill the memory.
///
/// Both the size and the ratio bind. The ratio counts only beyond a size that no server minds:
/// ordinary documents of repeated records compress better than 100:1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeLimits {
    /// The size of the decoded message, in bytes.
    pub bytes: usize,
    /// How many decoded bytes one coded byte may stand for, beyond `ratio_free_bytes`.
    pub ratio: usize,
    /// Up to this size, in bytes, no ratio is too high.
    pub ratio_free_bytes: usize,
    /// Whether the ratio holds of every beginning of the message, so that no more is decoded than
    /// what was read by then allows. Else it holds of the whole alone.
    pub ratio_of_beginnings: bool,
    /// How long decoding a message may take; looked at whenever more room is needed, which is at
    /// least once a mebibyte.
    pub time: Option<Duration>,
    /// The window that a zstd frame may ask for, in bytes, a power of two: memory taken before
    /// anything is decoded. RFC 9659 has every sender keep to 8 MiB.
    pub window_bytes: usize,
}

impl DecodeLimits {
    /// What a server accepts.
    pub const DEFAULT: DecodeLimits = DecodeLimits {
        bytes: 8 << 20,
        ratio: 200,
        ratio_free_bytes: 1 << 20,
        ratio_of_beginnings: false,
        time: None,
        window_bytes: 8 << 20,
    };

    /// For input one trusts, such as a file of one's own: any size, and the window of
    /// zstd's highest level.
    pub const UNLIMITED: DecodeLimits = DecodeLimits {
        bytes: usize::MAX,
        ratio: usize::MAX,
        ratio_free_bytes: usize::MAX,
        ratio_of_beginnings: false,
        time: None,
        window_bytes: 1 << 27,
    };

    /// These limits with another size of the decoded message, in bytes.
    pub const fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// These limits with another ratio, which counts beyond `free_bytes`.
    pub const fn with_ratio(mut self, ratio: usize, free_bytes: usize) -> Self {
        self.ratio = ratio;
        self.ratio_free_bytes = free_bytes;
        self
    }

    /// These limits with a ratio that holds of every beginning of the message.
    pub const fn with_ratio_of_beginnings(mut self) -> Self {
        self.ratio_of_beginnings = true;
        self
    }

    /// These limits with a limit on time.
    pub const fn with_time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// These limits with another window, in bytes; zstd rounds it down to a power of two.
    pub const fn with_window_bytes(mut self, window_bytes: usize) -> Self {
        self.window_bytes = window_bytes;
        self
    }

    /// The size that a message of this many coded bytes may have decoded.
    pub(crate) fn allowance(&self, coded_bytes: usize) -> usize {
        let by_ratio = self.ratio_free_bytes.saturating_add(self.ratio.saturating_mul(coded_bytes));
        self.bytes.min(by_ratio)
    }
}

impl Default for DecodeLimits {
    fn default() -> Self {
        DecodeLimits::DEFAULT
    }
}

/// Room made in the output bit by bit: never more than was decoded already, than a first guess,
/// or than one byte beyond the allowance, which is how going beyond it is noticed.
pub(super) struct Room {
    start: usize,
    allowance: usize,
    first: usize,
    limits: DecodeLimits,
    deadline: Option<Instant>,
}

/// JSON compresses to a quarter and better, so this first guess is seldom too much.
const FIRST_RATIO: usize = 4;

/// How much is decoded before the clock is looked at again.
const TIMED_BYTES_MAX: usize = 1 << 20;

/// The least worth asking the allocator for.
const CHUNK_BYTES_MIN: usize = 1_024;

/// The least room that is made where a ratio holds of every beginning, in bytes.
const STEP_BYTES: usize = 64 << 10;

impl Room {
    /// Room behind what `out` holds, for a message of this many coded bytes.
    pub(super) fn new(limits: DecodeLimits, coded_bytes: usize, out: &[u8]) -> Self {
        Room {
            start: out.len(),
            allowance: limits.allowance(coded_bytes),
            first: coded_bytes.saturating_mul(FIRST_RATIO).max(CHUNK_BYTES_MIN),
            limits,
            deadline: limits.time.map(|time| Instant::now() + time),
        }
    }

    /// Makes room where there is none, and says how many bytes there is room for: at least one.
    /// So many coded bytes have been `read`.
    ///
    /// # Errors
    /// When more than the allowance is there already.
    pub(super) fn make(&self, out: &mut Vec<u8>, read: usize) -> Result<usize> {
        let decoded = self.check(out)?;
        let mut allowance = self.allowance;
        if self.limits.ratio_of_beginnings {
            let so_far = self.limits.allowance(read);
            if decoded > so_far {
                return Err(self.exceeded());
            }
            // In steps that are worth asking for: what is beyond them is noticed at the next.
            allowance = allowance.min(so_far.saturating_add(STEP_BYTES));
        }
        if out.len() == out.capacity() {
            let left = allowance.saturating_sub(decoded).saturating_add(1);
            let room = decoded.max(self.first).min(left);
            let room = match self.deadline {
                None => room,
                Some(deadline) if Instant::now() > deadline => return Err(self.too_long()),
                Some(_) => room.min(TIMED_BYTES_MAX),
            };
            out.reserve_exact(room);
        }
        Ok(out.capacity() - out.len())
    }

    /// Fails if more is there than is allowed; else says how much it is.
    pub(super) fn check(&self, out: &[u8]) -> Result<usize> {
        let decoded = out.len() - self.start;
        if decoded > self.allowance { Err(self.exceeded()) } else { Ok(decoded) }
    }

    #[cold]
    #[inline(never)]
    fn too_long(&self) -> Error {
        let time = self.limits.time.unwrap_or_default();
        Error::new(Category::Limit, format_args!("decoding took longer than the limit of {time:?}"))
    }

    #[cold]
    #[inline(never)]
    fn exceeded(&self) -> Error {
        let DecodeLimits { bytes, ratio, ratio_free_bytes, .. } = self.limits;
        if self.allowance == bytes {
            let message = format_args!("the decoded bytes go beyond the limit of {bytes}");
            return Error::new(Category::Limit, message);
        }
        Error::new(
            Category::Limit,
            format_args!(
                "the decoded bytes go beyond {ratio} for each coded byte, after the first \
                 {ratio_free_bytes}"
            ),
        )
    }
}
