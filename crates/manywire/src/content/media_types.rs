//! Checks a list of formats: their media types and those of their streams are valid and belong to one
//! format each, as names do, and delimiters are not empty.

use manywire_format::MediaType;

use super::own::AnyFormat;

/// Returns the faults in the names, media types and delimiters of a list of formats: invalid media
/// types, those and names that two formats share, and empty delimiters.
pub(crate) fn check_media_types(formats: &[AnyFormat]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut known: Vec<(MediaType, AnyFormat)> = Vec::new();
    for (index, format) in formats.iter().enumerate() {
        let names = format.media_types();
        // The name identifies a format, so the values of one would be written by the other.
        let mut earlier = formats.iter().take(index);
        if earlier.any(|other| other == format && other.media_types() != names) {
            faults.push(format!("two formats have the name {format}: give one another name"));
        }
        if names.is_empty() {
            faults.push(format!("the format {format} names no media type"));
        }
        for name in names {
            let media_type = match MediaType::parse(name) {
                Ok(media_type) => media_type,
                Err(error) => {
                    faults.push(format!("the format {format}: {error}"));
                    continue;
                }
            };
            let other = known.iter().find(|(known, other)| {
                *known == media_type && other != format && (other.own().or(format.own())).is_some()
            });
            if let Some((_, other)) = other {
                faults.push(format!(
                    "the formats {other} and {format} both go by {name}: list one of them, or give \
                     one another name"
                ));
            }
            known.push((media_type, *format));
        }
    }
    faults.extend(check_streams(formats));
    faults
}

/// Returns the faults in the media types and delimiters of streams in user-defined formats.
fn check_streams(formats: &[AnyFormat]) -> Vec<String> {
    let mut faults = Vec::new();
    for (index, format) in formats.iter().enumerate() {
        let Some(own) = format.own() else { continue };
        if own.has_empty_delimiter() {
            faults.push(format!("the format {format} has an empty delimiter for streams"));
        }
        let names = format.framings().flat_map(|framing| framing.media_types().to_vec());
        for name in names {
            let media_type = match MediaType::parse(name) {
                Ok(media_type) => media_type,
                Err(error) => {
                    faults.push(format!("streams of the format {format}: {error}"));
                    continue;
                }
            };
            // The later of two user-defined formats reports the fault.
            let others = formats.iter().enumerate().filter(|(at, other)| {
                *other != format && (other.built_in().is_some() || *at < index)
            });
            let is_it = |(_, other): &(usize, &AnyFormat)| {
                other.framings().any(|framing| framing.is_named(&media_type))
            };
            for (_, other) in others.filter(is_it) {
                faults.push(format!(
                    "streams of the formats {other} and {format} both go by {name}: give one \
                     another name by Sequence::named"
                ));
            }
        }
    }
    faults
}
