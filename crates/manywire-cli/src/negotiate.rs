//! `manywire negotiate`: runs the negotiation of the library on a field, and explains the result.

use std::fmt;

use manywire::negotiate::{Offer, Offers, choose_coding, media_ranges, token_ranges};
use manywire::{Format, MediaType};
use manywire_format::InvalidMediaType;

use crate::arguments::Negotiate;
use crate::exit::{Exit, usage};
use crate::output;

/// Prints the chosen representation alone on the first line, and then the reason for each offer.
pub(crate) fn run(arguments: &Negotiate) -> Exit {
    let text = match &arguments.accept_encoding {
        Some(field) => Ok(coding(field, &arguments.offer)),
        None => media_type(arguments.accept.as_deref(), &arguments.offer),
    };
    Exit::of(text.map(|text| output::print(&text)).map_err(usage))
}

/// Returns the output for a field, `Accept` or `Accept-Encoding`, with fixed offers.
#[cfg(test)]
pub(crate) fn text(field: &str, accept: bool) -> Result<String, InvalidOffer> {
    let words = |words: &[&str]| words.iter().map(|word| String::from(*word)).collect::<Vec<_>>();
    match accept {
        true => media_type(Some(field), &words(&["json", "cbor", "text/html; charset=utf-8"])),
        false => Ok(coding(field, &words(&["gzip", "br", "identity"]))),
    }
}

/// The first line if no offer is acceptable: the status of RFC 9110, section 15.5.7. The command
/// answers a question and checks nothing, so it exits with 0 then, too.
const NOT_ACCEPTABLE: &str = "406";

/// The error for an offer that no server can have.
#[derive(Debug)]
pub(crate) enum InvalidOffer {
    /// The offer is a range of media types.
    Range(MediaType),
    /// The offer is not a media type, and not the name of a format.
    MediaType(InvalidMediaType),
}

impl fmt::Display for InvalidOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidOffer::Range(range) => write!(
                f,
                "{range} is a range: a server offers media types, such as application/json"
            ),
            InvalidOffer::MediaType(error) => {
                write!(f, "{error}, or the name of a format (`manywire formats`)")
            }
        }
    }
}

fn media_type(field: Option<&str>, texts: &[String]) -> Result<String, InvalidOffer> {
    let media_types: Vec<Offer> = texts.iter().map(|text| offer(text)).collect::<Result<_, _>>()?;
    let offers = Offers::new(media_types);
    // By the grammar, an empty field accepts nothing. A service ignores it, because clients that send
    // one have no preference.
    let is_empty =
        field.is_some_and(|field| field.chars().all(|it| matches!(it, ',' | ' ' | '\t')));
    let field = field.filter(|_| !is_empty);
    let bytes = field.map(str::as_bytes);
    let chosen = offers.choose(bytes).and_then(|index| texts.get(index));
    let mut out = format!("{}\n", chosen.map_or(NOT_ACCEPTABLE, String::as_str));
    for (text, weight) in texts.iter().zip(offers.weights(bytes)) {
        let why = match (weight.range, field) {
            (Some(range), _) => format!("by {range}"),
            (None, Some(_)) if weight.quality.is_acceptable() => {
                "no member of Accept is well formed".to_owned()
            }
            (None, Some(_)) => "not accepted".to_owned(),
            (None, None) if is_empty => "an empty Accept counts as absent".to_owned(),
            (None, None) => "without Accept, anything is acceptable".to_owned(),
        };
        write_offer(&mut out, text, &format!("q={}", weight.quality), &why);
    }
    let malformed = media_ranges(field.unwrap_or_default().as_bytes()).filter_map(Result::err);
    write_malformed(&mut out, malformed.map(|member| member.0));
    Ok(out)
}

/// Parses an offer: a media type or the name of a format.
fn offer(text: &str) -> Result<Offer, InvalidOffer> {
    if let Ok(format) = text.parse::<Format>() {
        return Ok(format.into());
    }
    match MediaType::parse(text) {
        Ok(media_type) if text.contains('*') => Err(InvalidOffer::Range(media_type)),
        Ok(media_type) => Ok(media_type.into()),
        Err(error) => Err(InvalidOffer::MediaType(error)),
    }
}

fn coding(field: &str, texts: &[String]) -> String {
    let offers: Vec<&str> =
        texts.iter().map(String::as_str).filter(|text| *text != "identity").collect();
    let choice = choose_coding(Some(field.as_bytes()), &offers);
    let chosen = match choice.coding.and_then(|index| offers.get(index)) {
        Some(coding) => coding,
        None if choice.identity => "identity",
        None => NOT_ACCEPTABLE,
    };
    let mut out = format!("{chosen}\n");
    for offer in offers.iter().chain([&"identity"]) {
        let members: Vec<_> = token_ranges(field.as_bytes()).flatten().collect();
        let named = members.iter().find(|member| member.is_coding(offer));
        let member = named.or_else(|| members.iter().find(|member| member.token == b"*"));
        let (quality, why) = match member {
            Some(member) => {
                let token = String::from_utf8_lossy(member.token);
                (format!("q={}", member.quality), format!("by {token}"))
            }
            None if *offer == "identity" => (
                "q=-".to_owned(),
                "acceptable unless excluded, with the lowest preference".to_owned(),
            ),
            None => ("q=0".to_owned(), "not accepted".to_owned()),
        };
        write_offer(&mut out, offer, &quality, &why);
    }
    let malformed = token_ranges(field.as_bytes()).filter_map(Result::err);
    write_malformed(&mut out, malformed.map(|member| member.0));
    out
}

fn write_offer(out: &mut String, offer: &str, quality: &str, why: &str) {
    *out += &format!("  {offer:<28} {quality:<8} {why}\n");
}

fn write_malformed<'a>(out: &mut String, members: impl Iterator<Item = &'a [u8]>) {
    for member in members {
        *out += &format!("  passed over as malformed: {}\n", String::from_utf8_lossy(member));
    }
}
