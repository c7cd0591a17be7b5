//! Limits on decoded messages, and output buffers that grow within them.

use std::time::{Duration, Instant};

use crate::core::error::{Category, Error, Result};

/// Limits on decoded bytes, so that a small message cannot fill the memory.
///
/// Both the size and the ratio apply. The ratio only counts beyond a size that any server accepts:
/// ordinary documents of repeated records compress better than 100:1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeLimits {
    /// The maximum size of the decoded message, in bytes.
    pub bytes: usize,
    /// The maximum number of decoded bytes for each coded byte, beyond `ratio_free_bytes`.
    pub ratio: usize,
    /// The maximum size, in bytes, of a decoded message that may have any ratio.
    pub ratio_free_bytes: usize,
    /// Applies the ratio to every prefix of the message, so that no more is decoded than the bytes
    /// read so far allow. Otherwise the ratio applies to the whole message only.
    pub ratio_of_prefixes: bool,
    /// The maximum time for decoding a message. The clock is read before each step of at most a
    /// mebibyte of decoded bytes, so the time of the last step is not limited.
    pub time: Option<Duration>,
    /// The maximum window that a zstd frame may ask for, in bytes, a power of two. This memory is
    /// allocated before anything is decoded. RFC 9659 limits senders to 8 MiB.
    pub window_bytes: usize,
}

impl DecodeLimits {
    /// The limits of a server.
    pub const DEFAULT: DecodeLimits = DecodeLimits {
        bytes: 8 << 20,
        ratio: 200,
        ratio_free_bytes: 1 << 20,
        ratio_of_prefixes: false,
        time: None,
        window_bytes: 8 << 20,
    };

    /// Limits for trusted input, such as local files: any size, and the window of zstd's highest
    /// level.
    pub const UNLIMITED: DecodeLimits = DecodeLimits {
        bytes: usize::MAX,
        ratio: usize::MAX,
        ratio_free_bytes: usize::MAX,
        ratio_of_prefixes: false,
        time: None,
        window_bytes: 1 << 27,
    };

    /// Sets the maximum size of the decoded message, in bytes.
    pub const fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the ratio, which counts beyond `free_bytes`.
    pub const fn with_ratio(mut self, ratio: usize, free_bytes: usize) -> Self {
        self.ratio = ratio;
        self.ratio_free_bytes = free_bytes;
        self
    }

    /// Applies the ratio to every prefix of the message.
    pub const fn with_ratio_of_prefixes(mut self) -> Self {
        self.ratio_of_prefixes = true;
        self
    }

    /// Sets the maximum time.
    pub const fn with_time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// Sets the maximum window, in bytes. zstd rounds it down to a power of two.
    pub const fn with_window_bytes(mut self, window_bytes: usize) -> Self {
        self.window_bytes = window_bytes;
        self
    }

    /// Returns the decoded size that a message of `coded_bytes` may have.
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

/// Grows the output step by step: each step is at most as long as the bytes already decoded or as a
/// first guess, whichever is more, and with a time limit at most a mebibyte. A step ends at most
/// one byte beyond the allowance. That extra byte reveals a message that exceeds the allowance.
///
/// With a time limit, an output that already has more capacity is filled in steps as well.
pub(crate) struct OutputBudget {
    start: usize,
    allowance: usize,
    first: usize,
    limits: DecodeLimits,
    deadline: Option<Instant>,
}

/// The ratio of the first guess. JSON compresses to a quarter or better, so the guess is seldom too
/// large.
const FIRST_RATIO: usize = 4;

/// The number of bytes decoded before the clock is read again.
const TIMED_BYTES_MAX: usize = 1 << 20;

/// The smallest allocation worth making, in bytes.
const CHUNK_BYTES_MIN: usize = 1_024;

/// The smallest growth of the output where the ratio applies to every prefix, in bytes.
const STEP_BYTES: usize = 64 << 10;

impl OutputBudget {
    /// Creates a budget for the output after the current content of `out`, for a message of
    /// `coded_bytes`.
    pub(crate) fn new(limits: DecodeLimits, coded_bytes: usize, out: &[u8]) -> Self {
        OutputBudget {
            start: out.len(),
            allowance: limits.allowance(coded_bytes),
            first: coded_bytes.saturating_mul(FIRST_RATIO).max(CHUNK_BYTES_MIN),
            limits,
            // A time that the clock cannot represent is no limit.
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
        }
    }

    /// Grows `out` if it is full and returns the number of bytes to decode next, at least one and at
    /// most as many as fit. `read` is the number of coded bytes read so far.
    ///
    /// # Errors
    /// Fails if `out` already exceeds the allowance, or after the time limit.
    pub(crate) fn reserve(&self, out: &mut Vec<u8>, read: usize) -> Result<usize> {
        let decoded = self.check(out)?;
        let mut allowance = self.allowance;
        if self.limits.ratio_of_prefixes {
            let so_far = self.limits.allowance(read);
            if decoded > so_far {
                return Err(self.exceeded());
            }
            // Grow in steps worth allocating: anything beyond the allowance is detected at the next
            // step.
            allowance = allowance.min(so_far.saturating_add(STEP_BYTES));
        }
        let step_max = match self.deadline {
            None => usize::MAX,
            Some(deadline) if Instant::now() > deadline => return Err(self.too_long()),
            Some(_) => TIMED_BYTES_MAX,
        };
        if out.len() == out.capacity() {
            let left = allowance.saturating_sub(decoded).saturating_add(1);
            out.reserve_exact(decoded.max(self.first).min(left).min(step_max));
        }
        Ok((out.capacity() - out.len()).min(step_max))
    }

    /// Reserves as [`reserve`](Self::reserve) does, and calls `decode` with a vector whose capacity
    /// it may fill. Returns the result of `decode`, and true if the capacity is full.
    ///
    /// # Errors
    /// Fails as [`reserve`](Self::reserve) does.
    #[cfg(any(feature = "gzip", feature = "zstd"))]
    pub(super) fn decode_step<T>(
        &self,
        out: &mut Vec<u8>,
        read: usize,
        decode: impl FnOnce(&mut Vec<u8>) -> T,
    ) -> Result<(T, bool)> {
        let room = self.reserve(out, read)?;
        if room == out.capacity() - out.len() {
            let result = decode(out);
            return Ok((result, out.len() == out.capacity()));
        }
        // The libraries fill all of a vector's capacity in one call. With a time limit they get a
        // shorter vector, because copying its bytes costs little beside decoding them.
        let mut step = Vec::with_capacity(room);
        let result = decode(&mut step);
        out.extend_from_slice(&step);
        Ok((result, step.len() == step.capacity()))
    }

    /// Returns the number of bytes decoded so far, or an error if it exceeds the allowance.
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
