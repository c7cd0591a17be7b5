//! Streams: how the values of one HTTP body are separated, and the media types that say so.

use crate::{Form, Format, Framing, MediaType};

/// The framing of a stream in an HTTP body: the bytes that separate its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamFraming {
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

impl StreamFraming {
    /// Returns the framings of a format, the preferred first. The iterator is empty if the format
    /// has no framing for streams.
    pub fn of(format: Format) -> impl Iterator<Item = StreamFraming> {
        STREAMS.iter().filter(move |row| row.format == format).map(|row| row.framing)
    }

    /// Returns the framing of content with this media type, if the content can be a stream.
    pub fn from_media_type(media_type: &MediaType) -> Option<StreamFraming> {
        let matching = || STREAMS.iter().filter(|row| row.matches(media_type));
        let row = matching().find(|row| row.is_distinct()).or_else(|| matching().next());
        row.map(|row| row.framing)
    }

    /// Returns the row of this framing in [`STREAMS`].
    pub fn row(self) -> &'static StreamRow {
        &STREAMS[self as usize]
    }

    /// Returns the format of each value.
    pub fn format(self) -> Format {
        self.row().format
    }
}

/// One row of [`STREAMS`].
#[derive(Debug)]
pub struct StreamRow {
    /// The framing of this row.
    pub framing: StreamFraming,
    /// The format of each value.
    pub format: Format,
    /// The form of the same values in a file, or `None` if only HTTP bodies have this framing.
    pub form: Option<Form>,
    /// The media types that only streams have, the usual one first. If the list is empty, a stream
    /// has the media types of its format.
    pub media_types: &'static [&'static str],
    /// The parameter, name and value, that tells a stream from one value of the format.
    pub parameter: Option<(&'static str, &'static str)>,
}

impl StreamRow {
    /// Returns whether the media type says that content is a stream. Otherwise the reader decides.
    pub fn is_distinct(&self) -> bool {
        !self.media_types.is_empty() || self.parameter.is_some()
    }

    /// Returns whether content with this media type can be a stream of this framing.
    pub(crate) fn matches(&self, media_type: &MediaType) -> bool {
        let is_named = match self.media_types {
            [] => media_type.format() == Some(self.format),
            names => names.contains(&media_type.essence()),
        };
        is_named
            && self.parameter.is_none_or(|(name, value)| media_type.parameter(name) == Some(value))
    }
}

/// Every framing of streams, in the order of the variants of [`StreamFraming`]. The framings of a
/// format are in the order of preference.
pub static STREAMS: &[StreamRow] = &[
    StreamRow {
        framing: StreamFraming::Lines,
        format: Format::Json,
        form: Some(Form { format: Format::Json, framing: Framing::Lines }),
        media_types: &["application/x-ndjson", "application/ndjson", "application/jsonl"],
        parameter: None,
    },
    StreamRow {
        framing: StreamFraming::Array,
        format: Format::Json,
        form: None,
        media_types: &[],
        parameter: None,
    },
    StreamRow {
        framing: StreamFraming::Events,
        format: Format::Json,
        form: None,
        media_types: &["text/event-stream"],
        parameter: None,
    },
    StreamRow {
        framing: StreamFraming::CborSequence,
        format: Format::Cbor,
        form: Some(Form { format: Format::Cbor, framing: Framing::Sequence }),
        media_types: &["application/cbor-seq"],
        parameter: None,
    },
    StreamRow {
        framing: StreamFraming::MsgPack,
        format: Format::MsgPack,
        form: Some(Form { format: Format::MsgPack, framing: Framing::Sequence }),
        media_types: &[],
        parameter: None,
    },
    StreamRow {
        framing: StreamFraming::Delimited,
        format: Format::Protobuf,
        form: Some(Form { format: Format::Protobuf, framing: Framing::Delimited }),
        media_types: &[],
        parameter: Some(("delimited", "true")),
    },
];
