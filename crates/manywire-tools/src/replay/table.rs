//! The table of evaluations: every figure that they printed, and the sources of the same figures on
//! this machine. The page and the commands follow from it.
//!
//! Published values are copied from the publications, in nanoseconds and bytes. Nothing else here is
//! a measurement.

use manywire_format::Format;

use super::evaluation::{Claim, Evaluation, Published, Source, Trial, TrialFigure, Unit};
use crate::weigh::subject::ValueKind;

/// The evaluations, in the order of the page.
pub const EVALUATIONS: &[Evaluation] = &[HASKELL, FINCH, GO_NODE_DOTNET, NODE_2016];

/// The document of the evaluation of Go, Node.js and .NET.
const HOTELS: &str = "hotels.json";

/// A document of 51 bytes: encoding it takes little of a request.
const USER: &str = "user.json";

const NS_PER_US: f64 = 1e3;
const NS_PER_MS: f64 = 1e6;
const NS_PER_S: f64 = 1e9;

/// Returns the row that others of the same measurement are compared with.
const fn reference(
    measured: &'static str,
    subject: &'static str,
    unit: Unit,
    value: Option<f64>,
    same: Source,
    today: Source,
) -> Published {
    Published { measured, subject, unit, value, claim: Claim::Reference, same, today }
}

/// Returns a row that is compared with the row of another subject.
const fn against(
    reference: &'static str,
    measured: &'static str,
    subject: &'static str,
    unit: Unit,
    value: Option<f64>,
    same: Source,
    today: Source,
) -> Published {
    Published { measured, subject, unit, value, claim: Claim::Against(reference), same, today }
}

const fn haskell(figure: &'static str) -> Source {
    Source::Program { lane: "haskell", figure }
}

const HASKELL: Evaluation = Evaluation {
    name: "haskell",
    title: "Haskell",
    address: "https://github.com/eborden/json-msg-pack",
    year: "2016",
    system: "aeson and data-msgpack, by criterion and weigh; the machine is not named",
    about: "A record of eight fields, one of a sum type, is written and read again (`pickle`) as JSON and as MessagePack. Both forms are derived from the type.",
    differences: &[
        "`data-msgpack` is not in Debian. It is replaced by the MessagePack of the Haskell lane, with records as arrays, as `data-msgpack` wrote them; the lane writes a constructor in another form, so the document has 36 bytes instead of 37.",
        "The versions used in 2016 are not published with the figures. \"The same\" is GHC and aeson of Debian 12, called as the evaluation called them: `encode` by way of `Value`, and `decode` of a lazy string.",
        "\"Today\" is the same record by aeson with `toEncoding` and strict bytes, and by the MessagePack of the lane with records as maps, which both ends can extend.",
    ],
    figures: &[
        reference(
            "pickle",
            "JSON",
            Unit::Time,
            Some(54.43 * NS_PER_US),
            haskell("pickle json then"),
            haskell("pickle json today"),
        ),
        against(
            "JSON",
            "pickle",
            "MessagePack",
            Unit::Time,
            Some(26.10 * NS_PER_US),
            haskell("pickle msgpack then"),
            haskell("pickle msgpack today"),
        ),
        reference(
            "pickle, allocated",
            "JSON",
            Unit::Allocated,
            Some(76_904.0),
            haskell("allocated json then"),
            haskell("allocated json today"),
        ),
        against(
            "JSON",
            "pickle, allocated",
            "MessagePack",
            Unit::Allocated,
            Some(61_608.0),
            haskell("allocated msgpack then"),
            haskell("allocated msgpack today"),
        ),
        reference(
            "document",
            "JSON",
            Unit::Size,
            Some(183.0),
            haskell("size json then"),
            haskell("size json today"),
        ),
        against(
            "JSON",
            "document",
            "MessagePack",
            Unit::Size,
            Some(37.0),
            haskell("size msgpack then"),
            haskell("size msgpack today"),
        ),
    ],
};

const fn scala(figure: &'static str) -> Source {
    Source::Program { lane: "scala", figure }
}

/// Finch and the Finagle below it.
static FINCH_OVER_FINAGLE: Trial = Trial {
    document: USER,
    client: "go",
    servers: &["scala:finagle", "scala:finch"],
    formats: &[Format::Json],
    libraries: &[],
    target: None,
};

/// The servers that a team would choose today in Rust, and hyper, which is below them.
static RUST_OVER_HYPER: Trial = Trial {
    document: USER,
    client: "go",
    servers: &["rust:hyper", "rust:axum", "rust"],
    formats: &[Format::Json],
    libraries: &[],
    target: None,
};

const fn finch_server(server: &'static str) -> Source {
    Source::ServerCpu(&FINCH_OVER_FINAGLE, server, Format::Json)
}

const fn rust_server(server: &'static str) -> Source {
    Source::ServerCpu(&RUST_OVER_HYPER, server, Format::Json)
}

/// The CPU time of a server for a request.
const SERVER_CPU: &str = "server CPU for a request";

const NOT_THEN: Source = Source::Missing("no part of the evaluation");

const FINCH: Evaluation = Evaluation {
    name: "finch",
    title: "Finch",
    address: "https://kostyukov.net/posts/finch-performance-lessons/",
    year: "2017",
    system: "Finch 0.11 to 0.13 over Finagle, circe, by JMH and wrk; the machine is not named",
    about: "Finch adds typed endpoints to Finagle. The talk says that it costs a tenth of Finagle's throughput, and shows three steps that made it faster: bytes instead of strings when JSON is read, the same when it is written, and a sealed class instead of a tuple in an option as the result of an endpoint.",
    differences: &[
        "\"The same\" is finchx 0.29 of 2019 with Finagle 19.4 and circe 0.11 on Scala 2.12: of the releases of 2016 and 2017, the circe modules are not on Maven Central. The runtime is Java 17 instead of Java 8.",
        "The document is that of Finch's own benchmark, one field with a string of 1,024 characters, by a derived encoder and decoder.",
        "\"Today\" is circe 0.14 on Scala 2.13, which many services have kept.",
        "The talk compares throughput by wrk. Here it is the CPU time of the server for a request, with a document of 51 bytes: both servers run at the same time, and get requests in turns, at the same rate. Beside them are axum and Manywire over hyper, by the same measurement.",
    ],
    figures: &[
        Published {
            measured: SERVER_CPU,
            subject: "Finch over Finagle",
            unit: Unit::Ratio,
            value: Some(1.1),
            claim: Claim::AtMost(1.1),
            same: Source::Ratio(&finch_server("scala:finch"), &finch_server("scala:finagle")),
            today: Source::Missing("Maven Central has no later Finch that resolves"),
        },
        reference(SERVER_CPU, "hyper", Unit::Time, None, NOT_THEN, rust_server("rust:hyper")),
        against("hyper", SERVER_CPU, "axum", Unit::Time, None, NOT_THEN, rust_server("rust:axum")),
        against("hyper", SERVER_CPU, "Manywire", Unit::Time, None, NOT_THEN, rust_server("rust")),
        reference(
            "decode",
            "string",
            Unit::Time,
            Some(5_950.0),
            scala("decode string then"),
            scala("decode string today"),
        ),
        against(
            "string",
            "decode",
            "bytes",
            Unit::Time,
            Some(3_233.0),
            scala("decode bytes then"),
            scala("decode bytes today"),
        ),
        reference(
            "decode, allocated",
            "string",
            Unit::Allocated,
            Some(7_992.0),
            scala("decode string allocated then"),
            scala("decode string allocated today"),
        ),
        against(
            "string",
            "decode, allocated",
            "bytes",
            Unit::Allocated,
            Some(4_908.0),
            scala("decode bytes allocated then"),
            scala("decode bytes allocated today"),
        ),
        reference(
            "encode",
            "string",
            Unit::Time,
            Some(16_400.0),
            scala("encode string then"),
            scala("encode string today"),
        ),
        against(
            "string",
            "encode",
            "bytes",
            Unit::Time,
            Some(12_645.0),
            scala("encode bytes then"),
            scala("encode bytes today"),
        ),
        reference(
            "encode, allocated",
            "string",
            Unit::Allocated,
            Some(46_900.0),
            scala("encode string allocated then"),
            scala("encode string allocated today"),
        ),
        against(
            "string",
            "encode, allocated",
            "bytes",
            Unit::Allocated,
            Some(30_360.0),
            scala("encode bytes allocated then"),
            scala("encode bytes allocated today"),
        ),
        reference(
            "Endpoint.mapAsync",
            "option of a tuple",
            Unit::Time,
            Some(429.113),
            Source::Missing("no later Finch has this form of the result"),
            Source::Missing("no later Finch has this form of the result"),
        ),
        against(
            "option of a tuple",
            "Endpoint.mapAsync",
            "sealed class",
            Unit::Time,
            Some(407.126),
            scala("map async then"),
            Source::Missing("Maven Central has no later Finch that resolves"),
        ),
    ],
};

/// The server of .NET and the consumer in Go, with the libraries of 2016.
static GO_DOTNET_THEN: Trial = Trial {
    document: HOTELS,
    client: "go",
    servers: &["dotnet"],
    formats: &[Format::Json, Format::MsgPack],
    libraries: &["encoding/json", "tinylib/msgp", "Newtonsoft.Json"],
    target: Some(ValueKind::Dynamic),
};

/// The server of .NET and the consumer in Go, with libraries of today.
static GO_DOTNET_TODAY: Trial = Trial {
    document: HOTELS,
    client: "go",
    servers: &["dotnet"],
    formats: &[Format::Json, Format::MsgPack],
    libraries: &["goccy/go-json", "vmihailenco/msgpack", "System.Text.Json"],
    target: Some(ValueKind::Dynamic),
};

/// The server of Node.js and the consumer in Go, with the runtime of 2016.
static GO_NODE_THEN: Trial = Trial {
    document: HOTELS,
    client: "go",
    servers: &["node6"],
    formats: &[Format::Json],
    libraries: &[],
    target: None,
};

/// The server of Node.js and the consumer in Go, with a runtime of today.
static GO_NODE_TODAY: Trial = Trial {
    document: HOTELS,
    client: "go",
    servers: &["node"],
    formats: &[Format::Json, Format::Protobuf],
    libraries: &["protobufjs"],
    target: None,
};

const NO_PROTOBUF: Source = Source::Missing("the .NET lane has no Protocol Buffers");

const GO_NODE_DOTNET: Evaluation = Evaluation {
    name: "go-node-dotnet",
    title: "Go, Node.js and .NET",
    address: "https://github.com/gawth/go-proto",
    year: "2016",
    system: ".NET with Nancy and Node.js with restify in a virtual machine, Go with net/http outside of it; the machine is not named",
    about: "A service responds with 50 hotels of 10 rooms each, as JSON, Protocol Buffers or MessagePack. A consumer requests them one at a time: the endpoint alone, the processing of the response alone, and both.",
    differences: &[
        "Server and client run on one machine, over loopback, in processes of their own; then there was a virtual machine between them.",
        "The servers are the plain ones of each runtime, without Nancy and restify.",
        "MsgPack.Cli, which wrote MessagePack, cannot be had without NuGet. It is replaced by the MessagePack of the .NET lane.",
    ],
    figures: &[
        reference(
            "end to end, .NET to Go",
            "JSON",
            Unit::Time,
            Some(12.097_761 * NS_PER_MS),
            Source::Trial(&GO_DOTNET_THEN, Format::Json, TrialFigure::EndToEnd),
            Source::Trial(&GO_DOTNET_TODAY, Format::Json, TrialFigure::EndToEnd),
        ),
        against(
            "JSON",
            "end to end, .NET to Go",
            "Protocol Buffers",
            Unit::Time,
            Some(2.029_807 * NS_PER_MS),
            NO_PROTOBUF,
            NO_PROTOBUF,
        ),
        against(
            "JSON",
            "end to end, .NET to Go",
            "MessagePack",
            Unit::Time,
            Some(3.723_422 * NS_PER_MS),
            Source::Trial(&GO_DOTNET_THEN, Format::MsgPack, TrialFigure::EndToEnd),
            Source::Trial(&GO_DOTNET_TODAY, Format::MsgPack, TrialFigure::EndToEnd),
        ),
        reference(
            "endpoint, .NET",
            "JSON",
            Unit::Time,
            Some(6.375_379 * NS_PER_MS),
            Source::Trial(&GO_DOTNET_THEN, Format::Json, TrialFigure::Endpoint),
            Source::Trial(&GO_DOTNET_TODAY, Format::Json, TrialFigure::Endpoint),
        ),
        against(
            "JSON",
            "endpoint, .NET",
            "Protocol Buffers",
            Unit::Time,
            Some(1.680_085 * NS_PER_MS),
            NO_PROTOBUF,
            NO_PROTOBUF,
        ),
        against(
            "JSON",
            "endpoint, .NET",
            "MessagePack, maps",
            Unit::Time,
            Some(10.303_550 * NS_PER_MS),
            Source::Trial(&GO_DOTNET_THEN, Format::MsgPack, TrialFigure::Endpoint),
            Source::Trial(&GO_DOTNET_TODAY, Format::MsgPack, TrialFigure::Endpoint),
        ),
        against(
            "JSON",
            "endpoint, .NET",
            "MessagePack, arrays",
            Unit::Time,
            Some(1.452_170 * NS_PER_MS),
            Source::Missing("the .NET lane has no typed values"),
            Source::Missing("the .NET lane has no typed values"),
        ),
        reference(
            "processing, Go",
            "JSON",
            Unit::Time,
            Some(2.187_234 * NS_PER_MS),
            Source::Trial(&GO_DOTNET_THEN, Format::Json, TrialFigure::Processing),
            Source::Trial(&GO_DOTNET_TODAY, Format::Json, TrialFigure::Processing),
        ),
        against(
            "JSON",
            "processing, Go",
            "Protocol Buffers",
            Unit::Time,
            Some(0.365_211 * NS_PER_MS),
            Source::Trial(&GO_NODE_TODAY, Format::Protobuf, TrialFigure::Processing),
            Source::Trial(&GO_NODE_TODAY, Format::Protobuf, TrialFigure::Processing),
        ),
        against(
            "JSON",
            "processing, Go",
            "MessagePack",
            Unit::Time,
            Some(0.279_339 * NS_PER_MS),
            Source::Trial(&GO_DOTNET_THEN, Format::MsgPack, TrialFigure::Processing),
            Source::Trial(&GO_DOTNET_TODAY, Format::MsgPack, TrialFigure::Processing),
        ),
        reference(
            "endpoint, Node.js",
            "JSON",
            Unit::Time,
            Some(2.086_541 * NS_PER_MS),
            Source::Trial(&GO_NODE_THEN, Format::Json, TrialFigure::Endpoint),
            Source::Trial(&GO_NODE_TODAY, Format::Json, TrialFigure::Endpoint),
        ),
        against(
            "JSON",
            "endpoint, Node.js",
            "Protocol Buffers",
            Unit::Time,
            Some(0.603_525 * NS_PER_MS),
            Source::Missing("the lane of Node.js 6 has no Protocol Buffers"),
            Source::Trial(&GO_NODE_TODAY, Format::Protobuf, TrialFigure::Endpoint),
        ),
    ],
};

const fn node6(figure: &'static str) -> Source {
    Source::Program { lane: "node6", figure }
}

const fn node(figure: &'static str) -> Source {
    Source::Program { lane: "node", figure }
}

/// The runs of the two scripts, a million iterations each, in nanoseconds for one.
const NODE_PARSE: f64 = 47.296 * NS_PER_S / 1e6;
const NODE_UNPACK: f64 = 107.244 * NS_PER_S / 1e6;

const NODE_2016: Evaluation = Evaluation {
    name: "node2016",
    title: "Node.js",
    address: "https://engineering.facile.it/blog/eng/message-pack-an-alternative-to-json/",
    year: "2016",
    system: "Node.js 6.8.1 and the native msgpack 1.0.2 on an Intel Core i7-4770HQ at 2.2 GHz, macOS",
    about: "A document of seven people, 10 KB of JSON, is read a million times as JSON and as MessagePack. The article also weighs a user of three fields, byte by byte, as `manywire explain` shows it.",
    differences: &[
        "The document is `examples/people.json`, indented as the original document: the same fields and the same 9,957 bytes, with other people.",
        "A loop runs 10,000 times instead of a million, and less if it would take longer than a fifth of a second. Larger arrays of copies, and writing, were not measured then.",
        "\"The same\" is Node.js 6.17.1. \"Today\" is the Node.js of the lane with msgpackr.",
    ],
    figures: &[
        reference(
            "user of three fields",
            "JSON, spaced",
            Unit::Size,
            Some(56.0),
            node6("size user json"),
            node("size user json"),
        ),
        against(
            "JSON, spaced",
            "user of three fields",
            "MessagePack",
            Unit::Size,
            Some(38.0),
            node6("size user msgpack"),
            node("size user msgpack"),
        ),
        Published {
            measured: "document, MessagePack to JSON",
            subject: "\"saves more than 40 %\"",
            unit: Unit::Ratio,
            value: Some(0.6),
            claim: Claim::AtMost(0.6),
            same: Source::Ratio(&node6("size document msgpack"), &node6("size document json")),
            today: Source::Ratio(&node("size document msgpack"), &node("size document json")),
        },
        reference(
            "read",
            "JSON",
            Unit::Time,
            Some(NODE_PARSE),
            node6("read json 1"),
            node("read json 1"),
        ),
        against(
            "JSON",
            "read",
            "MessagePack",
            Unit::Time,
            Some(NODE_UNPACK),
            node6("read msgpack 1"),
            node("read msgpack 1"),
        ),
        reference(
            "read, 10 copies",
            "JSON",
            Unit::Time,
            None,
            node6("read json 10"),
            node("read json 10"),
        ),
        against(
            "JSON",
            "read, 10 copies",
            "MessagePack",
            Unit::Time,
            None,
            node6("read msgpack 10"),
            node("read msgpack 10"),
        ),
        reference(
            "read, 1,000 copies",
            "JSON",
            Unit::Time,
            None,
            node6("read json 1000"),
            node("read json 1000"),
        ),
        against(
            "JSON",
            "read, 1,000 copies",
            "MessagePack",
            Unit::Time,
            None,
            node6("read msgpack 1000"),
            node("read msgpack 1000"),
        ),
        reference("write", "JSON", Unit::Time, None, node6("write json 1"), node("write json 1")),
        against(
            "JSON",
            "write",
            "MessagePack",
            Unit::Time,
            None,
            node6("write msgpack 1"),
            node("write msgpack 1"),
        ),
    ],
};
