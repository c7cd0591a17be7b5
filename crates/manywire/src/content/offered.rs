use http::HeaderValue;
use manywire_format::{Format, MediaType};

use crate::negotiate::Offer;

/// A format as it is offered. The layout of MessagePack by position shares a name with the one by
/// field names; a parameter tells them apart.
pub(crate) fn offer(format: Format) -> Offer {
    let row = format.row();
    let mut media_type = MediaType::from(format);
    if format == Format::MsgPackArray {
        media_type = media_type.with_parameter("layout", "array");
    }
    let aliases = row.aliases.iter().filter_map(|alias| MediaType::parse(alias).ok());
    aliases.fold(Offer::new(media_type), Offer::or)
}

/// A media type as a field has it.
pub(crate) fn content_type(media_type: &MediaType) -> HeaderValue {
    let text = media_type.to_string().replace(';', "; ");
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}
