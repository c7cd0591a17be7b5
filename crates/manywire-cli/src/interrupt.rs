//! An interrupt as a flag, so that what is known is still written.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Whether the user has interrupted.
pub(crate) static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// How the command ends when it is interrupted: 128 and the number of the signal.
const INTERRUPTED_EXIT: i32 = 130;

/// Makes an interrupt the flag. Without it an interrupt ends the command at once.
pub(crate) fn catch() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed))
}

/// The same, and ends the command if it does not end by itself: it may be waiting for input that
/// never comes.
pub(crate) fn catch_within(patience: Duration) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || {
        INTERRUPTED.store(true, Ordering::Relaxed);
        std::thread::sleep(patience);
        std::process::exit(INTERRUPTED_EXIT);
    })
}
