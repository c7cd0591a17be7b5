//! Whole servers, compared by the cost of a request: instructions and allocations on one keep-alive
//! connection, and processor time under load.
//!
//! The base is hyper alone with handwritten code for everything that the other stacks do: the same
//! decoding and encoding, the same timers and the same limit on bodies. A second base, `bare`, has
//! no timers and no limits. This base shows the minimum cost of a request, and is unsafe on a
//! network.

pub mod bench;
pub mod callgrind;
pub mod checks;
pub mod client;
pub mod documents;
pub mod exchange;
pub mod handwritten;
pub mod negotiation;
pub mod process;
pub mod stacks;

use manywire::Format;

/// A request and the service for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// `POST /echo`: a record of 101 bytes, sent back.
    Echo,
    /// `POST /lent`: the same record. Our service borrows it from the body, the other stacks own
    /// it.
    Lent,
    /// `GET /hotels`: 10,161 bytes of JSON.
    Hotels,
    /// `GET /r0/{id}`: three bytes of text.
    Tiny,
    /// `GET /r0/{id}` with the header fields of curl.
    Curl,
    /// `GET /r0/{id}` with the header fields of a browser.
    Browser,
    /// The last of a thousand routes.
    Last,
    /// `GET /r0/{id}` over HTTP/2.
    TinyHttp2,
    /// `GET /hotels` over HTTP/2.
    HotelsHttp2,
    /// `GET /r0/{id}` on many connections, which stay open.
    Idle,
    /// `GET /catalogue`: `examples/hotels.json` in a format.
    Catalogue(Format),
}

impl Scenario {
    /// The scenarios whose instructions are counted, in the order of the report.
    pub const COUNTED: [Scenario; 9] = [
        Scenario::Echo,
        Scenario::Lent,
        Scenario::Hotels,
        Scenario::Tiny,
        Scenario::Curl,
        Scenario::Browser,
        Scenario::Last,
        Scenario::TinyHttp2,
        Scenario::HotelsHttp2,
    ];

    /// The scenarios under load, in the order of the report.
    pub const LOADED: [Scenario; 9] = [
        Scenario::Echo,
        Scenario::Hotels,
        Scenario::Tiny,
        Scenario::Catalogue(Format::Json),
        Scenario::Catalogue(Format::MsgPack),
        Scenario::Catalogue(Format::Cbor),
        Scenario::Catalogue(Format::Protobuf),
        Scenario::Catalogue(Format::Avro),
        Scenario::Catalogue(Format::Bson),
    ];

    /// Returns the scenario with this name.
    pub fn named(name: &str) -> Option<Scenario> {
        let mut all = Scenario::COUNTED.into_iter().chain(Scenario::LOADED).chain([Scenario::Idle]);
        all.find(|scenario| scenario.name() == name)
    }

    /// Returns the name in the report and on the command line.
    pub fn name(self) -> String {
        match self {
            Scenario::Echo => "echo".to_owned(),
            Scenario::Lent => "echo, borrowed".to_owned(),
            Scenario::Hotels => "hotels-10k".to_owned(),
            Scenario::Tiny => "tiny".to_owned(),
            Scenario::Curl => "tiny, by curl".to_owned(),
            Scenario::Browser => "tiny, by a browser".to_owned(),
            Scenario::Last => "tiny, last of 1,000".to_owned(),
            Scenario::TinyHttp2 => "tiny, HTTP/2".to_owned(),
            Scenario::HotelsHttp2 => "hotels-10k, HTTP/2".to_owned(),
            Scenario::Idle => "idle".to_owned(),
            Scenario::Catalogue(format) => format!("catalogue, {format}"),
        }
    }

    /// Returns the maximum ratio of our instructions to those of hyper alone. The last of a
    /// thousand routes is compared with a single route.
    pub fn target(self) -> f64 {
        match self {
            Scenario::Echo
            | Scenario::Tiny
            | Scenario::Curl
            | Scenario::Browser
            | Scenario::TinyHttp2
            | Scenario::Idle => 1.10,
            // Borrowed values may cost at most as much as handwritten code with owned values.
            Scenario::Lent => 1.00,
            Scenario::Hotels | Scenario::HotelsHttp2 | Scenario::Catalogue(_) => 1.03,
            Scenario::Last => 1.05,
        }
    }

    /// Returns the maximum ratio of our cost to that of hyper without timers and limits, if there is
    /// a goal.
    pub fn bare_target(self) -> Option<f64> {
        match self {
            Scenario::Echo => Some(1.05),
            Scenario::Hotels => Some(1.01),
            Scenario::Tiny => Some(1.20),
            _ => None,
        }
    }

    /// Returns true for the scenarios over HTTP/2, and false for those over HTTP/1.1.
    pub fn is_http2(self) -> bool {
        matches!(self, Scenario::TinyHttp2 | Scenario::HotelsHttp2)
    }

    /// Returns the number of routes.
    pub fn routes(self) -> usize {
        if self == Scenario::Last { 1_000 } else { 1 }
    }
}
