//! What is expected of each comparison.

/// How many times as fast as a peer we mean to be.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The group that both stand in.
    pub group: &'static str,
    /// Our subject there.
    pub ours: &'static str,
    /// The peer there.
    pub peer: &'static str,
    /// The least ratio of the peer's cost to ours.
    pub at_least: f64,
    /// Whether the cost is instructions, which `--instructions` counts, or time.
    pub instructions: bool,
}

impl Target {
    /// Its name in records.
    pub fn id(&self) -> String {
        format!("{}: {} against {}", self.group, self.ours, self.peer)
    }
}

const fn time(
    group: &'static str,
    ours: &'static str,
    peer: &'static str,
    at_least: f64,
) -> Target {
    Target { group, ours, peer, at_least, instructions: false }
}

const fn instructions(
    group: &'static str,
    ours: &'static str,
    peer: &'static str,
    at_least: f64,
) -> Target {
    Target { group, ours, peer, at_least, instructions: true }
}

/// Every target. "Within 1.25x" of a peer is a ratio of at least 1 / 1.25; "level" allows the 2 %
/// below which two runs of the same code differ.
pub const TARGETS: &[Target] = &[
    // MessagePack, map layout, against the library that most people use.
    time("people/encode/msgpack", "manywire", "rmp-serde", 2.5),
    time("hotels/encode/msgpack", "manywire", "rmp-serde", 2.5),
    time("record-a/encode/msgpack", "manywire", "rmp-serde", 1.3),
    time("people/encode/msgpack", "manywire reused", "rmp-serde reused", 2.0),
    time("hotels/encode/msgpack", "manywire reused", "rmp-serde reused", 2.0),
    time("people/decode/msgpack", "manywire", "rmp-serde", 1.25),
    time("hotels/decode/msgpack", "manywire", "rmp-serde", 1.4),
    time("record-a/decode/msgpack", "manywire", "rmp-serde", 1.2),
    time("people/decode-borrowed/msgpack", "manywire", "rmp-serde", 1.5),
    time("hotels/decode-borrowed/msgpack", "manywire", "rmp-serde", 1.5),
    // The fastest encoder there is, which writes unchecked into a buffer sized beforehand.
    instructions("people/encode/msgpack", "manywire", "zerompk", 1.0 / 1.3),
    instructions("hotels/encode/msgpack", "manywire", "zerompk", 1.0 / 1.3),
    instructions("record-a/encode/msgpack", "manywire", "zerompk", 1.0 / 1.3),
    // The pickle of the Haskell study.
    time("record-a/pickle", "manywire msgpack reused", "serde_json reused", 2.6),
    // Dynamic values, dropping them included.
    time("large/decode-value/json", "manywire", "serde_json", 2.5),
    time("large/decode-value/msgpack", "manywire", "rmpv", 4.0),
];
