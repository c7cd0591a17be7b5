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

/// As fast as the peer, but for the 2 % by which two runs of the same code may differ.
const LEVEL: f64 = 0.98;

/// Every target. "Within 1.3x" of a peer is a ratio of at least 1 / 1.3.
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
    // CBOR, against the faster library each way: level or better.
    time("people/encode/cbor", "manywire", "cbor2", LEVEL),
    time("hotels/encode/cbor", "manywire", "cbor2", LEVEL),
    time("record-a/encode/cbor", "manywire", "cbor2", LEVEL),
    time("people/encode/cbor", "manywire reused", "cbor2 reused", LEVEL),
    time("hotels/encode/cbor", "manywire reused", "cbor2 reused", LEVEL),
    time("record-a/encode/cbor", "manywire reused", "cbor2 reused", LEVEL),
    time("people/decode/cbor", "manywire", "serde_cbor_2", LEVEL),
    time("hotels/decode/cbor", "manywire", "serde_cbor_2", LEVEL),
    time("record-a/decode/cbor", "manywire", "serde_cbor_2", LEVEL),
    // Protocol Buffers from a plain derived type: within 1.25x of generated code, both ways.
    time("people/encode/protobuf", "manywire", "prost", 1.0 / 1.25),
    time("hotels/encode/protobuf", "manywire", "prost", 1.0 / 1.25),
    time("record-a/encode/protobuf", "manywire", "prost", 1.0 / 1.25),
    time("people/encode/protobuf", "manywire reused", "prost reused", 1.0 / 1.25),
    time("hotels/encode/protobuf", "manywire reused", "prost reused", 1.0 / 1.25),
    time("record-a/encode/protobuf", "manywire reused", "prost reused", 1.0 / 1.25),
    time("people/decode/protobuf", "manywire", "prost", 1.0 / 1.25),
    time("hotels/decode/protobuf", "manywire", "prost", 1.0 / 1.25),
    time("record-a/decode/protobuf", "manywire", "prost", 1.0 / 1.25),
    // Avro, raw datum.
    time("people/encode/avro", "manywire", "serde_avro_fast", 1.5),
    time("hotels/encode/avro", "manywire", "serde_avro_fast", 1.5),
    time("people/encode/avro", "manywire reused", "serde_avro_fast reused", 1.5),
    time("hotels/encode/avro", "manywire reused", "serde_avro_fast reused", 1.5),
    time("people/decode/avro", "manywire", "serde_avro_fast", 1.2),
    time("hotels/decode/avro", "manywire", "serde_avro_fast", 1.2),
    // BSON, against the one library there is.
    time("people/encode/bson", "manywire", "bson", 1.5),
    time("hotels/encode/bson", "manywire", "bson", 1.5),
    time("record-a/encode/bson", "manywire", "bson", 1.5),
    time("people/encode/bson", "manywire reused", "bson reused", 1.5),
    time("hotels/encode/bson", "manywire reused", "bson reused", 1.5),
    time("record-a/encode/bson", "manywire reused", "bson reused", 1.5),
    time("people/decode/bson", "manywire", "bson", 1.5),
    time("hotels/decode/bson", "manywire", "bson", 1.5),
    time("record-a/decode/bson", "manywire", "bson", 1.5),
    // Typed JSON is serde_json with our checks before it: they must not cost what they save.
    time("people/encode/json", "manywire", "serde_json", LEVEL),
    time("people/decode/json", "manywire", "serde_json", LEVEL),
    time("hotels/decode/json", "manywire", "serde_json", LEVEL),
    time("record-a/decode/json", "manywire", "serde_json", LEVEL),
    // The pickle of the Haskell study.
    time("record-a/pickle", "manywire msgpack reused", "serde_json reused", 2.6),
    // Dynamic values, dropping them included.
    time("large/decode-value/json", "manywire", "serde_json", 2.5),
    time("large/decode-value/msgpack", "manywire", "rmpv", 4.0),
];
