//! Which format bytes are in, by walking them.

use manywire_format::Format;

use crate::{Event, Options, Role, walk};

/// The formats that bytes read as without a fault, the likeliest first. Where none fits, the one
/// that reads the most bytes stands alone. Never empty; Avro is never found, as
/// its bytes do not show it, but for the mark of its container files.
pub fn detect(bytes: &[u8]) -> Vec<Format> {
    if bytes.starts_with(b"Obj\x01") {
        return vec![Format::Avro];
    }
    let mut fits = Vec::new();
    let mut furthest = (0, Format::Json);
    for format in [Format::Json, Format::Bson, Format::MsgPack, Format::Cbor, Format::Protobuf] {
        match reading(format, bytes) {
            Reading::Whole(likelihood) => fits.push((likelihood, format)),
            Reading::Until(read) if read > furthest.0 => furthest = (read, format),
            Reading::Until(_) => {}
        }
    }
    // Stable: of equals the first of the list above.
    fits.sort_by_key(|(likelihood, _)| std::cmp::Reverse(*likelihood));
    match fits.is_empty() {
        true => vec![furthest.1],
        false => fits.into_iter().map(|(_, format)| format).collect(),
    }
}

enum Reading {
    /// All of it, and how much that says: the chance that other bytes would read so, too.
    Whole(u8),
    /// Faulty, and how many bytes could be read.
    Until(usize),
}

fn reading(format: Format, bytes: &[u8]) -> Reading {
    let mut has_container = false;
    let mut marked = false;
    let options = Options::DEFAULT;
    let summary = walk(format, bytes, options, &mut |event| {
        if let Event::Span(span) = event {
            has_container |= span.depth > 0;
            let first_tag = span.range == (0..3) && span.role == Role::Head;
            marked |= format == Format::Cbor && first_tag && bytes.starts_with(&SELF_DESCRIBED);
        }
    });
    if summary.faults > 0 {
        return Reading::Until(bytes.len() - summary.unread);
    }
    Reading::Whole(match format {
        _ if marked => 6,
        Format::Json => 6,
        Format::Bson => 5,
        Format::Protobuf if summary.entries == 0 => 0,
        Format::Protobuf => 2,
        // Almost any byte is a number to them; a container that ends just in time is not luck.
        _ if has_container => 4,
        _ => 1,
    })
}

/// Tag 55799 of RFC 8949, section 3.4.6.
const SELF_DESCRIBED: [u8; 3] = [0xd9, 0xd9, 0xf7];
