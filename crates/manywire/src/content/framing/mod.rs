//! The framings of streams: which bytes separate the values, in built-in and in user-defined
//! formats.

#[cfg_attr(not(feature = "own-format"), path = "own_disabled.rs")]
mod own;

use manywire_codec::{Result, json};
pub use manywire_format::StreamFraming as Framing;
use manywire_format::{MediaType, STREAMS};

use super::own::{AnyFormat, is, offer};
use super::splitter::Splitter;
use crate::negotiate::Offer;
use crate::problem::Problem;
pub(super) use own::OwnFraming;

/// Returns the offer of a framing for negotiation: its media types in the table of streams.
fn built_in_offer(framing: Framing) -> Offer {
    let row = framing.row();
    let named = match row.media_types {
        [] => AnyFormat::from(row.format).offer(),
        names => offer(names),
    };
    match row.parameter {
        None => named,
        // Without the parameter, these media types mean a single value instead of a stream.
        Some((name, value)) => Offer::new(MediaType::from(row.format).with_parameter(name, value)),
    }
}

/// Appends a value with its delimiters.
fn write(
    framing: Framing,
    is_first: bool,
    encode: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    out: &mut Vec<u8>,
) -> Result<()> {
    match framing {
        Framing::Lines => {
            encode(out)?;
            out.push(b'\n');
        }
        Framing::Array => {
            out.push(if is_first { b'[' } else { b',' });
            encode(out)?;
        }
        Framing::Events => {
            out.extend_from_slice(b"data: ");
            // The JSON encoder writes no line breaks, which would end the field.
            encode(out)?;
            out.extend_from_slice(b"\n\n");
        }
        Framing::CborSequence | Framing::MsgPack => encode(out)?,
        Framing::Delimited => write_delimited(encode, out)?,
    }
    Ok(())
}

/// Appends a value with its length in bytes in front, a varint.
fn write_delimited(
    encode: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut message = Vec::new();
    encode(&mut message)?;
    let mut length = message.len();
    while length > 0x7F {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(&message);
    Ok(())
}

/// The framing of a stream: that of a built-in format, or the sequence of a user-defined one.
#[derive(Clone, Copy)]
pub(crate) enum AnyFraming {
    BuiltIn(Framing),
    Own(OwnFraming),
}

impl AnyFraming {
    /// Returns the format of each value.
    pub(crate) fn format(self) -> AnyFormat {
        match self {
            AnyFraming::BuiltIn(framing) => framing.format().into(),
            AnyFraming::Own(own) => own.format(),
        }
    }

    pub(crate) fn built_in(self) -> Option<Framing> {
        match self {
            AnyFraming::BuiltIn(framing) => Some(framing),
            AnyFraming::Own(_) => None,
        }
    }

    /// Returns whether only responses use this framing. Request bodies are never events.
    pub(crate) fn is_response_only(self) -> bool {
        self.built_in() == Some(Framing::Events)
    }

    pub(crate) fn is_text(self) -> bool {
        match self {
            AnyFraming::BuiltIn(framing) => framing.format().row().text,
            AnyFraming::Own(own) => own.is_text(),
        }
    }

    pub(crate) fn offer(self) -> Offer {
        match self {
            AnyFraming::BuiltIn(framing) => built_in_offer(framing),
            AnyFraming::Own(own) => own.offer(),
        }
    }

    /// Returns the media types of a user-defined framing, and none for a built-in one.
    pub(super) fn media_types(self) -> &'static [&'static str] {
        match self {
            AnyFraming::BuiltIn(_) => &[],
            AnyFraming::Own(own) => own.media_types(),
        }
    }

    /// Returns whether the media type has this framing.
    pub(super) fn is_named(self, media_type: &MediaType) -> bool {
        match self {
            AnyFraming::BuiltIn(framing) => Framing::from_media_type(media_type) == Some(framing),
            AnyFraming::Own(own) => {
                let names = own.media_types().iter();
                names.filter_map(|name| MediaType::parse(name).ok()).any(|it| is(&it, media_type))
            }
        }
    }

    pub(super) fn splitter(self, depth: usize) -> Splitter {
        match self {
            AnyFraming::BuiltIn(framing) => Splitter::new(framing, depth),
            AnyFraming::Own(own) => own.splitter(),
        }
    }

    /// Appends a value with its delimiters.
    #[inline]
    pub(super) fn write(
        self,
        is_first: bool,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<()>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match self {
            AnyFraming::BuiltIn(framing) => write(framing, is_first, encode, out),
            AnyFraming::Own(own) => own.write(is_first, encode, out),
        }
    }

    /// Appends the end of the stream.
    pub(super) fn end(self, is_empty: bool, out: &mut Vec<u8>) {
        match self.built_in() {
            Some(Framing::Array) if is_empty => out.extend_from_slice(b"[]"),
            Some(Framing::Array) => out.push(b']'),
            _ => {}
        }
    }

    /// Appends a failure. Returns false if the framing cannot represent one, so that the stream
    /// must be aborted.
    pub(super) fn failure(self, problem: &Problem, out: &mut Vec<u8>) -> bool {
        if self.built_in() != Some(Framing::Events) {
            return false;
        }
        out.extend_from_slice(b"event: error\ndata: ");
        let written = json::encode(problem, out).is_ok();
        out.extend_from_slice(b"\n\n");
        written
    }
}

impl AnyFormat {
    /// Returns the framings of the format, the preferred first.
    pub(crate) fn framings(self) -> impl Iterator<Item = AnyFraming> {
        let built_in = self.built_in().into_iter().flat_map(Framing::of);
        let own = self.own().and_then(OwnFraming::of).map(AnyFraming::Own);
        built_in.map(AnyFraming::BuiltIn).chain(own)
    }
}

/// Returns the names of the built-in formats that have streams, for an error.
#[cold]
pub(crate) fn names_with_streams() -> String {
    let mut names: Vec<&str> = STREAMS.iter().map(|row| row.format.name()).collect();
    names.dedup();
    names.join(", ")
}

/// Returns the framing of a media type among those of a list of formats. A user-defined framing of
/// this name takes precedence over a built-in one.
pub(crate) fn find_framing(formats: &[AnyFormat], media_type: &MediaType) -> Option<AnyFraming> {
    let all = || formats.iter().flat_map(|format| format.framings());
    let named = |framing: &AnyFraming| framing.is_named(media_type);
    let own = all().filter(|framing| framing.built_in().is_none()).find(named);
    own.or_else(|| all().find(named))
}
