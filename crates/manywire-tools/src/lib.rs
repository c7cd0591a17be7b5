//! The tools behind the `manywire` command: read payloads, fetch them, convert them, and measure
//! what each format costs.
//!
//! | module | what it does |
//! |---|---|
//! | [`payload`] | reads values from files and streams |
//! | [`fetch`] | gets a payload by HTTP; behind the feature `fetch`, which brings a client with TLS |
//! | [`walk`] | has the options of walks over payloads, and the names of fields in paths of spans |
//! | [`convert`] | converts values from one format to another |
//! | [`weigh`] | measures formats and libraries, each in separate processes; behind the feature `measure` |
//! | [`trial`] | measures a server and a client of two lanes, end to end; behind the same feature |
//! | [`page`] | writes a report as one HTML file; behind the same feature |
//! | [`replay`] | repeats published evaluations, and compares the figures; behind the same feature |
//!
//! `payload` and `fetch` use no other module of this crate. `walk` and `convert` use `payload`;
//! `weigh` uses `payload` and `walk`; `trial` uses `payload` and `weigh`; `page` and `replay` use
//! `weigh` and `trial`, and `replay` uses `payload`. The crate serves the command only and promises
//! no stable API.

pub mod convert;
#[cfg(feature = "fetch")]
pub mod fetch;
#[cfg(feature = "measure")]
pub mod page;
pub mod payload;
#[cfg(feature = "measure")]
pub mod replay;
#[cfg(feature = "measure")]
pub mod trial;
pub mod walk;
#[cfg(feature = "measure")]
pub mod weigh;

/// Compiles the code of the README and of the book as doctests.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../../README.md")]
    struct Readme;

    #[doc = include_str!("../../../docs/library.md")]
    struct Library;

    #[doc = include_str!("../../../docs/codecs.md")]
    struct Codecs;
}
