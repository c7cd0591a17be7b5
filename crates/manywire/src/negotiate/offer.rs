//! [`Offer`]: one media type that a server can send, with its aliases.

use manywire_format::{Format, MediaType};

use super::syntax;

/// A representation that a server can send: its media type and its aliases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    media_type: MediaType,
    aliases: Vec<MediaType>,
}

impl Offer {
    /// Creates an offer by the media type of its `Content-Type`.
    pub fn new(media_type: MediaType) -> Self {
        Offer { media_type, aliases: Vec::new() }
    }

    /// Adds an alias by which clients may ask for the offer. The offer is still sent under its own
    /// media type.
    #[must_use]
    pub fn or(mut self, alias: MediaType) -> Self {
        self.aliases.push(alias);
        self
    }

    /// Returns the media type.
    pub fn media_type(&self) -> &MediaType {
        &self.media_type
    }

    /// Returns the type and subtype of each alias.
    pub(super) fn aliases(&self) -> impl Iterator<Item = &str> {
        self.aliases.iter().map(MediaType::essence)
    }

    /// Returns whether a type and subtype are those of the offer.
    #[inline]
    pub(super) fn is(&self, essence: &[u8]) -> bool {
        eq_lowercase(self.media_type.essence(), essence)
    }

    /// Returns whether a type and subtype are those of an alias.
    #[inline]
    pub(super) fn is_also(&self, essence: &[u8]) -> bool {
        self.aliases.iter().any(|alias| eq_lowercase(alias.essence(), essence))
    }

    /// Returns whether a type is that of the offer.
    pub(super) fn is_of_kind(&self, kind: &[u8]) -> bool {
        eq_lowercase(self.media_type.kind(), kind)
    }

    /// Returns whether a subtype has the same structured syntax as the offer: one is the plain
    /// name, and the other ends in it (`problem+json`, or any by `*+json`).
    pub(super) fn has_same_syntax(&self, subtype: &[u8]) -> bool {
        let suffix_at = subtype.iter().rposition(|byte| *byte == b'+');
        let subtype_suffix = suffix_at.map(|at| &subtype[at + 1..]);
        match (subtype_suffix, self.media_type.suffix()) {
            (Some(suffix), None) => eq_lowercase(self.media_type.subtype(), suffix),
            (None, Some(suffix)) => eq_lowercase(suffix, subtype),
            (Some(asked), Some(offered)) => {
                suffix_at == Some(1)
                    && subtype.first() == Some(&b'*')
                    && eq_lowercase(offered, asked)
            }
            (None, None) => false,
        }
    }

    /// Returns whether the offer has a parameter of a range.
    pub(super) fn has(&self, name: &[u8], value: &[u8]) -> bool {
        let is_charset = name.eq_ignore_ascii_case(b"charset");
        for (known, offered) in self.media_type.parameters() {
            if eq_lowercase(known, name) {
                return syntax::value_is(value, offered.as_bytes(), is_charset);
            }
        }
        // JSON is UTF-8 and has no such parameter, but many clients send it: "adding one really has
        // no effect on compliant recipients" (RFC 8259, section 11).
        let is_json =
            self.media_type.subtype() == "json" || self.media_type.suffix() == Some("json");
        is_charset && is_json && syntax::value_is(value, b"utf-8", true)
    }
}

impl From<MediaType> for Offer {
    fn from(media_type: MediaType) -> Self {
        Offer::new(media_type)
    }
}

/// The offer of a built-in format. A parameter distinguishes formats of the same media type, such as
/// the two layouts of MessagePack.
impl From<Format> for Offer {
    fn from(format: Format) -> Self {
        let row = format.row();
        let mut media_type = MediaType::from(format);
        if let Some((name, value)) = row.parameter {
            media_type = media_type.with_parameter(name, value);
        }
        let aliases = row.aliases.iter().filter_map(|alias| MediaType::parse(alias).ok());
        aliases.fold(Offer::new(media_type), Offer::or)
    }
}

/// Compares a lowercase text with a sent one, ignoring ASCII case.
#[inline]
fn eq_lowercase(known: &str, sent: &[u8]) -> bool {
    let known = known.as_bytes();
    // Most texts differ in length or at their end, which is cheaper to check than a full
    // comparison.
    known.len() == sent.len()
        && known.last().map(|byte| byte | 0x20) == sent.last().map(|byte| byte | 0x20)
        && (known == sent || known.eq_ignore_ascii_case(sent))
}
