//! The table of evaluations: every figure that they printed, and the sources of the same figures on
//! this machine. The page and the commands follow from it.
//!
//! Published values are copied from the publications, in nanoseconds and bytes. Nothing else here is
//! a measurement.

use manywire_format::Format;

use super::evaluation::{Evaluation, Measurement, Published, Source, Trial, TrialFigure, Unit};
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

/// Returns a figure of the publication with its sources: with the versions of the publication, and
/// with those of today.
const fn figure(subject: &'static str, value: f64, [same, today]: [Source; 2]) -> Published {
    Published { subject, value: Some(value), same, today }
}

/// Returns a figure that the publication does not have.
const fn added(subject: &'static str, [same, today]: [Source; 2]) -> Published {
    Published { subject, value: None, same, today }
}

/// Returns a ratio that the publication states in words, with the two figures that it is of.
const fn stated(
    words: &'static str,
    value: f64,
    figure: &'static [Source; 2],
    reference: &'static [Source; 2],
) -> Published {
    Published {
        subject: words,
        value: Some(value),
        same: Source::Ratio(&figure[0], &reference[0]),
        today: Source::Ratio(&figure[1], &reference[1]),
    }
}

/// Expands to the sources of a figure that the program of a lane prints under two names: with `then`
/// and with `today` at the end.
macro_rules! then_and_today {
    ($lane:literal, $figure:literal) => {
        [
            Source::Program { lane: $lane, figure: concat!($figure, " then") },
            Source::Program { lane: $lane, figure: concat!($figure, " today") },
        ]
    };
}

const HASKELL: Evaluation = Evaluation {
    name: "haskell",
    title: "Haskell",
    address: "https://github.com/eborden/json-msg-pack",
    year: "2016",
    system: "GHC 8.0.1 and aeson 0.11 of Stackage LTS 7.9, and data-msgpack 0.0.8, by criterion and weigh; the machine is not named",
    about: "A record of eight fields, one of a sum type, is written and read again (`pickle`) as JSON and as MessagePack. Both forms are derived from the type.",
    differences: &[
        "`data-msgpack` is not in Debian. It is replaced by the MessagePack of the Haskell lane, with records as arrays, as `data-msgpack` wrote them; the lane writes a constructor in another form, so the document has 36 bytes instead of 37.",
        "\"The same\" is GHC and aeson of Debian 12, which does not have the versions of then, called as the evaluation called them: `encode` by way of `Value`, and `decode` of a lazy string.",
        "\"Today\" is the same record by aeson with `toEncoding` and strict bytes, and by the MessagePack of the lane with records as maps, which both ends can extend.",
    ],
    measurements: &[
        Measurement {
            measured: "pickle",
            unit: Unit::Time,
            figures: &[
                figure("JSON", 54.43 * NS_PER_US, then_and_today!("haskell", "pickle json")),
                figure(
                    "MessagePack",
                    26.10 * NS_PER_US,
                    then_and_today!("haskell", "pickle msgpack"),
                ),
            ],
        },
        Measurement {
            measured: "pickle, allocated",
            unit: Unit::Allocated,
            figures: &[
                figure("JSON", 76_904.0, then_and_today!("haskell", "allocated json")),
                figure("MessagePack", 61_608.0, then_and_today!("haskell", "allocated msgpack")),
            ],
        },
        Measurement {
            measured: "document",
            unit: Unit::Size,
            figures: &[
                figure("JSON", 183.0, then_and_today!("haskell", "size json")),
                figure("MessagePack", 37.0, then_and_today!("haskell", "size msgpack")),
            ],
        },
    ],
};

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
const NO_LATER_FINCH: Source = Source::Missing("Maven Central has no later Finch that resolves");
const NO_TUPLE: Source = Source::Missing("no later Finch has this form of the result");

/// Returns the sources of a figure of Finch's result that the replay prints with its versions only.
const fn finch(figure: &'static str) -> [Source; 2] {
    [Source::Program { lane: "scala", figure }, NO_LATER_FINCH]
}

const FINCH: Evaluation = Evaluation {
    name: "finch",
    title: "Finch",
    address: "https://kostyukov.net/posts/finch-performance-lessons/",
    year: "2017",
    system: "Finch 0.11 to 0.13 over Finagle, circe, by JMH on a machine that is not named; the tenth is from round 13 of the TechEmpower benchmarks",
    about: "Finch adds typed endpoints to Finagle. The talk says that they cost a tenth of Finagle's throughput, and shows three steps that made it faster: bytes instead of strings when JSON is read, the same when it is written, and a sealed class instead of a tuple in an option as the result of an endpoint.",
    differences: &[
        "\"The same\" is finchx 0.29 of 2019 with Finagle 19.4 and circe 0.11 on Scala 2.12: of the releases of 2016 and 2017, the circe modules are not on Maven Central. The runtime is Java 17 instead of Java 8.",
        "The document is that of Finch's own benchmark, one field with a string of 1,024 characters, by a derived encoder and decoder.",
        "\"Today\" is circe 0.14 on Scala 2.13, which many services have kept.",
        "The tenth is the difference in throughput of the JSON test of [TechEmpower](https://www.techempower.com/benchmarks/#section=data-r13&hw=ph&test=json&l=4ftbsv), where Finch writes by circe and Finagle by Jackson. Here it is the CPU time of the server for a request, with a document of 51 bytes that both write by circe: both servers run at the same time, and get requests in turns, at the same rate. Beside them are axum and Manywire over hyper, by the same measurement.",
    ],
    measurements: &[
        Measurement {
            measured: SERVER_CPU,
            unit: Unit::Ratio,
            figures: &[Published {
                subject: "Finch over Finagle",
                value: Some(1.1),
                same: Source::Ratio(&finch_server("scala:finch"), &finch_server("scala:finagle")),
                today: NO_LATER_FINCH,
            }],
        },
        Measurement {
            measured: SERVER_CPU,
            unit: Unit::Time,
            figures: &[
                added("hyper", [NOT_THEN, rust_server("rust:hyper")]),
                added("axum", [NOT_THEN, rust_server("rust:axum")]),
                added("Manywire", [NOT_THEN, rust_server("rust")]),
            ],
        },
        Measurement {
            measured: "decode",
            unit: Unit::Time,
            figures: &[
                figure("string", 5_950.0, then_and_today!("scala", "decode string")),
                figure("bytes", 3_233.0, then_and_today!("scala", "decode bytes")),
            ],
        },
        Measurement {
            measured: "decode, allocated",
            unit: Unit::Allocated,
            figures: &[
                figure("string", 7_992.0, then_and_today!("scala", "decode string allocated")),
                figure("bytes", 4_908.0, then_and_today!("scala", "decode bytes allocated")),
            ],
        },
        Measurement {
            measured: "encode",
            unit: Unit::Time,
            figures: &[
                figure("string", 16_400.0, then_and_today!("scala", "encode string")),
                figure("bytes", 12_645.0, then_and_today!("scala", "encode bytes")),
            ],
        },
        Measurement {
            measured: "encode, allocated",
            unit: Unit::Allocated,
            figures: &[
                figure("string", 46_900.0, then_and_today!("scala", "encode string allocated")),
                figure("bytes", 30_360.0, then_and_today!("scala", "encode bytes allocated")),
            ],
        },
        Measurement {
            measured: "Endpoint.mapAsync",
            unit: Unit::Time,
            figures: &[
                figure("option of a tuple", 429.113, [NO_TUPLE, NO_TUPLE]),
                figure("sealed class", 407.126, finch("map async then")),
            ],
        },
        Measurement {
            measured: "Endpoint.mapAsync, allocated",
            unit: Unit::Allocated,
            figures: &[
                figure("option of a tuple", 776.0, [NO_TUPLE, NO_TUPLE]),
                figure("sealed class", 720.0, finch("map async allocated then")),
            ],
        },
        Measurement {
            measured: "Endpoint.mapOutputAsync",
            unit: Unit::Time,
            figures: &[
                figure("option of a tuple", 821.786, [NO_TUPLE, NO_TUPLE]),
                figure("sealed class", 777.654, finch("map output async then")),
            ],
        },
        Measurement {
            measured: "Endpoint.mapOutputAsync, allocated",
            unit: Unit::Allocated,
            figures: &[
                figure("option of a tuple", 1_376.0, [NO_TUPLE, NO_TUPLE]),
                figure("sealed class", 1_320.0, finch("map output async allocated then")),
            ],
        },
    ],
};

/// The formats of .NET and Go.
const DOTNET_FORMATS: &[Format] =
    &[Format::Json, Format::Protobuf, Format::MsgPack, Format::MsgPackArray];

/// The server of .NET and the consumer in Go, with the libraries of 2016. Both programs had types of the
/// document.
static GO_DOTNET_THEN: Trial = Trial {
    document: HOTELS,
    client: "go",
    servers: &["dotnet"],
    formats: DOTNET_FORMATS,
    libraries: &[
        "encoding/json",
        "google.golang.org/protobuf",
        "tinylib/msgp",
        "Newtonsoft.Json",
        "Google.Protobuf",
        "manywire-net",
    ],
    target: Some(ValueKind::Typed),
};

/// The server of .NET and the consumer in Go, with libraries of today and types of the document.
static GO_DOTNET_TODAY: Trial = Trial {
    document: HOTELS,
    client: "go",
    servers: &["dotnet"],
    formats: DOTNET_FORMATS,
    libraries: &[
        "goccy/go-json",
        "google.golang.org/protobuf",
        "vmihailenco/msgpack",
        "System.Text.Json",
        "Google.Protobuf",
        "manywire-net",
    ],
    target: Some(ValueKind::Typed),
};

/// The formats of Node.js and Go.
const NODE_FORMATS: &[Format] = &[Format::Json, Format::Protobuf];

/// The server of Node.js and the consumer in Go, with the runtime and the library of 2016. JSON has no
/// typed values in JavaScript.
static GO_NODE_THEN: Trial = Trial {
    document: HOTELS,
    client: "go",
    servers: &["node6"],
    formats: NODE_FORMATS,
    libraries: &["JSON", "protocol-buffers"],
    target: Some(ValueKind::Typed),
};

/// The server of Node.js and the consumer in Go, with a runtime and a library of today.
static GO_NODE_TODAY: Trial = Trial {
    document: HOTELS,
    client: "go",
    servers: &["node"],
    formats: NODE_FORMATS,
    libraries: &["JSON", "protobufjs"],
    target: Some(ValueKind::Typed),
};

/// Returns the sources of a figure of .NET and Go.
const fn dotnet(format: Format, figure: TrialFigure) -> [Source; 2] {
    [
        Source::Trial(&GO_DOTNET_THEN, format, figure),
        Source::Trial(&GO_DOTNET_TODAY, format, figure),
    ]
}

/// Returns the sources of an endpoint of Node.js.
const fn node_endpoint(format: Format) -> [Source; 2] {
    [
        Source::Trial(&GO_NODE_THEN, format, TrialFigure::Endpoint),
        Source::Trial(&GO_NODE_TODAY, format, TrialFigure::Endpoint),
    ]
}

static DOTNET_JSON: [Source; 2] = dotnet(Format::Json, TrialFigure::Endpoint);
static DOTNET_PROTOBUF: [Source; 2] = dotnet(Format::Protobuf, TrialFigure::Endpoint);
static GO_JSON: [Source; 2] = dotnet(Format::Json, TrialFigure::Processing);
static GO_MSGPACK: [Source; 2] = dotnet(Format::MsgPack, TrialFigure::Processing);
static NODE_JSON: [Source; 2] = node_endpoint(Format::Json);
static NODE_PROTOBUF: [Source; 2] = node_endpoint(Format::Protobuf);

const GO_NODE_DOTNET: Evaluation = Evaluation {
    name: "go-node-dotnet",
    title: "Go, Node.js and .NET",
    address: "https://github.com/gawth/go-proto",
    year: "2016",
    system: ".NET with Nancy and Node.js with restify in a virtual machine, Go with net/http outside of it; the machine is not named",
    about: "A service responds with 50 hotels of 10 rooms each, as JSON, Protocol Buffers or MessagePack. A consumer requests them one at a time: the endpoint alone, the processing of the response alone, and both.",
    differences: &[
        "Server and client run on one machine, over loopback, in processes of their own; then there was a virtual machine between them.",
        "The servers are the plain ones of each runtime, without Nancy and restify. Then they made the hotels anew for each request; here they write a value that they hold.",
        "Both programs have types of the document, as they had then: classes in .NET, structs in Go.",
        "\"The same\" in Go is `encoding/json`, `tinylib/msgp`, and the successor of `golang/protobuf`. In .NET it is Newtonsoft.Json 10.0.3 instead of 7.0.1 and Google.Protobuf 3.10.1 of 2019 instead of 3.0.0-beta2, on .NET 8 instead of the .NET Framework: other versions of both libraries cannot be had without NuGet.",
        "\"Today\" is `goccy/go-json` and `vmihailenco/msgpack` in Go, and System.Text.Json in .NET, with the same Google.Protobuf.",
        "MsgPack.Cli, which wrote MessagePack, cannot be had without NuGet. It is replaced by `manywire-net`, the MessagePack of the .NET lane, in both columns.",
        "The .NET server's figures of MessagePack are from an earlier version of it. By [its notes](https://github.com/gawth/proto-service), that made a serializer of maps for each response at first, which is slow, and later one for all responses. The 10.3 ms of the endpoint include it; the 3.72 ms end to end, which are less, cannot. Here one serializer is made before the first response.",
        "In Node.js, \"the same\" is 6.17.1, because the version of then is not published, with the `protocol-buffers` 3.1.6 of [its server](https://github.com/gawth/protosrv). \"Today\" is protobufjs, with its messages.",
        "The conclusions call Protocol Buffers \"5x faster\" than JSON in .NET and \"2x faster\" in Node.js, and MessagePack a \"5x speed up\" in Go. The ratios of the printed figures are 3.8 and 3.5 for the endpoints, and 7.8 for processing.",
    ],
    measurements: &[
        Measurement {
            measured: "end to end, .NET to Go",
            unit: Unit::Time,
            figures: &[
                figure("JSON", 12.097_761 * NS_PER_MS, dotnet(Format::Json, TrialFigure::EndToEnd)),
                figure(
                    "Protocol Buffers",
                    2.029_807 * NS_PER_MS,
                    dotnet(Format::Protobuf, TrialFigure::EndToEnd),
                ),
                figure(
                    "MessagePack",
                    3.723_422 * NS_PER_MS,
                    dotnet(Format::MsgPack, TrialFigure::EndToEnd),
                ),
            ],
        },
        Measurement {
            measured: "endpoint, .NET",
            unit: Unit::Time,
            figures: &[
                figure("JSON", 6.375_379 * NS_PER_MS, dotnet(Format::Json, TrialFigure::Endpoint)),
                figure(
                    "Protocol Buffers",
                    1.680_085 * NS_PER_MS,
                    dotnet(Format::Protobuf, TrialFigure::Endpoint),
                ),
                figure(
                    "MessagePack, maps (then with a new serializer for each response)",
                    10.303_550 * NS_PER_MS,
                    dotnet(Format::MsgPack, TrialFigure::Endpoint),
                ),
                figure(
                    "MessagePack, arrays",
                    1.452_170 * NS_PER_MS,
                    dotnet(Format::MsgPackArray, TrialFigure::Endpoint),
                ),
            ],
        },
        Measurement {
            measured: "endpoint, .NET, Protocol Buffers to JSON",
            unit: Unit::Ratio,
            figures: &[stated("\"5x faster\"", 0.2, &DOTNET_PROTOBUF, &DOTNET_JSON)],
        },
        Measurement {
            measured: "processing, Go",
            unit: Unit::Time,
            figures: &[
                figure(
                    "JSON",
                    2.187_234 * NS_PER_MS,
                    dotnet(Format::Json, TrialFigure::Processing),
                ),
                figure(
                    "Protocol Buffers",
                    0.365_211 * NS_PER_MS,
                    dotnet(Format::Protobuf, TrialFigure::Processing),
                ),
                figure(
                    "MessagePack",
                    0.279_339 * NS_PER_MS,
                    dotnet(Format::MsgPack, TrialFigure::Processing),
                ),
            ],
        },
        Measurement {
            measured: "processing, Go, MessagePack to JSON",
            unit: Unit::Ratio,
            figures: &[stated("\"5x speed up\"", 0.2, &GO_MSGPACK, &GO_JSON)],
        },
        Measurement {
            measured: "endpoint, Node.js",
            unit: Unit::Time,
            figures: &[
                figure("JSON", 2.086_541 * NS_PER_MS, node_endpoint(Format::Json)),
                figure("Protocol Buffers", 0.603_525 * NS_PER_MS, node_endpoint(Format::Protobuf)),
            ],
        },
        Measurement {
            measured: "endpoint, Node.js, Protocol Buffers to JSON",
            unit: Unit::Ratio,
            figures: &[stated("\"2x faster\"", 0.5, &NODE_PROTOBUF, &NODE_JSON)],
        },
    ],
};

/// Returns the sources of a figure that the programs of both Node.js lanes print under one name.
const fn node(figure: &'static str) -> [Source; 2] {
    [Source::Program { lane: "node6", figure }, Source::Program { lane: "node", figure }]
}

/// The runs of the two scripts, a million iterations each, in nanoseconds for one.
const NODE_PARSE: f64 = 47.296 * NS_PER_S / 1e6;
const NODE_UNPACK: f64 = 107.244 * NS_PER_S / 1e6;

static JSON_SIZE: [Source; 2] = node("size document json");
static MSGPACK_SIZE: [Source; 2] = node("size document msgpack");

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
    measurements: &[
        Measurement {
            measured: "user of three fields",
            unit: Unit::Size,
            figures: &[
                figure("JSON, spaced", 56.0, node("size user json")),
                figure("MessagePack", 38.0, node("size user msgpack")),
            ],
        },
        Measurement {
            measured: "document, MessagePack to JSON",
            unit: Unit::Ratio,
            figures: &[stated("\"saves more than 40 %\"", 0.6, &MSGPACK_SIZE, &JSON_SIZE)],
        },
        Measurement {
            measured: "read",
            unit: Unit::Time,
            figures: &[
                figure("JSON", NODE_PARSE, node("read json 1")),
                figure("MessagePack", NODE_UNPACK, node("read msgpack 1")),
            ],
        },
        Measurement {
            measured: "read, 10 copies",
            unit: Unit::Time,
            figures: &[
                added("JSON", node("read json 10")),
                added("MessagePack", node("read msgpack 10")),
            ],
        },
        Measurement {
            measured: "read, 100 copies",
            unit: Unit::Time,
            figures: &[
                added("JSON", node("read json 100")),
                added("MessagePack", node("read msgpack 100")),
            ],
        },
        Measurement {
            measured: "read, 1,000 copies",
            unit: Unit::Time,
            figures: &[
                added("JSON", node("read json 1000")),
                added("MessagePack", node("read msgpack 1000")),
            ],
        },
        Measurement {
            measured: "write",
            unit: Unit::Time,
            figures: &[
                added("JSON", node("write json 1")),
                added("MessagePack", node("write msgpack 1")),
            ],
        },
        Measurement {
            measured: "write, 10 copies",
            unit: Unit::Time,
            figures: &[
                added("JSON", node("write json 10")),
                added("MessagePack", node("write msgpack 10")),
            ],
        },
        Measurement {
            measured: "write, 100 copies",
            unit: Unit::Time,
            figures: &[
                added("JSON", node("write json 100")),
                added("MessagePack", node("write msgpack 100")),
            ],
        },
        Measurement {
            measured: "write, 1,000 copies",
            unit: Unit::Time,
            figures: &[
                added("JSON", node("write json 1000")),
                added("MessagePack", node("write msgpack 1000")),
            ],
        },
    ],
};
