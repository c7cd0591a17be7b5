//! One value that is longer than what is held of it.

use std::io;

use manywire_format::Format;

use super::{Window, with_rest};
use crate::trail::{Origin, Paused, Trail, Walked};
use crate::{Event, Options, Summary, cbor, json, msgpack};

/// Where a walk stands besides its open containers.
enum Walker {
    Json(json::Next),
    MsgPack,
    Cbor {
        /// Whether a tag stands before the next item.
        tagged: bool,
    },
}

impl Walker {
    /// Of the formats whose walk knows nothing but the open containers and the next token.
    fn of(format: Format) -> Option<Walker> {
        match format {
            Format::Json => Some(Walker::Json(json::Next::Value)),
            Format::MsgPack | Format::MsgPackArray => Some(Walker::MsgPack),
            Format::Cbor => Some(Walker::Cbor { tagged: false }),
            // Messages and documents end where lengths before them say.
            Format::Protobuf | Format::Bson | Format::Avro => None,
        }
    }

    /// How many of the bytes can be walked while more may come: whole tokens, in JSON.
    fn certain(&self, bytes: &[u8], done: bool) -> usize {
        match self {
            Walker::Json(_) if !done => json::certain(bytes),
            _ => bytes.len(),
        }
    }

    fn walk(&mut self, bytes: &[u8], done: bool, trail: &mut Trail<'_>) -> Walked {
        match self {
            Walker::Json(next) => json::walk_on(bytes, next, trail),
            _ if done => Ok(()),
            Walker::MsgPack => msgpack::walk(bytes, trail),
            Walker::Cbor { tagged } => cbor::walk_on(bytes, tagged, trail),
        }
    }
}

/// Whether a walk of this format can be interrupted between any two tokens.
pub(super) fn can_pause(format: Format) -> bool {
    Walker::of(format).is_some()
}

/// Walks one value in the memory of its longest token: at a token that the bytes end in, the walk
/// pauses, and goes on when there are more.
pub(super) fn walk(
    format: Format,
    window: &mut Window<'_>,
    options: Options<'_>,
    sink: &mut dyn FnMut(Event<'_>),
) -> io::Result<Summary> {
    let Some(mut walker) = Walker::of(format) else { return Ok(Summary::default()) };
    let mut paused = Paused::new();
    let mut done = false;
    loop {
        let last = window.is_last();
        let held = window.bytes();
        let bytes = if last { held } else { &held[..walker.certain(held, done)] };
        let origin = Origin { base: window.offset(), ..Origin::default() };
        let mut trail = Trail::go_on(paused, bytes, last, origin, format, options, &mut *sink);
        let walked = walker.walk(bytes, done, &mut trail);
        done |= walked.is_ok();
        let open_ended = !last && walked.is_ok() && trail.covered() == bytes.len();
        if !open_ended && !trail.is_starved() {
            let length = bytes.len();
            let summary = Summary { value_count: 1, ..trail.finish(walked.is_ok()).summary };
            window.pass(length);
            return with_rest(summary, format, window, options, sink);
        }
        let covered = trail.covered();
        paused = trail.pause();
        window.pass(covered);
        window.extend()?;
    }
}
