//! Negotiation by the external cases with the verdict of RFC 9110, and by our own table.

use std::path::PathBuf;

use manywire::MediaType;
use manywire::negotiate::{
    Offer, Offers, Quality, choose_charset, choose_coding, media_ranges, token_ranges,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The cases whose expectation differs from our behavior, with the reason.
const DIFFERENT: [(&str, &str); 9] = [
    ("neg-075", "a parameter given twice: section 12.5.1 wants both in the representation"),
    ("neg-217", "an offer that is a file extension"),
    ("neg-218", "an offer that is a file extension"),
    ("neg-219", "an offer that is a file extension"),
    ("neg-222", "an offer that is a file extension"),
    ("neg-224", "an offer that is a file extension"),
    ("neg-225", "an offer that is a file extension"),
    ("neg-226", "an offer that is a file extension"),
    ("neg-227", "an offer that is a file extension"),
];

fn suite() -> Option<Value> {
    let Some(suites) = std::env::var_os("MANYWIRE_SUITES") else {
        println!("skipped: no suites");
        return None;
    };
    let path = PathBuf::from(suites).join("negotiation/cases.json");
    let text = std::fs::read(path).expect("the suite's cases.json");
    Some(serde_json::from_slice(&text).expect("JSON"))
}

/// Returns the bytes of a field. The suite's characters stand for bytes.
fn field(case: &Value) -> Option<Vec<u8>> {
    let text = case["accept"].as_str()?;
    Some(
        text.chars().map(|character| u8::try_from(u32::from(character)).expect("a byte")).collect(),
    )
}

fn offered(case: &Value) -> Vec<String> {
    let offers = case["offered"].as_array().into_iter().flatten();
    offers.map(|offer| offer.as_str().expect("an offer").to_owned()).collect()
}

fn quality(quality: Quality) -> f64 {
    f64::from(quality.thousandths()) / 1_000.0
}

/// Returns whether our result is the expected one, or the one of RFC 9110.
fn agrees(case: &Value) -> bool {
    match (case["header"].as_str(), case["op"].as_str()) {
        (Some("accept"), Some("parse")) => parsed_agrees(case),
        (Some("accept"), Some("list_accepted")) => listed_agrees(case, accepted_ranges(case)),
        (Some("accept"), Some("best" | "ranked" | "ranked_q")) => media_types_agree(case),
        (Some("accept-encoding"), Some("parse")) => {
            case["expected"] == "invalid" || codings(case) == case["expected"]
        }
        (Some("accept-encoding"), Some("list_accepted")) => {
            listed_agrees(case, accepted_codings(case))
        }
        (Some("accept-encoding"), Some("best" | "ranked" | "ranked_q")) => codings_agree(case),
        (Some("offer"), _) => {
            let offer = MediaType::parse(case["accept"].as_str().expect("an offer"));
            offer.is_err() || offer.is_ok_and(|offer| offer.to_string().contains('*'))
        }
        // A framework's behavior that differs from RFC 9110.
        (_, Some("policy")) => true,
        other => panic!("a kind of case this test does not know: {other:?}"),
    }
}

fn parsed_agrees(case: &Value) -> bool {
    let field = field(case).expect("a field");
    // The grammar of RFC 9110 decides if a library accepts a field that the grammar does not.
    if case["rfc9110_grammar"] == "invalid" {
        return media_ranges(&field).any(|range| range.is_err());
    }
    let Ok(ranges) = media_ranges(&field).collect::<Result<Vec<_>, _>>() else { return false };
    // A field that is valid in RFC 9110 and "invalid" by RFC 7231.
    let Some(expected) = case["expected"].as_array() else { return true };
    expected.len() == ranges.len()
        && ranges.iter().zip(expected).all(|(range, expected)| {
            let essence = format!("{}/{}", latin(range.kind()), latin(range.subtype()));
            let listed = expected["params"].as_array().into_iter().flatten();
            let listed = listed.chain(expected["ext"].as_array().into_iter().flatten());
            let listed: Vec<String> =
                listed.map(|pair| pair[1].as_str().unwrap_or_default().to_owned()).collect();
            let parsed: Vec<String> =
                range.parameters().map(|(_, value)| unquoted(value)).collect();
            expected["range"].as_str().is_some_and(|range| range.starts_with(&essence))
                && expected["q"] == json!(quality(range.quality()))
                && (expected["params"].is_null() || parsed == listed)
        })
}

fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

fn unquoted(value: &[u8]) -> String {
    let text = latin(value);
    let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return text;
    };
    let mut plain = String::new();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        plain.push(if character == '\\' { characters.next().expect("escaped") } else { character });
    }
    plain
}

/// Returns the ranges that a client accepts, the best first.
fn accepted_ranges(case: &Value) -> Vec<String> {
    let Some(field) = field(case) else { return vec!["*/*".to_owned()] };
    let mut ranges: Vec<_> = media_ranges(&field).flatten().collect();
    ranges.retain(|range| range.quality().is_acceptable());
    ranges.sort_by_key(|range| std::cmp::Reverse(range.quality()));
    ranges
        .iter()
        .map(|range| format!("{}/{}", latin(range.kind()), latin(range.subtype())))
        .collect()
}

fn accepted_codings(case: &Value) -> Vec<String> {
    let Some(field) = field(case) else { return vec!["identity".to_owned()] };
    let mut ranges: Vec<_> = token_ranges(&field).flatten().collect();
    let speaks_of_identity = ranges.iter().any(|range| matches!(range.token, b"*" | b"identity"));
    ranges.retain(|range| range.quality.is_acceptable());
    ranges.sort_by_key(|range| std::cmp::Reverse(range.quality));
    let mut tokens: Vec<String> = ranges.iter().map(|range| latin(range.token)).collect();
    if !speaks_of_identity {
        tokens.push("identity".to_owned());
    }
    tokens
}

/// Compares a list with an expected list, or with its expected first item.
fn listed_agrees(case: &Value, parsed: Vec<String>) -> bool {
    match &case["expected"] {
        Value::Array(expected) => {
            expected.iter().map(Value::as_str).eq(parsed.iter().map(|text| Some(text.as_str())))
        }
        first => first.as_str() == parsed.first().map(String::as_str),
    }
}

fn media_types_agree(case: &Value) -> bool {
    // A library may have invalid offers, which ours cannot express.
    let texts: Vec<String> = offered(case).into_iter().filter(|text| !text.contains('*')).collect();
    let media_types: Vec<(String, MediaType)> = texts
        .into_iter()
        .filter_map(|text| MediaType::parse(&text).ok().map(|media_type| (text, media_type)))
        .collect();
    let offers = Offers::new(media_types.iter().map(|(_, known)| Offer::new(known.clone())));
    let field = field(case);
    let choice = offers.choose(field.as_deref());
    assert_eq!(choice, offers.choose(field.as_deref()), "the cached choice is the same");
    let chosen = choice.map(|index| media_types[index].0.as_str());
    let weights = offers.weights(field.as_deref());
    let mut ranked: Vec<(&str, f64)> = media_types
        .iter()
        .zip(&weights)
        .map(|((text, _), weight)| (text.as_str(), quality(weight.quality)))
        .filter(|(_, quality)| *quality > 0.0)
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    assert_eq!(chosen, ranked.first().map(|(offer, _)| *offer), "the best is chosen: {case}");
    match case["op"].as_str() {
        Some("best") => is_one_of_the_best(case, chosen),
        _ => same_ranking(case, &ranked),
    }
}

fn is_one_of_the_best(case: &Value, chosen: Option<&str>) -> bool {
    if case["expected"].as_str() == chosen {
        return true;
    }
    let best = case["rfc9110"]["best_any_of"].as_array().into_iter().flatten();
    best.filter_map(Value::as_str).any(|offer| Some(offer) == chosen)
}

/// Returns whether the same offers are acceptable, and none precedes a better one. Servers may
/// order equal offers freely.
fn same_ranking(case: &Value, ranked: &[(&str, f64)]) -> bool {
    let expected = case["expected"].as_array().expect("a ranking");
    let mut places: Vec<(&str, Option<f64>)> = expected
        .iter()
        .map(|entry| match entry.as_str() {
            Some(offer) => (offer, None),
            None => (entry["offer"].as_str().expect("an offer"), entry["q"].as_f64()),
        })
        .collect();
    places.retain(|(offer, _)| !offer.contains('*'));
    places.len() == ranked.len()
        && places.iter().all(|(offer, quality)| {
            let Some(parsed) = ranked.iter().find(|(known, _)| known == offer) else {
                return false;
            };
            quality.is_none_or(|quality| quality == parsed.1)
        })
        && places.windows(2).all(|pair| {
            let quality =
                |place: &str| ranked.iter().find(|(known, _)| *known == place).map(|(_, q)| *q);
            quality(pair[0].0) >= quality(pair[1].0)
        })
}

fn codings(case: &Value) -> Value {
    let field = field(case).expect("a field");
    token_ranges(&field)
        .flatten()
        .map(|range| json!({"coding": latin(range.token), "q": quality(range.quality)}))
        .collect()
}

/// Returns our ranking: chooses repeatedly, each time without the earlier choices.
fn codings_agree(case: &Value) -> bool {
    let offers = offered(case);
    let field = field(case);
    let mut left: Vec<&str> = offers
        .iter()
        .map(String::as_str)
        .filter(|offer| !offer.eq_ignore_ascii_case("identity"))
        .collect();
    let has_identity = offers.len() != left.len();
    let choice = choose_coding(field.as_deref(), &left);
    let best = match choice.coding {
        Some(index) => Some(left[index].to_owned()),
        None if choice.identity && has_identity => Some("identity".to_owned()),
        None => None,
    };
    if case["op"] == "best" {
        return is_one_of_the_best(case, best.as_deref());
    }
    let mut acceptable = usize::from(choice.identity && has_identity);
    // Identity hides less preferred codings. They are visible once identity is made unacceptable.
    let mut without = field.unwrap_or_default();
    without.splice(0..0, *b"identity;q=0, ");
    while let Some(index) = choose_coding(Some(&without), &left).coding {
        left.remove(index);
        acceptable += 1;
    }
    let absent = case["accept"].is_null();
    let expected = case["expected"].as_array().expect("a ranking").len();
    (acceptable == expected || absent && !choice.is_unacceptable())
        && (best.is_none() || absent || is_first(case, best.as_deref()))
}

fn is_first(case: &Value, best: Option<&str>) -> bool {
    let first = &case["expected"][0];
    let first = first.as_str().or_else(|| first["offer"].as_str());
    first.zip(best).is_some_and(|(first, best)| first.eq_ignore_ascii_case(best))
        || is_one_of_the_best(case, best)
}

#[test]
fn external_cases_pass_or_are_listed() {
    let Some(suite) = suite() else { return };
    let cases = suite["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 388, "the list is complete");
    let mut wrong = Vec::new();
    for case in cases {
        let id = case["id"].as_str().expect("an id");
        let listed = DIFFERENT.iter().any(|(known, _)| *known == id);
        if agrees(case) == listed {
            wrong.push(format!("{}{case}", if listed { "agrees, though listed: " } else { "" }));
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

/// The offers of the table below.
const OFFERS: [&str; 4] =
    ["application/json", "application/vnd.msgpack", "application/cbor", "text/html;level=1"];

#[test]
fn chooses_by_the_field() {
    let offers = Offers::new(OFFERS.map(|offer| {
        let offer = Offer::new(MediaType::parse(offer).expect("a media type"));
        let alias = MediaType::parse("application/x-msgpack").expect("a media type");
        if offer.media_type().subtype() == "vnd.msgpack" { offer.or(alias) } else { offer }
    }));
    for (field, choice) in [
        (None, Some(0)),
        (Some(""), None),
        (Some("*/*"), Some(0)),
        (Some("APPLICATION/CBOR"), Some(2)),
        (Some("application/json;q=0.3, application/cbor;q=0.31"), Some(2)),
        (Some("application/json;q=0, */*;q=0.1"), Some(1)),
        (Some("application/*;q=0.5, application/json;q=0.4, application/cbor;q=0.6"), Some(2)),
        (Some("application/json;q=0"), None),
        (Some("text/html"), Some(3)),
        (Some("text/html;level=2"), None),
        (Some("text/html;LEVEL=\"1\", application/json;q=0.9"), Some(3)),
        // Aliases, and offers of the same structured syntax.
        (Some("application/x-msgpack"), Some(1)),
        (
            Some(
                "application/vnd.msgpack;q=0, application/x-msgpack;q=0.2, application/json;q=0.1",
            ),
            Some(0),
        ),
        (Some("application/vnd.hotel+json"), Some(0)),
        (Some("application/*+cbor"), Some(2)),
        (Some("application/vnd.hotel+json;q=0, */*;q=0.1"), Some(0)),
        (Some("application/json;charset=UTF-8"), Some(0)),
        (Some("application/json;charset=utf-16"), None),
        // Malformed members are ignored. A field without any other member is treated as absent.
        (Some("json, application/cbor"), Some(2)),
        (Some("application/json;q=2, application/cbor;q=0.1"), Some(2)),
        (Some("application/json;q=0.5;q=0.5, application/cbor"), Some(2)),
        (Some("*/json"), Some(0)),
        (Some(", ,\t,application/cbor,,"), Some(2)),
        (Some("a/b;c=\"d,application/cbor\", application/vnd.msgpack"), Some(1)),
        (Some("a/b;c=\"d, application/cbor"), Some(0)),
    ] {
        assert_eq!(offers.choose(field.map(str::as_bytes)), choice, "{field:?}");
        assert_eq!(offers.choose(field.map(str::as_bytes)), choice, "{field:?}, remembered");
    }
}

#[test]
fn tells_names_apart_that_begin_and_end_alike() {
    let names = [18, 17].map(|length| format!("a/{}", "a".repeat(length - 2)));
    let media_type = |name: &String| MediaType::parse(name).expect("a media type");
    let offers = Offers::new(names.iter().map(|name| Offer::new(media_type(name))));
    for (index, name) in names.iter().enumerate() {
        for field in [name.clone(), format!("{name};q=0.9")] {
            assert_eq!(offers.choose(Some(field.as_bytes())), Some(index), "{field}");
        }
    }
}

#[test]
fn an_earlier_offer_with_a_parameter_wins_a_tie() {
    let array = "application/vnd.msgpack;layout=array";
    let offers = [array, "application/vnd.msgpack"]
        .map(|text| Offer::new(MediaType::parse(text).expect("a media type")));
    let offers = Offers::new(offers);
    for (field, choice) in [
        ("application/vnd.msgpack", Some(0)),
        ("Application/vnd.msgpack", Some(0)),
        ("application/vnd.msgpack;q=0.5", Some(0)),
        ("application/vnd.msgpack, application/json", Some(0)),
        (array, Some(0)),
        ("application/vnd.msgpack;layout=array;q=0, application/vnd.msgpack", Some(1)),
    ] {
        assert_eq!(offers.choose(Some(field.as_bytes())), choice, "{field}");
    }
}

#[test]
fn caches_choices_of_each_list_separately() {
    let offers = |texts: [&str; 2]| {
        Offers::new(texts.map(|text| Offer::new(MediaType::parse(text).expect("a media type"))))
    };
    let (one, other) = (offers(["a/a", "b/b"]), offers(["b/b", "a/a"]));
    for index in 0..300 {
        // More fields than slots, some longer than the cache keeps.
        let field = format!("a/a;q=0.5, b/b, c/c;q=0.{index:03}{}", " ".repeat(index));
        assert_eq!(one.choose(Some(field.as_bytes())), Some(1));
        assert_eq!(other.choose(Some(field.as_bytes())), Some(0));
    }
}

#[test]
fn chooses_charsets_or_ignores_the_field() {
    let offers = ["utf-8", "iso-8859-1"];
    for (field, choice) in [
        (None, Some(0)),
        (Some("ISO-8859-1"), Some(1)),
        (Some("iso-8859-1;q=0.5, *;q=0.4"), Some(1)),
        (Some("utf-8;q=0, *"), Some(1)),
        (Some("koi8-r"), Some(0)),
    ] {
        assert_eq!(choose_charset(field.map(str::as_bytes), &offers), choice, "{field:?}");
    }
}

#[test]
fn quality_values_round_trip() {
    for (text, shown) in
        [("0", "0"), ("1.000", "1"), ("0.5", "0.5"), ("0.050", "0.05"), ("0.", "0")]
    {
        let field = format!("a/b;q={text}");
        let range = media_ranges(field.as_bytes()).next().expect("a range").expect("valid");
        assert_eq!(range.quality().to_string(), shown);
    }
}

/// Fragments of fields, valid and invalid.
const PIECES: [&str; 25] = [
    "application/json",
    "APPLICATION/JSON",
    "application/json-seq",
    "application/vnd.msgpack",
    "application/x-msgpack",
    "application/cbor",
    "application/problem+json",
    "text/html",
    "application/*",
    "*/*",
    ";q=0.5",
    ";q=0.51",
    ";q=0.512",
    ";q=0.5123",
    ";q=0.",
    ";q=0",
    ";q=1",
    ";q=1.5",
    "; q=0.4",
    ";Q=0.3",
    ";layout=array",
    ";charset=utf-8",
    ",",
    ", ",
    "\t,",
];

proptest! {
    /// `choose` compares names by words, and `weights` byte by byte: they must agree.
    #[test]
    fn chooses_the_first_of_the_best_weights(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12),
        commas in any::<u16>(),
    ) {
        let offer = |text: &str| Offer::new(MediaType::parse(text).expect("a media type"));
        let alias = MediaType::parse("application/x-msgpack").expect("a media type");
        let offers = Offers::new([
            offer("application/json"),
            offer("application/vnd.msgpack").or(alias.clone()),
            offer("application/vnd.msgpack;layout=array").or(alias),
            offer("application/cbor"),
            offer("application/json-seq"),
        ]);
        let mut field = String::new();
        for (at, piece) in pieces.iter().enumerate() {
            field.push_str(piece);
            if commas >> at & 1 == 1 {
                field.push(',');
            }
        }
        let weights = offers.weights(Some(field.as_bytes()));
        let mut best = None;
        for (index, weight) in weights.iter().enumerate() {
            if weight.quality > best.map_or(Quality::ZERO, |(_, quality)| quality) {
                best = Some((index, weight.quality));
            }
        }
        let chosen = offers.choose(Some(field.as_bytes()));
        prop_assert_eq!(chosen, best.map(|(index, _)| index), "{}", field);
    }
}
