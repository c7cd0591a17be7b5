//! One operation of one library on one document.

use std::hint::black_box;

/// Where an encoder puts its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// A buffer of its own every time, released with the result.
    Fresh,
    /// One buffer, emptied and used again.
    Reused,
    /// None: it decodes.
    None,
}

/// What is measured.
pub struct Subject {
    /// What it is compared with: `people/encode/msgpack`.
    pub group: String,
    /// Who does it: `manywire`, `rmp-serde reused`.
    pub name: String,
    /// How many bytes it writes or reads.
    pub size_bytes: usize,
    run: Box<dyn FnMut(u64)>,
}

impl Subject {
    /// A subject that does `operation` so many times in a row as it is asked to. The loop is
    /// compiled with the operation, so a call through a pointer costs a batch, not an operation.
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

    /// Does the operation so many times.
    pub fn run(&mut self, times: u64) {
        (self.run)(times);
    }

    /// Its name across groups.
    pub fn id(&self) -> String {
        format!("{}/{}", self.group, self.name)
    }
}

/// Says which subject is wrong, and stops: a wrong answer must not be timed.
#[track_caller]
pub fn assert_round_trip<T: PartialEq>(who: &str, document: &str, value: &T, decoded: &T) {
    assert!(value == decoded, "{who} does not give {document} back");
}
