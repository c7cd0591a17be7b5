use std::sync::Arc;

use manywire_codec::Result;
use manywire_format::MediaType;

use super::own::{AnyFormat, Sequenced, is};
use super::split::Splitter;
use super::{Codecs, Framing, Representation};
use crate::negotiate::Offer;
use crate::problem::Problem;

/// How many values make one content: a framing of a built-in format, or the sequence of one's own.
#[derive(Clone, Copy)]
pub(crate) enum AnyFraming {
    BuiltIn(Framing),
    Own(Sequenced),
}

impl AnyFraming {
    /// The framing that content is agreed to have, if it is a stream.
    pub(super) fn of(
        representation: Representation,
        codecs: Option<&Arc<Codecs>>,
    ) -> Option<AnyFraming> {
        match representation {
            Representation::Items(framing) => Some(AnyFraming::BuiltIn(framing)),
            Representation::OwnItems(at) => codecs?.sequenced(at).map(AnyFraming::Own),
            _ => None,
        }
    }

    /// The format of each value.
    pub(crate) fn format(self) -> AnyFormat {
        match self {
            AnyFraming::BuiltIn(framing) => framing.format().into(),
            AnyFraming::Own(sequenced) => sequenced.format(),
        }
    }

    pub(crate) fn built_in(self) -> Option<Framing> {
        match self {
            AnyFraming::BuiltIn(framing) => Some(framing),
            AnyFraming::Own(_) => None,
        }
    }

    /// Whether it goes in answers alone: bodies are no events.
    pub(crate) fn is_given_only(self) -> bool {
        self.built_in() == Some(Framing::Events)
    }

    pub(crate) fn is_text(self) -> bool {
        match self {
            AnyFraming::BuiltIn(framing) => framing.format().row().text,
            AnyFraming::Own(sequenced) => sequenced.is_text(),
        }
    }

    pub(crate) fn offer(self) -> Offer {
        match self {
            AnyFraming::BuiltIn(framing) => framing.offer(),
            AnyFraming::Own(sequenced) => sequenced.offer(),
        }
    }

    /// The names that it goes by, of one's own.
    pub(super) fn media_types(self) -> &'static [&'static str] {
        match self {
            AnyFraming::BuiltIn(_) => &[],
            AnyFraming::Own(sequenced) => sequenced.media_types(),
        }
    }

    /// Whether content of a media type has it.
    pub(super) fn is_named(self, media_type: &MediaType) -> bool {
        match self {
            AnyFraming::BuiltIn(framing) => Framing::of_media_type(media_type) == Some(framing),
            AnyFraming::Own(sequenced) => {
                let names = sequenced.media_types().iter();
                names.filter_map(|name| MediaType::parse(name).ok()).any(|it| is(&it, media_type))
            }
        }
    }

    pub(super) fn splitter(self, depth: usize) -> Splitter {
        match self {
            AnyFraming::BuiltIn(framing) => Splitter::new(framing, depth),
            AnyFraming::Own(sequenced) => sequenced.splitter(),
        }
    }

    /// Appends a value with what stands around it.
    #[inline]
    pub(super) fn write(
        self,
        is_first: bool,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<()>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match self {
            AnyFraming::BuiltIn(framing) => framing.write(is_first, encode, out),
            AnyFraming::Own(sequenced) => sequenced.write(is_first, encode, out),
        }
    }

    /// Appends what ends the whole.
    pub(super) fn end(self, is_empty: bool, out: &mut Vec<u8>) {
        if let AnyFraming::BuiltIn(framing) = self {
            framing.end(is_empty, out);
        }
    }

    /// Appends a failure, if there is a place for it; false where the end must be broken off.
    pub(super) fn failure(self, problem: &Problem, out: &mut Vec<u8>) -> bool {
        self.built_in().is_some_and(|framing| framing.failure(problem, out))
    }
}

/// The framing among those of a list of formats that content of a media type has: one's own that
/// goes by this name, or else a built-in one.
pub(crate) fn find_framing(formats: &[AnyFormat], media_type: &MediaType) -> Option<AnyFraming> {
    let all = || formats.iter().flat_map(|format| format.framings());
    let named = |framing: &AnyFraming| framing.is_named(media_type);
    let own = all().filter(|framing| framing.built_in().is_none()).find(named);
    own.or_else(|| all().find(named))
}
