//! The two layouts of records.

use manywire_format::Format;

/// The layout of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Maps from field name to value: [`Format::MsgPack`].
    Map,
    /// Arrays in field order: [`Format::MsgPackArray`].
    Array,
}

impl Layout {
    /// Returns the format of this layout.
    pub fn format(self) -> Format {
        match self {
            Layout::Map => Format::MsgPack,
            Layout::Array => Format::MsgPackArray,
        }
    }
}
