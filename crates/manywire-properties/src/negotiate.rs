//! Content negotiation: any bytes of a header field choose among the offers.

use std::sync::LazyLock;

use manywire::MediaType;
use manywire::negotiate::{
    Offer, Offers, choose_charset, choose_coding, media_ranges, token_ranges,
};

use crate::target::{CheckResult, ensure};

const MEDIA_TYPES: [&str; 6] = [
    "application/json",
    "application/vnd.msgpack",
    "application/cbor",
    "text/html;charset=utf-8",
    "application/problem+json",
    "image/svg+xml",
];

static OFFERS: LazyLock<Offers> = LazyLock::new(|| {
    let media_type = |text: &str| MediaType::parse(text).expect("a media type");
    Offers::new(MEDIA_TYPES.map(|text| match text {
        "application/vnd.msgpack" => {
            Offer::new(media_type(text)).or(media_type("application/msgpack"))
        }
        _ => Offer::new(media_type(text)),
    }))
});

/// Checks `Accept`: the choice is the first offer of the highest quality, and media ranges print as
/// they are read.
pub(crate) fn accept(field: &[u8]) -> CheckResult {
    let offers = &*OFFERS;
    let chosen = offers.choose(Some(field));
    let weights = offers.weights(Some(field));
    let best = weights.iter().map(|weight| weight.quality).max();
    let best = best.filter(|quality| quality.is_acceptable());
    let first = weights.iter().position(|weight| Some(weight.quality) == best);
    ensure!(
        chosen == first,
        "{chosen:?} is chosen, {first:?} has the highest quality: {weights:?}"
    );
    let ranges: Vec<String> =
        media_ranges(field).flatten().map(|range| range.to_string()).collect();
    for range in &ranges {
        let read: Vec<_> = media_ranges(range.as_bytes()).collect();
        let same = matches!(&read[..], [Ok(again)] if again.to_string() == *range);
        ensure!(same, "{range:?} is read as {read:?}");
    }
    if !ranges.is_empty() {
        let again = offers.choose(Some(ranges.join(", ").as_bytes()));
        ensure!(again == chosen, "{chosen:?} is chosen, but {again:?} from {ranges:?}");
    }
    Ok(())
}

const CODINGS: [&str; 3] = ["gzip", "br", "zstd"];

/// Checks `Accept-Encoding` and `Accept-Charset`: the choice is acceptable, and no other is
/// preferred.
pub(crate) fn tokens(field: &[u8]) -> CheckResult {
    let members: Vec<_> = token_ranges(field).flatten().collect();
    let named = |name: &str| {
        let own = members.iter().find(|member| member.is_coding(name));
        let any = || members.iter().find(|member| member.token == b"*");
        own.or_else(any).map(|member| member.quality)
    };
    let choice = choose_coding(Some(field), &CODINGS);
    let acceptable = |name: &str| named(name).is_some_and(|quality| quality.is_acceptable());
    if let Some(index) = choice.coding {
        let chosen = CODINGS[index];
        ensure!(acceptable(chosen), "{chosen} is chosen although it was refused");
        for other in CODINGS.into_iter().chain(["identity"]) {
            let better = named(other) > named(chosen) && acceptable(other);
            ensure!(!better, "{chosen} is chosen although {other} is preferred");
        }
    }
    let refused = named("identity").is_some_and(|quality| !quality.is_acceptable());
    ensure!(choice.identity != refused, "no acceptable coding: {choice:?}");
    let charsets = ["utf-8", "utf-16", "iso-8859-1"];
    let charset = choose_charset(Some(field), &charsets);
    let weight = |name: &&str| {
        let is_it = |token: &[u8]| token.eq_ignore_ascii_case(name.as_bytes());
        let own = members.iter().find(|member| is_it(member.token));
        let any = || members.iter().find(|member| member.token == b"*");
        own.or_else(any).map_or(0, |member| member.quality.thousandths())
    };
    // The first charset is the choice if the client accepts none.
    let weights: Vec<u16> = charsets.iter().map(weight).collect();
    let best = weights.iter().max();
    let first = weights.iter().position(|weight| Some(weight) == best);
    ensure!(
        charset == first,
        "{charset:?} is chosen, {first:?} has the highest quality: {weights:?}"
    );
    Ok(())
}
