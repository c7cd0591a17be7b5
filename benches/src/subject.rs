//! A subject: one operation of one library on one document.

use std::hint::black_box;

/// The destination of an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// A new buffer for each operation, released with the result.
    Fresh,
    /// One buffer, cleared before each operation.
    Reused,
    /// No buffer, because the subject decodes.
    None,
}

/// One operation of one library on one document.
pub struct Subject {
    /// The group of comparable subjects: `people/encode/msgpack`.
    pub group: String,
    /// The library and its mode: `manywire`, `rmp-serde reused`.
    pub name: String,
    /// The number of bytes that the operation writes or reads.
    pub size_bytes: usize,
    run: Box<dyn FnMut(u64)>,
}

impl Subject {
    /// Creates a subject that repeats `operation`. The loop is compiled together with the
    /// operation, so the call through a pointer costs once per batch.
    pub fn new<R>(
        group: impl Into<String>,
        library: &str,
        buffer: Buffer,
        size_bytes: usize,
        mut operation: impl FnMut() -> R + 'static,
    ) -> Self {
        let name = match buffer {
            Buffer::Reused => format!("{library} reused"),
            Buffer::Fresh | Buffer::None => library.to_owned(),
        };
        let run = Box::new(move |times| {
            for _ in 0..times {
                black_box(operation());
            }
        });
        Subject { group: group.into(), name, size_bytes, run }
    }

    /// Runs the operation `times` times.
    pub fn run(&mut self, times: u64) {
        (self.run)(times);
    }

    /// Returns the group and the name.
    pub fn id(&self) -> String {
        format!("{}/{}", self.group, self.name)
    }
}

/// Panics with the names of library and document if `decoded` differs from `value`, because a wrong
/// result must not be timed.
#[track_caller]
pub fn assert_round_trip<T: PartialEq>(who: &str, document: &str, value: &T, decoded: &T) {
    assert!(value == decoded, "{who} does not give {document} back");
}
