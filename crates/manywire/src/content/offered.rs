use http::HeaderValue;
use manywire_format::MediaType;

/// A media type as a field has it.
pub(crate) fn content_type(media_type: &MediaType) -> HeaderValue {
    let text = media_type.to_string().replace(';', "; ");
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}
