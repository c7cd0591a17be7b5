//! The framings of streams: which bytes separate the values, in built-in and in user-defined
//! formats.

use std::sync::Arc;

use manywire_codec::{Result, json};
use manywire_format::{FORMS, Form, Format, Framing as FormFraming, MediaType};

use super::own::{AnyFormat, OwnFraming, is, offer};
use super::splitter::Splitter;
use super::{Codecs, Representation};
use crate::negotiate::Offer;
use crate::problem::Problem;

/// The framing of a stream in a built-in format: the bytes that separate its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// JSON texts, one per line (`application/x-ndjson`).
    Lines,
    /// One JSON array (`application/json`).
    Array,
    /// Server-sent events with JSON data (`text/event-stream`).
    Events,
    /// A CBOR sequence, RFC 8742 (`application/cbor-seq`).
    CborSequence,
    /// Concatenated MessagePack values (`application/vnd.msgpack`).
    MsgPack,
    /// Length-prefixed messages (`application/protobuf;delimited=true`).
    Delimited,
}

/// The media type of server-sent events (WHATWG HTML, section 9.2).
const EVENTS: &str = "text/event-stream";

impl Framing {
    /// Returns the framings of a format, the preferred first. The list is empty if nothing
    /// separates values in this format.
    pub fn of(format: Format) -> &'static [Framing] {
        match format {
            Format::Json => &[Framing::Lines, Framing::Array, Framing::Events],
            Format::Cbor => &[Framing::CborSequence],
            Format::MsgPack => &[Framing::MsgPack],
            Format::Protobuf => &[Framing::Delimited],
            Format::MsgPackArray | Format::Avro | Format::Bson => &[],
        }
    }

    /// Returns the framing of a media type, if it has one.
    pub(crate) fn of_media_type(media_type: &MediaType) -> Option<Framing> {
        let essence = media_type.essence();
        if essence == EVENTS {
            return Some(Framing::Events);
        }
        let in_forms = [Framing::Lines, Framing::CborSequence];
        if let Some(framing) = in_forms.into_iter().find(|it| it.form_names().contains(&essence)) {
            return Some(framing);
        }
        match media_type.format()? {
            Format::Json => Some(Framing::Array),
            Format::MsgPack => Some(Framing::MsgPack),
            // The parameter distinguishes a stream from a single message.
            Format::Protobuf if media_type.parameter("delimited") == Some("true") => {
                Some(Framing::Delimited)
            }
            _ => None,
        }
    }

    /// Returns the format of each value.
    pub fn format(self) -> Format {
        match self {
            Framing::Lines | Framing::Array | Framing::Events => Format::Json,
            Framing::CborSequence => Format::Cbor,
            Framing::MsgPack => Format::MsgPack,
            Framing::Delimited => Format::Protobuf,
        }
    }

    pub(crate) fn offer(self) -> Offer {
        match self {
            Framing::Lines | Framing::CborSequence => offer(self.form_names()),
            Framing::Events => offer(&[EVENTS]),
            Framing::Array | Framing::MsgPack => AnyFormat::from(self.format()).offer(),
            Framing::Delimited => {
                let plain = MediaType::from(Format::Protobuf);
                Offer::new(plain.with_parameter("delimited", "true"))
            }
        }
    }

    /// Returns the media types of the framing in the table of forms; empty for framings that share
    /// the media type of their format, and for events, which are no form of a file.
    fn form_names(self) -> &'static [&'static str] {
        let framing = match self {
            Framing::Lines => FormFraming::Lines,
            Framing::CborSequence => FormFraming::Sequence,
            Framing::Array | Framing::Events | Framing::MsgPack | Framing::Delimited => return &[],
        };
        let form = Form { format: self.format(), framing };
        FORMS.iter().find(|row| row.form == form).map_or(&[], |row| row.media_types)
    }

    /// Appends a value with its delimiters.
    pub(super) fn write(
        self,
        is_first: bool,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<()>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match self {
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

    /// Appends the end of the stream.
    pub(super) fn end(self, is_empty: bool, out: &mut Vec<u8>) {
        match self {
            Framing::Array if is_empty => out.extend_from_slice(b"[]"),
            Framing::Array => out.push(b']'),
            _ => {}
        }
    }

    /// Appends a failure. Returns false if the framing cannot represent one, so that the stream
    /// must be aborted.
    pub(super) fn failure(self, problem: &Problem, out: &mut Vec<u8>) -> bool {
        if self != Framing::Events {
            return false;
        }
        out.extend_from_slice(b"event: error\ndata: ");
        let written = json::encode(problem, out).is_ok();
        out.extend_from_slice(b"\n\n");
        written
    }
}

/// Appends a value with its length in bytes in front, a varint.
pub(super) fn write_delimited(
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
    /// Returns the negotiated framing, if the content is a stream.
    pub(super) fn of(
        representation: Representation,
        codecs: Option<&Arc<Codecs>>,
    ) -> Option<AnyFraming> {
        match representation {
            Representation::Items(framing) => Some(AnyFraming::BuiltIn(framing)),
            Representation::OwnItems(at) => codecs?.framing(at).map(AnyFraming::Own),
            _ => None,
        }
    }

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
            AnyFraming::BuiltIn(framing) => framing.offer(),
            AnyFraming::Own(own) => own.offer(),
        }
    }

    /// Returns the media types of a user-defined framing.
    pub(super) fn media_types(self) -> &'static [&'static str] {
        match self {
            AnyFraming::BuiltIn(_) => &[],
            AnyFraming::Own(own) => own.media_types(),
        }
    }

    /// Returns whether the media type has this framing.
    pub(super) fn is_named(self, media_type: &MediaType) -> bool {
        match self {
            AnyFraming::BuiltIn(framing) => Framing::of_media_type(media_type) == Some(framing),
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
            AnyFraming::BuiltIn(framing) => framing.write(is_first, encode, out),
            AnyFraming::Own(own) => own.write(is_first, encode, out),
        }
    }

    /// Appends the end of the stream.
    pub(super) fn end(self, is_empty: bool, out: &mut Vec<u8>) {
        if let AnyFraming::BuiltIn(framing) = self {
            framing.end(is_empty, out);
        }
    }

    /// Appends a failure. Returns false if the framing cannot represent one, so that the stream
    /// must be aborted.
    pub(super) fn failure(self, problem: &Problem, out: &mut Vec<u8>) -> bool {
        self.built_in().is_some_and(|framing| framing.failure(problem, out))
    }
}

/// Returns the framing of a media type among those of a list of formats. A user-defined framing of
/// this name takes precedence over a built-in one.
pub(crate) fn find_framing(formats: &[AnyFormat], media_type: &MediaType) -> Option<AnyFraming> {
    let all = || formats.iter().flat_map(|format| format.framings());
    let named = |framing: &AnyFraming| framing.is_named(media_type);
    let own = all().filter(|framing| framing.built_in().is_none()).find(named);
    own.or_else(|| all().find(named))
}
