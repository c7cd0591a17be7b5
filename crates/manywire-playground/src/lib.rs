//! The playground: one payload in every format, with its schemas, and what each format loses.
//!
//! [`ViewRequest`] is a payload as a user pastes, drops or edits it. [`View::of`] reads the
//! payload, converts it to every format, and walks over the bytes of each. Nothing here listens,
//! reads files or keeps state: `manywire play` serves a view by HTTP, and the page in `src/page/`
//! shows it. `src/page/static/` has the files that differ in the page without a server, where
//! `manywire-wasm` makes the views.
//!
//! A view is bounded: for each format it has the first [`SPANS_MAX`] spans and their bytes, and the
//! number of all spans. Lengths, totals and losses are always those of the whole payload.

mod request;
mod spans;
mod start;
mod view;

pub use request::{InvalidRequest, PAYLOAD_BYTES_MAX, ViewRequest};
pub use spans::{Finding, PathTotal, SPANS_MAX, Spans};
pub use start::{FormChoice, Start};
pub use view::{Failure, FormatView, InputView, JsonText, LossView, Refusal, SchemaView, View};

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct PageFile {
    /// The path below that of the page; empty for the page itself.
    pub path: &'static str,
    /// The media type.
    pub media_type: &'static str,
    /// The content.
    pub content: &'static str,
}

/// The files of the page. They refer to each other by relative URLs.
pub const PAGE: [PageFile; 11] = [
    PageFile {
        path: "",
        media_type: "text/html; charset=utf-8",
        content: include_str!("page/index.html"),
    },
    PageFile {
        path: "play.css",
        media_type: "text/css; charset=utf-8",
        content: include_str!("page/play.css"),
    },
    script("play.js", include_str!("page/play.js")),
    script("engine.js", include_str!("page/engine.js")),
    script("formats.js", include_str!("page/formats.js")),
    script("light.js", include_str!("page/light.js")),
    script("model.js", include_str!("page/model.js")),
    script("pane.js", include_str!("page/pane.js")),
    script("rows.js", include_str!("page/rows.js")),
    script("text.js", include_str!("page/text.js")),
    script("tree.js", include_str!("page/tree.js")),
];

const fn script(path: &'static str, content: &'static str) -> PageFile {
    PageFile { path, media_type: "text/javascript; charset=utf-8", content }
}
