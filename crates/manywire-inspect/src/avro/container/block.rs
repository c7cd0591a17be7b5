//! Blocks: how many objects, how many bytes, the objects, the marker.

use std::io;

use manywire_format::Format;

use super::{Container, SYNC, Sink};
use crate::avro::datum;
use crate::avro::packing::Packing;
use crate::protobuf::{Malformed, varint, zigzag};
use crate::stream::Window;
use crate::trail::{Ended, Origin, Part, Trail};
use crate::{Role, Summary};

/// A varint has at most so many bytes.
const VARINT_MAX: usize = 10;

impl Container<'_> {
    /// A block: how many data, how many bytes, the data, the marker. `false` if there is no
    /// going on.
    pub(super) fn block(&mut self, window: &mut Window<'_>, sink: Sink<'_>) -> io::Result<bool> {
        window.reach(2 * VARINT_MAX)?;
        let mut trail = self.trail(window, Part::Block(self.blocks), sink);
        let bytes = window.bytes();
        let count = number(bytes, 0, "how many objects the block has", &mut trail);
        let Some((count, first)) = count else {
            self.add(trail.end());
            return Ok(false);
        };
        trail.plain(0..first, Role::Length, format_args!("block of {count} objects"));
        let size = number(bytes, first, "how many bytes the block has", &mut trail);
        let Some((size, second)) = size else {
            let ended = trail.end();
            self.add(ended);
            window.pass(first);
            return Ok(false);
        };
        trail.plain(first..second, Role::Length, format_args!("{size} bytes of objects"));
        self.add(trail.end());
        window.pass(second);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let limit = self.options.value_max;
        if size > limit {
            let mut trail = self.trail(window, Part::Block(self.blocks), sink);
            trail.fault(0, format_args!("a block of no more than {limit} bytes"));
            self.add(trail.end());
            return Ok(false);
        }
        let whole = window.reach(size.saturating_add(SYNC))?;
        if !whole {
            let left = window.bytes().len();
            let mut trail = self.trail(window, Part::Block(self.blocks), sink);
            let expected =
                format_args!("{size} bytes and a marker of 16, of which {left} are here");
            // What is cut off begins there: the data, or the marker behind them.
            trail.cut(if size > left { 0 } else { size }, expected);
            self.add(trail.end());
        }
        let length = size.min(window.bytes().len());
        self.data(count, length, window, sink);
        window.pass(length);
        if whole {
            self.marker(window, sink);
        }
        self.blocks += 1;
        Ok(whole)
    }

    fn marker(&mut self, window: &mut Window<'_>, sink: Sink<'_>) {
        let mut trail = self.trail(window, Part::Block(self.blocks), sink);
        if !window.bytes().starts_with(&self.sync) {
            trail.fault(0, format_args!("the marker that the header ends with"));
        }
        trail.plain(0..SYNC, Role::Head, format_args!("sync marker"));
        self.add(trail.end());
        window.pass(SYNC);
    }

    /// What is in a block, unpacked where its codec is known.
    fn data(&mut self, count: u64, length: usize, window: &Window<'_>, sink: Sink<'_>) {
        let bytes = &window.bytes()[..length];
        let codec = String::from_utf8_lossy(&self.codec).into_owned();
        let origin = Origin::at(window, Part::Block(self.blocks));
        let known = Packing::of(&codec);
        if matches!(codec.as_str(), "" | "null") {
            self.objects(count, bytes, origin, sink);
        } else if let Some(packing) = known {
            let unpacked = packing.unpack(bytes, self.options.unpacked_max);
            let mut trail = self.trail(window, Part::Block(self.blocks), sink);
            match &unpacked {
                Ok(unpacked) => {
                    let unpacked = unpacked.len();
                    let name = format_args!("packed by {codec}, {unpacked} bytes unpacked");
                    trail.plain(0..length, Role::Value, name);
                }
                Err(error) => {
                    trail.fault(0, format_args!("{error}"));
                    trail.plain(0..length, Role::Unread, format_args!("packed by {codec}"));
                }
            }
            self.add(trail.end());
            if let Ok(unpacked) = unpacked {
                let inside = Some(origin.base);
                self.objects(count, &unpacked, Origin { base: 0, inside, ..origin }, sink);
            }
        } else {
            let mut trail = self.trail(window, Part::Block(self.blocks), sink);
            let name = format_args!("{count} objects packed by {codec}, not unpacked here");
            trail.plain(0..length, Role::Value, name);
            self.add(trail.end());
            self.summary.value_count = self.summary.value_count.saturating_add(count);
            self.summary.forget_json();
        }
    }

    /// The objects of a block, one behind the other.
    fn objects(&mut self, count: u64, bytes: &[u8], origin: Origin, sink: Sink<'_>) {
        let mut at = 0;
        let mut whole = true;
        self.empties.allow(bytes.len());
        for _ in 0..count {
            let Some(schema) = self.schema.as_deref() else { break };
            let part = Part::Value(self.summary.value_count);
            let here = Origin { base: origin.base + at, part, ..origin };
            let rest = &bytes[at..];
            let mut trail = Trail::new(rest, here, Format::Avro, self.options, &mut *sink);
            let walked = datum(rest, 0, schema, &mut self.empties, &mut trail);
            let ended = trail.end();
            at += ended.covered;
            self.add_object(ended, origin.inside);
            whole = walked.is_ok();
            if !whole {
                break;
            }
        }
        let rest = &bytes[at..];
        let here = Origin { base: origin.base + at, ..origin };
        let mut trail = Trail::new(rest, here, Format::Avro, self.options, sink);
        if self.schema.is_none() {
            trail.fault(0, format_args!("a schema, without which no Avro is read"));
        } else if whole && !rest.is_empty() {
            trail.fault(0, format_args!("the end of the block: it has no more objects"));
        }
        if !rest.is_empty() {
            trail.plain(0..rest.len(), Role::Unread, format_args!("unread"));
        }
        self.add_inner(trail.end(), origin.inside);
    }

    fn add_object(&mut self, ended: Ended, inside: Option<usize>) {
        self.summary.value_count += 1;
        self.add_inner(ended, inside);
    }

    /// What was unpacked takes no bytes of the input.
    fn add_inner(&mut self, mut ended: Ended, inside: Option<usize>) {
        if inside.is_some() {
            let Summary { keys, heads, values, unread, .. } = &mut ended.summary;
            (*keys, *heads, *values, *unread) = (0, 0, 0, 0);
        }
        self.add(ended);
    }
}

/// A zig-zag varint that is not below zero, and where it ends.
fn number(bytes: &[u8], at: usize, what: &str, trail: &mut Trail<'_>) -> Option<(u64, usize)> {
    match varint(&bytes[at..]) {
        Ok((number, length)) => {
            let end = at + length;
            if length > 1 && bytes[end - 1] == 0 {
                trail.fault(at, format_args!("{what} in its shortest varint"));
            }
            match u64::try_from(zigzag(number)) {
                Ok(number) => return Some((number, end)),
                Err(_) => trail.fault(at, format_args!("{what}, not a number below zero")),
            }
        }
        Err(Malformed::Cut) => trail.cut(bytes.len(), format_args!("{what}")),
        Err(Malformed::Long) => trail.fault(at, format_args!("{what} within 64 bits")),
    };
    None
}
