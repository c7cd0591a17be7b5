//! Whole servers, compared by the instructions a request costs them on one keep-alive connection.
//!
//! The base is hyper alone, doing by hand what the stacks do by themselves: the same decoding and
//! encoding, the same timers and the same limit on bodies.

pub mod client;
pub mod count;
pub mod defaults;
pub mod documents;
pub mod negotiation;
pub mod smoke;
pub mod stacks;

use documents::Document;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// `POST /echo`: a record of 101 bytes there and back.
    Echo,
    /// `POST /lent`: the same, borrowed from the body by ours; the others as before.
    Lent,
    /// `GET /hotels`: 10,161 bytes of JSON.
    Hotels,
    /// `GET /r0/{id}`: three bytes of text.
    Tiny,
    /// The same at the end of a thousand routes.
    Last,
}

impl Scenario {
    /// All of them, in the order of the report.
    pub const ALL: [Scenario; 5] =
        [Scenario::Echo, Scenario::Lent, Scenario::Hotels, Scenario::Tiny, Scenario::Last];

    /// The name in the report and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scenario::Echo => "echo",
            Scenario::Lent => "echo, borrowed",
            Scenario::Hotels => "hotels-10k",
            Scenario::Tiny => "tiny",
            Scenario::Last => "tiny, last of 1,000",
        }
    }

    /// The most that ours may cost: as a ratio to hyper alone, the last of a thousand routes as a
    /// ratio to the only one.
    pub fn target(self) -> f64 {
        match self {
            Scenario::Echo | Scenario::Tiny => 1.10,
            // Below what is written by hand with owned values.
            Scenario::Lent => 1.00,
            Scenario::Hotels => 1.03,
            Scenario::Last => 1.05,
        }
    }

    /// The request, and what its answer's body must be.
    pub fn exchange(self) -> (String, Vec<u8>) {
        let get = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n");
        match self {
            Scenario::Echo | Scenario::Lent => {
                let path = if self == Scenario::Lent { "/lent" } else { "/echo" };
                let body = Document::Echo.json();
                let text = String::from_utf8(body.clone()).unwrap_or_default();
                let head = format!(
                    "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                     content-length: {}\r\n",
                    body.len()
                );
                (format!("{head}\r\n{text}"), body)
            }
            Scenario::Hotels => (format!("{}\r\n", get("/hotels")), Document::Hotels.json()),
            Scenario::Tiny => (format!("{}\r\n", get("/r0/abc")), b"abc".to_vec()),
            Scenario::Last => (format!("{}\r\n", get("/r999/abc")), b"abc".to_vec()),
        }
    }

    /// How many routes there are.
    pub fn routes(self) -> usize {
        if self == Scenario::Last { 1_000 } else { 1 }
    }
}
