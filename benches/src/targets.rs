//! The expected result of each comparison.

/// The least acceptable ratio of a peer's cost to ours.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The group of both subjects.
    pub group: &'static str,
    /// The name of our subject.
    pub ours: &'static str,
    /// The name of the peer's subject.
    pub peer: &'static str,
    /// The least ratio of the peer's cost to ours.
    pub at_least: f64,
    /// True if the cost is instructions, which `--instructions` counts; false for time.
    pub instructions: bool,
}

impl Target {
    /// Returns the name of the target in records.
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

/// The ratio of equal speed, less 2 % for the variation between two runs of the same code.
const LEVEL: f64 = 0.98;

/// Every target. "Within 1.3x" of a peer is a ratio of at least 1 / 1.3.
pub const TARGETS: &[Target] = &[
    // MessagePack in the map layout, against the most used library.
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
    // The fastest known encoder, which writes unchecked into a presized buffer.
    instructions("people/encode/msgpack", "manywire", "zerompk", 1.0 / 1.3),
    instructions("hotels/encode/msgpack", "manywire", "zerompk", 1.0 / 1.3),
    instructions("record-a/encode/msgpack", "manywire", "zerompk", 1.0 / 1.3),
    // CBOR, against the faster library for each operation: equal or better.
    time("people/encode/cbor", "manywire", "cbor2", LEVEL),
    time("hotels/encode/cbor", "manywire", "cbor2", LEVEL),
    time("record-a/encode/cbor", "manywire", "cbor2", LEVEL),
    time("people/encode/cbor", "manywire reused", "cbor2 reused", LEVEL),
    time("hotels/encode/cbor", "manywire reused", "cbor2 reused", LEVEL),
    time("record-a/encode/cbor", "manywire reused", "cbor2 reused", LEVEL),
    time("people/decode/cbor", "manywire", "serde_cbor_2", LEVEL),
    time("hotels/decode/cbor", "manywire", "serde_cbor_2", LEVEL),
    time("record-a/decode/cbor", "manywire", "serde_cbor_2", LEVEL),
    // Protocol Buffers from a plain derived type, against generated code: within 1.25x both ways.
    time("people/encode/protobuf", "manywire", "prost", 1.0 / 1.25),
    time("hotels/encode/protobuf", "manywire", "prost", 1.0 / 1.25),
    time("record-a/encode/protobuf", "manywire", "prost", 1.0 / 1.25),
    time("people/encode/protobuf", "manywire reused", "prost reused", 1.0 / 1.25),
    time("hotels/encode/protobuf", "manywire reused", "prost reused", 1.0 / 1.25),
    time("record-a/encode/protobuf", "manywire reused", "prost reused", 1.0 / 1.25),
    time("people/decode/protobuf", "manywire", "prost", 1.0 / 1.25),
    time("hotels/decode/protobuf", "manywire", "prost", 1.0 / 1.25),
    time("record-a/decode/protobuf", "manywire", "prost", 1.0 / 1.25),
    // Avro, single data without a container.
    time("people/encode/avro", "manywire", "serde_avro_fast", 1.5),
    time("hotels/encode/avro", "manywire", "serde_avro_fast", 1.5),
    time("people/encode/avro", "manywire reused", "serde_avro_fast reused", 1.5),
    time("hotels/encode/avro", "manywire reused", "serde_avro_fast reused", 1.5),
    time("people/decode/avro", "manywire", "serde_avro_fast", 1.2),
    time("hotels/decode/avro", "manywire", "serde_avro_fast", 1.2),
    // BSON, against its only library.
    time("people/encode/bson", "manywire", "bson", 1.5),
    time("hotels/encode/bson", "manywire", "bson", 1.5),
    time("record-a/encode/bson", "manywire", "bson", 1.5),
    time("people/encode/bson", "manywire reused", "bson reused", 1.5),
    time("hotels/encode/bson", "manywire reused", "bson reused", 1.5),
    time("record-a/encode/bson", "manywire reused", "bson reused", 1.5),
    time("people/decode/bson", "manywire", "bson", 1.5),
    time("hotels/decode/bson", "manywire", "bson", 1.5),
    time("record-a/decode/bson", "manywire", "bson", 1.5),
    // Typed JSON is serde_json after our checks, which must not cost more than they save.
    time("people/encode/json", "manywire", "serde_json", LEVEL),
    time("people/decode/json", "manywire", "serde_json", LEVEL),
    time("hotels/decode/json", "manywire", "serde_json", LEVEL),
    time("record-a/decode/json", "manywire", "serde_json", LEVEL),
    // The record of the Haskell study.
    time("record-a/pickle", "manywire msgpack reused", "serde_json reused", 2.6),
    // Dynamic values, including the drop.
    time("large/decode-value/json", "manywire", "serde_json", 2.5),
    time("large/decode-value/msgpack", "manywire", "rmpv", 4.0),
];
