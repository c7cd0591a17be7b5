//! Messages about the progress of a measurement.

/// Receives progress messages, from any thread.
pub trait Progress: Send {
    /// Shows a line in place of the previous one.
    fn say(&mut self, line: &str);

    /// Shows a line that stays.
    fn note(&mut self, line: &str);

    /// Ends the messages.
    fn finish(&mut self) {}
}
