use manywire_format::MediaType;

use super::accept::Class;
use super::quality::Quality;
use super::scan;

/// One representation a server can make: its media type, and other names clients have for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    media_type: MediaType,
    aliases: Vec<MediaType>,
}

impl Offer {
    /// What a server can make, by the media type it says it is.
    pub fn new(media_type: MediaType) -> Self {
        Offer { media_type, aliases: Vec::new() }
    }

    /// Adds a name by which clients may ask for it; it is still sent under its own.
    #[must_use]
    pub fn or(mut self, alias: MediaType) -> Self {
        self.aliases.push(alias);
        self
    }

    /// The media type it is sent as.
    pub fn media_type(&self) -> &MediaType {
        &self.media_type
    }

    /// How a range of this type and subtype describes the offer, parameters apart.
    #[inline]
    pub(super) fn class(&self, kind: &[u8], subtype: &[u8], quality: Quality) -> Option<Class> {
        if subtype == b"*" {
            if kind == b"*" {
                return Some(Class::Any);
            }
            return same(self.media_type.kind(), kind).then_some(Class::Kind);
        }
        if is(&self.media_type, kind, subtype) {
            return Some(Class::Exact);
        }
        if self.aliases.iter().any(|alias| is(alias, kind, subtype)) {
            return Some(Class::Alias);
        }
        // "Not this one" must not come to mean "nothing like it".
        let counts = quality.is_acceptable() && same(self.media_type.kind(), kind);
        (counts && self.is_like(subtype)).then_some(Class::Suffix)
    }

    /// Whether a subtype has the syntax that this offer has: one is the bare name, the other ends
    /// in it (`problem+json`, or any such by `*+json`).
    fn is_like(&self, subtype: &[u8]) -> bool {
        let suffix_at = subtype.iter().rposition(|byte| *byte == b'+');
        let subtype_suffix = suffix_at.map(|at| &subtype[at + 1..]);
        match (subtype_suffix, self.media_type.suffix()) {
            (Some(suffix), None) => same(self.media_type.subtype(), suffix),
            (None, Some(suffix)) => same(suffix, subtype),
            (Some(asked), Some(offered)) => {
                suffix_at == Some(1) && subtype.first() == Some(&b'*') && same(offered, asked)
            }
            (None, None) => false,
        }
    }

    /// Whether the offer has a parameter of a range.
    pub(super) fn has(&self, name: &[u8], value: &[u8]) -> bool {
        let is_charset = name.eq_ignore_ascii_case(b"charset");
        for (known, offered) in self.media_type.parameters() {
            if same(known, name) {
                return scan::value_is(value, offered.as_bytes(), is_charset);
            }
        }
        // JSON is UTF-8 and has no such parameter; "adding one really has no effect on compliant
        // recipients" (RFC 8259, section 11). Many clients send it.
        let is_json =
            self.media_type.subtype() == "json" || self.media_type.suffix() == Some("json");
        is_charset && is_json && scan::value_is(value, b"utf-8", true)
    }
}

impl From<MediaType> for Offer {
    fn from(media_type: MediaType) -> Self {
        Offer::new(media_type)
    }
}

#[inline]
fn is(media_type: &MediaType, kind: &[u8], subtype: &[u8]) -> bool {
    same(media_type.subtype(), subtype) && same(media_type.kind(), kind)
}

/// Whether a text sent in any letter case is this one in lower case.
#[inline]
fn same(known: &str, sent: &[u8]) -> bool {
    known.len() == sent.len()
        && (known.as_bytes() == sent || known.as_bytes().eq_ignore_ascii_case(sent))
}
