//! What the bytes of one Protocol Buffers type say to a reader of another.

use manywire_shape::proto::Kind;

/// Whether (new readers read old bytes, old readers read new bytes). Messages are looked into, and
/// enums, by whoever asks.
pub(super) fn compatible(old: Kind, new: Kind) -> (bool, bool) {
    use Kind::{
        Bool, Bytes, Enum, Fixed32, Fixed64, Int32, Int64, Message, Sfixed32, Sfixed64, Sint32,
        Sint64, String, Uint32, Uint64,
    };
    match (old, new) {
        (Message(_), Message(_)) | (Enum(_), Enum(_)) => (true, true),
        (left, right) if left == right => (true, true),
        // A wider varint holds the narrower; read narrower, a large one is cut.
        (Int32 | Bool | Enum(_), Int64) | (Uint32 | Bool, Uint64) | (Sint32, Sint64) => {
            (true, false)
        }
        (Int64, Int32 | Bool | Enum(_)) | (Uint64, Uint32 | Bool) | (Sint64, Sint32) => {
            (false, true)
        }
        (Uint32, Int64) | (Bool, Int32 | Uint32) => (true, false),
        (Int64, Uint32) | (Int32 | Uint32, Bool) => (false, true),
        // Enums are open in proto3: a number without a name is kept.
        (Enum(_), Int32) | (Int32, Enum(_)) => (true, true),
        // The same bytes under another sign.
        (Int32 | Int64, Uint32 | Uint64) | (Uint32 | Uint64, Int32 | Int64) => (false, false),
        (Fixed32, Sfixed32) | (Sfixed32, Fixed32) | (Fixed64, Sfixed64) | (Sfixed64, Fixed64) => {
            (false, false)
        }
        // Text is bytes; bytes are text only where they are UTF-8.
        (String, Bytes) => (true, false),
        (Bytes, String) => (false, true),
        _ => (false, false),
    }
}
